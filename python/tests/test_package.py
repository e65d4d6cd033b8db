"""The package beside `ttnn`: program files, settings, the command."""

import os
import pathlib
import subprocess
import sys
import threading

import pytest

import tileproof

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "programs"


def test_a_program_file_runs_and_its_report_is_the_command_s():
    report = tileproof.run(EXAMPLES / "hang" / "program.toml")
    assert not report.passed and report.status == "deadlock" and report.findings[0]["code"] == "TP0601"
    assert "cb_wait_front" in str(report) and report.ledger
    assert tileproof.run(EXAMPLES / "hang" / "program.toml", parameters={"EXTRA": 0}).passed


def test_what_cannot_be_run_is_an_exception():
    with pytest.raises(RuntimeError, match="no_such.toml"):
        tileproof.run("no_such.toml")
    with pytest.raises(ValueError, match="checks"):
        tileproof.run(EXAMPLES / "hang" / "program.toml", checks="everything")
    with pytest.raises(ValueError, match="on_findings"):
        tileproof.configure(on_findings="ignore")
    with pytest.raises(TypeError):
        tileproof.configure(chekcs="all")


@pytest.mark.parametrize("change", [{"allow": ["TP0601"]}, {"on_findings": "warn"}, {"arch": "blackhole"}, {"api": "0.66"}], ids=str)
def test_settings_that_a_program_file_does_not_follow_are_refused(change):
    with pytest.raises(TypeError, match=f"run.. takes no {next(iter(change))}"):
        tileproof.run(EXAMPLES / "hang" / "program.toml", **change)


def test_allowed_codes_are_a_list_or_a_text():
    for allow in ("TP0806", ["TP0806"], ("TP0806",)):
        with tileproof.settings(allow=allow):
            assert tileproof.current().allow == ("TP0806",)
    with tileproof.settings(allow="TP0806, TP0501"):
        assert tileproof.current().allow == ("TP0806", "TP0501")
    for allow in ("0806", ["buffers"], [806], "TP0806,"):
        with pytest.raises(ValueError, match="allow has"):
            tileproof.configure(allow=allow)
    for name, number in (("explore", -1), ("threads", 0), ("limit", "5")):
        with pytest.raises(ValueError, match=name):
            tileproof.configure(**{name: number})


@pytest.mark.parametrize(("name", "word"), [("explore", "x"), ("explore", "-1"), ("threads", "0"), ("threads", "many"), ("arch", "grayskull")])
def test_a_wrong_setting_of_the_environment_is_named(name, word):
    variable = f"TILEPROOF_{name.upper()}"
    command = [sys.executable, "-c", "import tileproof"]
    run = subprocess.run(command, env={**os.environ, variable: word}, capture_output=True, text=True, check=False)
    assert run.returncode == 1 and f"{variable}: {name} is '{word}'" in run.stderr.replace(f"is {word}", f"is '{word}'")


def test_the_environment_gives_settings():
    given = {"TILEPROOF_EXPLORE": "3", "TILEPROOF_THREADS": "2", "TILEPROOF_ARCH": "blackhole", "TILEPROOF_CHECKS": "buffers"}
    code = "import tileproof; s = tileproof.current(); print(s.explore, s.threads, s.arch, s.checks)"
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, **given}, capture_output=True, text=True, check=True)
    assert run.stdout == "3 2 blackhole buffers\n"


def test_a_with_holds_for_its_thread_and_configure_for_all():
    seen = []
    with tileproof.settings(explore=7):
        thread = threading.Thread(target=lambda: seen.append(tileproof.current().explore))
        thread.start()
        thread.join()
    assert seen == [tileproof.current().explore]


def test_codes_are_explained():
    assert tileproof.explain("TP0601").startswith("# TP0601") and tileproof.explain("TP9999") is None


def test_the_command_comes_with_the_package():
    command = [sys.executable, "-m", "tileproof"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.split() == ["tileproof", tileproof.__version__]
    run = subprocess.run([*command, "run", EXAMPLES / "hang" / "program.toml"], capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "TP0601" in run.stdout
    bad = subprocess.run([*command, "run", "no_such.toml"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2

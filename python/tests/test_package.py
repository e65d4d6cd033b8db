"""The package beside `ttnn`: program files, settings, the command."""

import pathlib
import subprocess
import sys

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

"""The pytest plugin, in a pytest of its own."""

import pytest

pytest_plugins = ["pytester"]

TEST = """
import sys
sys.path.insert(0, {here!r})
import pytest
import tileproof.ttnn as ttnn
from conftest import COPY, copy_program, tiles_of, undefined_like

def run(device, source=COPY):
    x = tiles_of(device)
    y = undefined_like(x)
    ttnn.generic_op([x, y], copy_program(x, y, source))

WITHOUT_BARRIER = COPY.replace("noc_async_read_barrier();", "")

def test_right(device):
    run(device)

def test_wrong(device):
    run(device, WITHOUT_BARRIER)

@pytest.mark.tileproof(allow=["TP0501"])
def test_allowed(device):
    run(device, WITHOUT_BARRIER)

@pytest.mark.tileproof(checks="none")
def test_not_looked_for(device):
    run(device, WITHOUT_BARRIER)

def test_the_mark_of_another_test_is_gone(device):
    with pytest.raises(RuntimeError, match="TP0501"):
        run(device, WITHOUT_BARRIER)
"""


def test_findings_fail_a_test_with_the_text_and_the_replay(pytester):
    import pathlib

    pytester.makepyfile(TEST.format(here=str(pathlib.Path(__file__).parent)))
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--junitxml=junit.xml")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*error?TP0501?: *", "*replay: pytest *::test_wrong*", "*explain: tileproof explain TP0501*"])
    assert 'name="tileproof_codes" value="TP0501"' in (pytester.path / "junit.xml").read_text()


def test_a_mark_with_a_field_that_nobody_knows_is_an_error(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.tileproof(chekcs='all')\ndef test(): pass\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret != 0
    result.stderr.fnmatch_lines(["*mark tileproof has 'chekcs'*"])


@pytest.mark.parametrize("by", ["an option", "the configuration"])
def test_ttnn_can_be_replaced_for_a_whole_run_also_in_its_conftest(pytester, by):
    pytester.makeconftest("import ttnn\nimport pytest\n@pytest.fixture\ndef name(): return ttnn.__name__\n")
    pytester.makepyfile("import ttnn\ndef test(name): assert name == ttnn.__name__ == 'tileproof.ttnn'\n")
    if by == "the configuration":
        pytester.makeini("[pytest]\ntileproof_as_ttnn = true\n")
    options = ["--tileproof-as-ttnn"] if by == "an option" else []
    pytester.runpytest_subprocess("-p", "no:cacheprovider", *options).assert_outcomes(passed=1)

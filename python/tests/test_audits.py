"""The mark `audit=True`: a test that passes is asked which faults it would miss."""

import pathlib
import re

import pytest

pytest_plugins = ["pytester"]

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"

TEST = """
import sys
sys.path.insert(0, {examples!r})
import numpy as np
import pytest
import tileproof.ttnn as ttnn
from add import add

def tensors(device, rng):
    values = [rng.integers(-64, 64, (4, 32, 32)).astype(np.float32) for _ in range(2)]
    return values, [ttnn.from_numpy(v, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for v in values]

def run(device, seed=1):
    (a, b), (a_tt, b_tt) = tensors(device, np.random.default_rng(seed))
    return ttnn.to_numpy(add(a_tt, b_tt)).astype(np.float32), a + b

@pytest.mark.tileproof(audit=True, audit_floor=1)
def test_each_element(device):
    out, expected = run(device)
    assert np.array_equal(out, expected)

@pytest.mark.tileproof(audit=True)
def test_first_tile_alone(device):
    out, expected = run(device)
    assert np.array_equal(out[0], expected[0])

@pytest.mark.tileproof(audit_floor=0.9)
def test_it_runs(device):
    assert run(device)[0].shape == (4, 32, 32)

def test_that_nobody_asks_about(device):
    run(device)

@pytest.mark.tileproof(audit=True)
def test_no_program(device):
    pass

@pytest.mark.tileproof(audit=True)
def test_other_data_each_time(device):
    run(device, None)

@pytest.mark.tileproof(audit=True)
def test_once(device, tmp_path):
    (tmp_path / "x").mkdir()
    run(device)

@pytest.mark.tileproof(audit=True)
def test_of_a_finding(device):
    _, (a_tt, b_tt) = tensors(device, np.random.default_rng(1))
    with pytest.raises(RuntimeError, match="TP0501"):
        add(a_tt, b_tt, defines=[("BROKEN", "1")])

@pytest.mark.tileproof(audit=True)
def test_fails_anyway(device):
    run(device)
    assert False, "as it is"
"""


def outcome(pytester, *arguments):
    pytester.makepyfile(TEST.format(examples=str(EXAMPLES)))
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "--junitxml=junit.xml", *arguments)


def test_a_test_that_compares_all_finds_all_and_blind_ones_are_told_with_what_they_miss(pytester):
    result = outcome(pytester)
    result.assert_outcomes(passed=3, failed=6)
    text = result.stdout.str()
    summary = text.split("tileproof audits")[1].split("short test summary")[0]

    def told(name):
        lines = summary.split(f"::{name}: ")[1].splitlines()
        counts = re.match(r"finds (\d+) of (\d+) faults", lines[0])
        missed = [line for line in lines[1:] if line.startswith("  missed: ")]
        return int(counts[1]), int(counts[2]), missed[: int(counts[2]) - int(counts[1])]

    all_found, of, missed = told("test_each_element")
    assert all_found == of >= 8 and not missed
    few, same, missed = told("test_first_tile_alone")
    # Calls of the first tile are seen, those of the second are not.
    assert same == of and 0 < few < of and len(missed) == of - few
    assert any("writer.cpp:" in line and "one transfer is half as long" in line for line in missed)
    assert told("test_it_runs")[:2] == (0, of)
    assert "0% is below audit_floor=0.9" in text and "nobody_asks" not in summary and "fails_anyway" not in summary
    assert "test_no_program cannot be audited: it runs no program of generic_op" in text
    assert "test_other_data_each_time cannot be audited: its programs give something else each time" in text
    assert "test_once cannot be audited: it does not pass a second time with the same fixtures: FileExistsError" in text
    assert "test_of_a_finding cannot be audited: it catches what a program raises" in text
    junit = (pytester.path / "junit.xml").read_text()
    assert f'name="tileproof_audit" value="finds {of} of {of} faults' in junit
    assert re.search(r'name="tileproof_blind_spots" value="[^"]*writer.cpp:', junit)


def test_audits_are_told_under_xdist_too(pytester):
    pytest.importorskip("xdist")
    result = outcome(pytester, "-n", "2", "-k", "each_element or first_tile or it_runs")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*tileproof audits*", "*test_each_element: finds * of * faults*", "*test_first_tile_alone: finds *", "  missed: *"])


@pytest.mark.parametrize("floor", ["1.5", "True", "'all'"])
def test_a_floor_that_is_no_share_is_refused(pytester, floor):
    pytester.makepyfile(f"import pytest\n@pytest.mark.tileproof(audit_floor={floor})\ndef test(): pass\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert "expected a share from 0 to 1" in result.stdout.str() + result.stderr.str()

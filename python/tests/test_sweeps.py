"""Sweeps from Python: the same file as the command writes, here and on Ray; what is lost is run again."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

import tileproof

SPEC = {
    "name": "small",
    "limits": {"seconds": 60, "memory_mb": 4096},
    "cells": [
        {
            "op": "layernorm_fused_rm",
            "shapes": ["1,1,32,64", [1, 1, 5, 30]],
            "dtypes": ["bf16", "fp32"],
            "layouts": ["row_major", "tile"],
            "data": ["normal:0,1", {"x": "normal:100,1"}],
            "seeds": list(range(5)),
        }
    ],
}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep") / "undisturbed.sqlite"
    return tileproof.sweep(SPEC, out, workers=2)


def test_a_sweep_gives_rows_and_says_what_it_came_to(undisturbed, tmp_path):
    assert undisturbed.passed and undisturbed.document["cells"] == 80
    rows = undisturbed.rows()
    assert len(rows) == 80 and rows[3]["cell"] == 3 and rows[0]["dtype"] == "bf16"
    assert {row["output"] for row in undisturbed.rows("outputs")} == {"y"}
    assert "80 of 80 cells pass" in str(undisturbed)
    with pytest.raises(ValueError, match="table 'x': must be cells, outputs, findings"):
        undisturbed.rows("x")
    parquet = pytest.importorskip("pyarrow.parquet")
    undisturbed.to_parquet(tmp_path / "cells.parquet")
    assert parquet.read_table(tmp_path / "cells.parquet").to_pylist() == rows


def test_the_command_writes_the_same_file(undisturbed, tmp_path):
    spec = tmp_path / "spec.toml"
    cells = SPEC["cells"][0]
    lines = ['name = "small"', "[limits]", "seconds = 60", "memory_mb = 4096", "[[cells]]"]
    for key, value in cells.items():
        lines.append(f"{key} = {json.dumps(value).replace('{', '{ ').replace(': ', ' = ')}")
    spec.write_text("\n".join(lines).replace('"x" =', "x =") + "\n")
    out = tmp_path / "out.sqlite"
    subprocess.run([sys.executable, "-m", "tileproof", "sweep", spec, "--out", out], check=True, capture_output=True)
    with open(undisturbed.path, "rb") as one, open(out, "rb") as other:
        assert one.read() == other.read()


def test_an_exception_of_progress_ends_the_sweep_which_goes_on_later(undisturbed, tmp_path):
    out, told = tmp_path / "out.sqlite", []

    def progress(ran, total, failing):
        told.append((ran, total, failing))
        if ran == 10:
            raise KeyError("enough")

    try:
        tileproof.sweep(SPEC, out, workers=2, progress=progress)
    except KeyError:
        # While the traceback is there too.
        result = tileproof.sweep(SPEC, out, workers=2)
    # How many cells more were done until the workers heard of it is the host's matter.
    assert told[:10] == [(ran, 80, 0) for ran in range(1, 11)] and result.document["ran"] <= 70
    with open(undisturbed.path, "rb") as one, open(out, "rb") as other:
        assert one.read() == other.read()


def test_what_is_no_sweep_is_refused(tmp_path):
    out = tmp_path / "out.sqlite"
    with pytest.raises(ValueError, match="unknown field `shape`"):
        tileproof.sweep({"cells": [{"op": "layernorm_bw", "shape": ["1"]}]}, out)
    with pytest.raises(ValueError, match='engine \'dask\': must be "local" or "ray"'):
        tileproof.sweep(SPEC, out, engine="dask")
    with pytest.raises(ValueError, match="workers 0: give at least 1"):
        tileproof.sweep(SPEC, out, workers=0)
    with pytest.raises(ValueError, match="out: a sweep that is no file needs the name"):
        tileproof.sweep(SPEC)
    with pytest.raises(RuntimeError, match="there is no such file"):
        tileproof.compare(out, tmp_path / "none.sqlite")


def test_two_sweeps_are_compared(undisturbed, tmp_path):
    spec = {**SPEC, "cells": [{**SPEC["cells"][0], "atol": 0.0, "rtol": 0.0}]}
    worse = tileproof.sweep(spec, tmp_path / "worse.sqlite")
    assert not worse.passed
    # Cells of other tolerances are others, unless that is what is compared.
    with pytest.raises(RuntimeError, match="have no cell in common"):
        tileproof.compare(undisturbed, worse)
    across = ["rtol", "atol"]
    both = tileproof.compare(undisturbed, worse, across=across)
    assert not both.passed and both.document["cells"] == 80 and both.document["broken"]
    assert tileproof.compare(worse, undisturbed, across=across).passed


RUN = "import json, sys, tileproof; tileproof.sweep(json.loads(sys.argv[1]), sys.argv[2], workers=2, engine=sys.argv[3])"


def _start(out, engine):
    return subprocess.Popen([sys.executable, "-c", RUN, json.dumps(SPEC), os.fspath(out), engine], stderr=subprocess.DEVNULL)


def _count(out):
    try:
        connection = sqlite3.connect(f"file:{out}?mode=ro", uri=True)
        try:
            return connection.execute("SELECT count(*) FROM cells").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.Error:
        return 0


def _below(process):
    """A process and those that it has started, with their names."""
    found, left = {}, [process]
    while left:
        number = left.pop()
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                found[number] = file.read().decode(errors="replace")
            for thread in os.listdir(f"/proc/{number}/task"):
                with open(f"/proc/{number}/task/{thread}/children") as file:
                    left += map(int, file.read().split())
        except OSError:
            pass
    return found


def _kill(processes):
    for number in processes:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _wait_for(cells, out, process):
    end = time.monotonic() + 120
    while _count(out) < cells and process.poll() is None:
        assert time.monotonic() < end, "the sweep does not get on"
        time.sleep(0.005)


ENGINES = ["local", pytest.param("ray", marks=pytest.mark.filterwarnings("ignore"))]


@pytest.mark.parametrize("engine", ENGINES)
def test_killed_with_everything_it_ends_with_the_same_bytes(undisturbed, tmp_path, engine):
    if engine == "ray":
        pytest.importorskip("ray")
    out = tmp_path / "killed.sqlite"
    process = _start(out, engine)
    _wait_for(20, out, process)
    _kill(_below(process.pid))
    process.wait()
    assert 20 <= _count(out) < 80
    assert _start(out, engine).wait() == 0
    with open(undisturbed.path, "rb") as one, open(out, "rb") as other:
        assert one.read() == other.read()


def test_a_worker_of_ray_that_is_killed_loses_nothing(undisturbed, tmp_path):
    pytest.importorskip("ray")
    out = tmp_path / "ray.sqlite"
    process, killed = _start(out, "ray"), []
    while process.poll() is None and not killed:
        if _count(out) >= 15:
            killed = [number for number, name in _below(process.pid).items() if name.startswith("ray::carry_out")][:1]
            _kill(killed)
        time.sleep(0.002)
    assert killed and process.wait() == 0
    with open(undisturbed.path, "rb") as one, open(out, "rb") as other:
        assert one.read() == other.read()

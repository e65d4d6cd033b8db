"""Launches that are kept as program files while a script runs."""

import os
import pathlib
import subprocess
import sys

SCRIPT = """
import numpy as np
import tileproof.ttnn as ttnn
from conftest import copy_program, tiles_of, undefined_like

device = ttnn.open_device(device_id=0)
x = tiles_of(device, 3)
y = undefined_like(x)
ttnn.generic_op([x, y], copy_program(x, y))
ttnn.generic_op([y, x], copy_program(y, x, tiles=2))
"""


def test_each_launch_of_a_script_is_kept_and_runs_again_with_the_same_bits(tmp_path):
    script = tmp_path / "copies.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "tileproof"]
    recorded = subprocess.run(
        [*command, "record", "--into", tmp_path / "kept", sys.executable, script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert recorded.returncode == 0, recorded.stderr
    kept = recorded.stdout.split()
    assert len(kept) == 2 and all(name.endswith("program.toml") for name in kept), recorded.stdout
    for program in kept:
        again = subprocess.run([*command, "run", program], capture_output=True, text=True, check=False)
        assert again.returncode == 0 and "as expected" in again.stdout, again.stdout + again.stderr


def test_nothing_recorded_is_said(tmp_path):
    command = [sys.executable, "-m", "tileproof", "record", "--into", tmp_path / "kept", sys.executable, "-c", "raise SystemExit(3)"]
    recorded = subprocess.run(command, capture_output=True, text=True, check=False)
    assert recorded.returncode == 2
    assert "nothing was launched" in recorded.stderr and "ended with 3" in recorded.stderr

"""Many runs in one process leave nothing behind: 300 of them here, 10,000 every night."""

import gc
import os
import pathlib

import numpy as np
import pytest

import tileproof
import tileproof.ttnn as ttnn
from conftest import copy_program, tiles_of, undefined_like
from test_servers import servers

RUNS = int(os.environ.get("TILEPROOF_MANY_RUNS", "300"))


def held():
    """Megabytes that the process holds, and those that serve it."""
    def of(process):
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) / 1024

    gc.collect()
    return sum(map(of, [os.getpid(), *servers()]))


@pytest.mark.parametrize("in_process", [True, False], ids=["in this process", "in a server"])
def test_many_runs_leave_the_memory_as_it_was(device, in_process):
    def rounds(count):
        with tileproof.settings(in_process=in_process):
            for _ in range(count):
                x = tiles_of(device, 2)
                y = undefined_like(x)
                out = ttnn.generic_op([x, y], copy_program(x, y))
                ttnn.to_numpy(out * 2.0)
                out.tileproof.report.document["findings"]

    def copied():
        x = tiles_of(device, 2)
        y = undefined_like(x)
        return np.array_equal(ttnn.to_numpy(ttnn.generic_op([x, y], copy_program(x, y))), ttnn.to_numpy(x))

    assert copied()
    # The device keeps the reports of the last 100 programs.
    rounds(120)
    steps = []
    for _ in range(2):
        before = held()
        rounds(RUNS // 2)
        steps.append(held() - before)
    # What is taken once for all is no growth: that would be there each time.
    assert min(steps) < 2, steps
    assert copied()

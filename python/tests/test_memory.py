"""Many runs in one process leave nothing behind."""

import gc

import numpy as np

import tileproof
import tileproof.ttnn as ttnn
from conftest import copy_program, tiles_of, undefined_like


def held():
    """Megabytes that the process holds."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def test_many_runs_leave_the_memory_as_it_was(device):
    def rounds(count):
        with tileproof.settings(in_process=True):
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
        gc.collect()
        before = held()
        rounds(300)
        gc.collect()
        steps.append(held() - before)
    # What is taken once for all is no growth: that would be there each time.
    assert min(steps) < 2
    assert copied()

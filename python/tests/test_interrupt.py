"""Ctrl-C ends a program that runs, and no tensor that is dropped meanwhile waits for it."""

import pathlib
import signal
import subprocess
import sys
import time

import pytest

# A shell that runs the tests in the background has them ignore SIGINT, and so would the script.
SCRIPT = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {here!r})
import tileproof
import tileproof.ttnn as ttnn
tileproof.configure(limit=30)
from conftest import COPY, copy_program, tiles_of, undefined_like
device = ttnn.open_device(device_id=0)
x = tiles_of(device)
y = undefined_like(x)
ttnn.generic_op([x, y], copy_program(x, y))
print("ready", flush=True)
others = [tiles_of(device)]
address = others[0].buffer_address()
{handler}
try:
    ttnn.generic_op([x, y], copy_program(x, y, COPY.replace("tile < tiles", "tile < 1000000000").replace("(tile, ", "(tile % 2, ")))
except KeyboardInterrupt:
    ttnn.generic_op([x, y], copy_program(x, y))
    others.clear()
    assert tiles_of(device).buffer_address() == address, "its memory is free"
    print("interrupted, and the device works", flush=True)
"""

# A handler that drops the last name of a tensor, as one that runs while a frame goes away does.
DROPPED = """
def drop(*_):
    others.clear()
    raise KeyboardInterrupt
signal.signal(signal.SIGINT, drop)
"""


@pytest.mark.parametrize("handler", ["", DROPPED], ids=["ctrl-c", "a tensor is dropped"])
def test_a_program_that_runs_is_ended_and_the_device_works_afterwards(handler):
    script = SCRIPT.format(here=str(pathlib.Path(__file__).parent), handler=handler)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(2)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted, and the device works\n"
        assert time.monotonic() - begin < 10
        assert process.wait(timeout=10) == 0

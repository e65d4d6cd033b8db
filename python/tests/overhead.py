"""What a call from Python takes beside what the command says of its own time: the median of 200 calls of a small program.

    python python/tests/overhead.py        with torch in the interpreter too, where it is installed
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import time

PROGRAM = pathlib.Path(__file__).parents[2] / "examples" / "programs" / "add" / "program.toml"
CALLS = 200


def median(seconds):
    return sorted(seconds)[len(seconds) // 2] * 1e3


def measure():
    import tileproof

    command = [sys.executable, "-m", "tileproof", "run", str(PROGRAM), "--format", "json"]
    tileproof.run(PROGRAM)
    calls, own, of_the_command = [], [], []
    for number in range(CALLS):
        begin = time.perf_counter()
        report = tileproof.run(PROGRAM)
        calls.append(time.perf_counter() - begin)
        own.append(report.wall_s)
        # By turns: what else the host does then befalls both.
        if number % 5 == 0:
            run = subprocess.run(command, capture_output=True, text=True, check=True)
            of_the_command.append(json.loads(run.stdout)["wall_s"])
    beside = median([call - run for call, run in zip(calls, own)])
    print(f"call {median(calls):.2f} ms; beside its run {beside:.2f} ms; the command's own time {median(of_the_command):.2f} ms")


if __name__ == "__main__":
    if sys.argv[1:] == ["torch"]:
        import torch  # noqa: F401
    print("with torch:   " if "torch" in sys.modules else "without torch:", end=" ", flush=True)
    measure()
    if "torch" not in sys.modules and importlib.util.find_spec("torch"):
        subprocess.run([sys.executable, __file__, "torch"], check=True)

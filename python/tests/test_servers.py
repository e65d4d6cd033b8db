"""Programs run in a small process beside this one, from which their processes are forked: it is there when needed, and never too long."""

import multiprocessing
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tileproof
import tileproof.ttnn as ttnn
from conftest import copy_program, tiles_of, undefined_like


def copied(device):
    x = tiles_of(device)
    y = undefined_like(x)
    return np.array_equal(ttnn.to_numpy(ttnn.generic_op([x, y], copy_program(x, y))), ttnn.to_numpy(x))


def servers(parent=None):
    """Processes that serve one: their numbers."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            is_one = b"core.serve()" in (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if is_one and status[0] != "Z" and int(status[1]) == (parent or os.getpid()):
            found.append(int(folder.name))
    return found


def is_there(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_one_server_serves_one_program_after_the_other_and_is_replaced_when_it_is_ended(device):
    assert copied(device)
    before = servers()
    assert before and copied(device) and servers() == before
    for process in before:
        os.kill(process, signal.SIGKILL)
    assert copied(device)
    assert servers() and not set(servers()) & set(before)


def test_in_this_process_there_is_none_and_the_report_is_the_same(device):
    reports = []
    for in_process in (False, True):
        with tileproof.settings(in_process=in_process):
            assert copied(device)
            document = dict(device.reports[-1].document)
            assert document.pop("wall_s") > 0
            reports.append(document)
    assert reports[0] == reports[1]


def test_what_it_finds_and_refuses_comes_back_whole(device):
    hang = pathlib.Path(__file__).parents[2] / "examples" / "programs" / "hang" / "program.toml"
    texts = [str(tileproof.run(hang, in_process=in_process)) for in_process in (False, True)]
    # The same but for the seconds that it took.
    same = [[line for line in text.splitlines() if " ms" not in line and " s" not in line[-12:]] for text in texts]
    assert same[0] == same[1] and any("TP0601" in line for line in same[0])
    x = tiles_of(device)
    y = undefined_like(x)
    for in_process in (False, True):
        with tileproof.settings(in_process=in_process), pytest.raises(RuntimeError, match="no_such_header"):
            ttnn.generic_op([x, y], copy_program(x, y, source='#include "no_such_header.h"\nvoid kernel_main() {}\n'))


def test_another_folder_or_environment_has_a_server_of_its_own(device, monkeypatch, tmp_path):
    assert copied(device)
    before = servers()
    monkeypatch.setenv("TILEPROOF_TEST_OF_SERVERS", "1")
    assert copied(device)
    other = servers()
    assert set(other) - set(before)
    monkeypatch.chdir(tmp_path)
    assert copied(device) and set(servers()) - set(other)
    monkeypatch.undo()
    kept = servers()
    assert copied(device) and servers() == kept and set(kept) & set(before), "the first is kept meanwhile"


@pytest.mark.parametrize("program", ["/bin/cat", "/bin/false"])
def test_what_is_no_server_is_not_waited_for(program):
    script = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); sys.executable = {program!r}; import test_servers as t; d = t.ttnn.open_device(device_id=0); assert t.copied(d) and not t.servers(); print('here')"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "here\n"


def test_a_fork_of_this_process_has_a_server_of_its_own(device):
    assert copied(device)
    before = servers()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(in_a_fork, (before,))
    assert copied(device) and servers() == before


def in_a_fork(others):
    with_device = ttnn.open_device(device_id=0)
    return copied(with_device) and len(servers()) == 1 and not set(servers()) & set(others)


def test_two_threads_run_at_once():
    right = []

    def run():
        own = ttnn.open_device(device_id=0)
        right.extend(copied(own) for _ in range(10))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 20


SCRIPT = """
import os
import sys
import time
sys.path.insert(0, {here!r})
import test_servers
device = test_servers.ttnn.open_device(device_id=0)
assert test_servers.copied(device)
print(*test_servers.servers(), flush=True)
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
{then}
"""

ENDLESS = """
from conftest import COPY, copy_program, tiles_of, undefined_like
x = tiles_of(device)
y = undefined_like(x)
test_servers.ttnn.generic_op([x, y], copy_program(x, y, COPY.replace("tile < tiles", "tile < 1000000000").replace("(tile, ", "(tile % 2, ")))
"""


@pytest.mark.parametrize("then", ["time.sleep(60)", ENDLESS], ids=["idle", "while a program runs"])
def test_a_server_ends_with_the_process_that_it_serves_though_a_fork_of_that_one_goes_on(then):
    script = SCRIPT.format(here=str(pathlib.Path(__file__).parent), then=then)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            (server,) = map(int, process.stdout.readline().split())
            if then == ENDLESS:
                until(lambda: children(server))
            workers = children(server)
            process.kill()
            until(lambda: not is_there(server))
            until(lambda: not any(map(is_there, workers)))
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def children(process):
    text = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(number) for number in text.split()]

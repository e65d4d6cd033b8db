"""Programs of descriptors run, and what is wrong with them is an exception."""

import threading

import numpy as np
import pytest
from conftest import COPY, copy_program, cores, tiles_of, undefined_like

import tileproof
import tileproof.ttnn as ttnn


@pytest.mark.parametrize("memory", [ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG], ids=["dram", "l1"])
def test_the_output_is_what_the_kernel_wrote(device, memory):
    x = tiles_of(device, 3, memory)
    y = undefined_like(x)
    out = ttnn.generic_op([x, y], copy_program(x, y))
    assert out is y and out.tileproof.exact
    assert np.array_equal(ttnn.to_numpy(out), ttnn.to_numpy(x))
    assert device.reports[-1].passed and device.reports[-1].cycles > 0


def test_the_same_call_gives_the_same_cycles_whatever_ran_before(device):
    x = tiles_of(device)
    for _ in range(2):
        ttnn.generic_op([x, undefined_like(x)], copy_program(x, x, args=[x.buffer_address(), x.buffer_address(), 1]))
    assert len({report.cycles for report in device.reports}) == 1


def test_a_program_may_write_a_part_and_another_the_rest(device):
    x = tiles_of(device)
    y = undefined_like(x)
    ttnn.generic_op([x, y], copy_program(x, y, tiles=1))
    with pytest.raises(RuntimeError, match="1 of 2 pages .* never written, page 1"):
        ttnn.to_numpy(y)
    ttnn.generic_op([x, y], copy_program(x, y, tiles=2))
    assert np.array_equal(ttnn.to_numpy(y), ttnn.to_numpy(x))


def test_an_input_that_nobody_has_written_is_refused_once_it_is_read(device):
    x = tiles_of(device)
    empty, out = undefined_like(x), undefined_like(x)
    with pytest.raises(RuntimeError, match=r"io_tensors.0.*undefined, for nothing has filled or written it"):
        ttnn.generic_op([empty, out], copy_program(empty, out))
    ttnn.generic_op([x, empty], copy_program(x, empty, tiles=1))
    ttnn.generic_op([empty, out], copy_program(empty, out, tiles=1))


@pytest.mark.parametrize("kind", [np.int32, np.uint16])
def test_whole_numbers_that_nobody_has_written_are_refused_too(device, kind):
    x = ttnn.from_numpy(np.ones((2, 32, 32), kind), layout=ttnn.TILE_LAYOUT, device=device)
    empty, out = undefined_like(x), undefined_like(x)
    with pytest.raises(RuntimeError, match=r"io_tensors.0.: kernels read 2 of its 2 pages, of which 0 were ever written"):
        ttnn.generic_op([empty, out], copy_program(empty, out, data_format=x.dtype))
    ttnn.generic_op([x, out], copy_program(x, out, data_format=x.dtype))


def test_a_tensor_that_is_reached_by_its_address_alone_is_read_and_written(device):
    x, hidden = tiles_of(device), tiles_of(device)
    y = undefined_like(x)
    program = copy_program(x, y, args=[hidden.buffer_address(), y.buffer_address(), 2])
    assert np.array_equal(ttnn.to_numpy(ttnn.generic_op([x, y], program)), ttnn.to_numpy(hidden))


@pytest.mark.parametrize("kind", ["compile_time_args", "named_compile_time_args"])
def test_an_address_among_compile_time_arguments_reaches_its_tensor(device, kind):
    x, hidden = tiles_of(device), tiles_of(device, 3)
    y = undefined_like(x)
    argument = {"compile_time_args": "get_compile_time_arg_val(0)", "named_compile_time_args": 'get_named_compile_time_arg_val("from")'}[kind]
    source = COPY.replace("TensorAccessorArgs<0>", "TensorAccessorArgs<1>").replace("get_arg_val<uint32_t>(0)", argument)
    program = copy_program(x, y, source)
    kernel = program.kernels[0]
    kernel.compile_time_args = [hidden.buffer_address(), *kernel.compile_time_args]
    if kind == "named_compile_time_args":
        kernel.compile_time_args[0] = 0
        kernel.named_compile_time_args = [("from", hidden.buffer_address())]
    program.kernels = [kernel]
    assert np.array_equal(ttnn.to_numpy(ttnn.generic_op([x, y], program)), ttnn.to_numpy(hidden)[:2])


SHARD = r"""
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 2);
    cb_push_back(0, 2);
    cb_wait_front(0, 2);
    cb_reserve_back(1, 2);
    noc_async_read(get_noc_addr(get_read_ptr(0)), get_write_ptr(1), 2 * get_tile_size(0));
    noc_async_read_barrier();
    cb_push_back(1, 2);
}
"""


def test_circular_buffers_lie_in_the_shards_of_tensors(device):
    config = ttnn.create_sharded_memory_config((4, 32, 32), ttnn.CoreGrid(y=1, x=2), ttnn.ShardStrategy.HEIGHT)
    x = tiles_of(device, 4, config)
    y = undefined_like(x)
    grid = config.shard_spec.grid
    kernel = ttnn.KernelDescriptor(SHARD, ttnn.KernelDescriptor.SourceType.SOURCE_CODE, grid, config=ttnn.ReaderConfigDescriptor())
    cbs = [ttnn.cb_descriptor_from_sharded_tensor(index, tensor) for index, tensor in enumerate((x, y))]
    ttnn.generic_op([x, y], ttnn.ProgramDescriptor(kernels=[kernel], cbs=cbs))
    assert np.array_equal(ttnn.to_numpy(y), ttnn.to_numpy(x))


@pytest.mark.parametrize("by_way_of", ["device", "host", "both"])
def test_padding_has_the_value_that_was_asked_for(device, by_way_of):
    on = None if by_way_of == "host" else device
    ones = np.ones((1, 16, 20), np.float32)
    x = ttnn.from_numpy(ones, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=on, pad_value=5.0)
    x = ttnn.to_device(ttnn.from_device(x) if by_way_of == "both" else x, device)
    y = ttnn.allocate_tensor_on_device((1, 32, 32), x.dtype, x.layout, device)
    ttnn.generic_op([x, y], copy_program(x, y))
    want = np.full((1, 32, 32), 5.0)
    want[:, :16, :20] = 1
    assert np.array_equal(ttnn.to_numpy(y).astype(np.float32), want)


def test_a_deadlock_raises_the_text_of_the_command(device):
    x = tiles_of(device)
    y = undefined_like(x)
    source = COPY.replace("cb_wait_front(0, 1)", "cb_wait_front(0, 2)")
    with pytest.raises(tileproof.FindingsError, match=r"(?s)TP0601.*cb_wait_front") as raised:
        ttnn.generic_op([x, y], copy_program(x, y, source))
    report = raised.value.report
    assert report.status == "deadlock" and report.findings[0]["code"] == "TP0601"
    assert "TP0601" in report._repr_html_() and "deadlock" in repr(report)
    assert device.reports[-1] is report


def test_a_missing_barrier_is_found_though_the_numbers_are_right(device):
    x = tiles_of(device)
    y = undefined_like(x)
    program = copy_program(x, y, COPY.replace("noc_async_read_barrier();", ""))
    with pytest.raises(tileproof.FindingsError, match="TP0501"):
        ttnn.generic_op([x, y], program)
    with tileproof.settings(checks="none"):
        assert ttnn.generic_op([x, y], program) is y
    with tileproof.settings(allow=["TP0501"]):
        ttnn.generic_op([x, y], program)
    with tileproof.settings(on_findings="warn"), pytest.warns(tileproof.FindingsWarning, match="TP0501"):
        ttnn.generic_op([x, y], program)


def test_what_kernels_are_missing_is_said(device):
    x = tiles_of(device)
    y = undefined_like(x)
    for change, text in [
        ({"args": [x.buffer_address()]}, "arg"),
        ({"args": [1] * 342}, "342 runtime arg"),
        ({"page_size": 0}, "page_size is 0"),
        ({"source": COPY.replace("cb_pop_front", "cb_pop_frond")}, "cb_pop_frond"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            ttnn.generic_op([x, y], copy_program(x, y, **change))
    ttnn.generic_op([x, y], copy_program(x, y))


def test_programs_that_cannot_be_are_refused_by_name(device):
    x = tiles_of(device)
    y = undefined_like(x)

    def with_parts(**parts):
        program = copy_program(x, y)
        for name, part in parts.items():
            setattr(program, name, part)
        return program

    cb = copy_program(x, y).cbs[0]
    small = ttnn.CBFormatDescriptor(5, ttnn.bfloat16, 1024, ttnn.TileDescriptor(16, 32))
    wide = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(30, 0))])
    for parts, text in [
        ({"cbs": [cb, cb]}, "buffer_index 0 is on core .0,0. twice"),
        ({"cbs": [ttnn.CBDescriptor(1024, cores(), [small])]}, r"cb 5: tiles of \[16, 32\] are not modelled yet"),
        ({"cbs": [ttnn.CBDescriptor(3000, cores(), cb.format_descriptors)]}, "3000 is not a multiple of page_size 2048"),
        ({"cbs": [ttnn.CBDescriptor(1 << 22, cores(), cb.format_descriptors)]}, "(?s)4194304|L1"),
        ({"semaphores": [ttnn.SemaphoreDescriptor(id=16, core_ranges=cores(), initial_value=0)]}, "semaphore id 16"),
        ({"semaphores": [ttnn.SemaphoreDescriptor(id=1, core_ranges=wide, initial_value=0)]}, "30,0.* outside the compute grid"),
        ({"kernels": copy_program(x, y).kernels * 2}, "already"),
    ]:
        with pytest.raises(RuntimeError, match=text):
            ttnn.generic_op([x, y], with_parts(**parts))


def test_the_program_cache_knows_a_program_by_all_but_addresses_and_runtime_arguments(device):
    x = tiles_of(device)
    ttnn.generic_op([x, undefined_like(x)], copy_program(x, x))
    y = undefined_like(x)
    ttnn.generic_op([x, y], copy_program(x, y, tiles=1))
    assert device.num_program_cache_entries() == 1
    ttnn.generic_op([x, y], copy_program(x, y, COPY + "// another\n"))
    assert device.num_program_cache_entries() == 2


def test_two_threads_run_at_once_each_on_its_device():
    results = {}

    def run(number):
        device = ttnn.open_device(device_id=0)
        x = tiles_of(device, 1 + number)
        y = undefined_like(x)
        ttnn.generic_op([x, y], copy_program(x, y))
        results[number] = np.array_equal(ttnn.to_numpy(y), ttnn.to_numpy(x))

    threads = [threading.Thread(target=run, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(4), True)


def test_other_schedules_are_explored_where_that_is_asked_for(device):
    x = tiles_of(device)
    y = undefined_like(x)
    with tileproof.settings(explore=3):
        ttnn.generic_op([x, y], copy_program(x, y))
    assert device.reports[-1].document["explored"]["of"] == 3
    assert np.array_equal(ttnn.to_numpy(y), ttnn.to_numpy(x))


def test_memory_of_freed_tensors_is_used_again(device):
    addresses = {tiles_of(device).buffer_address() for _ in range(5)}
    assert len(addresses) == 1
    x = tiles_of(device)
    ttnn.deallocate(x)
    with pytest.raises(RuntimeError, match="freed"):
        ttnn.generic_op([x, x], copy_program(tiles_of(device), tiles_of(device)))

"""What several tests use: a program that copies tiles, with every part open to change."""

import numpy as np
import pytest

import tileproof.ttnn as ttnn

COPY = r"""
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), get_tile_size(0));
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(tile, in, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_wait_front(0, 1);
        noc_async_write_page(tile, out, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
"""


def cores(x=0, y=0):
    core = ttnn.CoreCoord(x, y)
    return ttnn.CoreRangeSet([ttnn.CoreRange(core, core)])


def copy_program(x, y, source=COPY, tiles=None, args=None, page_size=None, data_format=ttnn.bfloat16):
    """A program that copies the tiles of x to y on one core."""
    words = [x.buffer_address(), y.buffer_address(), x.buffer_num_pages() if tiles is None else tiles]
    kernel = ttnn.KernelDescriptor(
        kernel_source=source,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores(),
        compile_time_args=ttnn.TensorAccessorArgs(x).get_compile_time_args() + ttnn.TensorAccessorArgs(y).get_compile_time_args(),
        runtime_args=[(ttnn.CoreCoord(0, 0), words if args is None else args)],
        config=ttnn.ReaderConfigDescriptor(),
    )
    page_size = ttnn.tile_size(data_format) if page_size is None else page_size
    fmt = ttnn.CBFormatDescriptor(buffer_index=0, data_format=data_format, page_size=page_size)
    cb = ttnn.CBDescriptor(total_size=2 * page_size, core_ranges=cores(), format_descriptors=[fmt])
    return ttnn.ProgramDescriptor(kernels=[kernel], cbs=[cb])


def tiles_of(device, count=2, memory_config=None):
    """A tensor of so many tiles, each element its number."""
    values = np.arange(count * 1024, dtype=np.float32).reshape(count, 32, 32) % 256
    return ttnn.from_numpy(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory_config)


def undefined_like(tensor):
    return ttnn.allocate_tensor_on_device(tensor.shape, tensor.dtype, tensor.layout, tensor.device(), tensor.memory_config())


@pytest.fixture
def device():
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)

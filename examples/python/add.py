"""a + b on one core of a simulated chip, with the kernels of ../programs/add.

With a card and `ttnn` the same file runs there: only the import differs.
"""

import pathlib

import numpy as np

import tileproof.ttnn as ttnn

KERNELS = pathlib.Path(__file__).parents[1] / "programs" / "add"


def add(a, b, defines=()):
    """a + b; both bfloat16, in tiles, in DRAM."""
    out = ttnn.allocate_tensor_on_device(a.shape, a.dtype, a.layout, a.device(), ttnn.DRAM_MEMORY_CONFIG)
    pages, page = a.buffer_num_pages(), ttnn.tile_size(a.dtype)
    core = ttnn.CoreCoord(0, 0)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(core, core)])

    def kernel(name, config, compile_time_args, runtime_args=()):
        return ttnn.KernelDescriptor(
            kernel_source=str(KERNELS / name),
            core_ranges=cores,
            compile_time_args=compile_time_args,
            defines=list(defines),
            runtime_args=[(core, list(runtime_args))],
            config=config,
        )

    def circular_buffer(index):
        fmt = ttnn.CBFormatDescriptor(buffer_index=index, data_format=a.dtype, page_size=page)
        return ttnn.CBDescriptor(total_size=2 * page, core_ranges=cores, format_descriptors=[fmt])

    accessor = ttnn.TensorAccessorArgs(a).get_compile_time_args()
    program = ttnn.ProgramDescriptor(
        kernels=[
            kernel("reader.cpp", ttnn.ReaderConfigDescriptor(), accessor, [a.buffer_address(), b.buffer_address(), pages]),
            kernel("add.cpp", ttnn.ComputeConfigDescriptor(fp32_dest_acc_en=True), [pages]),
            kernel("writer.cpp", ttnn.WriterConfigDescriptor(), accessor, [out.buffer_address(), pages]),
        ],
        cbs=[circular_buffer(index) for index in (0, 1, 16)],
    )
    return ttnn.generic_op([a, b, out], program)


def main():
    device = ttnn.open_device(device_id=0)
    rng = np.random.default_rng(0)
    a, b = (
        ttnn.from_numpy(rng.normal(size=(4, 32, 32)).astype(np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        for _ in range(2)
    )
    out = add(a, b)
    print(out)
    print(out.tileproof.report)
    ttnn.close_device(device)


if __name__ == "__main__":
    main()

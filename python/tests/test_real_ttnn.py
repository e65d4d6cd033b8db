"""The plugin for the real `ttnn`, where that is installed: its own tensors and programs, run here."""

import numpy as np
import pytest

import tileproof
from conftest import COPY

real = pytest.importorskip("ttnn")
torch = pytest.importorskip("torch")
if real.__name__ != "ttnn":
    pytest.skip("ttnn is tileproof.ttnn here", allow_module_level=True)

import tileproof.plugin  # noqa: E402

# Names that a script keeps from before.
KERNEL, PROGRAM, CB, FORMAT = real.KernelDescriptor, real.ProgramDescriptor, real.CBDescriptor, real.CBFormatDescriptor
SEMAPHORE, READER = real.SemaphoreDescriptor, real.ReaderConfigDescriptor
CORE, RANGE, RANGES = real.CoreCoord, real.CoreRange, real.CoreRangeSet


@pytest.fixture
def ttnn():
    with tileproof.plugin.installed():
        yield real


def _real_program(x, y, args):
    """A program of nothing but objects of the real package."""
    cores = RANGES([RANGE(CORE(0, 0), CORE(0, 0))])
    kernel = KERNEL(
        kernel_source=COPY,
        source_type=KERNEL.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=args,
        runtime_args=[(CORE(0, 0), [x, y, 4])],
        config=READER(),
    )
    form = FORMAT(buffer_index=0, data_format=BFLOAT16, page_size=2048)
    cb = CB(total_size=4096, core_ranges=cores, format_descriptors=[form])
    return PROGRAM(kernels=[kernel], semaphores=[SEMAPHORE(id=0, core_ranges=cores, initial_value=0)], cbs=[cb])


BFLOAT16, TILE = real.bfloat16, real.TILE_LAYOUT
VALUES = torch.randn(4, 32, 32).bfloat16()
HOST = real.from_torch(VALUES, dtype=BFLOAT16, layout=TILE)


def test_its_tensors_and_programs_run_here(ttnn):
    host, values = HOST, VALUES
    assert type(host).__module__.startswith("ttnn.")
    device = ttnn.open_device(device_id=0)
    x = ttnn.to_device(host, device)
    y = ttnn.allocate_tensor_on_device(x.shape, BFLOAT16, TILE, device)
    args = ttnn.TensorAccessorArgs(x).get_compile_time_args() + ttnn.TensorAccessorArgs(y).get_compile_time_args()
    program = _real_program(x.buffer_address(), y.buffer_address(), args)
    result = ttnn.generic_op([x, y], program)
    assert result is y and result.tileproof.exact and result.tileproof.report.passed
    back = tileproof.plugin.to_real(result)
    assert type(back).__module__.startswith("ttnn.") and back.dtype == BFLOAT16 and back.layout == TILE
    with tileproof.plugin._as_it_was(real):
        with_its_own = real.to_torch(back)
    assert torch.equal(with_its_own.view(torch.int16), values.view(torch.int16))
    ttnn.close_device(device)


def test_a_wrong_program_of_its_raises_what_is_found(ttnn):
    device = ttnn.open_device(device_id=0)
    x = ttnn.from_torch(torch.ones(4, 32, 32).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)
    y = ttnn.allocate_tensor_on_device(x.shape, x.dtype, x.layout, device)
    args = ttnn.TensorAccessorArgs(x).get_compile_time_args() + ttnn.TensorAccessorArgs(y).get_compile_time_args()
    program = _real_program(x.buffer_address(), y.buffer_address(), args)
    kernel = program.kernels[0]
    kernel.kernel_source = COPY.replace("cb_push_back(0, 1);", "")
    with pytest.raises(tileproof.FindingsError, match="cb_wait_front"):
        ttnn.generic_op([x, y], program)


def test_scripts_that_look_names_up_get_ours_and_all_is_as_before_afterwards():
    before = {name: vars(real).get(name) for name in ("generic_op", "open_device", "bfloat16", "CoreCoord", "from_torch")}
    with tileproof.plugin.installed():
        assert real.generic_op is not before["generic_op"]
        device = real.open_device(device_id=0)
        cores = real.CoreRangeSet([real.CoreRange(real.CoreCoord(0, 0), real.CoreCoord(1, 1))])
        memory = real.create_sharded_memory_config((1, 1, 128, 32), real.CoreGrid(y=2, x=2), real.ShardStrategy.HEIGHT)
        tensor = real.from_torch(torch.arange(4096).reshape(1, 1, 128, 32).bfloat16(), layout=real.TILE_LAYOUT, device=device, memory_config=memory)
        assert tensor.is_sharded() and tensor.dtype == real.bfloat16 and cores.num_cores() == 4
        np.testing.assert_array_equal(real.to_torch(tensor).float().numpy().reshape(-1)[:256], np.arange(256))
    assert {name: vars(real).get(name) for name in before} == before


def test_what_lies_elsewhere_is_refused_by_name():
    class Value:
        name = "TRIDENT"

    Value.__module__, Value.__name__ = "ttnn._ttnn", "BufferType"
    with pytest.raises(RuntimeError, match="BufferType.TRIDENT: there is none in tileproof.ttnn"):
        tileproof.plugin.from_real(Value())

"""Descriptors behave as those of ttnn 0.79: what is a copy and what a view, what is refused and with which exception."""

import pytest
from conftest import cores

import tileproof.ttnn as ttnn

C, R, S = ttnn.CoreCoord, ttnn.CoreRange, ttnn.CoreRangeSet
TWO = S([R(C(0, 0), C(1, 1)), R(C(4, 0), C(4, 3))])
BOX = S([R(C(1, 1), C(3, 4))])


def kernel(**changes):
    fields = {"kernel_source": "a.cpp", "core_ranges": cores(), "config": ttnn.ReaderConfigDescriptor(), **changes}
    return ttnn.KernelDescriptor(**fields)


def test_sets_of_cores_are_put_together_as_ttnn_does():
    assert str(TWO.merge(BOX)) == "{[0-0 - 1-0], [0-1 - 4-1], [1-2 - 4-3], [1-4 - 3-4], [4-0 - 4-0]}"
    assert str(BOX.subtract(S([R(C(2, 2), C(2, 2))]))) == "{[1-1 - 1-4], [3-1 - 3-4], [2-1 - 2-1], [2-3 - 2-4]}"
    assert str(ttnn.split_work_to_cores(TWO, 10)) == "(8, {[0-0 - 1-1], [4-0 - 4-3]}, {[0-0 - 0-1]}, {[1-0 - 1-1], [4-0 - 4-3]}, 2, 1)"
    assert str(ttnn.split_work_to_cores(BOX, 13, row_wise=True)) == "(12, {[1-1 - 3-4]}, {[1-1 - 1-1]}, {[2-1 - 3-1], [1-2 - 3-4]}, 2, 1)"
    assert str(ttnn.num_cores_to_corerangeset(5, C(3, 2), row_wise=True)) == "{[0-0 - 2-0], [0-1 - 1-1]}"


def test_what_is_wrong_has_the_type_of_exception_that_ttnn_gives_it():
    fmt = ttnn.CBFormatDescriptor
    for action, kind in [
        (lambda: C(-1, 2), TypeError),
        (lambda: R(C(2, 2), C(1, 1)), RuntimeError),
        (lambda: S(R(C(0, 0), C(1, 1))), TypeError),
        (lambda: S([R(C(0, 0), C(1, 1)), R(C(1, 1), C(2, 2))]), RuntimeError),
        (lambda: fmt(buffer_index=1), TypeError),
        (lambda: fmt(1, "bfloat16", 64), TypeError),
        (lambda: fmt(300, ttnn.bfloat16, 64), TypeError),
        (lambda: ttnn.CBDescriptor(4096, cores()), TypeError),
        (lambda: ttnn.CBDescriptor(totalsize=1), TypeError),
        (lambda: kernel(config=None), TypeError),
        (lambda: kernel(compile_time_args=[-1]), TypeError),
        (lambda: kernel(defines={"A": "1"}), TypeError),
        (lambda: kernel(common_runtime_args=[-1]), TypeError),
        (lambda: kernel(runtime_args=[(C(0, 0), [-1])]), RuntimeError),
        (lambda: kernel(runtime_args=[(C(0, 0), [1.5])]), RuntimeError),
        (lambda: setattr(kernel(), "bogus", 1), AttributeError),
        (lambda: setattr(C(1, 2), "x", 3), AttributeError),
        (lambda: ttnn.SemaphoreDescriptor(id=1, core_ranges=cores()), TypeError),
        (lambda: ttnn.RuntimeArgs()[7][7], IndexError),
        (lambda: ttnn.Shape([1, 2])[2], RuntimeError),
        (lambda: ttnn.Tile((5, 7)), RuntimeError),
        (lambda: ttnn.ShardSpec(cores(), [32, 32]), TypeError),
    ]:
        with pytest.raises(kind):
            action()


def test_tiles_have_the_bytes_of_their_format():
    sizes = {name: ttnn.tile_size(getattr(ttnn.DataType, name)) for name in ttnn.DataType.__members__ if name != "INVALID"}
    wide, narrow = dict.fromkeys(("FLOAT32", "UINT32", "INT32"), 4096), dict.fromkeys(("UINT8", "INT8", "FP8_E4M3"), 1024)
    assert sizes == {**wide, **narrow, "BFLOAT16": 2048, "UINT16": 2048, "BFLOAT8_B": 1088, "BFLOAT4_B": 576}
    with pytest.raises(RuntimeError, match="INVALID has no size"):
        ttnn.tile_size(ttnn.DataType.INVALID)


def test_a_kernel_and_a_program_hold_copies_and_show_them_live():
    rt = ttnn.RuntimeArgs()
    rt[0][0] = [1]
    k = kernel(runtime_args=rt)
    rt[0][0].append(2)
    assert list(k.runtime_args[0][0]) == [1]
    program = ttnn.ProgramDescriptor(kernels=[k])
    program.kernels[0].runtime_args[0][0][0] = 9
    program.kernels.append(k)
    assert list(program.kernels[0].runtime_args[0][0]) == [9] and list(k.runtime_args[0][0]) == [1]
    assert len(program.kernels) == 1
    k.compile_time_args.append(5)
    k.defines.append(("A", "1"))
    assert list(k.compile_time_args) == [5] and k.defines == []


def test_an_address_of_l1_stays_one_when_an_offset_is_added():
    from tileproof.ttnn.runtime_args import L1Address, encoded

    assert encoded([L1Address(4096) + 32, 7, L1Address(64) - L1Address(32)]) == [4128 | 1 << 32, 7, 32]

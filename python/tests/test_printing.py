"""Tensors as text: what ttnn 0.79 prints of them, recorded."""

import numpy as np
import pytest

import tileproof.ttnn as ttnn

TAIL = "dtype=DataType::FLOAT32, layout=Layout::ROW_MAJOR)"


@pytest.fixture(autouse=True)
def options():
    yield
    ttnn.set_printoptions()


def shown(values, **options):
    ttnn.set_printoptions(**options)
    return str(ttnn.from_numpy(np.asarray(values, dtype=np.float32)))


def test_a_dimension_of_more_than_four_entries_is_cut_in_the_middle():
    assert shown(np.ones(4)) == f"ttnn.Tensor([ 1.0000,  1.0000,  1.0000,  1.0000], shape=Shape([4]), {TAIL}"
    assert shown(np.ones(5)) == f"ttnn.Tensor([ 1.0000,  1.0000,  ...,  1.0000,  1.0000], shape=Shape([5]), {TAIL}"
    expected = f"""ttnn.Tensor([[[ 0.0000,  1.0000],
              [ 2.0000,  3.0000],
              ...,
              [ 6.0000,  7.0000],
              [ 8.0000,  9.0000]],

             [[10.0000, 11.0000],
              [12.0000, 13.0000],
              ...,
              [16.0000, 17.0000],
              [18.0000, 19.0000]]], shape=Shape([2, 5, 2]), {TAIL}"""
    assert shown(np.arange(20).reshape(2, 5, 2)) == expected
    assert "..." not in shown(np.ones((9, 9)), profile="full") and shown(np.ones(5), profile="empty") == f"ttnn.Tensor(..., shape=Shape([5]), {TAIL}"


def test_values_that_span_more_than_three_digits_have_exponents():
    assert " 1.0000e+00,  1.0010e+03]" in shown([1, 1001])
    assert "e+" not in shown([0, 1, 1000]) and "e+" not in shown([0, 0])
    assert "e+08" in shown([1.5e8]) and "e-05" in shown([2e-5])
    assert shown([0.5], sci_mode="enable").startswith("ttnn.Tensor([ 5.0000e-01]") and "e+" not in shown([1, 1e6], sci_mode="disable")
    assert shown([0.5], precision=2).startswith("ttnn.Tensor([ 0.50]")


def test_whole_numbers_are_five_wide_and_a_freed_tensor_says_so():
    assert str(ttnn.from_numpy(np.arange(3, dtype=np.int32))).startswith("ttnn.Tensor([    0,     1,     2], shape")
    x = ttnn.from_numpy(np.ones((32, 32), dtype=np.float32), device=ttnn.open_device(device_id=0))
    ttnn.deallocate(x)
    assert str(x).startswith("ttnn.Tensor(<buffer is not allocated>, shape=Shape([32, 32])")
    with pytest.raises(RuntimeError, match="sci_mode is 'sometimes', expected one of enable, disable, default"):
        ttnn.set_printoptions(sci_mode="sometimes")

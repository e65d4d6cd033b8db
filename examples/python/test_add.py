"""Tests of add.py as anybody writes them: the fixture `device` and the mark come with the package."""

import numpy as np
import pytest
from add import add

import tileproof.ttnn as ttnn


def tensors(device, shape):
    rng = np.random.default_rng(1)
    # Numbers of which sums are exact in bfloat16.
    values = [rng.integers(-64, 64, shape).astype(np.float32) for _ in range(2)]
    return values, [ttnn.from_numpy(v, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for v in values]


@pytest.mark.parametrize("shape", [(32, 32), (1, 1, 64, 96), (33, 50)], ids=str)
def test_sums_are_exact(device, shape):
    (a, b), (a_tt, b_tt) = tensors(device, shape)
    assert np.array_equal(ttnn.to_numpy(add(a_tt, b_tt)).astype(np.float32), a + b)


@pytest.mark.tileproof(explore=5)
def test_sums_do_not_depend_on_the_order_of_threads(device):
    (a, b), (a_tt, b_tt) = tensors(device, (2, 32, 32))
    assert np.array_equal(ttnn.to_numpy(add(a_tt, b_tt)).astype(np.float32), a + b)


def test_a_reader_without_its_barrier_is_found(device):
    _, (a_tt, b_tt) = tensors(device, (32, 32))
    with pytest.raises(RuntimeError, match="TP0501"):
        add(a_tt, b_tt, defines=[("BROKEN", "1")])

"""Operations on each element beside NumPy, in place, on bits, of three tensors; and what they refuse."""

import numpy as np
import pytest

import tileproof.ttnn as ttnn


def held(device, values, dtype=ttnn.float32):
    return ttnn.from_numpy(np.asarray(values), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


@pytest.mark.parametrize(
    "name, function",
    [
        ("asin", np.arcsin),
        ("atanh", np.arctanh),
        ("deg2rad", np.deg2rad),
        ("frac", lambda x: x - np.trunc(x)),
        ("cbrt", np.cbrt),
        ("swish", lambda x: x / (1 + np.exp(-x))),
        ("log_sigmoid", lambda x: -np.log1p(np.exp(-x))),
        ("isposinf", np.isposinf),
    ],
)
def test_one_tensor(device, name, function):
    x = np.linspace(-0.95, 0.95, 64 * 32, dtype=np.float32).reshape(64, 32)
    found = ttnn.to_numpy(getattr(ttnn, name)(held(device, x)))
    np.testing.assert_array_equal(found, function(x.astype(np.float64)).astype(np.float32))


def test_two_and_three_tensors(device):
    a, b, c = np.random.default_rng(0).uniform(0.5, 2, (3, 32, 32)).astype(np.float32)
    ta, tb, tc = held(device, a), held(device, b), held(device, c)
    wide = [t.astype(np.float64) for t in (a, b, c)]
    for found, exact in [
        (ttnn.addcmul(ta, tb, tc, value=0.5), wide[0] + 0.5 * wide[1] * wide[2]),
        (ttnn.addcdiv(ta, tb, tc), wide[0] + wide[1] / wide[2]),
        (ttnn.lerp(ta, tb, 0.25), wide[0] + 0.25 * (wide[1] - wide[0])),
        (ttnn.mac(ta, tb, 1.0), wide[0] * wide[1] + 1),
        (ttnn.hypot(ta, tb), np.hypot(wide[0], wide[1])),
        (ttnn.floor_div(ta, tb), np.floor(wide[0] / wide[1])),
        (ttnn.hardtanh(ta, 0.0, 1.0), np.clip(wide[0], 0, 1)),
        (ttnn.threshold(ta, 1.0, -3.0), np.where(wide[0] > 1, wide[0], -3)),
        (ta @ tb, wide[0] @ wide[1]),
    ]:
        np.testing.assert_allclose(ttnn.to_numpy(found), exact, rtol=1e-6)
        assert not found.tileproof.exact


def test_options_that_an_operation_does_not_have_are_refused(device):
    a = held(device, np.ones((32, 32), np.float32))
    for call, name in [
        (lambda: ttnn.lerp(a, a, 0.5, value=2.0), "value"),
        (lambda: ttnn.addcmul(a, a, a, memory_confg=None), "memory_confg"),
        (lambda: ttnn.bitwise_and(a, 1, dtype=ttnn.int32), "dtype"),
    ]:
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            call()


def test_into_the_first_tensor(device):
    a, b = held(device, np.full((32, 32), 3.0, np.float32)), held(device, np.full((32, 32), 2.0, np.float32))
    address = a.buffer_address()
    assert ttnn.multiply_(ttnn.add_(a, b), 2.0) is a and a.buffer_address() == address
    assert ttnn.to_numpy(a)[0, 0] == 10.0
    ttnn.gt_(a, 9.0)
    assert ttnn.to_numpy(a).min() == 1.0


def test_bits_of_integers_and_of_nothing_else(device):
    x = np.arange(1024, dtype=np.int32).reshape(32, 32)
    tensor = held(device, x, ttnn.int32)
    for name, function in (("bitwise_and", np.bitwise_and), ("bitwise_xor", np.bitwise_xor), ("bitwise_left_shift", np.left_shift)):
        np.testing.assert_array_equal(ttnn.to_numpy(getattr(ttnn, name)(tensor, 5)), function(x, 5))
    with pytest.raises(RuntimeError, match="bitwise_or: dtype DataType.FLOAT32: must be a format of integers"):
        ttnn.bitwise_or(held(device, x.astype(np.float32)), 1)


def test_typecast_sends_halves_away_from_zero_as_the_device_does(device):
    # Recorded of ttnn 0.79.
    def cast(values, of, to):
        kind = np.uint16 if of is ttnn.uint16 else np.float32
        values = np.resize(np.asarray(values, dtype=kind), (1, 16))
        tensor = ttnn.from_numpy(values, dtype=of, layout=ttnn.TILE_LAYOUT, device=device)
        return ttnn.to_numpy(ttnn.typecast(tensor, to)).astype(np.float32)[0].tolist()

    assert cast([3944, 1620, 29248], ttnn.uint16, ttnn.bfloat16)[:3] == [3952, 1624, 29312]
    assert cast([14.5, 48.75, -3, 70144], ttnn.bfloat16, ttnn.uint16)[:4] == [15, 49, 0, 65535]
    assert cast([0.6640625, -0.5234375, 1.5], ttnn.bfloat16, ttnn.bfloat8_b)[:3] == [0.671875, -0.53125, 1.5]
    assert cast([1.9921875, 0.0, 0.0], ttnn.bfloat16, ttnn.bfloat8_b)[:3] == [1.984375, 0.0, 0.0], "the largest keeps its exponent"
    assert cast([1.75, 0.984375, -0.734375], ttnn.bfloat8_b, ttnn.bfloat4_b)[:3] == [1.75, 0.75, -0.5], "these are cut off"

"""The shipped ops on arrays, beside float64."""

import contextlib
import types
import warnings

import numpy as np
import pytest

import tileproof
import tileproof.ttnn as ttnn
from tileproof.ops import layer_norm, layer_norm_backward
from tileproof.report import judge


def reference(x, gamma, beta, eps):
    x = x.astype(np.float64)
    mean = x.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(np.square(x - mean).mean(-1, keepdims=True) + eps)
    return (x - mean) * rstd * gamma + beta, mean, rstd


@pytest.mark.parametrize("shape", [(64,), (5, 40), (2, 3, 33, 50)], ids=str)
def test_layer_norm_and_its_gradients_in_float32(shape):
    rng = np.random.default_rng(0)
    x, dy = (rng.normal(1, 2, shape).astype(np.float32) for _ in range(2))
    gamma, beta = (rng.normal(size=shape[-1]).astype(np.float32) for _ in range(2))
    y, mean, rstd = layer_norm(x, gamma, beta, epsilon=1e-5, return_statistics=True)
    want, want_mean, want_rstd = reference(x, gamma, beta, 1e-5)
    assert y.shape == shape and mean.shape == (*shape[:-1], 1)
    for got, expected in ((y, want), (mean, want_mean), (rstd, want_rstd)):
        assert np.allclose(got, expected, rtol=1e-2, atol=1e-2)
    given = layer_norm_backward(x, gamma, dy, mean=mean, rstd=rstd, epsilon=1e-5)
    worked_out = layer_norm_backward(x, gamma, dy, epsilon=1e-5)
    x_hat, g = (x - want_mean) * want_rstd, dy.astype(np.float64) * gamma
    dx = want_rstd * (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True))
    rows = tuple(range(len(shape) - 1))
    for got, again, expected in zip(given, worked_out, (dx, (dy * x_hat).sum(rows), dy.astype(np.float64).sum(rows))):
        assert got.shape == expected.shape and np.allclose(got, expected, rtol=1e-2, atol=1e-2)
        assert np.allclose(again, expected, rtol=1e-2, atol=1e-2)


def test_torch_tensors_come_back_as_torch_tensors():
    torch = pytest.importorskip("torch")
    x = torch.randn(3, 64).bfloat16()
    y = layer_norm(x, torch.ones(64).bfloat16(), torch.zeros(64).bfloat16())
    assert y.dtype == torch.bfloat16
    assert torch.allclose(y.float(), torch.nn.functional.layer_norm(x.float(), (64,)), atol=0.03)


def test_a_network_in_torch_has_the_gradients_of_torch():
    torch = pytest.importorskip("torch")
    from tileproof.torch import LayerNorm

    torch.manual_seed(0)
    ours, theirs = LayerNorm(48), torch.nn.LayerNorm(48)
    x = torch.randn(4, 5, 48) * 2 + 1
    gradients = []
    for module in (ours, theirs):
        given = x.clone().requires_grad_()
        (module(given) ** 2 * torch.arange(48)).sum().backward()
        gradients.append([given.grad, module.weight.grad, module.bias.grad])
    for got, want in zip(*gradients):
        assert torch.allclose(got, want, rtol=1e-2, atol=1e-2 * want.abs().max().item())


def test_arrays_of_either_order_of_bytes_give_the_same():
    x = np.random.default_rng(0).normal(size=(2, 40)).astype(np.float32)
    assert np.array_equal(layer_norm(x.astype(">f4")), layer_norm(x))


def far(shape=(3, 64)):
    """Values whose squares are beyond float32."""
    return (np.random.default_rng(0).normal(size=shape) * 1e25).astype(np.float32)


def test_findings_of_an_op_go_the_way_that_settings_ask_for():
    with pytest.raises(tileproof.FindingsError, match="TP0806"):
        layer_norm(far())
    with tileproof.settings(on_findings="warn"), pytest.warns(tileproof.FindingsWarning, match="TP0806") as warned:
        layer_norm(far())
    assert warned[0].filename == __file__
    with tileproof.settings(on_findings="keep"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert layer_norm(far()).shape == (3, 64)


@pytest.mark.parametrize(
    ("codes", "status", "outputs", "is_raised"),
    [
        (["TP0806"], "completed", [], False),
        (["TP0806"], "completed", [{"pass": True}], False),
        (["TP0806", "TP0801"], "completed", [], True),
        (["TP0806"], "deadlock", [], True),
        (["TP0806"], "completed", [{"pass": False}], True),
        ([], "completed", [{"pass": False}], True),
    ],
)
def test_what_is_allowed_allows_no_other_finding_and_no_wrong_value(codes, status, outputs, is_raised):
    findings = [{"code": code} for code in codes]
    report = types.SimpleNamespace(passed=False, findings=findings, status=status, outputs=outputs, text=lambda: "text")
    settings = tileproof.Settings(allow=("TP0806",))
    with pytest.raises(tileproof.FindingsError) if is_raised else contextlib.nullcontext():
        judge(report, settings)


def normalised(values, gamma, beta, eps):
    x, gamma, beta = (v.astype(np.float64) for v in (values, gamma, beta))
    return reference(x, gamma, beta, eps)[0]


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16], ids=str)
@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT], ids=str)
def test_layer_norm_of_ttnn_is_that_of_the_shipped_kernels(device, dtype, layout):
    rng = np.random.default_rng(3)
    x, gamma, beta = (
        ttnn.from_numpy(rng.normal(1, 2, shape).astype(np.float32), dtype=dtype, layout=layout, device=device) for shape in ((2, 40, 96), (96,), (1, 96))
    )
    tolerance = {ttnn.float32: 1e-3, ttnn.bfloat16: 3e-2}[dtype]
    for eps, rows in ((1e-5, {}), (0.5, {"weight": gamma}), (1e-5, {"weight": gamma, "bias": beta})):
        y = ttnn.layer_norm(x, epsilon=eps, **rows)
        g, b = (rows[name]._values().reshape(-1) if name in rows else np.full(96, neutral) for name, neutral in (("weight", 1.0), ("bias", 0.0)))
        assert y.tileproof.exact and y.tileproof.report is device.reports[-1] and device.reports[-1].passed
        assert np.allclose(y._values(), normalised(x._values(), g, b, eps), rtol=tolerance, atol=tolerance)


def test_layer_norm_of_ttnn_is_float64_where_no_kernels_are_shipped(device):
    values = np.random.default_rng(3).normal(1, 2, (2, 40, 96)).astype(np.float32)
    with tileproof.settings(arch="blackhole"):
        blackhole = ttnn.open_device(device_id=0)
    x, there = (ttnn.from_numpy(values, layout=ttnn.TILE_LAYOUT, device=chip) for chip in (device, blackhole))
    gamma = ttnn.from_numpy(values[0, 0], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    for y, row in (
        (ttnn.layer_norm(there), np.ones(96)),
        (ttnn.layer_norm(x, weight=gamma), gamma._values()),
        (ttnn.layer_norm(x, dtype=ttnn.bfloat16), np.ones(96)),
        (ttnn.layer_norm(x, residual_input_tensor=ttnn.zeros_like(x)), np.ones(96)),
    ):
        assert not y.tileproof.exact
        assert np.allclose(y._values(), normalised(values, row, np.zeros(96), 1e-12), rtol=1e-2, atol=1e-2)
    assert not device.reports and not blackhole.reports


def test_what_goes_wrong_in_layer_norm_of_ttnn_is_said(device):
    x = ttnn.from_numpy(far((40, 96)), layout=ttnn.TILE_LAYOUT, device=device)
    with pytest.raises(tileproof.FindingsError, match="TP0806"):
        ttnn.layer_norm(x)
    assert device.reports[-1].findings[0]["code"] == "TP0806"
    with tileproof.settings(on_findings="warn"), pytest.warns(tileproof.FindingsWarning, match="TP0806") as warned:
        assert ttnn.layer_norm(x).tileproof.exact
    assert warned[0].filename == __file__ and len(device.reports) == 2
    with pytest.raises(RuntimeError, match="eps"):
        ttnn.layer_norm(x, epsilon=-1.0)
    with pytest.raises(RuntimeError, match="widths must match"):
        ttnn.layer_norm(x, weight=ttnn.ones((3,), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device))
    with pytest.raises(RuntimeError, match="Dim: -1"):
        ttnn.layer_norm(ttnn.from_numpy(np.array(1.0, np.float32), layout=ttnn.TILE_LAYOUT, device=device))


def test_what_the_op_refuses_is_an_exception():
    x = np.zeros((2, 40), np.float32)
    with pytest.raises(ValueError, match="gamma has 3 elements, expected 40"):
        layer_norm(x, np.zeros(3, np.float32))
    with pytest.raises(TypeError, match="float64"):
        layer_norm(x.astype(np.float64))
    with pytest.raises(RuntimeError, match="eps"):
        layer_norm(x, epsilon=-1.0)
    with pytest.raises(RuntimeError, match="memory_config"):
        layer_norm(x, memory_config="moon")
    assert issubclass(tileproof.FindingsError, RuntimeError)


def test_kernels_of_a_folder_take_no_schedule(tmp_path):
    with tileproof.settings(explore=3), pytest.raises(ValueError, match="leave out schedule and explore"):
        layer_norm(np.ones((32, 32), np.float32), kernels=tmp_path)

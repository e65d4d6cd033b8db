"""Normalisations: LayerNorm as the shipped kernels give it, the others in the host's float64, rounded to the format."""

import dataclasses

import numpy as np

from ..ops import run_op
from ..report import FindingsError, judge
from ..settings import current
from .elementwise import operand, result
from .enums import DataType, Layout, MathFidelity, asked
from .reductions import axis
from .tensor import NAMES, Origin


@dataclasses.dataclass
class WormholeComputeKernelConfig:
    """How a kernel computes; the host's float64 does not ask."""

    math_fidelity: MathFidelity = MathFidelity.Invalid
    math_approx_mode: bool = True
    fp32_dest_acc_en: bool = False
    packer_l1_acc: bool = False
    dst_full_sync_en: bool = False
    throttle_level: object = None


BlackholeComputeKernelConfig = WormholeComputeKernelConfig


def init_device_compute_kernel_config(arch, *_, **fields):
    """A config for a chip."""
    known = {f.name for f in dataclasses.fields(WormholeComputeKernelConfig)}
    return WormholeComputeKernelConfig(**{name: value for name, value in fields.items() if name in known})


def _row(op, name, tensor, width):
    """Gamma or beta: a row as wide as the input, in any of its shapes."""
    values = operand(name, tensor, op)._values().reshape(-1)
    if values.size != width:
        raise RuntimeError(f"{op}: Input and {name} widths must match. Got input: {width} vs {name}: {values.size}")
    return values


def _scaled(op, values, weight, bias):
    width = values.shape[-1]
    values = values if weight is None else values * _row(op, "gamma", weight, width)
    return values if bias is None else values + _row(op, "beta", bias, width)


def _with_residual(op, x, residual):
    values = x._values()
    if residual is None:
        return values
    other = operand("residual", residual, op)
    if tuple(other.shape) != tuple(x.shape):
        raise RuntimeError(f"{op}: Input and residual shapes must match. Got {x.shape} and {other.shape}")
    return values + other._values()


def _is_shipped(x, rows):
    """Whether the shipped LayerNorm kernels take x with gamma and beta: here they run on Wormhole alone, in one format."""
    is_taken = x.dtype in (DataType.BFLOAT16, DataType.FLOAT32) and 1 <= len(x.shape) <= 8 and x.device()._arch == "wormhole"
    return is_taken and all(row is None or row.dtype is x.dtype for row in rows)


def _shipped_layer_norm(x, epsilon, weight, bias):
    """What the shipped LayerNorm kernels give, and where it comes from."""
    width = x.shape[-1]
    inputs = [("x", x._values())]
    for name, given, neutral in (("gamma", weight, np.ones(width)), ("beta", bias, np.zeros(width))):
        inputs.append((name, neutral if given is None else _row("layer_norm", name, given, width)))
    inputs = [(name, np.ascontiguousarray(values, dtype=np.float32).reshape(-1)) for name, values in inputs]
    report, outputs = run_op("layernorm_fused_rm", NAMES[x.dtype], x.shape, inputs, {"eps": epsilon}, x.layout is Layout.ROW_MAJOR)
    x.device()._keep(report)
    judge(report, current(), stacklevel=4)
    if report.status != "completed":
        # Without an end there is no result, whatever settings ask for.
        raise FindingsError(report)
    return outputs["y"].astype(np.float64).reshape(tuple(x.shape)), Origin(True, "the shipped kernels, bit for bit", report)


def layer_norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, residual_input_tensor=None, memory_config=None, program_config=None, compute_kernel_config=None, dtype=None, **_):
    """LayerNorm over the last dimension."""
    x = operand("input", input_tensor, "layer_norm")
    axis("layer_norm", x, -1)
    rows = [given if given is None else operand(name, given, "layer_norm") for name, given in (("gamma", weight), ("beta", bias))]
    dtype = asked("layer_norm", "dtype", dtype, DataType, x.dtype)
    if residual_input_tensor is None and dtype is x.dtype and _is_shipped(x, rows):
        values, origin = _shipped_layer_norm(x, epsilon, weight, bias)
        return result(values, x, None, memory_config, origin=origin)
    values = _with_residual("layer_norm", x, residual_input_tensor)
    centred = values - values.mean(-1, keepdims=True)
    variance = np.square(centred).mean(-1, keepdims=True)
    return result(_scaled("layer_norm", centred / np.sqrt(variance + epsilon), weight, bias), x, dtype, memory_config)


def rms_norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, residual_input_tensor=None, memory_config=None, program_config=None, compute_kernel_config=None, dtype=None, **_):
    """RMSNorm over the last dimension."""
    x = operand("input", input_tensor, "rms_norm")
    axis("rms_norm", x, -1)
    values = _with_residual("rms_norm", x, residual_input_tensor)
    mean = np.square(values).mean(-1, keepdims=True)
    return result(_scaled("rms_norm", values / np.sqrt(mean + epsilon), weight, bias), x, dtype, memory_config)


def softmax(input_tensor, dim=-1, *, memory_config=None, compute_kernel_config=None, numeric_stable=True, dtype=None, **_):
    """Softmax over a dimension."""
    x = operand("input", input_tensor, "softmax")
    along = axis("softmax", x, dim)
    values = x._values()
    powers = np.exp(values - values.max(along, keepdims=True))
    return result(powers / powers.sum(along, keepdims=True), x, dtype, memory_config)


__all__ = ["WormholeComputeKernelConfig", "BlackholeComputeKernelConfig", "init_device_compute_kernel_config", "layer_norm", "rms_norm", "softmax"]

"""Normalisations: LayerNorm as the shipped kernels give it, the others in the host's float64, rounded to the format."""

import dataclasses

import numpy as np

from ..ops import run_op
from .elementwise import operand, result
from .enums import DataType, Layout, MathFidelity
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


def _shipped_layer_norm(x, epsilon, weight, bias):
    """What the shipped LayerNorm kernels give and their report; None where they do not take the call."""
    if x.dtype not in (DataType.BFLOAT16, DataType.FLOAT32) or x.device()._arch != "wormhole":
        return None
    width = x.shape[-1]
    rows = {"gamma": (weight, np.ones(width)), "beta": (bias, np.zeros(width))}
    inputs = [("x", x._values())]
    for name, (given, neutral) in rows.items():
        if given is not None and given.dtype is not x.dtype:
            return None
        inputs.append((name, neutral if given is None else _row("layer_norm", name, given, width)))
    inputs = [(name, np.ascontiguousarray(values, dtype=np.float32).reshape(-1)) for name, values in inputs]
    try:
        report, outputs = run_op("layernorm_fused_rm", NAMES[x.dtype], x.shape, inputs, {"eps": epsilon}, x.layout is Layout.ROW_MAJOR)
    except RuntimeError:
        return None
    return (outputs["y"].astype(np.float64).reshape(tuple(x.shape)), report) if report.status == "completed" else None


def layer_norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, residual_input_tensor=None, memory_config=None, program_config=None, compute_kernel_config=None, dtype=None, **_):
    """LayerNorm over the last dimension."""
    x = operand("input", input_tensor, "layer_norm")
    if residual_input_tensor is None and dtype in (None, x.dtype):
        shipped = _shipped_layer_norm(x, epsilon, weight, bias)
        if shipped is not None:
            return result(shipped[0], x, None, memory_config, origin=Origin(True, "the shipped kernels, bit for bit", shipped[1]))
    values = _with_residual("layer_norm", x, residual_input_tensor)
    centred = values - values.mean(-1, keepdims=True)
    variance = np.square(centred).mean(-1, keepdims=True)
    return result(_scaled("layer_norm", centred / np.sqrt(variance + epsilon), weight, bias), x, dtype, memory_config)


def rms_norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, residual_input_tensor=None, memory_config=None, program_config=None, compute_kernel_config=None, dtype=None, **_):
    """RMSNorm over the last dimension."""
    x = operand("input", input_tensor, "rms_norm")
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

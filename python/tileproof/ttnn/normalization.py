"""Normalisations: the host's float64, rounded to the format."""

import dataclasses

import numpy as np

from .elementwise import operand, result
from .enums import MathFidelity
from .reductions import axis


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


def layer_norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, residual_input_tensor=None, memory_config=None, program_config=None, compute_kernel_config=None, dtype=None, **_):
    """LayerNorm over the last dimension."""
    x = operand("input", input_tensor, "layer_norm")
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

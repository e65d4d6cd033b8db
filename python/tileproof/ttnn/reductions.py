"""Sums, means and the like over dimensions, and matrix products: the host's float64, rounded to the format."""

import numpy as np

from .elementwise import _activated, operand, result
from .enums import DataType, require
from .tensor import Tensor


def axis(op, tensor, dim):
    """A dimension as one counted from the front."""
    require(op, "dim", dim, int)
    rank = len(tensor.shape)
    if not -rank <= dim < rank:
        raise RuntimeError(f"{op}: Dimension out of range. Dim: {dim} of a tensor of rank {rank}")
    return dim % rank


def _reduction(name, function):
    def op(input_tensor, dim=None, keepdim=False, *, memory_config=None, dtype=None, scalar=1.0, correction=True, compute_kernel_config=None, **_):
        x = operand("input", input_tensor, name)
        dims = None if dim is None else tuple(axis(name, x, d) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
        values = np.asarray(function(x._values(), dims, keepdim, correction)) * scalar
        return result(values, x, dtype, memory_config)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} over one dimension, several, or all."
    return op


OPS = {
    "sum": _reduction("sum", lambda x, dims, keep, _: x.sum(dims, keepdims=keep)),
    "mean": _reduction("mean", lambda x, dims, keep, _: x.mean(dims, keepdims=keep)),
    "max": _reduction("max", lambda x, dims, keep, _: x.max(dims, keepdims=keep)),
    "min": _reduction("min", lambda x, dims, keep, _: x.min(dims, keepdims=keep)),
    "prod": _reduction("prod", lambda x, dims, keep, _: x.prod(dims, keepdims=keep)),
    "var": _reduction("var", lambda x, dims, keep, c: x.var(dims, keepdims=keep, ddof=int(c))),
    "std": _reduction("std", lambda x, dims, keep, c: x.std(dims, keepdims=keep, ddof=int(c))),
}
globals().update(OPS)


def argmax(input_tensor, dim=None, keepdim=False, *, memory_config=None, **_):
    """The place of the greatest element."""
    x = operand("input", input_tensor, "argmax")
    values = x._values()
    found = values.argmax() if dim is None else values.argmax(axis("argmax", x, dim))
    found = np.expand_dims(found, axis("argmax", x, dim)) if keepdim and dim is not None else np.asarray(found)
    return result(found.astype(np.float64), x, DataType.UINT32, memory_config)


def cumsum(input_tensor, dim, *, dtype=None, memory_config=None, **_):
    """Sums up to each element."""
    x = operand("input", input_tensor, "cumsum")
    return result(x._values().cumsum(axis("cumsum", x, dim)), x, dtype, memory_config)


def _product(op, a, b, transpose_a, transpose_b):
    a, b = operand("A", a, op), operand("B", b, op)
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise RuntimeError(f"{op}: tensors have at least 2 dimensions, not {a.shape} and {b.shape}")
    left = a._values().swapaxes(-1, -2) if transpose_a else a._values()
    right = b._values().swapaxes(-1, -2) if transpose_b else b._values()
    width, height = left.shape[-1], right.shape[-2]
    if width != height:
        raise RuntimeError(f"{op}: The width of the first tensor must be equal to the height of the second tensor. Mismatch: width={width} height={height}")
    try:
        return a, left @ right
    except ValueError:
        raise RuntimeError(f"{op}: the batches of {a.shape} and {b.shape} do not broadcast") from None


def matmul(input_tensor_a, input_tensor_b, *, transpose_a=False, transpose_b=False, memory_config=None, dtype=None, activation=None, compute_kernel_config=None, program_config=None, core_grid=None, **_):
    """The product of two matrices, for each of a batch."""
    a, values = _product("matmul", input_tensor_a, input_tensor_b, transpose_a, transpose_b)
    return result(_activated(values, [activation] if activation else ()), a, dtype, memory_config)


def linear(input_tensor_a, input_tensor_b, *, bias=None, transpose_a=False, transpose_b=False, memory_config=None, dtype=None, activation=None, compute_kernel_config=None, program_config=None, core_grid=None, **_):
    """The product of two matrices and a bias."""
    a, values = _product("linear", input_tensor_a, input_tensor_b, transpose_a, transpose_b)
    if bias is not None:
        try:
            values = values + operand("bias", bias, "linear")._values()
        except ValueError:
            raise RuntimeError(f"linear: bias of shape {bias.shape} does not broadcast to {list(values.shape)}") from None
    return result(_activated(values, [activation] if activation else ()), a, dtype, memory_config)


Tensor.__matmul__ = lambda self, other: matmul(self, other)  # type: ignore[attr-defined, operator]

__all__ = [*OPS, "argmax", "cumsum", "matmul", "linear"]

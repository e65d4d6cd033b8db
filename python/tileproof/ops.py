"""The shipped ops on arrays: their kernels run on the simulated device.

Arrays of NumPy (float32, or bfloat16 of `ml_dtypes`) and tensors of torch go in; the same kind comes out. Values are rounded to the
format first. A finding raises `tileproof.FindingsError`, as in `tileproof.ttnn`.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from . import _core
from .report import Report, judge
from .settings import current

__all__ = ["layer_norm", "layer_norm_backward"]

_FORMATS = {"bfloat16": "bfloat16", "float32": "float32"}


class _Kind:
    """What an argument is, so that results are the same."""

    def __init__(self, array):
        self.is_torch = type(array).__module__.partition(".")[0] == "torch"
        # Of an array the name without its order of bytes.
        name = getattr(array.dtype, "name", str(array.dtype)).replace("torch.", "")
        if name not in _FORMATS:
            raise TypeError(f"dtype {name}: expected float32 or bfloat16")
        self.dtype = _FORMATS[name]

    def values(self, array, name, size=None):
        """The values of an argument in float32, one after the other."""
        if self.is_torch:
            array = array.detach().cpu().float().numpy()
        flat = np.ascontiguousarray(array, dtype=np.float32).reshape(-1)
        if self.dtype == "bfloat16" and name not in ("mean", "rstd"):
            words = _core.nearest("bfloat16", flat.astype(np.float64))
            flat = (words << 16).view(np.float32)
        if size is not None and flat.size != size:
            raise ValueError(f"{name} has {flat.size} elements, expected {size}")
        return flat

    def result(self, values, shape, dtype=None):
        """Values as the kind of array that came in."""
        values, dtype = values.reshape(shape), dtype or self.dtype
        if self.is_torch:
            import torch

            return torch.from_numpy(values).to(getattr(torch, dtype))
        if dtype == "float32":
            return values
        import ml_dtypes

        return values.astype(ml_dtypes.bfloat16)


def run_op(op, dtype, shape, inputs, attributes, row_major, kernels=None):
    """Runs a call of a shipped op, its kernels those of a folder if there is one; the report, and the values of its outputs by name."""
    call = {
        "op": op,
        "shape": list(shape),
        "dtype": dtype,
        "row_major": row_major,
        "attributes": [(name, str(value)) for name, value in attributes.items() if value is not None],
    }
    if kernels is None:
        native, outputs = _core.run_op(call, inputs, current().options())
        return Report(native), {name: values for name, _, values in outputs}
    with tempfile.TemporaryDirectory() as into:
        native = _core.run_op_given(call, inputs, (kernels, into), current().options())
        saved = {name: os.path.join(into, f"{name}.npy") for name in _OUTPUTS[op]}
        # Kernels that did not come to their end leave none.
        outputs = {name: np.load(file).reshape(-1) for name, file in saved.items() if os.path.exists(file)}
    return Report(native), outputs


_OUTPUTS = {"layernorm_fused_rm": ("y", "mean", "rstd"), "layernorm_bw": ("dx", "dgamma", "dbeta")}


def _run(op, kind, shape, inputs, attributes, row_major, kernels):
    report, outputs = run_op(op, kind.dtype, shape, inputs, attributes, row_major, kernels)
    judge(report, current(), stacklevel=4)
    return outputs


def layer_norm(
    x: Any,
    gamma: Any = None,
    beta: Any = None,
    *,
    epsilon: float = 1e-5,
    memory_config: str = "dram",
    path: str | None = None,
    cores: int | None = None,
    kernels: str | os.PathLike[str] | None = None,
    return_statistics: bool = False,
) -> Any:
    """LayerNorm over the last dimension; with `return_statistics` also the mean and 1 / sqrt(variance + epsilon) of each row.

    `kernels` is a folder of kernels in C++ that take the place of the shipped ones.
    """
    kind = _Kind(x)
    shape = tuple(x.shape)
    if not shape:
        raise ValueError("x has no dimensions")
    width = shape[-1]
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    inputs = [
        ("x", kind.values(x, "x")),
        ("gamma", ones if gamma is None else kind.values(gamma, "gamma", width)),
        ("beta", zeros if beta is None else kind.values(beta, "beta", width)),
    ]
    attributes = {"eps": epsilon, "memory_config": memory_config, "path": path, "cores": cores, "stats": "true" if return_statistics else None}
    outputs = _run("layernorm_fused_rm", kind, shape, inputs, attributes, True, kernels)
    y = kind.result(outputs["y"], shape)
    if not return_statistics:
        return y
    rows = (*shape[:-1], 1)
    return y, kind.result(outputs["mean"], rows, "float32"), kind.result(outputs["rstd"], rows, "float32")


def layer_norm_backward(
    x: Any,
    gamma: Any,
    dy: Any,
    *,
    mean: Any = None,
    rstd: Any = None,
    epsilon: float = 1e-5,
    memory_config: str = "dram",
    path: str | None = None,
    cores: int | None = None,
    kernels: str | os.PathLike[str] | None = None,
) -> tuple[Any, Any, Any]:
    """Gradients of LayerNorm over the last dimension: dx, dgamma, dbeta. Mean and rstd are those of forward, or worked out from x.

    `kernels` is a folder of kernels in C++ that take the place of the shipped ones.
    """
    kind = _Kind(x)
    shape = tuple(x.shape)
    if not shape:
        raise ValueError("x has no dimensions")
    width, rows = shape[-1], int(np.prod(shape[:-1], dtype=np.int64))
    inputs = [
        ("x", kind.values(x, "x")),
        ("gamma", kind.values(gamma, "gamma", width)),
        ("dy", kind.values(dy, "dy", width * rows)),
    ]
    for name, given in (("mean", mean), ("rstd", rstd)):
        if given is not None:
            inputs.append((name, kind.values(given, name, rows)))
    attributes = {"eps": epsilon, "memory_config": memory_config, "path": path, "cores": cores}
    # The op takes four dimensions, and gradients of gamma and beta are sums over all but the last.
    outputs = _run("layernorm_bw", kind, (1, 1, rows, width), inputs, attributes, False, kernels)
    return kind.result(outputs["dx"], shape), kind.result(outputs["dgamma"], (width,)), kind.result(outputs["dbeta"], (width,))

"""Tensors as text."""

import numpy as np

_OPTIONS = {"profile": "short", "sci_mode": "default", "precision": 4}
_THRESHOLDS = {"empty": 0, "short": 100, "full": 10**12}


def set_printoptions(*, profile="short", sci_mode="default", precision=4):
    """Sets how tensors are printed: profile is empty, short or full."""
    if str(profile).lower() not in _THRESHOLDS:
        raise RuntimeError(f"set_printoptions: profile is {profile!r}, expected one of {', '.join(_THRESHOLDS)}")
    _OPTIONS.update(profile=str(profile).lower(), sci_mode=sci_mode, precision=precision)


def _values(tensor):
    if _OPTIONS["profile"] == "empty":
        return "[...]"
    try:
        values = np.asarray(tensor.to_list())
    except RuntimeError:
        return "<not written yet>"
    form = "{:5d}".format if values.dtype.kind in "iu" else f"{{: .{_OPTIONS['precision']}f}}".format
    formats = {"int_kind": form, "float_kind": form}
    return np.array2string(values, separator=", ", threshold=_THRESHOLDS[_OPTIONS["profile"]], edgeitems=3, formatter=formats, prefix="ttnn.Tensor(")


def shown(tensor):
    """A tensor with its values, as far as they are wanted."""
    values = "<freed>" if tensor._freed else _values(tensor)
    return f"ttnn.Tensor({values}, shape={tensor.shape}, dtype=DataType::{tensor.dtype.name}, layout=Layout::{tensor.layout.name})"

"""Tensors as text."""

import numpy as np

_OPTIONS = {"profile": "short", "sci_mode": "default", "precision": 4}
_PROFILES = ("empty", "short", "full")
_SCI_MODES = ("enable", "disable", "default")
_HEAD = "ttnn.Tensor("

_SHOWN = 4
"""Entries of a dimension that the profile short shows: as many from its begin as from its end."""


def set_printoptions(*, profile="short", sci_mode="default", precision=4):
    """Sets how tensors are printed: profile is empty, short or full; sci_mode enable, disable or default, which looks at the values."""
    words = {"profile": str(profile).lower().split(".")[-1], "sci_mode": str(sci_mode).lower().split(".")[-1]}
    for name, allowed in (("profile", _PROFILES), ("sci_mode", _SCI_MODES)):
        if words[name] not in allowed:
            raise RuntimeError(f"set_printoptions: {name} is {words[name]!r}, expected one of {', '.join(allowed)}")
    _OPTIONS.update(words, precision=precision)


def _is_scientific(values):
    """Whether values are told with exponents: where they span more than three digits, or are very large or very small."""
    if _OPTIONS["sci_mode"] != "default":
        return _OPTIONS["sci_mode"] == "enable"
    sizes = np.abs(values[np.isfinite(values) & (values != 0)].astype(np.float64))
    if not sizes.size:
        return False
    most, least = sizes.max(), sizes.min()
    return most / least > 1000 or most > 1e8 or least < 1e-4


def _format(values):
    if values.dtype.kind in "iu":
        return "{:5d}".format
    precision = _OPTIONS["precision"]
    return (f"{{:{precision + 7}.{precision}e}}" if _is_scientific(values) else f"{{:{precision + 3}.{precision}f}}").format


def _rows(values, form, depth=0):
    """Values in brackets: a row a line, an empty line between matrices."""
    if np.ndim(values) == 0:
        return form(values)
    own = " " * (len(_HEAD) + depth + 1)
    between = {1: ", ", 2: f",\n{own}"}.get(values.ndim, f",\n\n{own}")
    half = _SHOWN // 2
    is_short = _OPTIONS["profile"] == "short" and len(values) > _SHOWN
    shown = [*values[:half], *values[-half:]] if is_short else values
    entries = [_rows(entry, form, depth + 1) for entry in shown]
    if is_short:
        entries.insert(half, " ..." if values.ndim == 1 else "...")
    return f"[{between.join(entries)}]"


def _values(tensor):
    if _OPTIONS["profile"] == "empty":
        return "..."
    try:
        values = np.asarray(tensor.to_list())
    except RuntimeError:
        return "<not written yet>"
    return _rows(values, _format(values))


def shown(tensor):
    """A tensor with its values, as far as they are wanted."""
    values = "<buffer is not allocated>" if tensor._freed else _values(tensor)
    return f"{_HEAD}{values}, shape={tensor.shape}, dtype=DataType::{tensor.dtype.name}, layout=Layout::{tensor.layout.name})"

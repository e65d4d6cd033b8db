"""Tensors as text."""

import numpy as np

_OPTIONS = {"sci_mode": "default", "precision": 4}


def set_printoptions(*, profile="short", sci_mode="default", precision=4):
    """Sets how tensors are printed: profile is empty, short or full."""
    thresholds = {"empty": 0, "short": 100, "full": 10**12}
    if profile not in thresholds:
        raise RuntimeError(f"set_printoptions: profile is {profile!r}, expected one of {', '.join(thresholds)}")
    _OPTIONS.update(profile=profile, threshold=thresholds[profile], sci_mode=sci_mode, precision=precision)


set_printoptions()


def shown(tensor):
    """A tensor with its values, as far as they are wanted."""
    if tensor._freed:
        return f"ttnn.Tensor(<freed>, {tensor._described()})"
    if _OPTIONS["profile"] == "empty":
        text = "[...]"
    else:
        try:
            values = tensor._values()
            text = np.array2string(values, separator=", ", threshold=_OPTIONS["threshold"], precision=_OPTIONS["precision"], floatmode="fixed", edgeitems=3)
        except RuntimeError:
            text = "<not written yet>"
    return f"ttnn.Tensor({text}, {tensor._described()})"

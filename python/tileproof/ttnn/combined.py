"""Operations on each element of three tensors, on the bits of integers, and into the tensor that they read."""

import numpy as np

from .elementwise import OPS, operand, result
from .enums import DataType, known_options
from .tensor import Tensor

_INTEGERS = (DataType.INT32, DataType.UINT32, DataType.UINT16, DataType.UINT8, DataType.INT8)


def _values(op, name, value):
    """Of a tensor on a device, or a number."""
    return operand(name, value, op)._values() if isinstance(value, Tensor) else np.float64(value)


def _three(name, function, weighs=False):
    def op(input_tensor_a, input_tensor_b, input_tensor_c, *, value=1.0, memory_config=None, output_tensor=None, **options):
        known_options(name, options if weighs or value == 1.0 else {"value": value}, "queue_id")
        a = operand("A", input_tensor_a, name)
        with np.errstate(all="ignore"):
            values = function(a._values(), _values(name, "B", input_tensor_b), _values(name, "C", input_tensor_c), value)
        return result(values, a, None, memory_config, output_tensor=output_tensor)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of three tensors; the last two may be numbers."
    return op


def _bitwise(name, function):
    def op(input_tensor_a, input_tensor_b, *, memory_config=None, output_tensor=None, **options):
        known_options(name, options, "queue_id")
        a = operand("A", input_tensor_a, name)
        if a.dtype not in _INTEGERS:
            raise RuntimeError(f"{name}: dtype {a.dtype}: must be a format of integers")
        right = np.asarray(_values(name, "B", input_tensor_b)).astype(np.int64)
        values = function(a._values().astype(np.int64), right)
        return result(values.astype(np.float64), a, None, memory_config, output_tensor=output_tensor)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of two tensors of integers, or of one and a number."
    return op


def _in_place(name):
    def op(input_tensor_a, input_tensor_b, *, activations=None, **options):
        return OPS[name](input_tensor_a, input_tensor_b, output_tensor=input_tensor_a, activations=activations, **options)

    op.__name__ = op.__qualname__ = f"{name}_"
    op.__doc__ = f"{name}, into the first tensor."
    return op


COMBINED = {
    "addcmul": _three("addcmul", lambda a, b, c, value: a + value * b * c, weighs=True),
    "addcdiv": _three("addcdiv", lambda a, b, c, value: a + value * b / c, weighs=True),
    "lerp": _three("lerp", lambda a, b, c, _: a + c * (b - a)),
    "mac": _three("mac", lambda a, b, c, _: a * b + c),
    "bitwise_and": _bitwise("bitwise_and", np.bitwise_and),
    "bitwise_or": _bitwise("bitwise_or", np.bitwise_or),
    "bitwise_xor": _bitwise("bitwise_xor", np.bitwise_xor),
    "bitwise_left_shift": _bitwise("bitwise_left_shift", np.left_shift),
    "bitwise_right_shift": _bitwise("bitwise_right_shift", np.right_shift),
}
COMBINED.update(
    {f"{name}_": _in_place(name) for name in ("add", "sub", "subtract", "multiply", "mul", "div", "divide", "eq", "ne", "lt", "le", "gt", "ge")}
)
globals().update(COMBINED)


def hardtanh(input_tensor, min_val=-1.0, max_val=1.0, *, memory_config=None):
    """Each element within bounds."""
    x = operand("input", input_tensor, "hardtanh")
    return result(np.clip(x._values(), min_val, max_val), x, None, memory_config)


def threshold(input_tensor, threshold, value, *, memory_config=None):
    """x where it is above the threshold, else the value."""
    x = operand("input", input_tensor, "threshold")
    values = x._values()
    return result(np.where(values > threshold, values, value), x, None, memory_config)


def _triangle(name, function):
    def op(input_tensor, diagonal=0, *, memory_config=None, output_tensor=None):
        x = operand("input", input_tensor, name)
        return result(function(x._values(), diagonal), x, None, memory_config, output_tensor=output_tensor, origin=x.tileproof)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"The elements {'below' if name == 'tril' else 'above'} a diagonal of the last two dimensions and on it; the others are 0."
    return op


tril, triu = _triangle("tril", np.tril), _triangle("triu", np.triu)

__all__ = [*COMBINED, "hardtanh", "threshold", "tril", "triu"]

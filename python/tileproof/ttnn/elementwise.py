"""Operations on each element: the host's float64, rounded to the format."""

import math

import numpy as np

from .enums import DataType, Layout, asked, known_options, require
from .tensor import FLOAT64, MOVED, Tensor, origin_of, output_memory
from .transfer import nearest, placed


def operand(name, value, op):
    """A tensor on a device."""
    return require(op, name, value, Tensor)._on_device(f"{op}: input tensor {name}")


def result(values, like, dtype=None, memory_config=None, layout=None, origin=FLOAT64, output_tensor=None):
    """A tensor of values on the device of another."""
    dtype = asked("op", "dtype", dtype, DataType, like.dtype)
    elements = nearest(values, dtype)
    if output_tensor is not None:
        if tuple(output_tensor.shape) != elements.shape:
            raise RuntimeError(f"output tensor has shape {output_tensor.shape}, the result {list(elements.shape)}")
        output_tensor.tileproof = origin
        return output_tensor._fill(nearest(values, output_tensor.dtype))
    layout = like.layout if layout is None else layout
    memory_config = output_memory(like, memory_config, elements.shape, layout)
    return placed(elements, dtype, layout, like.device(), memory_config, origin=origin)


def _broadcast(op, a, b):
    """Whether shapes broadcast, as NumPy's do."""
    try:
        return np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
    except ValueError:
        raise RuntimeError(f"{op}: shapes {a.shape} and {b.shape} do not broadcast: each dimension must be equal or 1") from None


_ACTIVATIONS = {}


def _activated(values, activations):
    for activation in activations or ():
        name = getattr(activation, "name", activation)
        try:
            values = _ACTIVATIONS[str(name).lower()](values)
        except KeyError:
            raise RuntimeError(f"activation {name!r} is not known; these are: {', '.join(sorted(_ACTIVATIONS))}") from None
    return values


def _binary(name, function, is_comparison=False):
    def op(input_tensor_a, input_tensor_b, *, dtype=None, memory_config=None, output_tensor=None, activations=None, **options):
        known_options(name, options, "queue_id", "input_tensor_a_activations", "input_tensor_b_activations", "use_legacy", "sub_core_grids")
        if not isinstance(input_tensor_a, Tensor) and isinstance(input_tensor_b, Tensor):
            b = operand("B", input_tensor_b, name)
            left, right, like = np.float64(input_tensor_a), b._values(), b
        else:
            a = operand("A", input_tensor_a, name)
            like = a
            if isinstance(input_tensor_b, Tensor):
                b = operand("B", input_tensor_b, name)
                _broadcast(name, a, b)
                if a.device() is not b.device():
                    raise RuntimeError(f"{name}: input tensors must be on one device")
                left, right = a._values(), b._values()
            else:
                left, right = a._values(), np.float64(require(name, "input_tensor_b", input_tensor_b, (int, float, Tensor)))
        left = _activated(left, options.get("input_tensor_a_activations"))
        right = _activated(right, options.get("input_tensor_b_activations"))
        with np.errstate(all="ignore"):
            values = function(left, right)
        values = values.astype(np.float64) if is_comparison else values
        return result(_activated(values, activations), like, dtype, memory_config, output_tensor=output_tensor)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of two tensors, or of a tensor and a number."
    return op


def _unary(name, function):
    def op(input_tensor, *, memory_config=None, output_tensor=None, dtype=None, **options):
        known_options(name, options, "queue_id", "fast_and_approximate_mode", "vector_mode", "mode", "approx", "sub_core_grids")
        x = operand("input", input_tensor, name)
        with np.errstate(all="ignore"):
            values = np.asarray(function(x._values()), dtype=np.float64)
        return result(values, x, dtype, memory_config, output_tensor=output_tensor)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name} of each element."
    return op


def _unsigned_zero(function):
    """A function whose zeros have no sign, as the kernels of ttnn leave them."""
    return lambda x: function(x) + 0.0


_erf = np.vectorize(math.erf, otypes=[np.float64])


def _phi(x):
    return 0.5 * (1 + _erf(x / math.sqrt(2)))


def _sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def _softplus(x):
    return np.logaddexp(0, x)


FUNCTIONS = {
    "abs": np.abs,
    "identity": np.positive,
    "neg": _unsigned_zero(np.negative),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "square": np.square,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "cbrt": np.cbrt,
    "frac": lambda x: x - np.trunc(x),
    "sign": np.sign,
    "signbit": lambda x: np.signbit(x).astype(np.float64),
    "floor": np.floor,
    "ceil": _unsigned_zero(np.ceil),
    "trunc": _unsigned_zero(np.trunc),
    "round": np.round,
    "erf": _erf,
    "erfc": np.vectorize(math.erfc, otypes=[np.float64]),
    "gelu": lambda x: x * _phi(x),
    "relu": lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)),
    "relu6": lambda x: np.clip(x, 0, 6),
    "silu": lambda x: x * _sigmoid(x),
    "swish": lambda x: x * _sigmoid(x),
    "sigmoid": _sigmoid,
    "log_sigmoid": lambda x: -_softplus(-x),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))),
    "tanhshrink": lambda x: x - np.tanh(x),
    "softplus": _softplus,
    "mish": lambda x: x * np.tanh(_softplus(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "logical_not": lambda x: (x == 0).astype(np.float64),
    "isnan": lambda x: np.isnan(x).astype(np.float64),
    "isinf": lambda x: np.isinf(x).astype(np.float64),
    "isposinf": lambda x: np.isposinf(x).astype(np.float64),
    "isneginf": lambda x: np.isneginf(x).astype(np.float64),
    "isfinite": lambda x: np.isfinite(x).astype(np.float64),
    "eqz": lambda x: (x == 0).astype(np.float64),
    "nez": lambda x: (x != 0).astype(np.float64),
    "ltz": lambda x: (x < 0).astype(np.float64),
    "gtz": lambda x: (x > 0).astype(np.float64),
}
_ACTIVATIONS.update(FUNCTIONS)

PAIRS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "squared_difference": lambda a, b: np.square(a - b),
    "remainder": np.mod,
    "fmod": np.fmod,
    "atan2": np.arctan2,
    "pow": np.power,
    "hypot": np.hypot,
    "logaddexp": np.logaddexp,
    "logaddexp2": np.logaddexp2,
    "ldexp": lambda a, b: a * np.exp2(b),
    "xlogy": lambda a, b: np.where((a == 0) & ~np.isnan(b), 0, a * np.log(b)),
    "floor_div": lambda a, b: np.floor(a / b),
}

COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

OPS = {name: _unary(name, function) for name, function in FUNCTIONS.items()}
OPS.update({name: _binary(name, function) for name, function in PAIRS.items()})
OPS.update({name: _binary(name, function, True) for name, function in COMPARISONS.items()})
OPS.update(sub=OPS["subtract"], mul=OPS["multiply"], div=OPS["divide"], rsub=_binary("rsub", lambda a, b: b - a))
globals().update(OPS)


def where(predicate, value_true, value_false, *, memory_config=None, output_tensor=None):
    """Elements of one tensor where another is not 0, else those of a third; either may be a number."""
    p = operand("predicate", predicate, "where")
    choices = [v._values() if isinstance(v, Tensor) else np.float64(v) for v in (value_true, value_false)]
    tensors = [v for v in (value_true, value_false) if isinstance(v, Tensor)]
    like = next(iter(tensors), p)
    origin = origin_of(*tensors, dtype=(like if output_tensor is None else output_tensor).dtype) if tensors else MOVED
    if not p.tileproof.exact:
        origin = p.tileproof
    return result(np.where(p._values() != 0, *choices), like, None, memory_config, output_tensor=output_tensor, origin=origin)


def clamp(input_tensor, min=None, max=None, *, memory_config=None, output_tensor=None):
    """Each element within bounds."""
    x = operand("input", input_tensor, "clamp")
    return result(np.clip(x._values(), min, max), x, None, memory_config, output_tensor=output_tensor)


clip = clamp


def leaky_relu(input_tensor, negative_slope=0.01, *, memory_config=None):
    """x, or its multiple where it is below 0."""
    x = operand("input", input_tensor, "leaky_relu")
    values = x._values()
    return result(np.where(values >= 0, values, values * negative_slope), x, None, memory_config)


def elu(input_tensor, alpha=1.0, *, memory_config=None):
    """x, or alpha (exp x - 1) where it is below 0."""
    x = operand("input", input_tensor, "elu")
    values = x._values()
    return result(np.where(values >= 0, values, alpha * np.expm1(np.minimum(values, 0))), x, None, memory_config)


_SMALL = (DataType.BFLOAT16, DataType.BFLOAT8_B, DataType.UINT16)
"""Formats between which the device's conversions are known, recorded of ttnn 0.79: halves go away from zero."""

_BLOCK = 16
"""Elements that share an exponent: a row of a face."""


def _away(values, bits):
    """Values with so many significant bits; halves go away from zero."""
    fraction, exponent = np.frexp(values)
    scaled = np.ldexp(np.abs(fraction), bits)
    return np.copysign(np.ldexp(np.floor(scaled + 0.5), exponent - bits), values)


def _in_blocks(values, bits, up):
    """Values of which 16 beside each other share the largest one's exponent, with so many bits each; from `up` of a step on they go
    away from zero."""
    width = values.shape[-1]
    blocks = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, -width % _BLOCK)]).reshape(*values.shape[:-1], -1, _BLOCK)
    _, exponent = np.frexp(np.abs(blocks).max(-1, keepdims=True))
    steps = np.minimum(np.floor(np.ldexp(np.abs(blocks), bits - exponent) + 1 - up), 2**bits - 1)
    blocks = np.copysign(np.ldexp(steps, exponent - bits), blocks)
    return blocks.reshape(*values.shape[:-1], -1)[..., :width]


def _cast(values, of, dtype):
    """Values as the device brings them from one format into another, where that is known; others stay for the host to round."""
    if not np.isfinite(values).all() or not values.ndim:
        return values
    if of is DataType.BFLOAT8_B and dtype is DataType.BFLOAT4_B:
        return _in_blocks(values, 3, 1)
    if of not in _SMALL or dtype not in _SMALL:
        return values
    if dtype is DataType.UINT16:
        return np.clip(np.floor(values + 0.5), 0, 65535)
    values = _away(values, 8)
    return _in_blocks(values, 7, 0.5) if dtype is DataType.BFLOAT8_B else values


def typecast(input_tensor, dtype, *, memory_config=None, output_tensor=None, **_):
    """The same values in another format, as far as it holds them."""
    x = operand("input", input_tensor, "typecast")
    dtype = require("typecast", "dtype", dtype, DataType)
    if dtype.name.endswith("_B") and x.layout is not Layout.TILE:
        raise RuntimeError(f"typecast: Layout must be Layout::TILE for {dtype.name.lower()}")
    becomes = dtype if output_tensor is None else output_tensor.dtype
    return result(_cast(x._values(), x.dtype, becomes), x, dtype, memory_config, output_tensor=output_tensor, origin=origin_of(x, dtype=becomes))


def _operators():
    def reflected(op):
        return lambda self, other: op(other, self)

    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide"}
    for method, name in names.items():
        setattr(Tensor, f"__{method}__", lambda self, other, op=OPS[name]: op(self, other))
        setattr(Tensor, f"__r{method}__", reflected(OPS[name]))
    for method in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Tensor, f"__{method}__", lambda self, other, op=OPS[method]: op(self, other))
    Tensor.__pow__ = lambda self, other: OPS["pow"](self, other)
    Tensor.__neg__ = lambda self: OPS["neg"](self)
    Tensor.__hash__ = object.__hash__


_operators()
__all__ = [*OPS, "where", "clamp", "clip", "leaky_relu", "elu", "typecast"]

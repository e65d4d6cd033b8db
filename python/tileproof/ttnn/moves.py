"""Operations that move elements and change none."""

import math

import numpy as np

from .elementwise import operand
from .enums import DataType, Layout, asked, bfloat16, require
from .memory_config import MemoryConfig
from .reductions import axis
from .shape import Shape
from .tensor import Tensor, origin_of
from .transfer import moved, nearest, placed, to_layout


def _again(op, tensor, change, memory_config=None):
    x = operand("input", tensor, op)
    return moved(x, elements=np.ascontiguousarray(change(x._get())), memory_config=memory_config, origin=x.tileproof)


def reshape(input_tensor, shape, *sides, memory_config=None, **_):
    """The same elements in another shape; -1 stands for what is left."""
    x = require("reshape", "input_tensor", input_tensor, Tensor)._alive()
    wanted = [int(side) for side in (shape if hasattr(shape, "__iter__") else (shape, *sides))]
    volume = x.shape.volume()
    known = math.prod(side for side in wanted if side != -1)
    if wanted.count(-1) == 1 and known and volume % known == 0:
        wanted[wanted.index(-1)] = volume // known
    if math.prod(wanted) != volume or -1 in wanted:
        raise RuntimeError(f"Invalid arguments to reshape: volume {volume} of {x.shape} is not that of {wanted}")
    return moved(x, elements=x._get().reshape(wanted), memory_config=memory_config)


def permute(input_tensor, dims, *, memory_config=None, **_):
    """The dimensions in another order."""
    rank = len(require("permute", "input_tensor", input_tensor, Tensor).shape)
    if len(dims) != rank or sorted(d % rank if -rank <= d < rank else rank for d in dims) != list(range(rank)):
        raise RuntimeError(f"permute: The number of dimensions in the tensor input does not match the length of the desired ordering: dims {list(dims)} for rank {rank}")
    return _again("permute", input_tensor, lambda e: e.transpose([d % rank for d in dims]), memory_config)


def transpose(input_tensor, dim1, dim2, *, memory_config=None, **_):
    """Two dimensions exchanged."""
    a, b = axis("transpose", input_tensor, dim1), axis("transpose", input_tensor, dim2)
    return _again("transpose", input_tensor, lambda e: e.swapaxes(a, b), memory_config)


def concat(tensors, dim=0, *, memory_config=None, **_):
    """Tensors side by side along a dimension."""
    tensors = [operand(f"tensors[{i}]", t, "concat") for i, t in enumerate(tensors)]
    if not tensors:
        raise RuntimeError("concat: expected at least one tensor")
    first = tensors[0]
    along = axis("concat", first, dim)

    def others(t):
        return [side for i, side in enumerate(t.shape) if i != along]

    for t in tensors[1:]:
        if len(t.shape) != len(first.shape) or others(t) != others(first):
            raise RuntimeError(f"concat: All dimensions must be the same size except for dim {along}: shapes {first.shape} and {t.shape}")
        if t.dtype is not first.dtype or t.layout is not first.layout:
            raise RuntimeError("concat: all tensors must have one dtype and one layout")
    joined = np.concatenate([t._get() for t in tensors], along)
    return moved(first, elements=joined, memory_config=memory_config, origin=origin_of(*tensors))


def squeeze(input_tensor, dim=None):
    """Without a dimension of 1, or all of them."""
    shape = list(require("squeeze", "input_tensor", input_tensor, Tensor).shape)
    if dim is None:
        return reshape(input_tensor, [side for side in shape if side != 1])
    along = axis("squeeze", input_tensor, dim)
    return reshape(input_tensor, shape[:along] + shape[along + 1 :]) if shape[along] == 1 else input_tensor


def unsqueeze(input_tensor, dim):
    """With one more dimension."""
    shape = list(require("unsqueeze", "input_tensor", input_tensor, Tensor).shape)
    if not -len(shape) - 1 <= dim <= len(shape):
        raise RuntimeError(f"unsqueeze: Dimension out of range. Dim: {dim} of a tensor of rank {len(shape)}")
    along = dim % (len(shape) + 1)
    return reshape(input_tensor, shape[:along] + [1] + shape[along:])


def unsqueeze_to_4D(tensor):
    """With 4 dimensions."""
    return reshape(tensor, Shape(tensor.shape).to_rank(4))


def repeat(input_tensor, repeat_dims, *, memory_config=None):
    """The elements again and again."""
    return _again("repeat", input_tensor, lambda e: np.tile(e, tuple(repeat_dims)), memory_config)


def repeat_interleave(input_tensor, repeats, dim, *, memory_config=None, **_):
    """Each entry of a dimension so often, one behind the other."""
    along = axis("repeat_interleave", input_tensor, dim)
    return _again("repeat_interleave", input_tensor, lambda e: np.repeat(e, repeats, along), memory_config)


def stack(tensors, dim, *, memory_config=None, **_):
    """Tensors of one shape along a dimension that is new."""
    return concat([unsqueeze(tensor, dim) for tensor in tensors], dim, memory_config=memory_config)


def view(input_tensor, shape):
    """The same elements in another shape; the elements of a tile must stay in it."""
    x = require("view", "input_tensor", input_tensor, Tensor)._alive()
    out = reshape(x, shape)
    sides = [list(t.shape)[-2:] for t in (x, out)]
    if x.layout is Layout.TILE and (sides[0] != sides[1] or len(out.shape) < 2) or x.layout is Layout.ROW_MAJOR and sides[0][-1] != sides[1][-1]:
        raise RuntimeError(f"view: {x.shape} as {out.shape} would move elements: their last {'two dimensions' if x.layout is Layout.TILE else 'dimension'} must be equal; reshape moves them")
    return out


def expand(input_tensor, sizes, *, memory_config=None):
    """Dimensions of 1 made larger."""
    shape = [own if side == -1 else side for own, side in zip(input_tensor.shape.to_rank(len(sizes)), sizes)]
    return _again("expand", input_tensor, lambda e: np.broadcast_to(e, shape), memory_config)


def slice(input_tensor, slice_start, slice_end, slice_step=None, *, memory_config=None, **_):
    """A part."""
    steps = slice_step or [1] * len(slice_start)
    parts = tuple(map(_SLICE, slice_start, slice_end, steps))
    return _again("slice", input_tensor, lambda e: e[parts], memory_config)


_SLICE = __builtins__["slice"] if isinstance(__builtins__, dict) else __builtins__.slice


def pad(input_tensor, padding, value=0.0, *, memory_config=None, **_):
    """With more elements around; padding is a pair for each dimension."""
    x = operand("input", input_tensor, "pad")
    pairs = [tuple(p) for p in padding]
    pairs = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
    fill = nearest(np.full((1,), float(value)), x.dtype)[0]
    return _again("pad", x, lambda e: np.pad(e, pairs, constant_values=fill), memory_config)


def tilize(input_tensor, *, memory_config=None, dtype=None, **_):
    """In tiles."""
    x = operand("input", input_tensor, "tilize")
    if x.layout is not Layout.ROW_MAJOR:
        raise RuntimeError(f"tilize: the layout must be row-major, it is {x.layout}")
    if len(x.shape) < 2 or x.shape[-1] % 32 or x.shape[-2] % 32:
        raise RuntimeError(f"tilize: the last two dimensions of {x.shape} must be multiples of 32; tilize_with_zero_padding pads")
    return to_layout(x, Layout.TILE, dtype, memory_config)


def tilize_with_zero_padding(input_tensor, *, memory_config=None, dtype=None, **_):
    """In tiles, with zeros where there are no elements."""
    return to_layout(operand("input", input_tensor, "tilize_with_zero_padding"), Layout.TILE, dtype, memory_config)


def tilize_with_val_padding(input_tensor, output_tensor_shape, pad_value, *, memory_config=None, dtype=None, **_):
    """In tiles, with a value where there are no elements; the shape is the padded one."""
    x = operand("input", input_tensor, "tilize_with_val_padding")
    padded = [*x.shape[:-2], *(-(-side // 32) * 32 for side in x.shape[-2:])]
    if list(output_tensor_shape) != padded:
        raise RuntimeError(f"tilize_with_val_padding: output_tensor_shape {list(output_tensor_shape)}, expected {padded}: {x.shape} up to whole tiles")
    tiles = to_layout(x, Layout.TILE, dtype, memory_config)
    return placed(tiles._get(), tiles.dtype, Layout.TILE, tiles.device(), tiles.memory_config(), float(pad_value), tiles.tileproof)


def untilize_with_unpadding(input_tensor, output_tensor_end, *, memory_config=None, **_):
    """In rows, up to the last element of each dimension that is given, and that one too."""
    x = operand("input", input_tensor, "untilize_with_unpadding")
    return untilize(_again("untilize_with_unpadding", x, lambda e: e[tuple(_SLICE(end + 1) for end in output_tensor_end)]), memory_config=memory_config)


def untilize(input_tensor, *, memory_config=None, **_):
    """In rows."""
    x = operand("input", input_tensor, "untilize")
    if x.layout is not Layout.TILE:
        raise RuntimeError(f"untilize: the layout must be tiles, it is {x.layout}")
    return to_layout(x, Layout.ROW_MAJOR, None, memory_config)


def clone(input_tensor, *, dtype=None, memory_config=None, **_):
    """A copy."""
    x = operand("input", input_tensor, "clone")
    return moved(x, elements=x._get() if dtype is None else nearest(x._values(), dtype), dtype=dtype, memory_config=memory_config)


def full(shape, fill_value, *, dtype=None, layout=None, device=None, memory_config=None):
    """A tensor of one value."""
    values = np.full(tuple(shape), float(fill_value))
    return _made("full", values, dtype, layout, device, memory_config)


def _made(op, values, dtype, layout, device, memory_config):
    dtype = asked(op, "dtype", dtype, DataType, bfloat16)
    layout = asked(op, "layout", layout, Layout, Layout.ROW_MAJOR)
    return placed(nearest(values, dtype), dtype, layout, device, asked(op, "memory_config", memory_config, MemoryConfig, None))


def zeros(shape, *, dtype=None, layout=None, device=None, memory_config=None):
    """A tensor of zeros."""
    return full(shape, 0, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def ones(shape, *, dtype=None, layout=None, device=None, memory_config=None):
    """A tensor of ones."""
    return full(shape, 1, dtype=dtype, layout=layout, device=device, memory_config=memory_config)


def empty(shape, dtype=None, layout=None, device=None, memory_config=None):
    """A tensor with undefined values on a device; zeros on the host."""
    if device is None:
        return zeros(shape, dtype=dtype, layout=layout)
    dtype, layout = asked("empty", "dtype", dtype, DataType, bfloat16), asked("empty", "layout", layout, Layout, Layout.ROW_MAJOR)
    return Tensor.on_device(tuple(shape), dtype, layout, device, memory_config)


def _like(make):
    def op(tensor, *args, dtype=None, layout=None, device=None, memory_config=None):
        device = device or tensor.device()
        memory_config = memory_config or (tensor.memory_config() if tensor.device() is not None else None)
        dtype, layout = tensor.dtype if dtype is None else dtype, tensor.layout if layout is None else layout
        return make(tensor.shape, *args, dtype=dtype, layout=layout, device=device, memory_config=memory_config)

    return op


zeros_like, ones_like, empty_like, full_like = _like(zeros), _like(ones), _like(empty), _like(full)


def arange(start, end=None, step=1, *, dtype=None, layout=None, device=None, memory_config=None):
    """Numbers one after the other."""
    start, end = (0, start) if end is None else (start, end)
    return _made("arange", np.arange(start, end, step, dtype=np.float64), dtype, layout, device, memory_config)


def split(input_tensor, split_size, dim=0, *, memory_config=None):
    """Parts along a dimension."""
    x = operand("input", input_tensor, "split")
    along = axis("split", x, dim)
    side = x.shape[along]
    sizes = list(split_size) if hasattr(split_size, "__iter__") else [min(split_size, side - i) for i in range(0, side, split_size)]
    parts = np.split(x._get(), np.cumsum(sizes)[:-1], along)
    return [moved(x, elements=np.ascontiguousarray(part), memory_config=memory_config) for part in parts]


def chunk(input_tensor, chunks, dim=0):
    """So many parts along a dimension, the last of what is left."""
    x = operand("input", input_tensor, "chunk")
    return split(x, -(-x.shape[axis("chunk", x, dim)] // chunks), dim)


def _item(self, place):
    return moved(self, elements=np.ascontiguousarray(self._get()[place]))


Tensor.__getitem__ = _item  # type: ignore[misc]
Tensor.reshape = lambda self, *shape: reshape(self, shape[0] if len(shape) == 1 and hasattr(shape[0], "__iter__") else shape)  # type: ignore[attr-defined]

__all__ = [
    "arange",
    "chunk",
    "clone",
    "concat",
    "empty",
    "empty_like",
    "expand",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "pad",
    "permute",
    "repeat",
    "repeat_interleave",
    "reshape",
    "slice",
    "split",
    "squeeze",
    "stack",
    "tilize",
    "tilize_with_val_padding",
    "tilize_with_zero_padding",
    "transpose",
    "unsqueeze",
    "unsqueeze_to_4D",
    "untilize",
    "untilize_with_unpadding",
    "view",
    "zeros",
    "zeros_like",
]

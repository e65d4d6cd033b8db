"""Tensors to the host's libraries and back, and between the host and a device."""

import math

import numpy as np

from .. import _core
from .device import Device
from .enums import DataType, Layout, TensorMemoryLayout, asked, require
from .memory_config import DRAM_MEMORY_CONFIG, MemoryConfig
from .tensor import BLOCK_FLOATS, MOVED, NAMES, NUMPY, ROUNDED, Tensor, TensorSpec, from_words, origin_of, output_memory, to_words

_OF_TORCH = {
    "bfloat16": DataType.BFLOAT16,
    "float32": DataType.FLOAT32,
    "float16": DataType.BFLOAT16,
    "float64": DataType.FLOAT32,
    "int32": DataType.INT32,
    "int64": DataType.UINT32,
    "int16": DataType.UINT16,
    "uint8": DataType.UINT8,
    "int8": DataType.UINT8,
    "bool": DataType.UINT8,
    "uint16": DataType.UINT16,
    "uint32": DataType.UINT32,
}
"""The format of a tensor when none is asked for, by the dtype of torch or NumPy."""


def _torch():
    try:
        import torch
    except ImportError:
        raise RuntimeError("torch is not installed: install it, or use from_numpy and to_numpy") from None
    return torch


def _array(tensor):
    """Elements that NumPy holds and the name of their dtype, from a tensor of torch or an array; bfloat16 as its bits."""
    if isinstance(tensor, np.ndarray):
        name = tensor.dtype.name
        # The words of a tensor are in the host's order of bytes.
        tensor = tensor if tensor.dtype.isnative else tensor.astype(tensor.dtype.newbyteorder("="))
        return (tensor.view(np.uint16) if name == "bfloat16" else tensor), name
    if type(tensor).__module__.partition(".")[0] != "torch" or not hasattr(tensor, "detach"):
        raise TypeError(f"ttnn.from_torch(): incompatible function arguments. Called with: from_torch({type(tensor).__name__}), expected a torch.Tensor")
    torch = _torch()
    tensor = tensor.detach().cpu().contiguous()
    name = str(tensor.dtype).replace("torch.", "")
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16), name
    return tensor.numpy(), name


def _elements(array, name, dtype):
    """The elements of another format: the same bits where nothing changes, else the nearest."""
    if name == "bfloat16":
        if dtype is DataType.BFLOAT16:
            return array
        values = _core.values("bfloat16", to_words(array)).reshape(array.shape)
    elif dtype in (DataType.FLOAT32, *BLOCK_FLOATS) and name == "float32":
        return array
    elif np.dtype(NUMPY[dtype]).kind in "iu" and array.dtype.kind in "iub" and dtype is not DataType.BFLOAT16:
        return array.astype(NUMPY[dtype])
    else:
        values = array.astype(np.float64)
    return nearest(values, dtype)


def nearest(values, dtype):
    """The elements of a format that are nearest to values; whole numbers are cut off, as conversions do."""
    dtype = require("typecast", "dtype", dtype, DataType)
    if np.dtype(NUMPY[dtype]).kind in "iu" and dtype is not DataType.BFLOAT16:
        values = np.trunc(values)
    flat = np.ascontiguousarray(values, dtype=np.float64).reshape(-1)
    return from_words(_core.nearest(NAMES[dtype], flat), dtype, values.shape)


def placed(elements, dtype, layout, device, memory_config, padding=0.0, origin=MOVED):
    """A tensor of elements as the format holds them, on the host or a device."""
    if device is None:
        return Tensor.on_host(elements, dtype, layout, origin, padding)
    return Tensor.on_device(elements.shape, dtype, layout, device, memory_config, origin)._fill(elements, padding)


def from_torch(
    tensor,
    dtype=None,
    *,
    spec=None,
    tile=None,
    pad_value=None,
    layout=None,
    device=None,
    memory_config=None,
    mesh_mapper=None,
    cq_id=None,
):
    """A tensor of torch (or NumPy) as a ttnn tensor, on the host or a device."""
    array, name = _array(tensor)
    if name not in _OF_TORCH:
        raise RuntimeError(f"from_torch: torch dtype {name} has no ttnn dtype; these have: {', '.join(_OF_TORCH)}")
    if spec is not None:
        dtype, layout, memory_config = spec.dtype, spec.layout, spec.memory_config
    if dtype is not None and not isinstance(dtype, DataType):
        raise TypeError(f"ttnn.from_torch(): incompatible function arguments. Called with: from_torch({type(tensor).__name__}, dtype={dtype}), expected a ttnn.DataType")
    dtype = dtype or _OF_TORCH[name]
    if layout is None:
        layout = Layout.TILE if dtype in BLOCK_FLOATS else Layout.ROW_MAJOR
    layout = require("from_torch", "layout", layout, Layout)
    if device is not None:
        require("from_torch", "device", device, Device)
    if memory_config is not None:
        require("from_torch", "memory_config", memory_config, MemoryConfig)
    _only_32(tile)
    elements = _elements(array, name, dtype)
    origin = MOVED if elements is array else ROUNDED
    return placed(elements, dtype, layout, device, memory_config, 0.0 if pad_value is None else pad_value, origin)


def _only_32(tile):
    if tile is not None and tuple(tile.tile_shape) != (32, 32):
        raise RuntimeError(f"tiles of {list(tile.tile_shape)} are not modelled yet; only [32, 32]")


from_numpy = from_torch


def as_tensor(tensor, dtype=None, *, layout=None, device=None, memory_config=None, cache_file_name=None, **options):
    """As `from_torch`; nothing is kept in files."""
    return from_torch(tensor, dtype, layout=layout, device=device, memory_config=memory_config, **options)


def as_tensor_of(data, *args, **kwargs):
    """What `ttnn.Tensor` gives: of values with their shape, or of a tensor of torch or NumPy."""
    if isinstance(data, Tensor):
        return moved(data)
    if not isinstance(data, (list, tuple)):
        return _of_array(data, *args, **kwargs)
    return _of_values(data, *args, **kwargs)


def _of_array(tensor, data_type=None, *, layout=None, device=None, mem_config=None, tile=None, pad_value=0.0):
    return from_torch(tensor, data_type, layout=layout, device=device, memory_config=mem_config, tile=tile, pad_value=pad_value)


def _of_values(data, shape, data_type, layout, device=None, memory_config=None, tile=None, pad_value=0.0):
    data_type = require("Tensor", "data_type", data_type, DataType)
    layout = require("Tensor", "layout", layout, Layout)
    _only_32(tile)
    values = np.asarray(data, dtype=np.float64)
    if values.size != math.prod(shape):
        raise RuntimeError(f"Tensor: {values.size} values for shape {list(shape)}, which has {math.prod(shape)}")
    elements = nearest(values.reshape(tuple(shape)), data_type)
    return placed(elements, data_type, layout, device, memory_config, pad_value)


def to_numpy(tensor):
    """The elements as an array; bfloat16 as `ml_dtypes.bfloat16` where that is installed, else as float32."""
    elements = np.array(require("to_numpy", "tensor", tensor, Tensor)._get())
    if tensor.dtype is not DataType.BFLOAT16:
        return elements
    try:
        import ml_dtypes

        return elements.view(ml_dtypes.bfloat16)
    except ImportError:
        return (elements.astype(np.uint32) << 16).view(np.float32)


def to_torch(tensor, dtype=None, *, torch_rank=None, device=None, mesh_composer=None, cq_id=None):
    """The logical elements as a tensor of torch."""
    torch = _torch()
    if isinstance(tensor, torch.Tensor):
        result = tensor
    else:
        elements = np.array(require("to_torch", "tensor", tensor, Tensor)._get())
        if tensor.dtype is DataType.BFLOAT16:
            result = torch.from_numpy(elements.view(np.int16)).view(torch.bfloat16)
        else:
            result = torch.from_numpy(elements)
    while torch_rank is not None and result.dim() != torch_rank:
        if result.dim() > torch_rank and result.shape[0] != 1:
            raise RuntimeError(f"to_torch: shape {list(result.shape)} cannot have rank {torch_rank}")
        result = result.squeeze(0) if result.dim() > torch_rank else result.unsqueeze(0)
    return result if dtype is None else result.to(dtype)


def to_device(tensor, device=None, memory_config=None, **_):
    """The tensor on a device."""
    require("to_device", "tensor", tensor, Tensor)
    require("to_device", "device", device, Device)
    if tensor.device() is device and memory_config in (None, tensor.memory_config()):
        return tensor
    return placed(tensor._get(), tensor.dtype, tensor.layout, device, memory_config, tensor._padding, tensor.tileproof)


def from_device(tensor, **_):
    """The tensor on the host."""
    require("from_device", "tensor", tensor, Tensor)
    return tensor if tensor.device() is None else placed(np.array(tensor._get()), tensor.dtype, tensor.layout, None, None, tensor._padding, tensor.tileproof)


def deallocate(tensor, force=True):
    """Frees the memory of a tensor."""
    require("deallocate", "tensor", tensor, Tensor).deallocate(force)


def allocate_tensor_on_device(shape, dtype=None, layout=None, device=None, memory_config=None, tile=None):
    """A tensor of a device with undefined values; also from a TensorSpec and a device."""
    where = "allocate_tensor_on_device"
    if isinstance(shape, TensorSpec):
        spec, device = shape, dtype if device is None else device
        shape, dtype, layout, memory_config = spec.shape, spec.dtype, spec.layout, spec.memory_config
    dtype = require(where, "dtype", dtype, DataType)
    layout = require(where, "layout", layout, Layout)
    require(where, "device", device, Device)
    if memory_config is not None:
        require(where, "memory_config", memory_config, MemoryConfig)
    _only_32(tile)
    return Tensor.on_device(tuple(shape), dtype, layout, device, memory_config)


def moved(tensor, *, layout=None, memory_config=None, elements=None, dtype=None, origin=None):
    """A tensor of the same values elsewhere, or of other elements beside it."""
    elements = tensor._get() if elements is None else elements
    layout = asked("to_layout", "layout", layout, Layout, tensor.layout)
    if tensor.device() is not None:
        memory_config = output_memory(tensor, memory_config, elements.shape, layout)
    dtype = asked("typecast", "dtype", dtype, DataType, tensor.dtype)
    return placed(elements, dtype, layout, tensor.device(), memory_config, origin=origin or origin_of(tensor, dtype=dtype))


def to_layout(tensor, layout, dtype=None, memory_config=None, device=None, **_):
    """The tensor in another layout."""
    require("to_layout", "tensor", tensor, Tensor)
    layout = require("to_layout", "layout", layout, Layout)
    dtype = asked("to_layout", "dtype", dtype, DataType, None)
    if layout is tensor.layout and dtype in (None, tensor.dtype) and memory_config is None:
        return tensor._alive()
    elements = tensor._get() if dtype is None else nearest(tensor._values(), dtype)
    return moved(tensor, layout=layout, memory_config=memory_config, elements=elements, dtype=dtype)


def to_memory_config(tensor, memory_config, dtype=None, output_tensor=None):
    """The tensor in another memory."""
    require("to_memory_config", "tensor", tensor, Tensor)._on_device("Input tensor")
    require("to_memory_config", "memory_config", memory_config, MemoryConfig)
    elements = tensor._get() if dtype is None else nearest(tensor._values(), dtype)
    return moved(tensor, memory_config=memory_config, elements=elements, dtype=dtype)


def interleaved_to_sharded(tensor, memory_config, dtype=None, **_):
    """The tensor in shards."""
    return to_memory_config(tensor, memory_config, dtype)


def sharded_to_interleaved(tensor, memory_config=DRAM_MEMORY_CONFIG, dtype=None, **_):
    """The tensor without shards."""
    if memory_config.memory_layout is not TensorMemoryLayout.INTERLEAVED:
        raise RuntimeError("sharded_to_interleaved: memory_config must be interleaved")
    return to_memory_config(tensor, memory_config, dtype)

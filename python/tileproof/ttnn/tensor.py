"""Tensors, on the host and on a device."""

import numpy as np

from .. import _core
from .descriptors import Tile
from .enums import BufferType, DataType, Layout, StorageType, TensorMemoryLayout, require
from .memory_config import DRAM_MEMORY_CONFIG, MemoryConfig, shards_of
from .runtime_args import L1Address
from .shape import Shape

NAMES = {dtype: dtype.name.lower() for dtype in DataType}
"""The library's names of the formats."""

BLOCK_FLOATS = (DataType.BFLOAT8_B, DataType.BFLOAT4_B)

NUMPY = {
    DataType.UINT32: np.uint32,
    DataType.INT32: np.int32,
    DataType.UINT16: np.uint16,
    DataType.UINT8: np.uint8,
    DataType.INT8: np.int8,
    DataType.FLOAT32: np.float32,
    DataType.BFLOAT16: np.uint16,
    DataType.BFLOAT8_B: np.float32,
    DataType.BFLOAT4_B: np.float32,
}
"""What holds the elements of a format bit for bit: of bfloat16 its bits, of block floats their values."""


class TensorSpec:
    """What a tensor is, without its values."""

    def __init__(self, shape, dtype, layout, buffer_type=BufferType.DRAM, memory_config=None):
        self.shape = Shape(shape)
        self.dtype, self.layout = require("TensorSpec", "dtype", dtype, DataType), require("TensorSpec", "layout", layout, Layout)
        self.memory_config = memory_config or MemoryConfig(buffer_type=buffer_type)


class Origin:
    """Where the values of a tensor come from: `tensor.tileproof`."""

    def __init__(self, exact, how, report=None):
        self.exact = exact
        """Whether its bits are those that kernels gave, or that were only moved."""
        self.how = how
        """In words."""
        self.report = report
        """The report of the run, if there was one."""

    def __repr__(self):
        return f"<exact={self.exact}: {self.how}>"


MOVED = Origin(True, "moved")
FLOAT64 = Origin(False, "the host's float64, rounded to the format")
ROUNDED = Origin(True, "rounded to the format")

_SIGNIFICANT = {DataType.FLOAT32: 24, DataType.BFLOAT16: 8, DataType.BFLOAT8_B: 7, DataType.BFLOAT4_B: 3}
"""Bits of a number that a format of floats holds."""


def holds(dtype, of):
    """Whether a format holds every value of another."""
    if dtype is of:
        return True
    if dtype in _SIGNIFICANT:
        # Block floats share an exponent with their neighbours.
        return dtype not in BLOCK_FLOATS and _SIGNIFICANT.get(of, 8 * np.dtype(NUMPY[of]).itemsize) <= _SIGNIFICANT[dtype]
    return of not in _SIGNIFICANT and np.can_cast(NUMPY[of], NUMPY[dtype], "safe")


def origin_of(*tensors, dtype=None):
    """Where a tensor of the elements of others comes from, which the device brought into a format: that of one alone, or of the
    first whose bits are not exact."""
    origins = [tensor.tileproof for tensor in tensors]
    inexact = next((origin for origin in origins if not origin.exact), None)
    if inexact is None and dtype is not None and not all(holds(dtype, tensor.dtype) for tensor in tensors):
        return FLOAT64
    return inexact or (origins[0] if len(origins) == 1 else MOVED)


def padded_shape(shape, layout):
    """The shape with tile padding."""
    if layout is Layout.ROW_MAJOR:
        return Shape(shape)
    sides = list(shape)
    sides = [1] * (2 - len(sides)) + sides if len(sides) < 2 else sides
    return Shape(sides[:-2] + [-(-side // 32) * 32 for side in sides[-2:]])


def described(shape, dtype, layout, memory_config):
    """A tensor as the library describes it."""
    if dtype not in NUMPY or layout is Layout.INVALID or memory_config.memory_layout is TensorMemoryLayout.ND_SHARDED:
        raise RuntimeError(f"tensors of {dtype}, {layout}, {memory_config.memory_layout} are not modelled")
    if dtype in BLOCK_FLOATS and layout is not Layout.TILE:
        raise RuntimeError(f"Layout must be Layout::TILE for bfloat8_b or bfloat4_b! It is {layout} for {NAMES[dtype]}")
    padded = padded_shape(shape, layout)
    if padded.volume() == 0:
        raise RuntimeError(f"Tensors without elements are not modelled: shape {Shape(shape)}")
    if memory_config.buffer_type not in (BufferType.DRAM, BufferType.L1):
        raise RuntimeError(f"Tensors in {memory_config.buffer_type} are not modelled yet")
    shards = shards_of(memory_config, padded, layout) if memory_config.is_sharded() else None
    return {
        "shape": list(shape) or [1],
        "dtype": NAMES[dtype],
        "row_major": layout is Layout.ROW_MAJOR,
        "in_l1": memory_config.buffer_type is BufferType.L1,
        "shards": shards,
    }


def to_words(elements):
    """Elements as words of 32 bits, one after the other."""
    flat = np.ascontiguousarray(elements).reshape(-1)
    if flat.dtype.itemsize == 4:
        return flat.view(np.uint32)
    return flat.view({1: np.uint8, 2: np.uint16}[flat.dtype.itemsize]).astype(np.uint32)


def from_words(words, dtype, shape):
    """The elements of words, in what holds them."""
    kind = np.dtype(NUMPY[dtype])
    flat = words.view(kind) if kind.itemsize == 4 else words.astype({1: np.uint8, 2: np.uint16}[kind.itemsize]).view(kind)
    return flat.reshape(tuple(shape))


class Tensor:
    """A tensor. On a device it frees its memory when it is not used any more."""

    def __new__(cls, *args, **kwargs):
        if not args and not kwargs:
            return super().__new__(cls)
        from .transfer import as_tensor_of

        data = kwargs.pop("data", kwargs.pop("tensor", None)) if not args else args[0]
        return as_tensor_of(data, *args[1:], **kwargs)

    def __init__(self, *args, **kwargs):
        pass

    @staticmethod
    def _new(shape, dtype, layout, origin):
        tensor = Tensor.__new__(Tensor)
        tensor._shape, tensor._dtype, tensor._layout = Shape(shape), dtype, layout
        tensor._memory_config = tensor._device = tensor._id = tensor._elements = None
        tensor._freed, tensor._padding = False, 0.0
        tensor.tileproof = origin
        return tensor

    @staticmethod
    def on_host(elements, dtype, layout, origin=MOVED, padding=0.0):
        """A tensor of elements on the host; its padding holds a value where it has tiles."""
        tensor = Tensor._new(elements.shape, dtype, layout, origin)
        tensor._padding = padding
        what = described(elements.shape, dtype, layout, DRAM_MEMORY_CONFIG)
        if dtype in BLOCK_FLOATS:
            elements = from_words(_core.as_held(what, to_words(elements)), dtype, elements.shape)
        tensor._elements = elements
        return tensor

    @staticmethod
    def on_device(shape, dtype, layout, device, memory_config, origin=MOVED):
        """A tensor of a device, with undefined values."""
        memory_config = memory_config or DRAM_MEMORY_CONFIG
        tensor = Tensor._new(shape, dtype, layout, origin)
        tensor._memory_config, tensor._device = memory_config, device
        tensor._id = device._core().allocate(described(shape, dtype, layout, memory_config))
        device._tensors[tensor._id] = tensor
        return tensor

    def __del__(self):
        if getattr(self, "_id", None) is not None and not self._freed:
            try:
                self._free()
            except Exception:  # The interpreter is ending, and the device with it.
                pass

    def _free(self):
        if self._id is not None and not self._freed:
            self._freed = True
            self._device._tensors.pop(self._id, None)
            self._device._native.free(self._id)
        self._elements, self._freed = None, True

    def _fill(self, elements, padding=0.0):
        self._alive()._device._core().write(self._id, to_words(elements), float(padding))
        self._padding = padding
        return self

    def _alive(self, what="Tensor"):
        if self._freed:
            raise RuntimeError(f"{what} is not allocated: it was freed")
        return self

    def _on_device(self, what="Tensor"):
        self._alive(what)
        if self._device is None:
            raise RuntimeError(f"{what} must be on a device, but its storage is StorageType::HOST")
        return self

    def _get(self):
        """The elements, in what holds them; a page that nobody has written is an error."""
        self._alive()
        if self._device is None:
            return self._elements
        native = self._device._core()
        undefined = native.undefined_pages(self._id)
        if undefined is not None:
            count, first = undefined
            raise RuntimeError(f"{count} of {self.buffer_num_pages()} pages of the tensor were never written, page {first} the first of them: what they hold is undefined")
        return from_words(native.read(self._id), self._dtype, self._shape)

    def _values(self):
        """The values, in float64."""
        return _core.values(NAMES[self._dtype], to_words(self._get())).reshape(tuple(self._shape))

    @property
    def shape(self):
        """Logical shape."""
        return self._shape

    @property
    def padded_shape(self):
        """Shape with tile padding."""
        return padded_shape(self._shape, self._layout)

    @property
    def dtype(self):
        """Format of the elements."""
        return self._dtype

    @property
    def layout(self):
        """Layout of the pages."""
        return self._layout

    @property
    def spec(self):
        """What it is."""
        return TensorSpec(self._shape, self._dtype, self._layout, memory_config=self._memory_config)

    def get_dtype(self):
        """As `dtype`."""
        return self._dtype

    def get_layout(self):
        """As `layout`."""
        return self._layout

    def logical_volume(self):
        """Elements without padding."""
        return self._shape.volume()

    def volume(self):
        """Elements with tile padding."""
        return self.padded_shape.volume()

    physical_volume = volume

    def element_size(self):
        """Bytes of an element."""
        if self._dtype in BLOCK_FLOATS:
            return 1
        return np.dtype(NUMPY[self._dtype]).itemsize

    def memory_config(self):
        """Where its pages lie."""
        return self._memory_config or DRAM_MEMORY_CONFIG

    def device(self):
        """Its device; None on the host."""
        return self._device

    def storage_type(self):
        """Where it is."""
        return StorageType.HOST if self._device is None else StorageType.DEVICE

    def is_sharded(self):
        """Whether it is cut into shards."""
        return self.memory_config().is_sharded()

    def is_allocated(self):
        """Whether it was not freed."""
        return not self._freed

    def buffer_address(self):
        """Its address in each bank."""
        self._alive()
        if self._device is None:
            raise RuntimeError("StorageType::HOST doesn't support buffer_address method: the tensor is not on a device")
        address = self._device._core().address(self._id)
        return L1Address(address) if self._memory_config.buffer_type is BufferType.L1 else address

    def _pages(self):
        return _core.pages(described(self._shape, self._dtype, self._layout, self.memory_config()), self._device._arch)

    def buffer_num_pages(self):
        """Pages."""
        return self._on_device()._pages()[0]

    def buffer_page_size(self):
        """Bytes of a page."""
        return self._on_device()._pages()[1]

    def buffer_aligned_page_size(self):
        """Bytes from one page to the next in a bank."""
        return self._on_device()._pages()[2]

    def deallocate(self, force=True):
        """Frees its memory."""
        self._free()

    def _described(self):
        memory = f", {self._memory_config}" if self._device is not None else ""
        return f"shape={self._shape}, dtype={self._dtype}, layout={self._layout}{memory}"

    def __repr__(self):
        from .printing import shown

        return shown(self)

    def __len__(self):
        return self._shape[0]

    def __bool__(self):
        return bool(self.item()) if self._shape.volume() == 1 else True

    def item(self):
        """The value of a tensor with one element."""
        if self._shape.volume() != 1:
            raise RuntimeError(f"item() needs a tensor with one element, the shape is {self._shape}")
        value = self.to_list()
        while isinstance(value, list):
            (value,) = value
        return value

    def to_list(self):
        """The values as nested lists."""
        is_whole = np.dtype(NUMPY[self._dtype]).kind in "iu" and self._dtype is not DataType.BFLOAT16
        return (self._get() if is_whole else self._values()).tolist()

    @property
    def tile(self):
        """The shape of its tiles."""
        return Tile()

    def get_tile(self):
        """As `tile`."""
        return Tile()

    def cpu(self, blocking=True, **_):
        """The tensor on the host."""
        from .transfer import from_device

        return from_device(self)

    def to(self, target, mem_config=None, **_):
        """The tensor on a device, or in another layout."""
        from .transfer import to_device, to_layout

        return to_layout(self, target) if isinstance(target, Layout) else to_device(self, target, mem_config)

    def to_torch(self, **options):
        """As `ttnn.to_torch`."""
        from .transfer import to_torch

        return to_torch(self, **options)

    def to_numpy(self):
        """As `ttnn.to_numpy`."""
        from .transfer import to_numpy

        return to_numpy(self)

    def __reduce__(self):
        raise TypeError("tensors cannot be pickled: bring them to torch first")


def output_memory(tensor, memory_config, shape, layout):
    """The memory of a result: what is asked for, else that of the input, without its shards where shape or layout are others."""
    if memory_config is not None:
        return require("op", "memory_config", memory_config, MemoryConfig)
    config = tensor.memory_config()
    if config.is_sharded() and (tuple(shape) != tuple(tensor.shape) or layout is not tensor.layout):
        return MemoryConfig(buffer_type=config.buffer_type)
    return config

"""What a program is: circular buffers, kernels and semaphores, under the names of ttnn's `ProgramDescriptor` family."""

import copy
import enum

from .cores import CoreRange, CoreRangeSet
from .enums import (
    NOC,
    NOC_MODE,
    CoreType,
    DataMovementProcessor,
    DataType,
    MathFidelity,
    UnpackToDestMode,
    require,
    unsigned,
    wrong_type,
)
from .runtime_args import RuntimeArgs, Words

_MISSING = object()


def _core_ranges(where, value):
    return CoreRangeSet(require(where, "core_ranges", value, (CoreRangeSet, CoreRange)))


def _list(where, name, value, kind):
    """A list of copies of descriptors."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise wrong_type(where, name, value, f"a list of {kind.__name__}")
    return [copy.copy(require(where, name, v, kind)) for v in value]


class _Described:
    """Equality and text by fields."""

    _fields = ()

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in self._fields)})"


class Tile:
    """The shape of a tile."""

    def __init__(self, tile_shape=(32, 32), transpose_tile=False):
        self.tile_shape, self.transpose_tile = tuple(tile_shape), transpose_tile

    def __repr__(self):
        return f"Tile(tile_shape={list(self.tile_shape)})"


class TileDescriptor(_Described):
    """The shape of a tile, in a circular buffer."""

    _fields = ("height", "width", "transpose")

    def __init__(self, height=32, width=32, transpose=False):
        if isinstance(height, Tile):
            height, width, transpose = (*height.tile_shape, height.transpose_tile)
        self.height = unsigned("TileDescriptor", "height", height)
        self.width = unsigned("TileDescriptor", "width", width)
        self.transpose = bool(transpose)


class CBFormatDescriptor(_Described):
    """One index of a circular buffer."""

    _fields = ("buffer_index", "data_format", "page_size", "tile")

    def __init__(self, buffer_index=0, data_format=DataType.FLOAT32, page_size=0, tile=None):
        self.buffer_index = buffer_index
        self.data_format = data_format
        self.page_size = page_size
        self.tile = tile

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name == "buffer_index":
            value = unsigned(where, name, value, 8)
        elif name == "data_format":
            value = require(where, name, value, DataType)
        elif name == "page_size":
            value = unsigned(where, name, value)
        elif name == "tile" and isinstance(value, Tile):
            value = TileDescriptor(value)
        elif name == "tile" and value is not None:
            value = require(where, name, value, TileDescriptor)
        super().__setattr__(name, value)

    @property
    def data_format_as_uint8(self):
        """The number of the format."""
        return self.data_format.value


class CBDescriptor(_Described):
    """L1 memory of one or several circular buffers. It copies the format descriptors that it is given."""

    _fields = ("total_size", "core_ranges", "format_descriptors")

    def __init__(self, total_size=0, core_ranges=None, format_descriptors=()):
        self.total_size = total_size
        self.core_ranges = CoreRangeSet() if core_ranges is None else core_ranges
        self.format_descriptors = format_descriptors
        self.address_offset = 0
        self._tensor = None

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name in ("total_size", "address_offset"):
            value = unsigned(where, name, value)
        elif name == "core_ranges":
            value = _core_ranges(where, value)
        super().__setattr__(name, value)

    @property
    def format_descriptors(self):
        """The indices that share the memory: a new list of what the buffer holds."""
        return list(self._formats)

    @format_descriptors.setter
    def format_descriptors(self, value):
        self._formats = _list("CBDescriptor", "format_descriptors", value, CBFormatDescriptor)

    def has_buffer(self):
        """Whether a tensor's memory backs it."""
        return self._tensor is not None

    def set_buffer_from_tensor(self, tensor):
        """Has the memory of a sharded tensor back it."""
        self._tensor = tensor

    def __copy__(self):
        other = CBDescriptor(self.total_size, self.core_ranges, self._formats)
        other.address_offset, other._tensor = self.address_offset, self._tensor
        return other


class ReaderConfigDescriptor(_Described):
    """A kernel on NCRISC, on the NoC for reads."""


class WriterConfigDescriptor(_Described):
    """A kernel on BRISC, on the NoC for writes."""


class DataMovementConfigDescriptor(_Described):
    """A kernel on a data movement processor."""

    _fields = ("processor", "noc", "noc_mode")

    def __init__(self, processor=DataMovementProcessor.RISCV_0, noc=NOC.RISCV_0_default, noc_mode=NOC_MODE.DM_DEDICATED_NOC):
        where = type(self).__name__
        self.processor = require(where, "processor", processor, DataMovementProcessor)
        self.noc = require(where, "noc", noc, NOC)
        self.noc_mode = require(where, "noc_mode", noc_mode, NOC_MODE)


class ComputeConfigDescriptor(_Described):
    """A kernel on the three compute threads."""

    _fields = ("math_fidelity", "fp32_dest_acc_en", "dst_full_sync_en", "unpack_to_dest_mode", "bfp8_pack_precise", "math_approx_mode")

    def __init__(
        self,
        math_fidelity=MathFidelity.HiFi4,
        fp32_dest_acc_en=False,
        dst_full_sync_en=False,
        bfp8_pack_precise=False,
        math_approx_mode=False,
        unpack_to_dest_mode=(),
    ):
        self.math_fidelity = math_fidelity
        self.fp32_dest_acc_en = fp32_dest_acc_en
        self.dst_full_sync_en = dst_full_sync_en
        self.bfp8_pack_precise = bfp8_pack_precise
        self.math_approx_mode = math_approx_mode
        self.unpack_to_dest_mode = unpack_to_dest_mode

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name == "math_fidelity":
            value = require(where, name, value, MathFidelity)
        elif name == "unpack_to_dest_mode":
            value = [require(where, name, mode, UnpackToDestMode) for mode in value]
        elif name in self._fields:
            value = require(where, name, value, bool)
        super().__setattr__(name, value)

    def __copy__(self):
        return ComputeConfigDescriptor(**{name: getattr(self, name) for name in self._fields})


_CONFIGS = (ReaderConfigDescriptor, WriterConfigDescriptor, DataMovementConfigDescriptor, ComputeConfigDescriptor)


class VectorUnpackToDestMode(list):
    """A mode for each circular buffer."""


def _pairs(name, value, kind):
    """A list of (name, value) with values of a kind; a dictionary is one too."""
    where = "KernelDescriptor"
    pairs = list(value.items()) if isinstance(value, dict) else list(value)
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise wrong_type(where, name, pair, f"a pair of a name and {kind.__name__}")
        unsigned(where, name, pair[1]) if kind is int else require(where, name, pair[1], kind)
    return [tuple(pair) for pair in pairs]


class KernelDescriptor(_Described):
    """A kernel and where it runs. It copies the arguments that it is given."""

    class SourceType(enum.Enum):
        """Whether the source is a path or a text."""

        FILE_PATH = 0
        SOURCE_CODE = 1

    _fields = ("kernel_source", "source_type", "core_ranges", "config")

    def __init__(
        self,
        kernel_source=_MISSING,
        source_type=SourceType.FILE_PATH,
        core_ranges=_MISSING,
        compile_time_args=(),
        named_compile_time_args=(),
        defines=(),
        runtime_args=(),
        common_runtime_args=(),
        opt_level=None,
        config=_MISSING,
    ):
        given = [v for v in (kernel_source, core_ranges, config) if v is not _MISSING]
        if given:
            for name, value in (("kernel_source", kernel_source), ("core_ranges", core_ranges), ("config", config)):
                if value is _MISSING:
                    raise TypeError(f"KernelDescriptor(): incompatible function arguments: {name} is missing")
        self.kernel_source = kernel_source if given else ""
        self.source_type = source_type
        self.core_ranges = core_ranges if given else CoreRangeSet()
        self.compile_time_args = compile_time_args
        self.named_compile_time_args = named_compile_time_args
        self.defines = defines
        self.runtime_args = runtime_args
        self.common_runtime_args = common_runtime_args
        self.opt_level = opt_level
        self.config = config if given else ReaderConfigDescriptor()

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name == "kernel_source":
            value = require(where, name, value, str)
        elif name == "source_type":
            value = require(where, name, value, KernelDescriptor.SourceType)
        elif name == "core_ranges":
            value = _core_ranges(where, value)
        elif name == "compile_time_args":
            value = [unsigned(where, name, v) for v in value]
        elif name == "named_compile_time_args":
            value = _pairs(name, value, int)
        elif name == "defines":
            value = _pairs(name, value, str)
        elif name == "runtime_args":
            value = RuntimeArgs.copy_of(value)
        elif name == "common_runtime_args":
            value = Words(value)
        elif name == "config":
            value = copy.copy(require(where, name, value, _CONFIGS))
        super().__setattr__(name, value)

    def __copy__(self):
        names = ("kernel_source", "source_type", "core_ranges", "compile_time_args", "named_compile_time_args", "defines")
        more = ("runtime_args", "common_runtime_args", "opt_level", "config")
        return KernelDescriptor(**{name: getattr(self, name) for name in names + more})


class SemaphoreDescriptor(_Described):
    """A semaphore: a word of L1 on each of its cores."""

    _fields = ("id", "core_type", "core_ranges", "initial_value")

    def __init__(self, id=0, core_type=CoreType.WORKER, core_ranges=None, initial_value=0):
        where = type(self).__name__
        self.id = unsigned(where, "id", id)
        self.core_type = require(where, "core_type", core_type, CoreType)
        self.core_ranges = CoreRangeSet() if core_ranges is None else _core_ranges(where, core_ranges)
        self.initial_value = unsigned(where, "initial_value", initial_value)


class ProgramDescriptor(_Described):
    """Kernels, semaphores and circular buffers that run together. It copies what it is given; its lists are new ones of what it holds."""

    _fields = ("kernels", "semaphores", "cbs")

    def __init__(self, kernels=(), semaphores=(), cbs=()):
        self.kernels, self.semaphores, self.cbs = kernels, semaphores, cbs

    @property
    def kernels(self):
        """The kernels."""
        return list(self._kernels)

    @kernels.setter
    def kernels(self, value):
        self._kernels = _list("ProgramDescriptor", "kernels", value, KernelDescriptor)

    @property
    def semaphores(self):
        """The semaphores."""
        return list(self._semaphores)

    @semaphores.setter
    def semaphores(self, value):
        self._semaphores = _list("ProgramDescriptor", "semaphores", value, SemaphoreDescriptor)

    @property
    def cbs(self):
        """The circular buffers."""
        return list(self._cbs)

    @cbs.setter
    def cbs(self, value):
        self._cbs = _list("ProgramDescriptor", "cbs", value, CBDescriptor)

    def __copy__(self):
        return ProgramDescriptor(self._kernels, self._semaphores, self._cbs)


def merge_program_descriptors(descriptors):
    """One program of all kernels, semaphores and circular buffers."""
    descriptors = list(descriptors)
    return ProgramDescriptor(
        [k for d in descriptors for k in d.kernels],
        [s for d in descriptors for s in d.semaphores],
        [c for d in descriptors for c in d.cbs],
    )


class MeshCoordinate(tuple):
    """A device of a mesh; here there is one, at the origin."""

    def __new__(cls, *coords):
        return super().__new__(cls, coords[0] if len(coords) == 1 and hasattr(coords[0], "__iter__") else coords)


class MeshCoordinateRange:
    """Devices of a mesh."""

    def __init__(self, start, end=None):
        self.start, self.end = start, start if end is None else end

    def __eq__(self, other):
        return isinstance(other, MeshCoordinateRange) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self):
        return hash((self.start, self.end))


class MeshProgramDescriptor(dict):
    """A program for each range of devices."""

"""What a program is: circular buffers, kernels and semaphores, under the names of ttnn's `ProgramDescriptor` family."""

import copy
import math
import pathlib

from .cores import CoreRangeSet, corerange_to_cores
from .enums import (
    NOC,
    NOC_MODE,
    CoreType,
    DataMovementProcessor,
    DataType,
    MathFidelity,
    Named,
    UnpackToDestMode,
    require,
    tile_size,
    unsigned,
    wrong_type,
)
from .runtime_args import RuntimeArgs, Words

_MISSING = object()


def _core_ranges(where, value):
    return require(where, "core_ranges", value, CoreRangeSet)


def _all_or_none(where, **fields):
    """Whether fields are given; all of them have to be, where one is."""
    missing = [name for name, value in fields.items() if value is _MISSING]
    if missing and len(missing) < len(fields):
        raise TypeError(f"{where}(): incompatible function arguments: {missing[0]} is missing")
    return not missing


def _list(where, name, value, kind):
    """A list of copies of descriptors."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise wrong_type(where, name, value, f"a list of {kind.__name__}")
    return [copy.copy(require(where, name, v, kind)) for v in value]


class _Described:
    """Text by fields; a field that nobody knows cannot be set."""

    _fields: tuple[str, ...] = ()
    _more: tuple[str, ...] = ()

    def __setattr__(self, name, value):
        if not name.startswith("_") and name not in self._fields + self._more:
            known = ", ".join(self._fields + self._more)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}; its fields are {known}")
        super().__setattr__(name, value)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{f}={getattr(self, f)!r}' for f in self._fields)})"


_TILES = [(32, 32), (16, 32), (32, 16), (16, 16), *((rows, columns) for rows in (8, 4, 2, 1) for columns in (32, 16))]


class Tile:
    """The shape of a tile."""

    def __init__(self, tile_shape=(32, 32), transpose_tile=False):
        if tuple(tile_shape) not in _TILES:
            raise RuntimeError(f"Tile size {list(tile_shape)} is not supported; these are: {', '.join(map(str, _TILES))}")
        self.tile_shape, self.transpose_tile = list(tile_shape), transpose_tile

    def get_tile_size(self, dtype):
        """Bytes of such a tile."""
        dtype = require("get_tile_size", "dtype", dtype, DataType)
        whole, (height, width) = tile_size(dtype), self.tile_shape
        if dtype in (DataType.BFLOAT8_B, DataType.BFLOAT4_B):
            mantissas = height * width if dtype is DataType.BFLOAT8_B else height * width // 2
            return mantissas + max(16, height * width // 16)
        return whole * height * width // 1024

    def __repr__(self):
        return f"Tile with shape: {self.tile_shape}"


class TileDescriptor(_Described):
    """The shape of a tile, in a circular buffer."""

    _fields = ("height", "width", "transpose")

    def __init__(self, height=_MISSING, width=_MISSING, transpose=False):
        if isinstance(height, Tile):
            (height, width), transpose = height.tile_shape, height.transpose_tile
        if isinstance(height, TileDescriptor):
            height, width, transpose = height.height, height.width, height.transpose
        given = _all_or_none("TileDescriptor", height=height, width=width)
        self.height = unsigned("TileDescriptor", "height", height) if given else 32
        self.width = unsigned("TileDescriptor", "width", width) if given else 32
        self.transpose = bool(transpose)


_TT_FORMATS = {
    DataType.FLOAT32: 0,
    DataType.BFLOAT16: 5,
    DataType.BFLOAT8_B: 6,
    DataType.BFLOAT4_B: 7,
    DataType.INT32: 8,
    DataType.UINT16: 9,
    DataType.UINT32: 24,
    DataType.UINT8: 30,
    DataType.INT8: 14,
    DataType.FP8_E4M3: 26,
    DataType.INVALID: 255,
}
"""The numbers of tt-metal's `DataFormat`."""


class CBFormatDescriptor(_Described):
    """One index of a circular buffer."""

    _fields = ("buffer_index", "data_format", "page_size", "tile")

    def __init__(self, buffer_index=_MISSING, data_format=_MISSING, page_size=_MISSING, tile=None):
        given = _all_or_none("CBFormatDescriptor", buffer_index=buffer_index, data_format=data_format, page_size=page_size)
        self.buffer_index = buffer_index if given else 0
        self.data_format = data_format if given else DataType.FLOAT32
        self.page_size = page_size if given else 0
        self.tile = require("CBFormatDescriptor", "tile", tile, (TileDescriptor, type(None)))

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name == "buffer_index":
            value = unsigned(where, name, value, 8)
        elif name == "data_format":
            value = require(where, name, value, DataType)
        elif name == "page_size":
            value = unsigned(where, name, value)
        elif name == "tile":
            value = require(where, name, value, (TileDescriptor, type(None)))
        super().__setattr__(name, value)

    @property
    def data_format_as_uint8(self):
        """The number of the format in tt-metal."""
        return _TT_FORMATS[self.data_format]


class CBDescriptor(_Described):
    """L1 memory of one or several circular buffers. It copies the format descriptors that it is given."""

    _fields = ("total_size", "core_ranges", "format_descriptors")
    _more = ("address_offset",)

    def __init__(self, total_size=_MISSING, core_ranges=_MISSING, format_descriptors=_MISSING):
        given = _all_or_none("CBDescriptor", total_size=total_size, core_ranges=core_ranges, format_descriptors=format_descriptors)
        self.total_size = total_size if given else 0
        self.core_ranges = core_ranges if given else CoreRangeSet([])
        self.format_descriptors = format_descriptors if given else []
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

    def has_global_circular_buffer(self):
        """Never: those are not modelled."""
        return False

    def buffer_address(self):
        """The address of the tensor that backs it; None without one."""
        return None if self._tensor is None else self._tensor.buffer_address()

    def set_buffer_from_cb(self, other):
        """Has the memory back it that backs another."""
        self._tensor = require("set_buffer_from_cb", "other", other, CBDescriptor)._tensor

    def _set_buffer(self, tensor):
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


class VectorUnpackToDestMode(list):
    """A mode for each circular buffer."""

    def __repr__(self):
        return f"ttnn._ttnn.program_descriptor.VectorUnpackToDestMode({list(self)})"


class ComputeConfigDescriptor(_Described):
    """A kernel on the three compute threads."""

    _fields = ("math_fidelity", "math_approx_mode", "fp32_dest_acc_en", "dst_full_sync_en", "bfp8_pack_precise")
    _more = ("unpack_to_dest_mode",)

    def __init__(
        self,
        math_fidelity=MathFidelity.HiFi4,
        math_approx_mode=False,
        fp32_dest_acc_en=False,
        dst_full_sync_en=False,
        bfp8_pack_precise=False,
    ):
        self.math_fidelity = math_fidelity
        self.math_approx_mode = math_approx_mode
        self.fp32_dest_acc_en = fp32_dest_acc_en
        self.dst_full_sync_en = dst_full_sync_en
        self.bfp8_pack_precise = bfp8_pack_precise
        self.unpack_to_dest_mode = ()

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name == "math_fidelity":
            value = require(where, name, value, MathFidelity)
        elif name == "unpack_to_dest_mode":
            value = VectorUnpackToDestMode(require(where, name, mode, UnpackToDestMode) for mode in value)
        elif name in self._fields:
            value = require(where, name, value, bool)
        super().__setattr__(name, value)

    def __copy__(self):
        other = ComputeConfigDescriptor(**{name: getattr(self, name) for name in self._fields})
        other.unpack_to_dest_mode = self.unpack_to_dest_mode
        return other


_CONFIGS = (ReaderConfigDescriptor, WriterConfigDescriptor, DataMovementConfigDescriptor, ComputeConfigDescriptor)


def _pairs(name, value, kind):
    """A list of (name, value) with values of a kind."""
    where = "KernelDescriptor"
    pairs = list(require(where, name, value, (list, tuple)))
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise wrong_type(where, name, pair, f"a pair of a name and {kind.__name__}")
        unsigned(where, name, pair[1]) if kind is int else require(where, name, pair[1], kind)
    return [tuple(pair) for pair in pairs]


class KernelDescriptor(_Described):
    """A kernel and where it runs. It copies the arguments that it is given."""

    class SourceType(Named):
        """Whether the source is a path or a text."""

        FILE_PATH = 0
        SOURCE_CODE = 1

    _fields = ("kernel_source", "source_type", "core_ranges", "config")
    _more = (
        "compile_time_args",
        "named_compile_time_args",
        "defines",
        "runtime_args",
        "common_runtime_args",
        "opt_level",
        "compiler_include_paths",
    )

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
        compiler_include_paths=(),
    ):
        given = _all_or_none("KernelDescriptor", kernel_source=kernel_source, core_ranges=core_ranges, config=config)
        self.kernel_source = kernel_source if given else ""
        self.source_type = source_type
        self.core_ranges = core_ranges if given else CoreRangeSet([])
        self.compile_time_args = compile_time_args
        self.named_compile_time_args = named_compile_time_args
        self.defines = defines
        self.runtime_args = runtime_args
        self.common_runtime_args = common_runtime_args
        self.opt_level = opt_level
        self.config = config if given else ReaderConfigDescriptor()
        self.compiler_include_paths = compiler_include_paths

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name == "kernel_source":
            value = require(where, name, value, str)
        elif name == "source_type":
            value = require(where, name, value, KernelDescriptor.SourceType)
        elif name == "core_ranges":
            value = _core_ranges(where, value)
        elif name == "compile_time_args":
            value = Words(unsigned(where, name, v) for v in value)
        elif name == "named_compile_time_args":
            name, value = "_named", _pairs(name, value, int)
        elif name == "defines":
            name, value = "_defines", _pairs(name, value, str)
        elif name == "runtime_args":
            value = RuntimeArgs.copy_of(value)
        elif name == "common_runtime_args":
            value = Words(value)
        elif name == "config":
            value = copy.copy(require(where, name, value, _CONFIGS))
        elif name == "compiler_include_paths":
            value = [pathlib.Path(path) for path in value]
        super().__setattr__(name, value)

    @property
    def named_compile_time_args(self):
        """Compile-time arguments with names: a new list."""
        return list(self._named)

    @property
    def defines(self):
        """Definitions of the preprocessor: a new list."""
        return list(self._defines)

    def clear_runtime_args(self):
        """Forgets the arguments by core."""
        self.runtime_args = ()

    def extend_runtime_args_uniform(self, values):
        """Adds words to those of each core."""
        for _, words in self.runtime_args:
            words.extend(values)

    def append_runtime_args_from(self, other):
        """Adds the words of another kernel, core by core."""
        for core, words in other.runtime_args:
            own = self.runtime_args._find(core.x, core.y)
            own.extend(words) if own is not None else self.runtime_args.append(core, words)

    def append_common_runtime_args_from(self, other):
        """Adds the common words of another kernel."""
        self.common_runtime_args.extend(other.common_runtime_args)

    def __copy__(self):
        names = ("kernel_source", "source_type", "core_ranges", "compile_time_args", "named_compile_time_args", "defines")
        more = ("runtime_args", "common_runtime_args", "opt_level", "config", "compiler_include_paths")
        return KernelDescriptor(**{name: getattr(self, name) for name in names + more})


class SemaphoreDescriptor(_Described):
    """A semaphore: a word of L1 on each of its cores."""

    _fields = ("id", "core_type", "core_ranges", "initial_value")

    def __init__(self, id=_MISSING, core_type=CoreType.WORKER, core_ranges=_MISSING, initial_value=_MISSING):
        given = _all_or_none("SemaphoreDescriptor", id=id, core_ranges=core_ranges, initial_value=initial_value)
        self.id = id if given else 0
        self.core_type = core_type
        self.core_ranges = core_ranges if given else CoreRangeSet([])
        self.initial_value = initial_value if given else 0

    def __setattr__(self, name, value):
        where = type(self).__name__
        if name in ("id", "initial_value"):
            value = unsigned(where, name, value)
        elif name == "core_type":
            value = require(where, name, value, CoreType)
        elif name == "core_ranges":
            value = _core_ranges(where, value)
        super().__setattr__(name, value)

    def __copy__(self):
        return SemaphoreDescriptor(self.id, self.core_type, self.core_ranges, self.initial_value)


class ProgramDescriptor(_Described):
    """Kernels, semaphores and circular buffers that run together. It copies what it is given; its lists are new ones of what it holds."""

    _fields = ("kernels", "semaphores", "cbs")
    _more = ("custom_program_hash",)

    def __init__(self, kernels=(), semaphores=(), cbs=()):
        self.kernels, self.semaphores, self.cbs = kernels, semaphores, cbs
        self.custom_program_hash = None

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
    """One program of all kernels, semaphores and circular buffers; no two programs may have kernels on a core."""
    descriptors = list(descriptors)
    taken = set()
    for number, descriptor in enumerate(descriptors):
        cores = {(c.x, c.y) for kernel in descriptor.kernels for c in corerange_to_cores(kernel.core_ranges)}
        if taken & cores:
            raise RuntimeError(f"merge_program_descriptors: core ranges of descriptor {number} overlap with those of another: {sorted(taken & cores)[0]}")
        taken |= cores
    return ProgramDescriptor(
        [k for d in descriptors for k in d.kernels],
        [s for d in descriptors for s in d.semaphores],
        [c for d in descriptors for c in d.cbs],
    )


class MeshCoordinate(tuple):
    """A device of a mesh; here there is one, at the origin."""

    def __new__(cls, *coords):
        return super().__new__(cls, coords[0] if len(coords) == 1 and hasattr(coords[0], "__iter__") else coords)

    def __repr__(self):
        return f"{type(self).__name__}({list(self)})"


class MeshShape(MeshCoordinate):
    """Rows and columns of devices."""

    def dims(self):
        """Dimensions."""
        return len(self)

    def mesh_size(self):
        """Devices."""
        return math.prod(self)


class MeshCoordinateRange:
    """Devices of a mesh."""

    def __init__(self, start, end=None):
        if isinstance(start, MeshShape):
            start, end = MeshCoordinate([0] * len(start)), MeshCoordinate([side - 1 for side in start])
        self.start, self.end = start, start if end is None else end

    def __eq__(self, other):
        return isinstance(other, MeshCoordinateRange) and (self.start, self.end) == (other.start, other.end)

    def __hash__(self):
        return hash((self.start, self.end))

    def __repr__(self):
        return f"MeshCoordinateRange(start={self.start}, end={self.end})"


class MeshProgramDescriptor(dict):
    """A program for each range of devices."""

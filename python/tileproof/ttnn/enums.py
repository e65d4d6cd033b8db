"""The enumerations of ttnn, under its names."""

import enum

from .. import _core


class Named(enum.Enum):
    """An enumeration whose members are written as ttnn's are."""

    def __repr__(self):
        return str(self)


class DataType(Named):
    """Formats of tensors."""

    BFLOAT16 = 0
    FLOAT32 = 1
    UINT32 = 2
    BFLOAT8_B = 3
    BFLOAT4_B = 4
    UINT8 = 5
    UINT16 = 6
    INT32 = 7
    FP8_E4M3 = 8
    INT8 = 9
    INVALID = 10


class Layout(Named):
    """How the elements of a tensor lie in its pages."""

    ROW_MAJOR = 0
    TILE = 1
    INVALID = 2


class BufferType(Named):
    """Kinds of memory."""

    DRAM = 0
    L1 = 1
    L1_SMALL = 3
    TRACE = 4


class TensorMemoryLayout(Named):
    """How pages are spread over banks."""

    INTERLEAVED = 0
    HEIGHT_SHARDED = 2
    WIDTH_SHARDED = 3
    BLOCK_SHARDED = 4
    ND_SHARDED = 5


class ShardOrientation(Named):
    """In which order cores get shards."""

    ROW_MAJOR = 0
    COL_MAJOR = 1


class ShardStrategy(Named):
    """How `create_sharded_memory_config` cuts a tensor."""

    HEIGHT = 0
    WIDTH = 1
    BLOCK = 2


class StorageType(Named):
    """Where a tensor is."""

    HOST = 0
    DEVICE = 1


class MathFidelity(Named):
    """Passes of the matrix unit over the mantissas."""

    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4
    Invalid = 255


class DataMovementProcessor(Named):
    """The two data movement processors of a core."""

    RISCV_0 = 0
    RISCV_1 = 1


class NOC(Named):
    """The two networks of the chip."""

    RISCV_0_default = 0
    RISCV_1_default = 1
    # Members of their own in ttnn, with the numbers of those above.
    NOC_0 = "0"
    NOC_1 = "1"


class NOC_MODE(Named):
    """How the two data movement processors share the NoCs."""

    DM_DEDICATED_NOC = 0
    DM_DYNAMIC_NOC = 1


class CoreType(Named):
    """Kinds of cores; programs run here on workers alone."""

    DRAM = 1
    ETH = 11
    WORKER = 12


class UnpackToDestMode(Named):
    """Where a circular buffer is unpacked to."""

    Default = 0
    UnpackToDestFp32 = 1


class Arch(Named):
    """Chips."""

    WORMHOLE_B0 = 2
    BLACKHOLE = 3


uint8, uint16, uint32, int32 = DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.INT32
bfloat16, float32 = DataType.BFLOAT16, DataType.FLOAT32
int8 = DataType.INT8
bfloat8_b, bfloat4_b = DataType.BFLOAT8_B, DataType.BFLOAT4_B
ROW_MAJOR_LAYOUT, TILE_LAYOUT = Layout.ROW_MAJOR, Layout.TILE

TILE_SIZE = 32
"""Rows and columns of a tile."""

def tile_size(dtype):
    """Bytes of a tile of a format."""
    known = require("tile_size", "dtype", dtype, DataType)
    if known is DataType.INVALID:
        raise RuntimeError(f"tile_size: {known} has no size")
    if known is DataType.FP8_E4M3:
        # A byte each; the library names no format for it.
        return TILE_SIZE * TILE_SIZE
    return _core.tile_bytes(known.name.lower())


def wrong_type(where, name, value, expected):
    """The exception for an argument of a wrong type, in the words of ttnn's bindings with the argument's name."""
    return TypeError(f"{where}(): incompatible function arguments: {name} is {value!r} of type {type(value).__name__}, expected {expected}")


def require(where, name, value, kind):
    """The value, which must be of a kind."""
    if isinstance(kind, type) and issubclass(kind, enum.Enum) and type(value) is int:
        # The bindings take a member's number for the member.
        try:
            return kind(value)
        except ValueError:
            pass
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise wrong_type(where, name, value, " or ".join(k.__name__ for k in kinds))
    return value


def known_options(where, options, *names):
    """Refuses an option that has none of these names."""
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise TypeError(f"{where}() got an unexpected keyword argument {unknown[0]!r}")


def asked(where, name, value, kind, otherwise):
    """What is asked for, as the member of an enumeration; else what holds without it."""
    return otherwise if value is None else require(where, name, value, kind)


def unsigned(where, name, value, bits=32):
    """The value, which must be an unsigned integer of so many bits."""
    try:
        number = value.__index__()
    except AttributeError:
        raise wrong_type(where, name, value, "int") from None
    if not 0 <= number < 1 << bits:
        raise wrong_type(where, name, value, f"an integer from 0 to {(1 << bits) - 1}")
    return value if isinstance(value, int) and not isinstance(value, bool) else number

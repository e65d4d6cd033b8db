"""Small questions about tensors and the chip, and names that scripts set up a device with."""

from .. import _core
from ..settings import current
from .device import Device
from .elementwise import typecast
from .enums import DataType, StorageType, require
from .tensor import ROUNDED, Tensor, holds
from .transfer import nearest, placed

DEVICE_STORAGE_TYPE = StorageType.DEVICE


def is_tensor_storage_on_device(tensor):
    """Whether it is on a device."""
    return require("is_tensor_storage_on_device", "tensor", tensor, Tensor).device() is not None


def has_storage_type_of(tensor, storage_type):
    """Whether it is there."""
    return require("has_storage_type_of", "tensor", tensor, Tensor).storage_type() is require("has_storage_type_of", "storage_type", storage_type, StorageType)


def is_sharded(tensor):
    """Whether it is cut into shards."""
    return require("is_sharded", "tensor", tensor, Tensor).is_sharded()


def get_memory_config(tensor):
    """Where its pages lie; None on the host."""
    return tensor.memory_config() if is_tensor_storage_on_device(tensor) else None


def to_dtype(tensor, dtype):
    """The same values in another format; of a tensor on the host too."""
    require("to_dtype", "tensor", tensor, Tensor)
    dtype = require("to_dtype", "dtype", dtype, DataType)
    if tensor.device() is not None:
        return typecast(tensor, dtype)
    is_kept = holds(dtype, tensor.dtype) or not tensor.tileproof.exact
    return Tensor.on_host(nearest(tensor._values(), dtype), dtype, tensor.layout, tensor.tileproof if is_kept else ROUNDED)


def copy(input_tensor, output_tensor):
    """Fills one tensor with the elements of another."""
    require("copy", "input_tensor", input_tensor, Tensor)
    require("copy", "output_tensor", output_tensor, Tensor)._on_device("copy: output tensor")
    if tuple(input_tensor.shape) != tuple(output_tensor.shape) or input_tensor.dtype is not output_tensor.dtype:
        raise RuntimeError(f"copy: shapes and dtypes must match: {input_tensor._described()} and {output_tensor._described()}")
    output_tensor.tileproof = input_tensor.tileproof
    return output_tensor._fill(input_tensor._get())


copy_host_to_device_tensor = copy


def get_dram_alignment():
    """Bytes that pages in DRAM are aligned to, on the chip of devices to come."""
    return _core.alignments(current().arch)[0]


def get_l1_alignment():
    """Bytes that pages in L1 are aligned to, on the chip of devices to come."""
    return _core.alignments(current().arch)[1]


class DispatchCoreType:
    """Cores that dispatch on a card; here nothing is dispatched."""

    WORKER = "WORKER"
    ETH = "ETH"


class DispatchCoreAxis:
    """Where they are on a card."""

    ROW = "ROW"
    COL = "COL"


class DispatchCoreConfig:
    """Which they are on a card."""

    def __init__(self, type=DispatchCoreType.WORKER, axis=DispatchCoreAxis.ROW):
        self.type, self.axis = type, axis


_DEFAULT: dict[str, Device | None] = {}


def SetDefaultDevice(device):
    """Keeps a device for `GetDefaultDevice`."""
    _DEFAULT["device"] = device if device is None else require("SetDefaultDevice", "device", device, Device)


def GetDefaultDevice():
    """The device that was kept; None without one."""
    return _DEFAULT.get("device")


class _OneDevice:
    """What spreads a tensor over devices, or gathers it, does nothing with one."""

    def __init__(self, *_, **__):
        pass


class ReplicateTensorToMesh(_OneDevice):
    """A tensor on each device."""


class ShardTensorToMesh(_OneDevice):
    """A part of a tensor on each device."""


class ConcatMeshToTensor(_OneDevice):
    """The parts of all devices."""


def get_device_tensors(tensor):
    """The parts of a tensor, a device each: the tensor itself."""
    return [require("get_device_tensors", "tensor", tensor, Tensor)]


def copy_device_to_host_tensor(device_tensor, host_tensor, *_, **__):
    """Fills a tensor on the host with the elements of one on a device."""
    source = require("copy_device_to_host_tensor", "device_tensor", device_tensor, Tensor)
    source._on_device("copy_device_to_host_tensor: device tensor")
    if require("copy_device_to_host_tensor", "host_tensor", host_tensor, Tensor).device() is not None:
        raise RuntimeError("copy_device_to_host_tensor: host_tensor is on a device")
    if tuple(source.shape) != tuple(host_tensor.shape) or source.dtype is not host_tensor.dtype:
        raise RuntimeError(f"copy_device_to_host_tensor: shapes and dtypes must match: {source._described()} and {list(host_tensor.shape)} of {host_tensor.dtype}")
    host_tensor._elements, host_tensor.tileproof = source._get(), source.tileproof


def reallocate(input_tensor, memory_config=None):
    """A tensor of the same elements, in memory that is taken anew; the one before is freed."""
    before = require("reallocate", "input_tensor", input_tensor, Tensor)._on_device("reallocate: input tensor")
    elements, device, origin = before._get(), before.device(), before.tileproof
    memory_config = memory_config or before.memory_config()
    before._free()
    return placed(elements, before.dtype, before.layout, device, memory_config, origin=origin)


__all__ = [
    "DEVICE_STORAGE_TYPE",
    "ConcatMeshToTensor",
    "DispatchCoreAxis",
    "DispatchCoreConfig",
    "DispatchCoreType",
    "GetDefaultDevice",
    "ReplicateTensorToMesh",
    "SetDefaultDevice",
    "ShardTensorToMesh",
    "copy",
    "copy_device_to_host_tensor",
    "copy_host_to_device_tensor",
    "get_device_tensors",
    "get_dram_alignment",
    "get_l1_alignment",
    "get_memory_config",
    "has_storage_type_of",
    "is_sharded",
    "is_tensor_storage_on_device",
    "reallocate",
    "to_dtype",
]

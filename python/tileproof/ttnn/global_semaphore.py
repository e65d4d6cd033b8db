"""Semaphores that stay on a device between programs: a word of L1, at one address on each of its cores."""

import numpy as np

from .cores import CoreRangeSet
from .device import Device
from .enums import BufferType, DataType, Layout, ShardOrientation, TensorMemoryLayout, require, unsigned
from .memory_config import MemoryConfig, ShardSpec
from .tensor import Tensor

_WORDS = 4
"""Words of L1 that one takes: its alignment."""


class GlobalSemaphore:
    """A semaphore that stays."""

    def __init__(self, device, cores, initial_value):
        spec = ShardSpec(cores, [1, _WORDS], ShardOrientation.ROW_MAJOR)
        memory = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, spec)
        self._words = Tensor.on_device((cores.num_cores(), _WORDS), DataType.UINT32, Layout.ROW_MAJOR, device, memory)
        self._reset(initial_value)

    def _reset(self, value):
        value = unsigned("GlobalSemaphore", "initial_value", value)
        self._words._fill(np.full(tuple(self._words.shape), value, dtype=np.uint32))


def create_global_semaphore(mesh_device, cores, initial_value, buffer_type=BufferType.L1):
    """A semaphore on cores of a device."""
    require("create_global_semaphore", "mesh_device", mesh_device, Device)
    require("create_global_semaphore", "cores", cores, CoreRangeSet)
    buffer_type = require("create_global_semaphore", "buffer_type", buffer_type, BufferType)
    if buffer_type is not BufferType.L1:
        raise RuntimeError(f"create_global_semaphore: buffer_type {buffer_type} is not modelled; only BufferType.L1")
    return GlobalSemaphore(mesh_device, cores, initial_value)


def get_global_semaphore_address(global_semaphore):
    """Its address in L1."""
    return require("get_global_semaphore_address", "global_semaphore", global_semaphore, GlobalSemaphore)._words.buffer_address()


def reset_global_semaphore_value(global_semaphore, reset_value):
    """Sets it on each core."""
    require("reset_global_semaphore_value", "global_semaphore", global_semaphore, GlobalSemaphore)._reset(reset_value)

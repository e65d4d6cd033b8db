"""Devices: one simulated chip, on which tensors lie until they are freed."""

import contextlib
import weakref

from .. import _core
from ..settings import current
from .cores import CoreCoord, CoreGrid, core_of
from .descriptors import MeshShape
from .enums import Arch, known_options, require

_ARCHS = {"wormhole": Arch.WORMHOLE_B0, "blackhole": Arch.BLACKHOLE}

_REPORTS = 100


class Device:
    """A device that `open_device` opened."""

    def __init__(self, device_id=0):
        self._arch = current().arch
        self._native = _core.Device(self._arch, current().api == "0.66")
        if not current().in_process:
            # It starts while tensors are made.
            _core.warm_server()
        self._id = device_id
        self._open = True
        self._tensors = weakref.WeakValueDictionary()
        self._programs = {}
        self._cache_enabled = True
        self.reports = []
        """Reports of the programs that ran, the last 100 of them."""

    def _core(self):
        if not self._open:
            raise RuntimeError("the device is closed")
        return self._native

    def _keep(self, report):
        self.reports.append(report)
        del self.reports[:-_REPORTS]

    def _close(self):
        for tensor in list(self._tensors.values()):
            tensor._free()
        self._open = False
        self._programs.clear()

    def id(self):
        """Its number."""
        return self._id

    def arch(self):
        """Its chip."""
        return _ARCHS[self._arch]

    def compute_with_storage_grid_size(self):
        """Columns and rows of cores that programs may use."""
        columns, rows, _, _ = self._native.facts()
        return CoreCoord(columns, rows)

    logical_grid_size = compute_with_storage_grid_size

    @property
    def core_grid(self):
        """The same as a `CoreGrid`."""
        grid = self.compute_with_storage_grid_size()
        return CoreGrid(y=grid.y, x=grid.x)

    @property
    def shape(self):
        """Rows and columns of the mesh: one device."""
        return MeshShape(1, 1)

    def get_num_devices(self):
        """Devices of the mesh."""
        return 1

    def get_device_ids(self):
        """Their numbers."""
        return [self._id]

    def dram_grid_size(self):
        """DRAM banks, in one row."""
        return CoreCoord(self._native.facts()[2], 1)

    def l1_size_per_core(self):
        """Bytes of L1."""
        return self._native.facts()[3]

    def worker_core_from_logical_core(self, logical_core):
        """NoC coordinates of a logical core."""
        core = core_of("worker_core_from_logical_core", "logical_core", logical_core)
        place = self._native.noc_of(core.x, core.y)
        if place is None:
            grid = self.compute_with_storage_grid_size()
            raise RuntimeError(f"Core {core} is outside of the worker grid {grid.x}x{grid.y}")
        return CoreCoord(*place)

    def num_program_cache_entries(self):
        """Programs that ran and differ in more than addresses and runtime arguments."""
        return len(self._programs)

    def enable_program_cache(self):
        """Counts programs from here on."""
        self._cache_enabled = True

    def disable_and_clear_program_cache(self):
        """Counts none any more."""
        self._programs.clear()
        self._cache_enabled = False

    def clear_program_cache(self):
        """Forgets the programs that ran."""
        self._programs.clear()

    def set_program_cache_misses_allowed(self, allowed):
        """Has no effect here: nothing is slow about a program that is new."""

    def __repr__(self):
        return f"Device(id={self._id}, arch={self._arch}, simulated by tileproof)"


_OPTIONS = (
    "l1_small_size",
    "trace_region_size",
    "dispatch_core_config",
    "num_command_queues",
    "worker_l1_size",
    "num_hw_cqs",
    "offset",
    "physical_device_ids",
    "mesh_type",
)
"""What a card is opened with."""


def open_device(device_id, **options):
    """Opens the device; there is one, number 0. Sizes and dispatch options of a card have no meaning here."""
    known_options("open_device", options, *_OPTIONS)
    if device_id != 0:
        raise RuntimeError(f"Physical chip id {device_id} not found: there is one simulated chip, id 0")
    return Device(device_id)


def CreateDevice(device_id, **options):
    """An older name of `open_device`."""
    return open_device(device_id, **options)


def open_mesh_device(mesh_shape=None, **options):
    """Opens a mesh of one device."""
    known_options("open_mesh_device", options, *_OPTIONS)
    if mesh_shape is not None and tuple(mesh_shape) != (1, 1):
        raise RuntimeError(f"a mesh of {tuple(mesh_shape)} devices: there is one simulated chip")
    return Device(0)


def close_device(device):
    """Closes a device: its tensors are freed."""
    require("close_device", "device", device, Device)._close()


CloseDevice = close_mesh_device = close_device


@contextlib.contextmanager
def manage_device(device_id=0):
    """A device for the time of a `with`."""
    device = open_device(device_id=device_id)
    try:
        yield device
    finally:
        close_device(device)


def synchronize_device(device, *_, **__):
    """Waits for nothing: programs have ended when `generic_op` returns."""
    require("synchronize_device", "device", device, Device)


def GetNumAvailableDevices():
    """Devices that can be opened."""
    return 1


get_num_devices = GetNumPCIeDevices = GetNumAvailableDevices


def get_device_ids():
    """Their numbers."""
    return [0]


def get_arch_name():
    """The chip's name, as tt-metal spells it."""
    return _ARCHS[current().arch].name.lower()


def is_wormhole_b0(device=None):
    """Whether the chip is a Wormhole."""
    return (current().arch if device is None else device._arch) == "wormhole"


def is_blackhole(device=None):
    """Whether the chip is a Blackhole."""
    return (current().arch if device is None else device._arch) == "blackhole"


def is_grayskull(device=None):
    """Never."""
    return False

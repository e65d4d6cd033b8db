"""Takes the place of `ttnn` in scripts and tests that describe programs: their kernels run on a simulated chip, bit for bit.

Names, fields and defaults are those of ttnn. Operations beside `generic_op` that move data do just that; those that compute are the
host's float64, rounded: `tensor.tileproof.exact` says which.
"""

import difflib as _difflib

from . import device
from .cores import (
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    corerange_to_cores,
    grid_to_cores,
    num_cores_to_corerangeset,
    num_cores_to_corerangeset_in_subcoregrids,
    split_work_to_cores,
)
from .descriptors import (
    CBDescriptor,
    CBFormatDescriptor,
    ComputeConfigDescriptor,
    DataMovementConfigDescriptor,
    KernelDescriptor,
    MeshCoordinate,
    MeshCoordinateRange,
    MeshProgramDescriptor,
    MeshShape,
    ProgramDescriptor,
    ReaderConfigDescriptor,
    SemaphoreDescriptor,
    Tile,
    TileDescriptor,
    VectorUnpackToDestMode,
    WriterConfigDescriptor,
    merge_program_descriptors,
)
from .device import (
    CloseDevice,
    CreateDevice,
    Device,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    close_device,
    close_mesh_device,
    get_arch_name,
    get_device_ids,
    get_num_devices,
    manage_device,
    open_device,
    open_mesh_device,
    synchronize_device,
)
from .enums import (
    NOC,
    NOC_MODE,
    ROW_MAJOR_LAYOUT,
    TILE_LAYOUT,
    TILE_SIZE,
    Arch,
    BufferType,
    CoreType,
    DataMovementProcessor,
    DataType,
    Layout,
    MathFidelity,
    ShardOrientation,
    ShardStrategy,
    StorageType,
    TensorMemoryLayout,
    UnpackToDestMode,
    bfloat4_b,
    bfloat8_b,
    bfloat16,
    float32,
    int8,
    int32,
    tile_size,
    uint8,
    uint16,
    uint32,
)
from .facts import *  # noqa: F403
from .global_semaphore import create_global_semaphore, get_global_semaphore_address, reset_global_semaphore_value
from .memory_config import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    MemoryConfig,
    ShardSpec,
    create_sharded_memory_config,
)
from .ops import *  # noqa: F403
from .printing import set_printoptions
from .program import TensorAccessorArgs, cb_descriptor_from_sharded_tensor, generic_op, get_cb_address
from .runtime_args import RuntimeArgs
from .shape import Shape
from .tensor import Tensor, TensorSpec
from .transfer import (
    allocate_tensor_on_device,
    as_tensor,
    deallocate,
    from_device,
    from_numpy,
    from_torch,
    interleaved_to_sharded,
    sharded_to_interleaved,
    to_device,
    to_layout,
    to_memory_config,
    to_numpy,
    to_torch,
)

MeshDevice = Device


def __getattr__(name):
    known = [known for known in globals() if not known.startswith("_")]
    near = _difflib.get_close_matches(name, known, 1)
    plain = [k for k in known if k.replace("_", "").lower() == name.replace("_", "").lower()]
    nearest = (plain or near or [None])[0]
    hint = f"; the nearest that exists is {nearest}" if nearest else ""
    raise AttributeError(f"module 'ttnn' has no attribute '{name}' in tileproof.ttnn{hint}")

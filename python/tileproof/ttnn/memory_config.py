"""Where the pages of a tensor lie."""

import dataclasses

from .cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet, corerange_to_cores
from .enums import BufferType, Layout, ShardOrientation, ShardStrategy, TensorMemoryLayout, asked, require, unsigned, wrong_type


class ShardSpec:
    """How a tensor is cut over cores."""

    def __init__(self, grid, shard_shape, shard_orientation):
        self.grid = require("ShardSpec", "grid", grid, CoreRangeSet)
        self.shape = [unsigned("ShardSpec", "shard_shape", side) for side in shard_shape]
        self.orientation = require("ShardSpec", "shard_orientation", shard_orientation, ShardOrientation)
        if len(self.shape) != 2:
            raise wrong_type("ShardSpec", "shard_shape", shard_shape, "rows and columns")

    def num_cores(self):
        """Cores."""
        return self.grid.num_cores()

    def _key(self):
        return self.grid, tuple(self.shape), self.orientation

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, ShardSpec) else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        corner = '{{"x":{0.x},"y":{0.y}}}'.format
        # A brace short, as ttnn writes it.
        grid = ", ".join(f'{{"start":{corner(r.start)},"end":{corner(r.end)}' for r in self.grid.ranges())
        return f"ShardSpec{{grid=[{grid}], shape={self.shape}, orientation=ShardOrientation::{self.orientation.name}}}"


_REST = "nd_shard_spec=std::nullopt,created_with_nd_shard_spec=0,per_core_allocation=0,range_lockstep_allocation=0"


@dataclasses.dataclass(frozen=True, repr=False)
class MemoryConfig:
    """Memory and the way in which pages are spread over its banks."""

    memory_layout: TensorMemoryLayout = TensorMemoryLayout.INTERLEAVED
    buffer_type: BufferType = BufferType.DRAM
    shard_spec: ShardSpec | None = None

    def __post_init__(self):
        for name, kind in (("memory_layout", TensorMemoryLayout), ("buffer_type", BufferType)):
            # The way in which a frozen dataclass sets its own fields.
            object.__setattr__(self, name, require("MemoryConfig", name, getattr(self, name), kind))
        if self.shard_spec is not None:
            require("MemoryConfig", "shard_spec", self.shard_spec, ShardSpec)

    def __repr__(self):
        spec = "std::nullopt" if self.shard_spec is None else self.shard_spec
        layout, buffer = self.memory_layout.name, self.buffer_type.name
        return f"MemoryConfig(memory_layout=TensorMemoryLayout::{layout},buffer_type=BufferType::{buffer},shard_spec={spec},{_REST})"

    @property
    def interleaved(self):
        """Whether page p is in bank p mod N."""
        return not self.is_sharded()

    def is_sharded(self):
        """Whether it is cut into shards."""
        return self.memory_layout is not TensorMemoryLayout.INTERLEAVED


DRAM_MEMORY_CONFIG = MemoryConfig()
L1_MEMORY_CONFIG = MemoryConfig(buffer_type=BufferType.L1)
L1_HEIGHT_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1)
L1_WIDTH_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.WIDTH_SHARDED, BufferType.L1)
L1_BLOCK_SHARDED_MEMORY_CONFIG = MemoryConfig(TensorMemoryLayout.BLOCK_SHARDED, BufferType.L1)


def shards_of(config, padded_shape, layout):
    """A shard's rows and columns and the cores in turn, for a tensor of a shape; the rules are those of tt-metal's `tensor_layout.cpp`."""
    spec = config.shard_spec
    if spec is None:
        raise RuntimeError(f"Memory config with {config.memory_layout} needs a shard_spec")
    if config.buffer_type is not BufferType.L1:
        raise RuntimeError(f"Sharded tensors in {config.buffer_type} are not modelled yet; only in L1")
    rows, columns = spec.shape
    if rows == 0 or columns == 0:
        raise RuntimeError(f"Shard shape ({rows}, {columns}) must not have a 0")
    if layout is Layout.TILE and (rows % 32 or columns % 32):
        raise RuntimeError(f"Physical shard shape ({rows}, {columns}) must be tile {{32, 32}} sized!")
    height, width = 1, padded_shape[-1] if padded_shape else 1
    for side in padded_shape[:-1]:
        height *= side
    if layout is Layout.ROW_MAJOR and width % columns:
        raise RuntimeError(f"Shard width {columns} must divide the width {width} of a row-major tensor")
    down, across = -(-height // rows), -(-width // columns)
    cores = corerange_to_cores(spec.grid, row_wise=spec.orientation is ShardOrientation.ROW_MAJOR)
    if down * across > len(cores):
        raise RuntimeError(f"Number of shards {down * across} ({down} along height, {across} along width) must not exceed number of cores {len(cores)}")
    if config.memory_layout is TensorMemoryLayout.HEIGHT_SHARDED and across > 1:
        raise RuntimeError(f"Shard width {columns} must be the physical width {width} for height sharded")
    if config.memory_layout is TensorMemoryLayout.WIDTH_SHARDED and down > 1:
        raise RuntimeError(f"Shard height {rows} must be the physical height {height} for width sharded")
    if config.memory_layout is TensorMemoryLayout.BLOCK_SHARDED and spec.grid.size() == 1:
        # A block of shards lies on a block of cores, also where the grid is wider.
        origin, grid = spec.grid.ranges()[0].start, spec.grid.ranges()[0].grid_size()
        by_row = spec.orientation is ShardOrientation.ROW_MAJOR
        if (across > grid.x or down > grid.y) if by_row else (across > grid.y or down > grid.x):
            raise RuntimeError(f"{down} x {across} shards must fit the {grid.y} x {grid.x} cores of the grid for block sharded")
        places = [(c, r) if by_row else (r, c) for r in range(down) for c in range(across)]
        cores = [CoreCoord(origin.x + x, origin.y + y) for x, y in places]
    return [rows, columns], [(c.x, c.y) for c in cores]


def create_sharded_memory_config(shape, core_grid, strategy, orientation=None, use_height_and_width_as_shard_shape=False):
    """A memory config of shards for a shape on a grid of cores."""
    if not isinstance(strategy, ShardStrategy):
        raise RuntimeError(f"Invalid sharding strategy: {strategy!r}")
    orientation = asked("create_sharded_memory_config", "orientation", orientation, ShardOrientation, ShardOrientation.ROW_MAJOR)
    if isinstance(core_grid, CoreGrid):
        grid = CoreRangeSet([CoreRange(CoreCoord(0, 0), CoreCoord(core_grid.x - 1, core_grid.y - 1))])
    elif not isinstance(core_grid, CoreRangeSet):
        raise RuntimeError(f"Invalid core_grid type: {type(core_grid).__name__}")
    elif not use_height_and_width_as_shard_shape:
        raise RuntimeError("height and width must be shard shape with CoreRangeSet")
    else:
        grid = core_grid
    height, width = 1, shape[-1]
    for side in shape[:-1]:
        height *= side
    if not use_height_and_width_as_shard_shape:
        box = grid.bounding_box().grid_size()
        down, across = {
            ShardStrategy.HEIGHT: (grid.num_cores(), 1),
            ShardStrategy.WIDTH: (1, grid.num_cores()),
            ShardStrategy.BLOCK: (box.y, box.x) if orientation is ShardOrientation.ROW_MAJOR else (box.x, box.y),
        }[strategy]
        if height % down or width % across:
            raise RuntimeError(f"Shape {list(shape)} of {height} rows and {width} columns cannot be divided into {down} x {across} shards")
        height, width = height // down, width // across
    elif orientation is ShardOrientation.COL_MAJOR:
        height, width = width, height
    layout = {
        ShardStrategy.HEIGHT: TensorMemoryLayout.HEIGHT_SHARDED,
        ShardStrategy.WIDTH: TensorMemoryLayout.WIDTH_SHARDED,
        ShardStrategy.BLOCK: TensorMemoryLayout.BLOCK_SHARDED,
    }[strategy]
    return MemoryConfig(layout, BufferType.L1, ShardSpec(grid, [height, width], orientation))

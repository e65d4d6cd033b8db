//! Tensors: shape, format, layout, and the pages they become.

use tileproof_numerics::format::DataFormat;

use crate::thread::CoreCoord;

/// How the elements of a tensor lie in its pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A page is a 32x32 tile; the last two dimensions are padded to 32.
    Tile,
    /// A page is a row of the last dimension, a stick.
    RowMajor,
}

/// Where the pages lie. Interleaved: page p is in bank p mod N.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryConfig {
    /// Interleaved over the DRAM banks.
    Dram,
    /// Interleaved over the L1 of the compute grid.
    L1,
    /// Cut into shards, each in the L1 of one core.
    Sharded(Sharding),
}

/// How a tensor is cut: as a matrix whose rows are those of all its matrices, one below the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sharding {
    /// Rows and columns of a shard, in elements.
    pub shard_shape: [u32; 2],
    /// The cores that get shards, in turn: shard s is on core s mod N.
    pub cores: Vec<CoreCoord>,
}

/// The pages of a sharded tensor as a matrix, and how many of them a shard has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageGrid {
    /// Rows and columns of the tensor, in pages.
    pub tensor: [u32; 2],
    /// Rows and columns of a shard, in pages.
    pub shard: [u32; 2],
}

impl PageGrid {
    /// The shard that page `page` lies in, and its place there.
    pub fn shard_of(&self, page: u32) -> (u32, u32) {
        let ([_, columns], [height, width]) = (self.tensor, self.shard);
        let (row, column) = (page / columns, page % columns);
        (row / height * columns.div_ceil(width) + column / width, row % height * width + column % width)
    }

    /// Shards in all.
    pub fn shards(&self) -> u32 {
        self.tensor[0].div_ceil(self.shard[0]) * self.tensor[1].div_ceil(self.shard[1])
    }
}

/// A tensor on the device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorDescriptor {
    /// The name that arguments and reports use.
    pub name: String,
    /// Logical shape, outermost dimension first.
    pub shape: Vec<u32>,
    /// Element format.
    pub format: DataFormat,
    /// Layout of the pages.
    pub layout: Layout,
    /// Memory of the pages.
    pub memory: MemoryConfig,
    /// A result: saved, compared, and every page must be written.
    pub output: bool,
}

impl TensorDescriptor {
    /// Rows and columns of one matrix after padding to the layout, and the number of matrices.
    fn extents(&self) -> (u64, u64, u64) {
        let width = self.shape.last().copied().unwrap_or(1) as u64;
        let height = if self.shape.len() >= 2 { self.shape[self.shape.len() - 2] as u64 } else { 1 };
        let outer = self.shape.iter().rev().skip(2).map(|d| *d as u64).product();
        match self.layout {
            Layout::Tile => (height.next_multiple_of(32), width.next_multiple_of(32), outer),
            Layout::RowMajor => (height, width, outer),
        }
    }

    /// Bytes of a page, before alignment. A stick of a sharded tensor ends with its shard.
    pub fn page_bytes(&self) -> u32 {
        // A tile is of 1024 elements: what a stick of 4 MiB would have of them is more than 32 bits hold.
        let stick = |elements: u64| (elements * u64::from(self.format.tile_bytes()) / 1024) as u32;
        match (&self.layout, &self.memory) {
            (Layout::Tile, _) => self.format.tile_bytes(),
            (Layout::RowMajor, MemoryConfig::Sharded(sharding)) => stick(u64::from(sharding.shard_shape[1])),
            (Layout::RowMajor, _) => stick(self.extents().1),
        }
    }

    /// The pages of a sharded tensor; `None` for others.
    pub fn page_grid(&self) -> Option<PageGrid> {
        let MemoryConfig::Sharded(Sharding { shard_shape: [rows, columns], .. }) = &self.memory else { return None };
        let (height, width, outer) = self.extents();
        let (height, width) = ((outer * height) as u32, width as u32);
        Some(match self.layout {
            Layout::Tile => PageGrid { tensor: [height / 32, width / 32], shard: [rows / 32, columns / 32] },
            Layout::RowMajor => PageGrid { tensor: [height, width / columns], shard: [*rows, 1] },
        })
    }

    /// Pages in the tensor.
    pub fn pages(&self) -> u32 {
        if let Some(grid) = self.page_grid() {
            return grid.tensor[0] * grid.tensor[1];
        }
        let (height, width, outer) = self.extents();
        match self.layout {
            Layout::Tile => (outer * (height / 32) * (width / 32)) as u32,
            Layout::RowMajor => (outer * height) as u32,
        }
    }

    /// Bytes of all pages, one after the other.
    pub fn bytes(&self) -> usize {
        self.pages() as usize * self.page_bytes() as usize
    }

    /// Logical elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().map(|d| *d as usize).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(shape: &[u32], layout: Layout) -> TensorDescriptor {
        TensorDescriptor {
            name: "x".into(),
            shape: shape.to_vec(),
            format: DataFormat::Float16_b,
            layout,
            memory: MemoryConfig::Dram,
            output: false,
        }
    }

    #[test]
    fn tile_layout_pads_the_last_two_dimensions() {
        let x = tensor(&[3, 1, 33, 65], Layout::Tile);
        assert_eq!((x.pages(), x.page_bytes()), (3 * 2 * 3, 2048));
    }

    #[test]
    fn shards_are_counted_row_by_row_and_hold_pages_row_by_row() {
        let cores = vec![CoreCoord { x: 0, y: 0 }];
        let sharded = |shard_shape| MemoryConfig::Sharded(Sharding { shard_shape, cores: cores.clone() });
        // 3 x 5 tiles in shards of 2 x 2: the last column and the last row of shards are half empty.
        let tiles = TensorDescriptor { memory: sharded([64, 64]), ..tensor(&[1, 1, 96, 160], Layout::Tile) };
        let grid = tiles.page_grid().unwrap();
        assert_eq!((grid.tensor, grid.shard, grid.shards()), ([3, 5], [2, 2], 6));
        assert_eq!(grid.shard_of(0), (0, 0));
        assert_eq!(grid.shard_of(6), (0, 3), "row 1, column 1");
        assert_eq!(grid.shard_of(14), (5, 0), "row 2, column 4");
        // Sticks of 8 in shards of 4 x 2: a stick of the tensor is four pages.
        let sticks = TensorDescriptor { memory: sharded([4, 2]), ..tensor(&[6, 8], Layout::RowMajor) };
        assert_eq!((sticks.pages(), sticks.page_bytes()), (24, 4));
        assert_eq!(sticks.page_grid().unwrap().shard_of(4 * 5 + 3), (7, 1), "row 5, piece 3");
    }

    #[test]
    fn a_stick_may_have_as_many_bytes_as_32_bits_hold() {
        let bytes = |width| TensorDescriptor { format: DataFormat::UInt8, ..tensor(&[1, width], Layout::RowMajor) };
        assert_eq!([4 << 20, 8 << 20, u32::MAX].map(|width| bytes(width).page_bytes()), [4 << 20, 8 << 20, u32::MAX]);
        let memory = MemoryConfig::Sharded(Sharding { shard_shape: [1, 8 << 20], cores: Vec::new() });
        assert_eq!(TensorDescriptor { memory, ..bytes(8 << 20) }.page_bytes(), 8 << 20);
    }

    #[test]
    fn a_row_major_page_is_a_stick() {
        let x = tensor(&[2, 5, 7], Layout::RowMajor);
        assert_eq!((x.pages(), x.page_bytes()), (10, 14));
    }
}

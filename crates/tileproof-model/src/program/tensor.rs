//! Tensors: shape, format, layout, and the pages they become.

use tileproof_numerics::format::DataFormat;

/// How the elements of a tensor lie in its pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A page is a 32x32 tile; the last two dimensions are padded to 32.
    Tile,
    /// A page is a row of the last dimension, a stick.
    RowMajor,
}

/// Where the pages lie. Interleaved: page p is in bank p mod N.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryConfig {
    /// Interleaved over the DRAM banks.
    Dram,
    /// Interleaved over the L1 of the compute grid.
    L1,
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

    /// Bytes of a page, before alignment.
    pub fn page_bytes(&self) -> u32 {
        match self.layout {
            Layout::Tile => self.format.tile_bytes(),
            Layout::RowMajor => {
                let (_, width, _) = self.extents();
                width as u32 * self.format.tile_bytes() / 1024
            }
        }
    }

    /// Pages in the tensor.
    pub fn pages(&self) -> u32 {
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
    fn a_row_major_page_is_a_stick() {
        let x = tensor(&[2, 5, 7], Layout::RowMajor);
        assert_eq!((x.pages(), x.page_bytes()), (10, 14));
    }
}

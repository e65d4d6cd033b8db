//! Tensors are filled piece by piece, so that one costs the host hardly more than its own bytes.
//!
//! It must never change what a fill gives. Start at [`fill`].

use tileproof_model::observe::Observer;
use tileproof_model::program::{MemoryConfig, TensorDescriptor};

use crate::device::Device;
use crate::elements;
use crate::fill::{Fill, FillError};
use crate::pages::{self, Padding};
use crate::wanted::Wanted;

/// Elements of a piece, as near as rows allow.
const PIECE: usize = 1 << 20;

/// Fills a tensor of a device, row-major, and its padding with an element. `stream` tells the tensors of a seed apart.
pub(crate) fn fill<O: Observer>(
    device: &mut Device<O>,
    index: usize,
    tensor: &TensorDescriptor,
    (fill, seed, stream): (&Fill, u64, u64),
    padding: Padding,
) -> Result<(), FillError> {
    let refused = || FillError::Format { format: tensor.format };
    let pieces = if tensor.memory == MemoryConfig::Dram { pieces(tensor) } else { vec![tensor.clone()] };
    if pieces.len() == 1 {
        let words = fill.words(&tensor.shape, tensor.format, seed, stream)?;
        return device.write_elements(index, &words, padding).ok_or_else(refused);
    }
    let wanted = Wanted::of(fill, &tensor.shape, tensor.format, seed, stream)?;
    // Rows of these are all alike, and so are pieces of as many rows.
    let is_alike = matches!(fill, Fill::Constant(_) | Fill::Ramp { .. });
    let (mut element, mut byte) = (0, 0);
    let mut last: Option<(Vec<u32>, Vec<u8>)> = None;
    for piece in pieces {
        let elements = element..element + piece.elements();
        element = elements.end;
        let bytes = match last.take().filter(|(shape, _)| is_alike && *shape == piece.shape) {
            Some((_, bytes)) => bytes,
            None => elements::encode(&piece, &wanted.piece(elements)?, padding).ok_or_else(refused)?,
        };
        device.write_part(index, byte, &bytes);
        byte += bytes.len();
        last = Some((piece.shape, bytes));
    }
    Ok(())
}

/// A tensor as tensors of some of its rows, whose bytes follow each other; itself where it is small. Two of one shape have pieces of
/// the same shapes.
pub(crate) fn pieces(tensor: &TensorDescriptor) -> Vec<TensorDescriptor> {
    let (height, width, matrices) = pages::matrices(tensor);
    if tensor.elements() <= 2 * PIECE {
        return vec![tensor.clone()];
    }
    let of = |shape: Vec<u32>| TensorDescriptor { shape, ..tensor.clone() };
    // Of tiles; in a row-major tensor so many lie together as well.
    let rows = 32;
    let at_once = (PIECE / width / rows).max(1) * rows;
    let mut pieces = Vec::new();
    if at_once >= height {
        let at_once = (PIECE / (width * height)).max(1);
        for first in (0..matrices).step_by(at_once) {
            let count = at_once.min(matrices - first);
            pieces.push(of(vec![count as u32, height as u32, width as u32]));
        }
    } else {
        for _ in 0..matrices {
            for first in (0..height).step_by(at_once) {
                pieces.push(of(vec![at_once.min(height - first) as u32, width as u32]));
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy;
    use tileproof_model::arch::Arch;
    use tileproof_model::numerics::format::DataFormat;
    use tileproof_model::observe::Unobserved;
    use tileproof_model::program::Layout;

    #[test]
    fn piece_by_piece_a_tensor_gets_the_bytes_that_it_gets_at_once() {
        for (shape, format) in [
            (&[1500, 33, 50][..], DataFormat::Float16_b),
            (&[2, 2050, 1030], DataFormat::Float32),
            (&[70, 200, 200], DataFormat::Bfp8_b),
        ] {
            for (layout, text) in [(Layout::Tile, "normal"), (Layout::RowMajor, "ramp:-1,2"), (Layout::Tile, "uniform")]
            {
                let shape = shape.to_vec();
                let tensor = TensorDescriptor {
                    name: "x".into(),
                    shape,
                    format,
                    layout,
                    memory: MemoryConfig::Dram,
                    output: false,
                };
                if layout == Layout::RowMajor && format == DataFormat::Bfp8_b {
                    continue;
                }
                assert!(pieces(&tensor).len() > 1);
                let asked = Fill::parse(text).unwrap();
                let words = asked.words(&tensor.shape, format, 7, 1).unwrap();
                let whole = elements::encode(&tensor, &words, Padding::UNDEFINED).unwrap();
                let mut device = Device::<Unobserved>::empty(Arch::Wormhole, 1);
                device.allocate(&tensor).unwrap();
                fill(&mut device, 0, &tensor, (&asked, 7, 1), Padding::UNDEFINED).unwrap();
                assert!(*device.bytes(0) == whole[..], "{text} {layout:?}");
            }
        }
    }

    #[test]
    fn an_array_is_read_piece_by_piece_as_it_is_at_once() {
        let path = std::env::temp_dir().join(format!("tileproof-filling-{}.npy", std::process::id()));
        let words: Vec<u32> = (0..1500 * 33 * 50u32).map(|i| (i as f32 / 7.0).to_bits()).collect();
        npy::write_elements(&path, &[1500, 33, 50], DataFormat::Float32, &words).unwrap();
        let asked = Fill::Npy(path.clone());
        for (format, layout) in [
            (DataFormat::Float16_b, Layout::Tile),
            (DataFormat::Float32, Layout::RowMajor),
            (DataFormat::Bfp8_b, Layout::Tile),
        ] {
            let tensor = TensorDescriptor {
                name: "x".into(),
                shape: vec![1500, 33, 50],
                format,
                layout,
                memory: MemoryConfig::Dram,
                output: false,
            };
            let words = asked.words(&tensor.shape, format, 0, 0).unwrap();
            let whole = elements::encode(&tensor, &words, Padding::UNDEFINED).unwrap();
            let mut device = Device::<Unobserved>::empty(Arch::Wormhole, 1);
            device.allocate(&tensor).unwrap();
            fill(&mut device, 0, &tensor, (&asked, 0, 0), Padding::UNDEFINED).unwrap();
            assert!(*device.bytes(0) == whole[..], "{format:?} {layout:?}");
        }
        // One that ends early is refused before any of it is taken.
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len(1 << 20).unwrap();
        let error = Wanted::of(&asked, &[1500, 33, 50], DataFormat::Float32, 0, 0).err().unwrap().to_string();
        assert!(error.contains("the header promises"), "{error}");
        std::fs::remove_file(path).unwrap();
    }
}

//! Values to the bytes of a tensor's pages, and back.
//!
//! Values are row-major and without padding; pages are what the device holds. Padding is undefined: it is written as
//! NaN, so that its use shows.

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::host;
use tileproof_model::program::{Layout, TensorDescriptor};

/// Why values and pages do not go together.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PagesError {
    #[error("{given} values given, its shape has {needed}")]
    Count { given: usize, needed: usize },
    #[error("{format:?} values cannot be converted by the host")]
    Format { format: DataFormat },
}

/// Rows and columns of one matrix of a tensor, and the number of matrices.
fn matrices(tensor: &TensorDescriptor) -> (usize, usize, usize) {
    let shape = &tensor.shape;
    let width = shape.last().copied().unwrap_or(1) as usize;
    let height = if shape.len() >= 2 { shape[shape.len() - 2] as usize } else { 1 };
    let outer = shape.iter().rev().skip(2).map(|d| *d as usize).product();
    (height, width, outer)
}

/// Bytes of a datum of a plain format.
fn plain_bytes(format: DataFormat) -> Option<usize> {
    match format {
        DataFormat::Float32 => Some(4),
        DataFormat::Float16_b => Some(2),
        _ => None,
    }
}

/// Where the 16 datums of a face row lie in a tile-layout matrix: (datum offset, row, first column).
fn face_rows(height: usize, width: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let wt = width.div_ceil(32);
    (0..height).flat_map(move |row| {
        (0..width.div_ceil(16)).map(move |half| {
            let tile = row / 32 * wt + half / 2;
            let face = row % 32 / 16 * 2 + half % 2;
            (tile * 1024 + face * 256 + row % 16 * 16, row, half * 16)
        })
    })
}

/// Values to data of `datum` bytes each.
fn put(to: &mut [u8], from: &[f32], datum: usize) {
    if datum == 4 {
        for (to, value) in to.as_chunks_mut().0.iter_mut().zip(from) {
            *to = value.to_le_bytes();
        }
    } else {
        for (to, value) in to.as_chunks_mut().0.iter_mut().zip(from) {
            *to = host::f32_to_bf16(*value).to_le_bytes();
        }
    }
}

/// Data of `datum` bytes each to values.
fn get(to: &mut [f32], from: &[u8], datum: usize) {
    if datum == 4 {
        for (to, datum) in to.iter_mut().zip(from.as_chunks().0) {
            *to = f32::from_le_bytes(*datum);
        }
    } else {
        for (to, datum) in to.iter_mut().zip(from.as_chunks().0) {
            *to = host::bf16_to_f32(u16::from_le_bytes(*datum));
        }
    }
}

/// The bytes of all pages.
///
/// # Errors
/// If the number of values is not that of the shape, or the host cannot convert to the format.
pub fn encode(tensor: &TensorDescriptor, values: &[f32]) -> Result<Vec<u8>, PagesError> {
    if values.len() != tensor.elements() {
        return Err(PagesError::Count { given: values.len(), needed: tensor.elements() });
    }
    let format = tensor.format;
    let (height, width, outer) = matrices(tensor);
    let Some(datum) = plain_bytes(format) else { return encode_blocks(tensor, values) };
    // All ones is a NaN in either format.
    let mut bytes = vec![0xff; tensor.bytes()];
    if tensor.layout == Layout::RowMajor {
        put(&mut bytes, values, datum);
        return Ok(bytes);
    }
    let matrix_bytes = tensor.bytes() / outer;
    for (matrix, values) in bytes.chunks_exact_mut(matrix_bytes).zip(values.chunks_exact(height * width)) {
        for (at, row, column) in face_rows(height, width) {
            let count = 16.min(width - column);
            put(&mut matrix[at * datum..][..count * datum], &values[row * width + column..][..count], datum);
        }
    }
    Ok(bytes)
}

/// Block floats: padding is zero, because an undefined exponent would be shared with data.
fn encode_blocks(tensor: &TensorDescriptor, values: &[f32]) -> Result<Vec<u8>, PagesError> {
    let format = tensor.format;
    let (height, width, _) = matrices(tensor);
    let (rows, columns) = (height.next_multiple_of(32), width.next_multiple_of(32));
    let mut bytes = Vec::with_capacity(tensor.bytes());
    for values in values.chunks_exact(height * width) {
        let mut padded = vec![0.0; rows * columns];
        for (to, from) in padded.chunks_exact_mut(columns).zip(values.chunks_exact(width)) {
            to[..width].copy_from_slice(from);
        }
        bytes.extend(host::encode_tiles(format, &padded, rows, columns).ok_or(PagesError::Format { format })?);
    }
    Ok(bytes)
}

/// The values in the bytes of all pages.
///
/// # Errors
/// If the host cannot convert from the format.
pub fn decode(tensor: &TensorDescriptor, bytes: &[u8]) -> Result<Vec<f32>, PagesError> {
    let format = tensor.format;
    let (height, width, outer) = matrices(tensor);
    let Some(datum) = plain_bytes(format) else { return decode_blocks(tensor, bytes) };
    let mut values = vec![0.0; tensor.elements()];
    if tensor.layout == Layout::RowMajor {
        get(&mut values, bytes, datum);
        return Ok(values);
    }
    let matrix_bytes = tensor.bytes() / outer;
    for (matrix, values) in bytes.chunks_exact(matrix_bytes).zip(values.chunks_exact_mut(height * width)) {
        for (at, row, column) in face_rows(height, width) {
            let count = 16.min(width - column);
            get(&mut values[row * width + column..][..count], &matrix[at * datum..][..count * datum], datum);
        }
    }
    Ok(values)
}

fn decode_blocks(tensor: &TensorDescriptor, bytes: &[u8]) -> Result<Vec<f32>, PagesError> {
    let format = tensor.format;
    let (height, width, outer) = matrices(tensor);
    let (rows, columns) = (height.next_multiple_of(32), width.next_multiple_of(32));
    let mut values = Vec::with_capacity(tensor.elements());
    for matrix in bytes.chunks_exact(tensor.bytes() / outer) {
        let padded = host::decode_tiles(format, matrix, rows, columns).ok_or(PagesError::Format { format })?;
        for row in padded.chunks_exact(columns).take(height) {
            values.extend_from_slice(&row[..width]);
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::program::MemoryConfig;

    fn tensor(shape: &[u32], format: DataFormat, layout: Layout) -> TensorDescriptor {
        TensorDescriptor {
            name: "x".into(),
            shape: shape.to_vec(),
            format,
            layout,
            memory: MemoryConfig::Dram,
            output: false,
        }
    }

    #[test]
    fn values_survive_the_way_to_pages_and_back() {
        for format in [DataFormat::Float16_b, DataFormat::Float32, DataFormat::Bfp8_b] {
            for layout in [Layout::Tile, Layout::RowMajor] {
                if format == DataFormat::Bfp8_b && layout == Layout::RowMajor {
                    continue;
                }
                let tensor = tensor(&[2, 1, 33, 50], format, layout);
                let values: Vec<f32> = (0..tensor.elements()).map(|i| (i % 31) as f32 - 15.0).collect();
                let bytes = encode(&tensor, &values).unwrap();
                assert_eq!(bytes.len(), tensor.bytes());
                assert_eq!(decode(&tensor, &bytes).unwrap(), values, "{format:?} {layout:?}");
            }
        }
    }

    #[test]
    fn an_element_lies_where_the_tile_layout_puts_it() {
        let tensor = tensor(&[1, 1, 40, 40], DataFormat::Float32, Layout::Tile);
        let values: Vec<f32> = (0..1600).map(|i| i as f32).collect();
        let bytes = encode(&tensor, &values).unwrap();
        // Row 33, column 17: tile row 1, tile column 0, face 1, row 1, column 1.
        let at = 4 * (2 * 1024 + 256 + 16 + 1);
        assert_eq!(bytes[at..at + 4], 1337.0f32.to_le_bytes());
        // Row 40 does not exist: padding is NaN.
        let padding = 4 * (2 * 1024 + 8 * 16);
        assert_eq!(bytes[padding..padding + 4], [0xff; 4]);
    }
}

//! Values to the bytes of a tensor's pages, and back.
//!
//! Values are row-major and without padding; pages are what the device holds. Padding is undefined: it is written as
//! NaN, so that its use shows.

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::host;
use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_sim::ask_for_huge_pages;

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
pub(crate) fn matrices(tensor: &TensorDescriptor) -> (usize, usize, usize) {
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

/// Elements from which on it pays to spread a conversion over host threads.
const WORTH_A_THREAD: usize = 1 << 16;

/// Does `work` for every pair of pieces, on up to `threads` host threads.
fn spread<A: Send, B: Send>(threads: usize, pairs: Vec<(A, B)>, work: impl Fn(A, B) + Sync) {
    let share = pairs.len().div_ceil(threads.max(1)).max(1);
    let mut pairs = pairs.into_iter();
    std::thread::scope(|scope| {
        loop {
            let part: Vec<(A, B)> = pairs.by_ref().take(share).collect();
            let all = || part.into_iter().for_each(|(a, b)| work(a, b));
            if pairs.len() == 0 {
                return all();
            }
            scope.spawn(all);
        }
    });
}

/// Rows of a tensor, one row of tiles or (row-major) a piece of the whole, beside the bytes of their pages.
fn pieces(tensor: &TensorDescriptor, datum: usize) -> Vec<(usize, usize)> {
    let (height, width, outer) = matrices(tensor);
    if tensor.layout == Layout::RowMajor {
        let elements = tensor.elements();
        let piece = |first: usize| (elements - first).min(WORTH_A_THREAD);
        return (0..elements).step_by(WORTH_A_THREAD).map(|first| (piece(first), piece(first) * datum)).collect();
    }
    let tile_row = width.div_ceil(32) * 1024 * datum;
    let of_matrix = (0..height.div_ceil(32)).map(|row| ((height - 32 * row).min(32) * width, tile_row));
    std::iter::repeat_n(of_matrix, outer).flatten().collect()
}

/// The bytes of all pages, made on up to `threads` host threads.
///
/// # Errors
/// If the number of values is not that of the shape, or the host cannot convert to the format.
pub fn encode(tensor: &TensorDescriptor, values: &[f32], threads: usize) -> Result<Vec<u8>, PagesError> {
    if values.len() != tensor.elements() {
        return Err(PagesError::Count { given: values.len(), needed: tensor.elements() });
    }
    let Some(datum) = plain_bytes(tensor.format) else { return encode_blocks(tensor, values, 0.0) };
    let (_, width, _) = matrices(tensor);
    let mut bytes = vec![0; tensor.bytes()];
    ask_for_huge_pages(&mut bytes);
    let (mut values_left, mut bytes_left) = (values, &mut bytes[..]);
    let mut pairs = Vec::new();
    for (count, length) in pieces(tensor, datum) {
        let (values, later) = values_left.split_at(count);
        let (bytes, rest) = bytes_left.split_at_mut(length);
        pairs.push((values, bytes));
        (values_left, bytes_left) = (later, rest);
    }
    let threads = threads.min(1 + values.len() / WORTH_A_THREAD);
    spread(threads, pairs, |values, bytes| match (tensor.layout, datum) {
        (Layout::RowMajor, 4) => host::values_to_data::<4>(values, bytes),
        (Layout::RowMajor, _) => host::values_to_data::<2>(values, bytes),
        (Layout::Tile, 4) => host::values_to_tile_row::<4>(values, width, bytes),
        (Layout::Tile, _) => host::values_to_tile_row::<2>(values, width, bytes),
    });
    Ok(bytes)
}

/// The element that lies beside the data of a tensor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Padding {
    /// The host says so.
    Stated(u32),
    /// It stands for what is undefined: in block floats, where it shares an exponent with data, it is at most as large as those,
    /// because it would spoil them.
    Undefined(u32),
}

impl Padding {
    /// All ones, a NaN in every float format; block floats have none that would not spoil data, and hold 0.
    pub(crate) const UNDEFINED: Padding = Padding::Undefined(u32::MAX);

    pub(crate) fn word(self) -> u32 {
        let (Padding::Stated(word) | Padding::Undefined(word)) = self;
        word
    }
}

/// Block floats, with padding that stands for what is undefined.
///
/// # Errors
/// As [`encode`].
pub(crate) fn encode_blocks(tensor: &TensorDescriptor, values: &[f32], padding: f32) -> Result<Vec<u8>, PagesError> {
    encode_padded_blocks(tensor, values, padding, |data, beside| {
        let largest = data.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        beside.fill(padding.clamp(-largest, largest));
    })
}

/// Block floats, with padding that the host states.
///
/// # Errors
/// As [`encode`].
pub(crate) fn encode_stated_blocks(
    tensor: &TensorDescriptor,
    values: &[f32],
    padding: f32,
) -> Result<Vec<u8>, PagesError> {
    encode_padded_blocks(tensor, values, padding, |_, _| {})
}

/// Block floats; `beside` is shown the data of a row that share their exponent with padding, and that padding.
fn encode_padded_blocks(
    tensor: &TensorDescriptor,
    values: &[f32],
    padding: f32,
    beside: impl Fn(&[f32], &mut [f32]),
) -> Result<Vec<u8>, PagesError> {
    if values.len() != tensor.elements() {
        return Err(PagesError::Count { given: values.len(), needed: tensor.elements() });
    }
    let format = tensor.format;
    let (height, width, _) = matrices(tensor);
    let (rows, columns) = (height.next_multiple_of(32), width.next_multiple_of(32));
    let mut bytes = Vec::with_capacity(tensor.bytes());
    for values in values.chunks_exact(height * width) {
        let mut padded = vec![padding; rows * columns];
        for (to, from) in padded.chunks_exact_mut(columns).zip(values.chunks_exact(width)) {
            to[..width].copy_from_slice(from);
            // 16 datums share an exponent.
            let (data, rest) = to[width / 16 * 16..width.next_multiple_of(16)].split_at_mut(width % 16);
            if !rest.is_empty() {
                beside(data, rest);
            }
        }
        bytes.extend(host::encode_tiles(format, &padded, rows, columns).ok_or(PagesError::Format { format })?);
    }
    Ok(bytes)
}

/// The values in the bytes of all pages, made on up to `threads` host threads.
///
/// # Errors
/// If the host cannot convert from the format.
pub fn decode(tensor: &TensorDescriptor, bytes: &[u8], threads: usize) -> Result<Vec<f32>, PagesError> {
    let Some(datum) = plain_bytes(tensor.format) else { return decode_blocks(tensor, bytes) };
    let (_, width, _) = matrices(tensor);
    let mut values = vec![0.0; tensor.elements()];
    ask_for_huge_pages(&mut values);
    let (mut values_left, mut bytes_left) = (&mut values[..], bytes);
    let mut pairs = Vec::new();
    for (count, length) in pieces(tensor, datum) {
        let (values, later) = values_left.split_at_mut(count);
        let (bytes, rest) = bytes_left.split_at(length);
        pairs.push((values, bytes));
        (values_left, bytes_left) = (later, rest);
    }
    let threads = threads.min(1 + tensor.elements() / WORTH_A_THREAD);
    spread(threads, pairs, |values, bytes| match (tensor.layout, datum) {
        (Layout::RowMajor, 4) => host::data_to_values::<4>(bytes, values),
        (Layout::RowMajor, _) => host::data_to_values::<2>(bytes, values),
        (Layout::Tile, 4) => host::tile_row_to_values::<4>(bytes, width, values),
        (Layout::Tile, _) => host::tile_row_to_values::<2>(bytes, width, values),
    });
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
                let bytes = encode(&tensor, &values, 1).unwrap();
                assert_eq!(bytes.len(), tensor.bytes());
                assert_eq!(decode(&tensor, &bytes, 1).unwrap(), values, "{format:?} {layout:?}");
            }
        }
    }

    #[test]
    fn padding_of_block_floats_spoils_no_data_and_fills_blocks_of_its_own() {
        let tensor = tensor(&[1, 1, 5, 20], DataFormat::Bfp8_b, Layout::Tile);
        let values: Vec<f32> = (0..tensor.elements()).map(|i| (i % 31) as f32 / 16.0 - 1.0).collect();
        let zeros = encode_blocks(&tensor, &values, 0.0).unwrap();
        let large = encode_blocks(&tensor, &values, 1000.0).unwrap();
        assert_eq!(decode(&tensor, &large, 1).unwrap(), decode(&tensor, &zeros, 1).unwrap());
        let whole = TensorDescriptor { shape: vec![1, 1, 32, 32], ..tensor.clone() };
        let padded = decode(&whole, &large, 1).unwrap();
        // Row 0 has data in columns 16 to 19, whose greatest bounds what lies beside them; row 5 has none.
        let greatest = values[16..20].iter().fold(0.0f32, |most, value| most.max(value.abs()));
        assert!((padded[20] - greatest).abs() <= greatest / 64.0, "{} {greatest}", padded[20]);
        assert!((padded[5 * 32] - 1000.0).abs() <= 8.0, "{}", padded[5 * 32]);
    }

    #[test]
    fn any_number_of_threads_makes_the_same_bytes_and_values() {
        for layout in [Layout::Tile, Layout::RowMajor] {
            for shape in [[3, 1, 70, 2000], [1, 1, 1, 200_000], [5, 1, 1, 70_000]] {
                let tensor = tensor(&shape, DataFormat::Float16_b, layout);
                let values: Vec<f32> = (0..tensor.elements()).map(|i| (i % 251) as f32 - 125.0).collect();
                let bytes = encode(&tensor, &values, 1).unwrap();
                assert!(encode(&tensor, &values, 3).unwrap() == bytes, "{shape:?} {layout:?}");
                assert!(decode(&tensor, &bytes, 3).unwrap() == values, "{shape:?} {layout:?}");
            }
        }
    }

    #[test]
    fn an_element_lies_where_the_tile_layout_puts_it() {
        let tensor = tensor(&[1, 1, 40, 40], DataFormat::Float32, Layout::Tile);
        let values: Vec<f32> = (0..1600).map(|i| i as f32).collect();
        let bytes = encode(&tensor, &values, 1).unwrap();
        // Row 33, column 17: tile row 1, tile column 0, face 1, row 1, column 1.
        let at = 4 * (2 * 1024 + 256 + 16 + 1);
        assert_eq!(bytes[at..at + 4], 1337.0f32.to_le_bytes());
        // Row 40 does not exist: padding is NaN.
        let padding = 4 * (2 * 1024 + 8 * 16);
        assert_eq!(bytes[padding..padding + 4], [0xff; 4]);
    }
}

//! `.npy` files: the arrays that users give and get.
//! It must never convert a value: a file's elements become words bit for bit, and back.
//! Start reading at [`read_elements`] and [`write_elements`].
//!
//! NumPy has no bfloat16, so such tensors are arrays of uint16 bit patterns, or of float32, which whoever reads them rounds;
//! block-float tensors are float32, encoded and decoded elsewhere.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tileproof_numerics::format::DataFormat;

use crate::bounded::ends;

/// The element types that tensors are read from and written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "spelled as NumPy spells them")]
pub enum NpyDtype {
    UInt8,
    Int8,
    UInt16,
    UInt32,
    Int32,
    Float32,
}

impl NpyDtype {
    /// NumPy's name.
    pub const fn name(self) -> &'static str {
        match self {
            NpyDtype::UInt8 => "uint8",
            NpyDtype::Int8 => "int8",
            NpyDtype::UInt16 => "uint16",
            NpyDtype::UInt32 => "uint32",
            NpyDtype::Int32 => "int32",
            NpyDtype::Float32 => "float32",
        }
    }

    const fn width(self) -> usize {
        match self {
            NpyDtype::UInt8 | NpyDtype::Int8 => 1,
            NpyDtype::UInt16 => 2,
            NpyDtype::UInt32 | NpyDtype::Int32 | NpyDtype::Float32 => 4,
        }
    }

    /// From the text of a header's `descr`, and whether the bytes are little-endian.
    fn from_descr(descr: &str) -> Option<(NpyDtype, bool)> {
        let (order, kind) = descr.split_at_checked(1)?;
        let dtype = match kind {
            "u1" => NpyDtype::UInt8,
            "i1" => NpyDtype::Int8,
            "u2" => NpyDtype::UInt16,
            "u4" => NpyDtype::UInt32,
            "i4" => NpyDtype::Int32,
            "f4" => NpyDtype::Float32,
            _ => return None,
        };
        Some((dtype, order != ">"))
    }
}

/// Why an array cannot be read or written.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NpyError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: std::io::Error },
    #[error("{}: not a .npy file: {reason}", path.display())]
    NotNpy { path: PathBuf, reason: &'static str },
    #[error("{}: elements are {found}, a {tensor} tensor takes {wanted}", path.display())]
    Dtype { path: PathBuf, found: String, tensor: &'static str, wanted: &'static str },
    #[error("{}: shape is {found:?}, the tensor's is {wanted:?}", path.display())]
    Shape { path: PathBuf, found: Vec<u64>, wanted: Vec<u32> },
    #[error("{}: the array is in Fortran order; save it with numpy.ascontiguousarray", path.display())]
    FortranOrder { path: PathBuf },
    #[error("{}: {found} bytes of elements, the header promises {wanted}", path.display())]
    Truncated { path: PathBuf, found: usize, wanted: u64 },
}

/// The element type of the file that belongs to a tensor of `format`; `None` if tensors cannot have it.
pub const fn dtype_of(format: DataFormat) -> Option<NpyDtype> {
    Some(match format {
        DataFormat::Float16_b | DataFormat::UInt16 => NpyDtype::UInt16,
        DataFormat::Float32 | DataFormat::Bfp8_b | DataFormat::Bfp4_b => NpyDtype::Float32,
        DataFormat::Int32 => NpyDtype::Int32,
        DataFormat::UInt32 => NpyDtype::UInt32,
        DataFormat::UInt8 => NpyDtype::UInt8,
        DataFormat::Int8 => NpyDtype::Int8,
        _ => return None,
    })
}

/// What the file of a tensor of `format` must hold, in words.
const fn wanted(format: DataFormat) -> &'static str {
    match format {
        DataFormat::Float16_b => "uint16 (the bits of bfloat16) or float32",
        _ => match dtype_of(format) {
            Some(dtype) => dtype.name(),
            None => "no array",
        },
    }
}

/// What the header of a file says.
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

/// Splits a file into its header and the bytes of its elements (numpy.lib.format, versions 1 to 3).
fn split_header(file: &[u8]) -> Result<(Header, &[u8]), &'static str> {
    let rest = file.strip_prefix(b"\x93NUMPY").ok_or("it does not begin with \\x93NUMPY")?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or("it ends in the header")?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk().ok_or("it ends in the header")?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk().ok_or("it ends in the header")?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        _ => return Err("its format version is not 1, 2 or 3"),
    };
    let (text, elements) = rest.split_at_checked(length).ok_or("it ends in the header")?;
    let text = std::str::from_utf8(text).map_err(|_| "its header is not text")?;
    let field = |key: &str| {
        let (_, value) = text.split_once(key)?;
        value.trim_start().strip_prefix(':').map(str::trim_start)
    };
    let descr = field("'descr'").ok_or("its header has no descr")?;
    // A list of fields instead of a quoted name is a record type.
    let descr = match descr.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next().unwrap_or_default(),
        None => "records",
    };
    let fortran_order = field("'fortran_order'").ok_or("its header has no fortran_order")?;
    let shape = field("'shape'").and_then(|s| s.strip_prefix('(')).and_then(|s| s.split_once(')'));
    let (shape, _) = shape.ok_or("its header has no shape")?;
    let numbers = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
    let shape = numbers.map(|n| n.parse().map_err(|_| "its shape is not a list of numbers"));
    let header = Header {
        descr: descr.to_string(),
        fortran_order: fortran_order.starts_with("True"),
        shape: shape.collect::<Result<_, _>>()?,
    };
    Ok((header, elements))
}

/// Whether a tensor of `format` can be read from elements of `dtype`.
fn fits(format: DataFormat, dtype: NpyDtype) -> bool {
    dtype_of(format) == Some(dtype) || is_rounded(format, dtype)
}

/// Whether elements of `dtype` lose bits in a tensor of `format`: float32 in one of bfloat16.
pub(crate) fn is_rounded(format: DataFormat, dtype: NpyDtype) -> bool {
    format == DataFormat::Float16_b && dtype == NpyDtype::Float32
}

/// Whether the values of a file are rounded on their way to a tensor of `format`. What is wrong with the file is for
/// [`read_elements`] to say.
pub fn rounds(path: &Path, format: DataFormat) -> bool {
    // A header of version 1 has at most this length; longer ones are those of records.
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(10 + (1 << 16)).read_to_end(&mut head));
    let dtype = || NpyDtype::from_descr(&split_header(&head).ok()?.0.descr);
    read.is_ok() && dtype().is_some_and(|(dtype, _)| is_rounded(format, dtype))
}

/// An array of a tensor's type and shape, whose elements are read where they are wanted.
pub(crate) struct Array {
    path: PathBuf,
    dtype: NpyDtype,
    little_endian: bool,
    elements: Bytes,
}

/// Where the bytes of an array's elements are.
enum Bytes {
    /// In memory, from a place on: small ones, and those that came through a pipe.
    Here(Vec<u8>, usize),
    /// In an open file, from a place on.
    In(File, u64),
}

/// A file that has no more than this is read at once; a longer header is that of records.
const AT_ONCE: u64 = 1 << 17;

impl Array {
    /// Opens the array of a tensor.
    ///
    /// # Errors
    /// If the file cannot be read or does not hold an array of that tensor's type and shape in C order.
    pub(crate) fn open(path: &Path, shape: &[u32], format: DataFormat) -> Result<Array, NpyError> {
        let path_buf = || path.to_path_buf();
        let io = |error| NpyError::Io { path: path_buf(), error };
        let mut file = ends(path).and_then(|()| File::open(path)).map_err(io)?;
        let facts = file.metadata().map_err(io)?;
        let mut head = Vec::new();
        (&file).take(AT_ONCE).read_to_end(&mut head).map_err(io)?;
        let is_long = facts.is_file() && facts.len() > AT_ONCE && split_header(&head).is_ok();
        if !is_long {
            file.read_to_end(&mut head).map_err(io)?;
        }
        let (header, rest) = split_header(&head).map_err(|reason| NpyError::NotNpy { path: path_buf(), reason })?;
        let start = head.len() - rest.len();
        let length = if is_long { facts.len() as usize - start } else { rest.len() };
        let (dtype, little_endian) = header.fits(path, shape, format)?;
        let bytes = shape.iter().map(|d| u64::from(*d)).product::<u64>() * dtype.width() as u64;
        if length as u64 != bytes {
            return Err(NpyError::Truncated { path: path_buf(), found: length, wanted: bytes });
        }
        let elements = if is_long { Bytes::In(file, start as u64) } else { Bytes::Here(head, start) };
        Ok(Array { path: path_buf(), dtype, little_endian, elements })
    }

    /// What its elements are.
    pub(crate) fn dtype(&self) -> NpyDtype {
        self.dtype
    }

    /// Some of its elements, one word each: the element's bits.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub(crate) fn words(&self, elements: Range<usize>) -> Result<Vec<u32>, NpyError> {
        let width = self.dtype.width();
        let (at, length) = (elements.start * width, elements.len() * width);
        let mut read = Vec::new();
        let bytes = match &self.elements {
            Bytes::Here(bytes, start) => &bytes[start + at..][..length],
            Bytes::In(file, start) => {
                read.resize(length, 0);
                let io = |error| NpyError::Io { path: self.path.clone(), error };
                file.read_exact_at(&mut read, start + at as u64).map_err(io)?;
                &read
            }
        };
        let word = |element: &[u8]| {
            let push = |word: u32, byte: &u8| word << 8 | u32::from(*byte);
            if self.little_endian { element.iter().rev().fold(0, push) } else { element.iter().fold(0, push) }
        };
        Ok(bytes.chunks_exact(width).map(word).collect())
    }
}

impl Header {
    /// What the elements of an array of a tensor are, and whether their bytes are little-endian.
    fn fits(self, path: &Path, shape: &[u32], format: DataFormat) -> Result<(NpyDtype, bool), NpyError> {
        let path_buf = || path.to_path_buf();
        let found = NpyDtype::from_descr(&self.descr);
        let (dtype, little_endian) = match found {
            Some((dtype, little_endian)) if fits(format, dtype) => (dtype, little_endian),
            _ => {
                return Err(NpyError::Dtype {
                    path: path_buf(),
                    found: found.map_or(self.descr, |(dtype, _)| dtype.name().to_string()),
                    tensor: format.dtype_name(),
                    wanted: wanted(format),
                });
            }
        };
        // One dimension lies the same in both orders.
        if self.fortran_order && self.shape.len() > 1 {
            return Err(NpyError::FortranOrder { path: path_buf() });
        }
        if !self.shape.iter().copied().eq(shape.iter().map(|d| u64::from(*d))) {
            let found = self.shape;
            return Err(NpyError::Shape { path: path_buf(), found, wanted: shape.to_vec() });
        }
        Ok((dtype, little_endian))
    }
}

/// The elements of the array of a tensor, row-major, one word each: the element's bits, and what they are bits of.
///
/// # Errors
/// If the file cannot be read or does not hold an array of that tensor's type and shape in C order.
pub fn read_elements(path: &Path, shape: &[u32], format: DataFormat) -> Result<(NpyDtype, Vec<u32>), NpyError> {
    let array = Array::open(path, shape, format)?;
    let count = shape.iter().map(|d| *d as usize).product();
    Ok((array.dtype, array.words(0..count)?))
}

/// What tensors of bfloat16 are saved as; those of other formats have one type of array each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SaveAs {
    /// uint16: the bits.
    #[default]
    Bits,
    /// float32: the values, which it holds exactly.
    Float32,
}

/// An array that is written piece by piece: whole or not at all, so that readers of the same name never see half of one.
pub(crate) struct Writer {
    path: PathBuf,
    partial: PathBuf,
    to: BufWriter<File>,
    dtype: NpyDtype,
    /// Elements are the upper halves of what is written.
    widens: bool,
}

impl Writer {
    /// Begins the array of a tensor.
    ///
    /// # Errors
    /// If the file cannot be written, or tensors cannot have `format`.
    pub(crate) fn new(path: &Path, shape: &[u32], format: DataFormat, save_as: SaveAs) -> Result<Writer, NpyError> {
        let widens = save_as == SaveAs::Float32 && format == DataFormat::Float16_b;
        let dtype = if widens { Some(NpyDtype::Float32) } else { dtype_of(format) };
        let dtype = dtype.ok_or_else(|| NpyError::Dtype {
            path: path.to_path_buf(),
            found: format!("{format:?}"),
            tensor: format.dtype_name(),
            wanted: wanted(format),
        })?;
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).map_err(|error| NpyError::Io { path: path.to_path_buf(), error })?;
        let mut writer = Writer { path: path.to_path_buf(), partial, to: BufWriter::new(file), dtype, widens };
        writer.put(&header_of(dtype, shape))?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), NpyError> {
        self.to.write_all(bytes).map_err(|error| NpyError::Io { path: self.path.clone(), error })
    }

    /// Adds elements, one word each.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn add(&mut self, words: &[u32]) -> Result<(), NpyError> {
        let shift = if self.widens { 16 } else { 0 };
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| (word << shift).to_le_bytes().into_iter().take(self.dtype.width())).collect();
        self.put(&bytes)
    }

    /// Ends it: from here on it is there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn finish(mut self) -> Result<(), NpyError> {
        let written = self.to.flush().and_then(|()| fs::rename(&self.partial, &self.path));
        written.map_err(|error| NpyError::Io { path: self.path.clone(), error })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Behind `finish` there is none.
        let _ = fs::remove_file(&self.partial);
    }
}

/// Writes the elements of a tensor, as [`write_elements`] does, or as float32.
///
/// # Errors
/// As [`write_elements`].
pub fn save_elements(
    path: &Path,
    shape: &[u32],
    format: DataFormat,
    words: &[u32],
    save_as: SaveAs,
) -> Result<(), NpyError> {
    let mut writer = Writer::new(path, shape, format, save_as)?;
    writer.add(words)?;
    writer.finish()
}

/// Writes the elements of a tensor, row-major, one word each, as the array that [`read_elements`] reads.
///
/// # Errors
/// If the file cannot be written, or tensors cannot have `format`.
pub fn write_elements(path: &Path, shape: &[u32], format: DataFormat, words: &[u32]) -> Result<(), NpyError> {
    save_elements(path, shape, format, words, SaveAs::Bits)
}

/// What stands before the elements of an array.
fn header_of(dtype: NpyDtype, shape: &[u32]) -> Vec<u8> {
    let descr = match dtype {
        NpyDtype::UInt8 => "|u1",
        NpyDtype::Int8 => "|i1",
        NpyDtype::UInt16 => "<u2",
        NpyDtype::UInt32 => "<u4",
        NpyDtype::Int32 => "<i4",
        NpyDtype::Float32 => "<f4",
    };
    let axes: Vec<String> = shape.iter().map(|d| format!("{d},")).collect();
    // NumPy prints (3,) but (2, 3).
    let axes = match axes.len() {
        0 | 1 => axes.concat(),
        _ => axes.join(" ").trim_end_matches(',').to_string(),
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({axes}), }}");
    // The elements begin at a multiple of 64 bytes, after a line feed (numpy.lib.format, ARRAY_ALIGN).
    let unpadded = 10 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const BF16: DataFormat = DataFormat::Float16_b;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tileproof-npy-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn file(folder: &Path, descr: &str, order: &str, shape: &str, elements: &[u8]) -> PathBuf {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(elements);
        let path = folder.join("a.npy");
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn elements_become_words_bit_for_bit() {
        let folder = folder("words");
        let path = file(&folder, "<u2", "False", "(2, 1)", &[0x80, 0x3F, 0x00, 0xC0]);
        assert_eq!(read_elements(&path, &[2, 1], BF16).unwrap(), (NpyDtype::UInt16, vec![0x3F80, 0xC000]));
        assert!(!rounds(&path, BF16));
        let path = file(&folder, ">i4", "False", "(1,)", &[0xFF, 0xFF, 0xFF, 0xFE]);
        assert_eq!(read_elements(&path, &[1], DataFormat::Int32).unwrap().1, [-2i32 as u32]);
        let path = file(&folder, "<f4", "False", "(1,)", &1.0f32.to_le_bytes());
        assert_eq!(read_elements(&path, &[1], BF16).unwrap(), (NpyDtype::Float32, vec![0x3F80_0000]));
        assert!(rounds(&path, BF16) && !rounds(&path, DataFormat::Float32) && !rounds(&folder.join("none"), BF16));
    }

    #[test]
    fn what_does_not_fit_the_tensor_is_refused_by_name() {
        let folder = folder("refused");
        let error = |path: &Path, shape: &[u32]| read_elements(path, shape, BF16).unwrap_err().to_string();
        let path = file(&folder, "<i4", "False", "(1,)", &[0; 4]);
        assert!(
            error(&path, &[1])
                .ends_with("elements are int32, a bfloat16 tensor takes uint16 (the bits of bfloat16) or float32")
        );
        let path = file(&folder, "<f4", "False", "(1,)", &[0; 4]);
        assert!(read_elements(&path, &[1], DataFormat::UInt16).is_err());
        let path = file(&folder, "<f8", "False", "(1,)", &[0; 8]);
        assert!(error(&path, &[1]).contains("elements are <f8"));
        let path = file(&folder, "<u2", "False", "(2, 3)", &[0; 12]);
        assert!(error(&path, &[3, 2]).ends_with("shape is [2, 3], the tensor's is [3, 2]"));
        let path = file(&folder, "<u2", "True", "(2, 3)", &[0; 12]);
        assert!(error(&path, &[2, 3]).contains("Fortran order"));
        let path = file(&folder, "<u2", "False", "(2, 3)", &[0; 10]);
        assert!(error(&path, &[2, 3]).ends_with("10 bytes of elements, the header promises 12"));
        fs::write(&path, b"PK\x03\x04").unwrap();
        assert!(error(&path, &[2, 3]).contains("not a .npy file"));
        let none = folder.join("none.npy");
        assert!(error(&none, &[1]).starts_with(&none.display().to_string()));
    }

    #[test]
    fn a_written_array_is_numpys_and_reads_back() {
        let path = folder("written").join("out.npy");
        let words = [0x3F80, 0, 0xFFFF, 1, 2, 3];
        write_elements(&path, &[2, 3], BF16, &words).unwrap();
        let bytes = fs::read(&path).unwrap();
        // As numpy.save lays out np.zeros((2, 3), np.uint16).
        assert_eq!(bytes.len(), 128 + 12);
        assert!(
            bytes.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }")
        );
        assert_eq!(bytes[127], b'\n');
        assert_eq!(bytes[128..130], [0x80, 0x3F]);
        assert_eq!(read_elements(&path, &[2, 3], BF16).unwrap().1, words);
        write_elements(&path, &[7], DataFormat::UInt8, &[0, 1, 2, 3, 4, 5, 255]).unwrap();
        assert_eq!(read_elements(&path, &[7], DataFormat::UInt8).unwrap().1[6], 255);
        assert!(write_elements(&path, &[1], DataFormat::Lf8, &[0]).is_err());
        // bfloat16 is the upper half of float32; integers stay what they are.
        save_elements(&path, &[2], BF16, &[0x3F80, 0xC040], SaveAs::Float32).unwrap();
        assert_eq!(read_elements(&path, &[2], DataFormat::Float32).unwrap().1, [1.0f32.to_bits(), (-3.0f32).to_bits()]);
        save_elements(&path, &[1], DataFormat::UInt16, &[7], SaveAs::Float32).unwrap();
        assert_eq!(read_elements(&path, &[1], DataFormat::UInt16).unwrap(), (NpyDtype::UInt16, vec![7]));
    }
}

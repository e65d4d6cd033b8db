//! The elements of a fill, read or made where they are wanted, so that a large tensor's are never there all at once.
//!
//! It must never give other elements than [`Fill::words`]. Start at [`Wanted::of`].

use std::ops::Range;

use tileproof_numerics::format::DataFormat;

use crate::elements;
use crate::fill::{Fill, FillError};
use crate::npy::{self, Array};

/// The elements of a tensor, row-major, one word each.
pub(crate) enum Wanted {
    /// All of them.
    Here(Vec<u32>),
    /// Made by a rule.
    Made { fill: Fill, shape: Vec<u32>, format: DataFormat, seed: u64, stream: u64 },
    /// In a file that is open: what is at its path later makes no difference.
    In { array: Array, format: DataFormat },
    /// Those of another format, converted.
    From { other: Box<Wanted>, format: DataFormat, to: DataFormat },
}

impl Wanted {
    /// The elements that a fill gives a tensor.
    ///
    /// # Errors
    /// As [`Fill::words`], as far as it shows without looking at each.
    pub(crate) fn of(
        fill: &Fill,
        shape: &[u32],
        format: DataFormat,
        seed: u64,
        stream: u64,
    ) -> Result<Wanted, FillError> {
        if let Fill::Npy(file) = fill {
            fill.holds(format)?;
            return Ok(Wanted::In { array: Array::open(file, shape, format)?, format });
        }
        if fill.piece(0..0, shape, format, seed, stream).is_none() {
            return fill.words(shape, format, seed, stream).map(Wanted::Here);
        }
        Ok(Wanted::Made { fill: fill.clone(), shape: shape.to_vec(), format, seed, stream })
    }

    /// True if they are all there, each looked at.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self, Wanted::Here(_))
    }

    /// The same in another format.
    pub(crate) fn converted(self, format: DataFormat, to: DataFormat) -> Wanted {
        if format == to { self } else { Wanted::From { other: Box::new(self), format, to } }
    }

    /// Some of them.
    ///
    /// # Errors
    /// If the format cannot hold one, or the file cannot be read any more.
    pub(crate) fn piece(&self, elements: Range<usize>) -> Result<Vec<u32>, FillError> {
        match self {
            Wanted::Here(words) => Ok(words[elements].to_vec()),
            Wanted::Made { fill, shape, format, seed, stream } => {
                fill.piece(elements, shape, *format, *seed, *stream).unwrap_or_else(|| Ok(Vec::new()))
            }
            Wanted::In { array, format } => {
                let words = array.words(elements)?;
                if npy::is_rounded(*format, array.dtype()) { Fill::rounded(words, *format) } else { Ok(words) }
            }
            Wanted::From { other, format, to } => Ok(elements::converted(other.piece(elements)?, *format, *to)),
        }
    }
}

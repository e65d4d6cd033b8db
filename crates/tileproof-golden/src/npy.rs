//! Reads and writes NumPy's `.npy` files, version 1.0, little-endian and in C order.
//! It must never convert a value: bytes in are bytes out, and the header it writes is the one NumPy writes.
//! Start reading at [`Array`].

use std::fmt;

/// The element type of an array, as NumPy names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Dtype {
    /// `u1`: page bytes of block floats, uint8 data.
    #[serde(rename = "|u1")]
    U8,
    /// `i1`.
    #[serde(rename = "|i1")]
    I8,
    /// `u2`: uint16 data, and bf16 bit patterns (NumPy has no bf16).
    #[serde(rename = "<u2")]
    U16,
    /// `u4`.
    #[serde(rename = "<u4")]
    U32,
    /// `i4`.
    #[serde(rename = "<i4")]
    I32,
    /// `f4`.
    #[serde(rename = "<f4")]
    F32,
}

impl Dtype {
    const ALL: [(Self, &'static str, usize); 6] = [
        (Self::U8, "|u1", 1),
        (Self::I8, "|i1", 1),
        (Self::U16, "<u2", 2),
        (Self::U32, "<u4", 4),
        (Self::I32, "<i4", 4),
        (Self::F32, "<f4", 4),
    ];

    /// NumPy's `descr`.
    pub fn descr(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// Bytes an element.
    pub fn width(self) -> usize {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or(0, |entry| entry.2)
    }

    fn from_descr(descr: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == descr).map(|entry| entry.0)
    }
}

/// One array: element type, shape and the elements' bytes, little-endian and in C order.
#[derive(Clone, PartialEq, Eq)]
pub struct Array {
    /// Element type.
    pub dtype: Dtype,
    /// Lengths of the axes, slowest first.
    pub shape: Vec<usize>,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} {:?})", self.dtype.descr(), self.shape)
    }
}

impl Array {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the array has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements of a `u2` array (bf16 bits, uint16). Panics on another type.
    pub fn u16s(&self) -> Vec<u16> {
        assert_eq!(self.dtype, Dtype::U16);
        self.bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)).collect()
    }

    /// The 32-bit patterns of an `f4`, `u4` or `i4` array. Panics on another type.
    pub fn u32s(&self) -> Vec<u32> {
        assert_eq!(self.dtype.width(), 4);
        self.bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    }

    /// The elements of an `f4` array. Panics on another type.
    pub fn f32s(&self) -> Vec<f32> {
        assert_eq!(self.dtype, Dtype::F32);
        self.u32s().into_iter().map(f32::from_bits).collect()
    }

    /// The elements as 32-bit patterns of IEEE single precision: `f4` as it is, `u2` as bf16 bits. `None` for integers.
    pub fn as_f32_bits(&self) -> Option<Vec<u32>> {
        match self.dtype {
            Dtype::F32 => Some(self.u32s()),
            Dtype::U16 => Some(self.u16s().into_iter().map(|bits| u32::from(bits) << 16).collect()),
            _ => None,
        }
    }

    /// Reads a `.npy` file's contents.
    pub fn from_npy(file: &[u8]) -> Result<Self, String> {
        let rest = file.strip_prefix(b"\x93NUMPY\x01\x00").ok_or("not a version 1.0 npy file")?;
        let (length, rest) = rest.split_first_chunk::<2>().ok_or("npy header cut short")?;
        let length = usize::from(u16::from_le_bytes(*length));
        if rest.len() < length {
            return Err("npy header cut short".into());
        }
        let (header, bytes) = rest.split_at(length);
        let header = std::str::from_utf8(header).map_err(|e| e.to_string())?;
        let after = |key: &str| {
            let at = header.find(key).ok_or_else(|| format!("npy header without {key}"))?;
            Ok::<_, String>(header[at + key.len()..].trim_start_matches([':', ' ']))
        };
        if after("'fortran_order'")?.starts_with("True") {
            return Err("Fortran order".into());
        }
        let descr = after("'descr'")?.trim_start_matches('\'').split('\'').next().unwrap_or_default();
        let dtype = Dtype::from_descr(descr).ok_or_else(|| format!("element type {descr}"))?;
        let shape = after("'shape'")?.trim_start_matches('(').split(')').next().unwrap_or_default();
        let shape = shape
            .split(',')
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .map(|n| n.parse::<usize>().map_err(|e| e.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        let array = Self { dtype, shape, bytes: bytes.to_vec() };
        if array.len() * dtype.width() != array.bytes.len() {
            return Err(format!("{} bytes for {array:?}", array.bytes.len()));
        }
        Ok(array)
    }

    /// The `.npy` file that NumPy's `save` would write.
    pub fn to_npy(&self) -> Vec<u8> {
        let shape = match self.shape.as_slice() {
            [one] => format!("({one},)"),
            many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        };
        let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", self.dtype.descr());
        // NumPy leaves room for the slowest axis to grow to 21 digits, then pads so that the data start at a
        // multiple of 64 bytes (numpy.lib.format: GROWTH_AXIS_MAX_DIGITS, ARRAY_ALIGN).
        if let Some(first) = self.shape.first() {
            header.extend(std::iter::repeat_n(' ', 21 - first.to_string().len()));
        }
        let unpadded = 10 + header.len() + 1;
        header.extend(std::iter::repeat_n(' ', 64 - unpadded % 64));
        header.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(&self.bytes);
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_numpys() {
        let array = Array { dtype: Dtype::U16, shape: vec![2, 3], bytes: (0..12).collect() };
        let file = array.to_npy();
        // numpy.save of np.zeros((2, 3), np.uint16): 128 bytes of header.
        assert_eq!(file.len(), 128 + 12);
        assert!(file.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }"));
        assert_eq!(Array::from_npy(&file), Ok(array));
    }

    #[test]
    fn what_is_no_array_is_refused() {
        assert!(Array::from_npy(b"PK\x03\x04").is_err());
        let mut file = Array { dtype: Dtype::F32, shape: vec![4], bytes: vec![0; 16] }.to_npy();
        file.pop();
        assert!(Array::from_npy(&file).is_err());
    }
}

//! Values as bytes, from one process of this program to another of the same.
//!
//! What comes may have been written over: reading it must never panic, and never ask for more memory than there are bytes. Start at
//! [`Wire`]; `record.rs` is what a run leaves behind, `program.rs` what is run and what it came to.

mod program;
mod record;

use std::collections::BTreeMap;
use std::ops::Range;

/// What can be sent.
pub(crate) trait Wire: Sized {
    fn put(&self, to: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Option<Self>;
}

/// Bytes that are still to be read.
pub(crate) struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    /// A value that is all of some bytes.
    pub(crate) fn whole<T: Wire>(bytes: &[u8]) -> Option<T> {
        let mut reader = Reader(bytes);
        T::take(&mut reader).filter(|_| reader.0.is_empty())
    }

    fn bytes(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
}

/// A value as bytes.
pub(crate) fn to_bytes<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.put(&mut bytes);
    bytes
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn take(from: &mut Reader<'_>) -> Option<$type> {
                from.bytes(size_of::<$type>())?.try_into().ok().map(<$type>::from_le_bytes)
            }
        }
    )*};
}
integers!(u8 u16 u32 u64);

/// As a word of 64 bits.
impl Wire for usize {
    fn put(&self, to: &mut Vec<u8>) {
        (*self as u64).put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<usize> {
        usize::try_from(u64::take(from)?).ok()
    }
}

/// Its bits.
impl Wire for f64 {
    fn put(&self, to: &mut Vec<u8>) {
        self.to_bits().put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<f64> {
        u64::take(from).map(f64::from_bits)
    }
}

/// Bytes are sent in one piece, not one by one.
impl Wire for Vec<u8> {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        to.extend_from_slice(self);
    }

    fn take(from: &mut Reader<'_>) -> Option<Vec<u8>> {
        let length = u64::take(from)?;
        from.bytes(usize::try_from(length).ok()?).map(<[u8]>::to_vec)
    }
}

impl Wire for String {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        to.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Option<String> {
        String::from_utf8(Vec::<u8>::take(from)?).ok()
    }
}

impl Wire for bool {
    fn put(&self, to: &mut Vec<u8>) {
        u16::from(*self).put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<bool> {
        u16::take(from).map(|word| word != 0)
    }
}

macro_rules! lists {
    ($($type:ty)*) => {$(
        impl Wire for Vec<$type> {
            fn put(&self, to: &mut Vec<u8>) {
                (self.len() as u64).put(to);
                self.iter().for_each(|item| item.put(to));
            }
            fn take(from: &mut Reader<'_>) -> Option<Vec<$type>> {
                // Not made as long as is said: that may be anything.
                (0..u64::take(from)?).map(|_| <$type>::take(from)).collect()
            }
        }
    )*};
}
lists!(u64 usize String Vec<u8> Vec<u64>);

impl<T: Wire> Wire for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        self.iter().for_each(|value| value.put(to));
    }

    fn take(from: &mut Reader<'_>) -> Option<Option<T>> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

impl<T: Wire> Wire for Result<T, String> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_ok().put(to);
        match self {
            Ok(value) => value.put(to),
            Err(text) => text.put(to),
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Result<T, String>> {
        Some(if bool::take(from)? { Ok(T::take(from)?) } else { Err(String::take(from)?) })
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<(A, B)> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl Wire for Range<u32> {
    fn put(&self, to: &mut Vec<u8>) {
        self.start.put(to);
        self.end.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Range<u32>> {
        Some(u32::take(from)?..u32::take(from)?)
    }
}

impl<K: Wire + Ord, V: Wire> Wire for BTreeMap<K, V> {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        for (key, value) in self {
            key.put(to);
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<BTreeMap<K, V>> {
        (0..u64::take(from)?).map(|_| <(K, V)>::take(from)).collect()
    }
}

/// A value as its place in a list of all.
macro_rules! words {
    ($($type:ty: $all:expr;)*) => {$(
        impl Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                let place = $all.iter().position(|one| one == self).expect("a list of all");
                (place as u16).put(to);
            }
            fn take(from: &mut Reader<'_>) -> Option<$type> {
                $all.get(usize::from(u16::take(from)?)).copied()
            }
        }
    )*};
}

/// A structure as its fields. One that is left out does not compile.
macro_rules! structures {
    ($($type:ident { $($field:ident)* })*) => {$(
        impl Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $($field.put(to);)*
            }
            fn take(from: &mut Reader<'_>) -> Option<$type> {
                Some($type { $($field: Wire::take(from)?),* })
            }
        }
    )*};
}

pub(crate) use {lists, structures, words};

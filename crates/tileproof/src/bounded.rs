//! Reads of files that somebody else has named: they come to an end.
//!
//! A device has none, and a text of a size that nobody writes is none; neither must ever be taken into memory. A pipe is what
//! shells hand over for `<(..)`, and ends when its writer does. Start at [`read_text`].

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Bytes that a text may have: tens of thousands of tables are a few million.
const MOST_BYTES: u64 = 64 << 20;

/// Whether what is at a path comes to an end.
///
/// # Errors
/// If it does not, or is not there.
pub(crate) fn ends(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_char_device() || kind.is_block_device() || kind.is_socket() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device or a socket, not a file"));
    }
    Ok(())
}

/// The bytes of a text.
///
/// # Errors
/// If it cannot be read, or is too large.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    ends(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("it has more than {} MiB", MOST_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// A text.
///
/// # Errors
/// As [`read_bytes`], and if it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_bytes(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read() {
        for path in ["/dev/zero", "/dev/urandom"] {
            assert!(read_text(Path::new(path)).unwrap_err().to_string().contains("a device"), "{path}");
        }
        assert_eq!(read_text(Path::new("/no/such/file")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

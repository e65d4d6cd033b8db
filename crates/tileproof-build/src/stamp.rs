//! Files as they are at a moment: what tells one state of a file from the next, and reads that end.
//!
//! A read must never wait or go on for ever: a pipe, a device or a socket is no text, and is refused before its first byte.
//! Start at [`read_regular`].

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How coarse the times of files may be: two seconds on FAT, one on others that are still in use.
const COARSEST: Duration = Duration::from_secs(2);

/// What an input of a compiler may have; none of a kernel's comes near.
const MOST_BYTES: u64 = 256 << 20;

/// A state of a file: device, inode, size, and when its text and the file changed last, in seconds and nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp([i128; 7]);

impl Stamp {
    pub(crate) fn of(facts: &Metadata) -> Stamp {
        let numbers = [facts.dev(), facts.ino(), facts.size()].map(i128::from);
        let times = [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()].map(i128::from);
        let ([device, inode, size], [a, b, c, d]) = (numbers, times);
        Stamp([device, inode, size, a, b, c, d])
    }

    /// Reads what [`fmt::Display`] wrote.
    pub(crate) fn parse(text: &str) -> Option<Stamp> {
        let mut numbers = text.split(':').map(|number| number.parse().ok());
        let mut stamp = [0; 7];
        for number in &mut stamp {
            *number = numbers.next()??;
        }
        numbers.next().is_none().then_some(Stamp(stamp))
    }

    /// Which file it is, whatever it holds.
    fn identity(&self) -> (i128, i128) {
        (self.0[0], self.0[1])
    }

    /// When the file changed last, be it its text or its name.
    fn changed(&self) -> SystemTime {
        let seconds = u64::try_from(self.0[5]).unwrap_or(0);
        UNIX_EPOCH + Duration::new(seconds, u32::try_from(self.0[6]).unwrap_or(0))
    }

    /// Whether a later change would have shown: the file had rested long enough before `moment` for its time to tell.
    pub(crate) fn rested(&self, moment: SystemTime) -> bool {
        self.changed() + COARSEST < moment
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(i128::to_string).collect();
        f.write_str(&numbers.join(":"))
    }
}

/// What a compiler that looks at a path finds there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Nothing,
    Folder,
    File((i128, i128)),
}

pub(crate) fn found(path: &Path) -> Found {
    match fs::metadata(path) {
        Err(_) => Found::Nothing,
        Ok(facts) if facts.is_dir() => Found::Folder,
        Ok(facts) => Found::File(Stamp::of(&facts).identity()),
    }
}

/// Whether a file is there that was put there, or changed, so short before `moment` or since that it may not have been then.
pub(crate) fn is_young(path: &Path, moment: SystemTime) -> bool {
    fs::metadata(path).is_ok_and(|facts| facts.is_file() && !Stamp::of(&facts).rested(moment))
}

/// What a path leads to: the file, and every link on the way.
pub(crate) fn stamps(path: &Path) -> Option<Vec<Stamp>> {
    let mut stamps = vec![Stamp::of(&fs::metadata(path).ok()?)];
    let mut way = PathBuf::new();
    for part in path.components() {
        way.push(part);
        let facts = fs::symlink_metadata(&way).ok()?;
        if facts.is_symlink() {
            stamps.push(Stamp::of(&facts));
        }
    }
    Some(stamps)
}

/// What a file is that has no end or no text; `None` of one that a compiler may read, and of a folder.
pub(crate) fn special(facts: &Metadata) -> Option<&'static str> {
    let kind = facts.file_type();
    let kinds = [
        (kind.is_fifo(), "a named pipe"),
        (kind.is_socket(), "a socket"),
        (kind.is_char_device(), "a device"),
        (kind.is_block_device(), "a device"),
    ];
    kinds.into_iter().find(|(is_it, _)| *is_it).map(|(_, name)| name)
}

/// The bytes of a regular file and what it is.
///
/// # Errors
/// If it is something else, too large, or cannot be read.
pub(crate) fn read_regular(path: &Path) -> io::Result<(Vec<u8>, Metadata)> {
    read_opened(OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?)
}

fn read_opened(mut file: File) -> io::Result<(Vec<u8>, Metadata)> {
    let facts = file.metadata()?;
    if !facts.is_file() {
        let what = special(&facts).unwrap_or("a folder");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a file with a text")));
    }
    let mut bytes = Vec::with_capacity(facts.size().min(MOST_BYTES) as usize);
    (&mut file).take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {MOST_BYTES} bytes")));
    }
    Ok((bytes, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_read_as_it_was_written() {
        let stamp = Stamp::of(&fs::metadata("/").unwrap());
        assert_eq!(Stamp::parse(&stamp.to_string()), Some(stamp));
        for wrong in ["", "1:2", "1:2:3:4:5:6:x", "1:2:3:4:5:6:7:8"] {
            assert_eq!(Stamp::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let error = read_regular(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().contains("a device"), "{error}");
        assert!(read_regular(Path::new("/")).unwrap_err().to_string().contains("a folder"));
    }
}

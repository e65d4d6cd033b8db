//! What files hold while one build looks at them: each is read once, however many kernels were made of it.
//!
//! It must never be kept beyond the build, since files change. Start at [`Glance`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Mutex;

use blake3::Hash;

use crate::stamp::{Stamp, read_regular};

/// Words in a compute kernel's text that make it another text for each thread.
const THREAD_WORDS: &[&str] =
    &["TRISC_UNPACK", "TRISC_MATH", "TRISC_PACK", "COMPILE_FOR_TRISC", "UNPACK(", "MATH(", "PACK("];

/// What matters of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) digest: Hash,
    /// It can differ between the threads that it is compiled for.
    pub(crate) asks_for_thread: bool,
}

impl Seen {
    pub(crate) fn of(bytes: &[u8]) -> Seen {
        let text = String::from_utf8_lossy(bytes);
        let asks_for_thread =
            THREAD_WORDS.iter().any(|word| text.contains(word)) || text.lines().any(asks_for_one_thread);
        Seen { digest: blake3::hash(bytes), asks_for_thread }
    }
}

/// True if a line asks for a thread by the names of tt-metal's build. One that names all three asks only whether the kernel
/// is a compute kernel.
fn asks_for_one_thread(line: &str) -> bool {
    let named = ["UCK_CHLKC_UNPACK", "UCK_CHLKC_MATH", "UCK_CHLKC_PACK"].iter().filter(|w| line.contains(*w)).count();
    named != 0 && named != 3
}

/// Something of each file that was looked at, by its path as it is written: paths compare part by part, which takes longer.
type Known<T> = Mutex<BTreeMap<OsString, T>>;

/// The files that were looked at so far.
#[derive(Default)]
pub(crate) struct Glance {
    texts: Known<Option<Seen>>,
    stamps: Known<Option<Stamp>>,
    there: Known<bool>,
}

impl Glance {
    /// The text of a file; `None` if there is none.
    pub(crate) fn text(&self, path: &Path) -> Option<Seen> {
        kept(&self.texts, path, |path| read_regular(path).ok().map(|(bytes, _)| Seen::of(&bytes)))
    }

    /// The state of a file.
    pub(crate) fn stamp(&self, path: &Path) -> Option<Stamp> {
        kept(&self.stamps, path, |path| path.metadata().ok().map(|facts| Stamp::of(&facts)))
    }

    /// Whether there is anything at a path.
    pub(crate) fn is_there(&self, path: &Path) -> bool {
        kept(&self.there, path, Path::exists)
    }
}

fn kept<T: Copy>(known: &Known<T>, path: &Path, look: impl FnOnce(&Path) -> T) -> T {
    let mut known = known.lock().expect("what was looked at");
    if let Some(value) = known.get(path.as_os_str()) {
        return *value;
    }
    let value = look(path);
    known.insert(path.into(), value);
    value
}

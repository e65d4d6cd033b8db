//! What tells one compiler from another: the contents of its programs.
//!
//! A driver may be a script or a link, and the compiler proper is another file; so each of them counts, and a copy elsewhere
//! is the same compiler. Nothing is run where that is known already. Start at [`identity`].

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, io::Read};

use blake3::Hash;

use crate::bound::mark_use;
use crate::cache::{Cache, Key, Scratch, key};
use crate::environment;
use crate::folder::{self, COMPILERS};
use crate::limited::{self, Ended, Limits};
use crate::sealed::{opened, sealed};
use crate::stamp::Stamp;

/// Programs that g++ and clang++ name when they are asked.
const PROGRAMS: &[&str] = &["cc1plus", "as", "ld", "collect2"];
/// A driver that is asked for a name answers in a hundredth of a second.
const LIMITS: Limits = Limits { time: Duration::from_secs(10), memory: 4 << 30 };

/// What a compiler is made of.
pub(crate) struct Identity {
    /// The digests of its programs.
    pub(crate) text: String,
    /// Where they lie.
    pub(crate) programs: Vec<PathBuf>,
}

/// What the programs of a compiler are. `program` is the driver as it was found.
///
/// # Errors
/// If the driver does not answer.
pub(crate) fn identity(program: &Path, cache: &Cache) -> Result<Identity, String> {
    let memo = cache.folder.join(COMPILERS).join(memo_name(program));
    if let Some(parts) = known(&memo) {
        mark_use(&memo);
        return Ok(of_parts(parts));
    }
    let scratch = cache.scratch().map_err(|error| format!("{}: {error}", cache.folder.display()))?;
    let parts = ask(program, &scratch)?;
    let text: String =
        parts.iter().map(|part| format!("{} {} {}\n", part.digest, part.stamp, part.path.display())).collect();
    // Without it the next process asks again.
    let fresh = scratch.file("compiler");
    let _ = fs::write(&fresh, sealed(text.into_bytes())).and_then(|()| cache.publish(&fresh, &memo));
    Ok(of_parts(parts))
}

struct Part {
    path: PathBuf,
    stamp: Stamp,
    digest: Hash,
}

fn of_parts(parts: Vec<Part>) -> Identity {
    let text = parts.iter().map(|part| format!("{}\n", part.digest)).collect();
    Identity { text, programs: parts.into_iter().map(|part| part.path).collect() }
}

/// The driver as it is now, and what has it choose other programs.
fn memo_name(program: &Path) -> Key {
    let mut hasher = blake3::Hasher::new();
    let stamp = fs::metadata(program).ok().map(|facts| Stamp::of(&facts).to_string());
    hasher.update(format!("{program:?} {stamp:?} {:?}\n", env::var_os("PATH")).as_bytes());
    hasher.update(environment::facts().as_bytes());
    key(&hasher)
}

/// The programs of a compiler that was asked before, if none has changed since.
fn known(memo: &Path) -> Option<Vec<Part>> {
    let text = folder::read_own(memo).ok()?;
    let body = std::str::from_utf8(opened(&text)?).ok()?;
    let part = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (digest, stamp) = (Hash::from_hex(words.next()?).ok()?, Stamp::parse(words.next()?)?);
        let path = PathBuf::from(words.next()?);
        (Stamp::of(&fs::metadata(&path).ok()?) == stamp).then_some(Part { path, stamp, digest })
    };
    body.lines().map(part).collect()
}

/// The driver and the programs that it names.
fn ask(program: &Path, scratch: &Scratch) -> Result<Vec<Part>, String> {
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let mut parts = vec![part(program).map_err(|error| failed(program, error))?];
    for name in PROGRAMS {
        let question = format!("-print-prog-name={name}");
        let mut command = Command::new(program);
        command.arg(&question).env("LC_ALL", "C");
        match limited::run(&mut command, scratch.path(), LIMITS, None).map_err(|error| failed(program, error))? {
            Ended::Well(said) => {
                // A bare name is one that it has not found beside itself.
                let path = Path::new(said.trim());
                let path = if path.is_absolute() { Some(path.to_path_buf()) } else { on_path(said.trim()) };
                parts.extend(path.and_then(|path| part(&path).ok()));
            }
            // Not every driver knows the question.
            Ended::Badly(..) => {}
            Ended::TooLate => {
                let seconds = LIMITS.time.as_secs();
                return Err(format!("{} {question} did not end within {seconds} s", program.display()));
            }
        }
    }
    Ok(parts)
}

fn part(path: &Path) -> io::Result<Part> {
    let path = fs::canonicalize(path)?;
    let mut file = File::open(&path)?;
    let stamp = Stamp::of(&file.metadata()?);
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            length => hasher.write_all(&piece[..length])?,
        }
    }
    Ok(Part { path, stamp, digest: hasher.finalize() })
}

/// The file that a command name stands for.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

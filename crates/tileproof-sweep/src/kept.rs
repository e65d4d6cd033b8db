//! A file that keeps what was run: SQLite, written row by row, so that whatever ends the work takes no row with it.
//!
//! It must never take up what was begun for other work, nor change what is no file of its kind. Start at [`Kept::open`]; `store.rs` is that
//! of a sweep, `audit_journal.rs` that of an audit.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};

use crate::SweepError;

/// What kind of work a file is of.
pub(crate) struct Kind {
    /// The number by which SQLite knows the files of a program.
    pub(crate) application: i32,
    /// The work, as `a sweep`.
    pub(crate) of: &'static str,
    /// The table that has one row, and in it a column `digest`: a name for all that the work depends on.
    pub(crate) table: &'static str,
    /// Its tables.
    pub(crate) create: &'static str,
    /// Why a file of other work is not gone on with, and what to do.
    pub(crate) is_another: &'static str,
}

/// A file that work writes to, and nobody else meanwhile.
pub(crate) struct Kept {
    // Before the lock: SQLite must have let go of the file when that is closed.
    pub(crate) connection: Connection,
    _lock: File,
    pub(crate) path: PathBuf,
}

impl Kept {
    /// Begins a file, whose one row `begin` writes, or takes it up where it was left; `anew` begins it in any case.
    ///
    /// # Errors
    /// If it cannot be written, holds something else, or another process writes to it.
    pub(crate) fn open(
        path: &Path,
        kind: &Kind,
        digest: &str,
        anew: bool,
        begin: &dyn Fn(&Connection) -> rusqlite::Result<usize>,
    ) -> Result<Kept, SweepError> {
        let wrong = |message: String| SweepError::Store { path: path.to_path_buf(), message };
        let host = |error: io::Error| SweepError::Read { path: path.to_path_buf(), error };
        let lock = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(host)?;
        let other = kind.of.trim_start_matches("an ").trim_start_matches("a ");
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => wrong(format!("another {other} writes to it")),
            TryLockError::Error(error) => host(error),
        })?;
        let none = || wrong(format!("is no file of {}, and stays as it is; give another file", kind.of));
        if !is_of(&lock, kind.application).map_err(host)? {
            return Err(none());
        }
        if anew {
            remove_journals(path);
            lock.set_len(0).map_err(host)?;
        }
        let sqlite = |error: rusqlite::Error| wrong(error.to_string());
        let connection = Connection::open(path).map_err(sqlite)?;
        let kept = Kept { connection, _lock: lock, path: path.to_path_buf() };
        if kept.is_empty().map_err(|_| none())? {
            kept.create(kind, begin).map_err(sqlite)?;
        }
        if kept.digest(kind).map_err(|_| none())? != digest {
            return Err(wrong(format!("holds another {other}: {}", kind.is_another)));
        }
        Ok(kept)
    }

    fn is_empty(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
    }

    fn create(&self, kind: &Kind, begin: &dyn Fn(&Connection) -> rusqlite::Result<usize>) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "application_id", kind.application)?;
        self.keep_rows()?;
        let all = self.connection.unchecked_transaction()?;
        all.execute_batch(kind.create)?;
        begin(&all)?;
        all.commit()
    }

    /// Rows of before stay whatever ends the process, and readers may look meanwhile.
    pub(crate) fn keep_rows(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "wal")
    }

    fn digest(&self, kind: &Kind) -> rusqlite::Result<String> {
        let application: i32 = self.connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let ask = format!("SELECT digest FROM {}", kind.table);
        let digest = self.connection.query_row(&ask, [], |row| row.get(0)).optional()?;
        digest.filter(|_| application == kind.application).ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    /// What went wrong with the file.
    pub(crate) fn failed(&self, error: &rusqlite::Error) -> SweepError {
        SweepError::Store { path: self.path.clone(), message: error.to_string() }
    }

    /// Has another file take its place.
    ///
    /// # Errors
    /// If the host does not let it.
    pub(crate) fn replace_by(self, whole: &Path) -> Result<(), SweepError> {
        let Kept { connection, path, .. } = self;
        drop(connection);
        // Somebody who reads may have kept them, and they are not those of the file that comes.
        remove_journals(&path);
        fs::rename(whole, &path).map_err(|error| SweepError::Read { path, error })
    }
}

/// Whether a file is one of an application, or of nothing yet. By its first bytes: SQLite would change some files by looking at them.
fn is_of(file: &File, application: i32) -> io::Result<bool> {
    // https://www.sqlite.org/fileformat.html: the name of the format, and at 68 the application's number.
    const FORMAT: &[u8] = b"SQLite format 3\0";
    let mut head = [0; 72];
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    match file.read_exact_at(&mut head, 0) {
        Ok(()) => Ok(head.starts_with(FORMAT) && head[68..] == application.to_be_bytes()),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn remove_journals(path: &Path) {
    for journal in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(path, journal));
    }
}

/// A file beside another.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

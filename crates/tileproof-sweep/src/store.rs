//! The file of a sweep: SQLite, written cell by cell, so that whatever ends the sweep takes no cell with it.
//!
//! Once all cells are there the file is written anew: then its bytes depend on the sweep alone. It must never take up what is
//! of another sweep, nor change what is no file of a sweep. Start at [`Store::open`].

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::SweepError;
use crate::cell::{Cell, Outcome, status};
use crate::sources;
use crate::spec::Spec;
use crate::tables::{APPLICATION, CREATE, cell_row, finding_row};

/// The file of a sweep that runs.
pub struct Store {
    // Before the lock: SQLite must have let go of the file when that is closed.
    connection: Connection,
    _lock: File,
    path: PathBuf,
    cells: usize,
}

impl Store {
    /// Begins the file of a sweep, or takes it up where it was left; `anew` begins it in any case.
    ///
    /// # Errors
    /// If it cannot be written, holds something else, or another process writes to it.
    pub fn open(path: &Path, spec: &Spec, cells: &[Cell], anew: bool) -> Result<Store, SweepError> {
        let wrong = |message: String| SweepError::Store { path: path.to_path_buf(), message };
        let host = |error: io::Error| SweepError::Read { path: path.to_path_buf(), error };
        let lock = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(host)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => wrong("another sweep writes to it".into()),
            TryLockError::Error(error) => host(error),
        })?;
        let none = || wrong("is no file of a sweep, and stays as it is; give another file".into());
        if !is_ours(&lock).map_err(host)? {
            return Err(none());
        }
        if anew {
            remove_journals(path);
            lock.set_len(0).map_err(host)?;
        }
        let digest = sources::digest(spec, cells);
        let sqlite = |error: rusqlite::Error| wrong(error.to_string());
        let connection = Connection::open(path).map_err(sqlite)?;
        let store = Store { connection, _lock: lock, path: path.to_path_buf(), cells: cells.len() };
        if store.is_empty().map_err(|_| none())? {
            store.create(&spec.name, &digest).map_err(sqlite)?;
        }
        let found = store.digest().map_err(|_| none())?;
        if found != digest {
            return Err(wrong(
                "holds another sweep: its cells, or the files that they name, are not those of this one; \
                 give another file, or begin anew"
                    .into(),
            ));
        }
        if store.is_complete().map_err(sqlite)? && !store.pending()?.is_empty() {
            store.reopen().map_err(sqlite)?;
        }
        Ok(store)
    }

    fn is_empty(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
    }

    fn create(&self, name: &str, digest: &str) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "application_id", APPLICATION)?;
        self.keep_rows()?;
        let begin = self.connection.unchecked_transaction()?;
        begin.execute_batch(CREATE)?;
        begin.execute(
            "INSERT INTO sweep VALUES (?, ?, ?, ?, 0)",
            params![name, digest, env!("CARGO_PKG_VERSION"), self.cells as i64],
        )?;
        begin.commit()
    }

    /// Rows of before stay whatever ends the process, and readers may look meanwhile.
    fn keep_rows(&self) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "journal_mode", "wal")
    }

    fn is_complete(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("SELECT complete FROM sweep", [], |row| row.get(0))
    }

    /// Goes on with a file that was complete, as far as it could be.
    fn reopen(&self) -> rusqlite::Result<()> {
        self.keep_rows()?;
        self.connection.execute("UPDATE sweep SET complete = 0", []).map(drop)
    }

    fn digest(&self) -> rusqlite::Result<String> {
        let application: i32 = self.connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let digest = self.connection.query_row("SELECT digest FROM sweep", [], |row| row.get(0)).optional()?;
        digest.filter(|_| application == APPLICATION).ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn failed(&self, error: &rusqlite::Error) -> SweepError {
        SweepError::Store { path: self.path.clone(), message: error.to_string() }
    }

    /// The numbers of the cells that are not there yet, or ended as they need not end again, in order.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn pending(&self) -> Result<Vec<usize>, SweepError> {
        let mut there = vec![false; self.cells];
        let mut mark = || -> rusqlite::Result<()> {
            let places = vec!["?"; status::AGAIN.len()].join(", ");
            let stay = format!("SELECT cell FROM cells WHERE status NOT IN ({places})");
            let mut statement = self.connection.prepare(&stay)?;
            let mut rows = statement.query(params_from_iter(status::AGAIN))?;
            while let Some(row) = rows.next()? {
                let number: i64 = row.get(0)?;
                if let Some(there) = there.get_mut(number as usize) {
                    *there = true;
                }
            }
            Ok(())
        };
        mark().map_err(|error| self.failed(&error))?;
        Ok(there.iter().enumerate().filter(|(_, there)| !**there).map(|(number, _)| number).collect())
    }

    /// Keeps what a cell came to, in place of what it came to before.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&self, number: usize, cell: &Cell, outcome: &Outcome) -> Result<(), SweepError> {
        self.insert(number, cell, outcome).map_err(|error| self.failed(&error))
    }

    fn insert(&self, number: usize, cell: &Cell, outcome: &Outcome) -> rusqlite::Result<()> {
        let all = self.connection.unchecked_transaction()?;
        for table in ["cells", "outputs", "findings"] {
            all.execute(&format!("DELETE FROM {table} WHERE cell = ?"), [number as i64])?;
        }
        let row = cell_row(number, cell, outcome);
        let places = vec!["?"; row.len()].join(", ");
        all.execute(&format!("INSERT INTO cells VALUES ({places})"), params_from_iter(row))?;
        for output in &outcome.outputs {
            let row =
                params![number as i64, output.name, output.max_diff, output.mean_diff, output.max_ulp, output.pass];
            all.execute("INSERT INTO outputs VALUES (?, ?, ?, ?, ?, ?)", row)?;
        }
        for (i, finding) in outcome.findings.iter().enumerate() {
            let row = finding_row(number, i, finding);
            let places = vec!["?"; row.len()].join(", ");
            all.execute(&format!("INSERT INTO findings VALUES ({places})"), params_from_iter(row))?;
        }
        all.commit()
    }

    /// Writes the file as a whole, once all cells are there; one that is whole stays as it is.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), SweepError> {
        if self.is_complete().map_err(|error| self.failed(&error))? {
            return Ok(());
        }
        let whole = beside(&self.path, ".whole");
        let _ = fs::remove_file(&whole);
        let write = || -> rusqlite::Result<()> {
            self.connection.execute("UPDATE sweep SET complete = 1", [])?;
            // It counts how often the file was written as a whole.
            self.connection.pragma_update(None, "schema_version", 1)?;
            self.connection.execute("VACUUM INTO ?", [whole.to_string_lossy()])?;
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        write().map_err(|error| self.failed(&error))?;
        let Store { connection, path, .. } = self;
        drop(connection);
        // Somebody who reads may have kept them, and they are not those of the file that comes.
        remove_journals(&path);
        fs::rename(&whole, &path).map_err(|error| SweepError::Read { path, error })
    }
}

/// Whether a file is one of a sweep, or of nothing yet. By its first bytes: SQLite would change some files by looking at them.
fn is_ours(file: &File) -> io::Result<bool> {
    // https://www.sqlite.org/fileformat.html: the name of the format, and at 68 the application's number.
    const FORMAT: &[u8] = b"SQLite format 3\0";
    let mut head = [0; 72];
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    match file.read_exact_at(&mut head, 0) {
        Ok(()) => Ok(head.starts_with(FORMAT) && head[68..] == APPLICATION.to_be_bytes()),
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
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

//! The file of a sweep: SQLite, written cell by cell, so that whatever ends the sweep takes no cell with it.
//!
//! Once all cells are there the file is written anew: then its bytes depend on the sweep alone. It must never take up what is
//! of another sweep, nor change what is no file of a sweep. Start at [`Store::open`].

use std::fs;
use std::path::Path;

use rusqlite::{Connection, params, params_from_iter};

use crate::SweepError;
use crate::cell::{Cell, Outcome, status};
use crate::kept::{Kept, Kind, beside};
use crate::sources;
use crate::spec::Spec;
use crate::tables::{APPLICATION, CREATE, cell_row, finding_row};

/// The file of a sweep that runs.
pub struct Store {
    kept: Kept,
    cells: usize,
}

const KIND: Kind = Kind {
    application: APPLICATION,
    of: "a sweep",
    table: "sweep",
    create: CREATE,
    is_another: "its cells, or the files that they name, are not those of this one; give another file, or begin anew",
};

impl Store {
    /// Begins the file of a sweep, or takes it up where it was left; `anew` begins it in any case.
    ///
    /// # Errors
    /// If it cannot be written, holds something else, or another process writes to it.
    pub fn open(path: &Path, spec: &Spec, cells: &[Cell], anew: bool) -> Result<Store, SweepError> {
        let digest = sources::digest(spec, cells);
        let begin = |connection: &Connection| {
            connection.execute(
                "INSERT INTO sweep VALUES (?, ?, ?, ?, 0)",
                params![spec.name, digest, env!("CARGO_PKG_VERSION"), cells.len() as i64],
            )
        };
        let kept = Kept::open(path, &KIND, &digest, anew, &begin)?;
        let store = Store { kept, cells: cells.len() };
        if store.is_complete().map_err(|error| store.failed(&error))? && !store.pending()?.is_empty() {
            store.reopen().map_err(|error| store.failed(&error))?;
        }
        Ok(store)
    }

    fn is_complete(&self) -> rusqlite::Result<bool> {
        self.kept.connection.query_row("SELECT complete FROM sweep", [], |row| row.get(0))
    }

    /// Goes on with a file that was complete, as far as it could be.
    fn reopen(&self) -> rusqlite::Result<()> {
        self.kept.keep_rows()?;
        self.kept.connection.execute("UPDATE sweep SET complete = 0", []).map(drop)
    }

    fn failed(&self, error: &rusqlite::Error) -> SweepError {
        self.kept.failed(error)
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
            let mut statement = self.kept.connection.prepare(&stay)?;
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
        let all = self.kept.connection.unchecked_transaction()?;
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
        let whole = beside(&self.kept.path, ".whole");
        let _ = fs::remove_file(&whole);
        let write = || -> rusqlite::Result<()> {
            self.kept.connection.execute("UPDATE sweep SET complete = 1", [])?;
            // It counts how often the file was written as a whole.
            self.kept.connection.pragma_update(None, "schema_version", 1)?;
            self.kept.connection.execute("VACUUM INTO ?", [whole.to_string_lossy()])?;
            self.kept.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        };
        write().map_err(|error| self.failed(&error))?;
        self.kept.replace_by(&whole)
    }
}

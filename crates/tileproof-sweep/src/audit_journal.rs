//! The journal of an audit: what each of its runs came to, so that one that was ended goes on where it was.
//!
//! It must never be gone on with for another program, other data or another tolerance. Start at [`AuditJournal`].

use std::cell::OnceCell;
use std::path::PathBuf;

use rusqlite::{OptionalExtension, params};
use tileproof::audit::{Journal, Ran, Subject};
use tileproof::model::record::Status;

use crate::kept::{Kept, Kind};
use crate::sources;

/// The file of an audit's runs, begun or taken up when the audit says what it is of.
pub struct AuditJournal {
    path: PathBuf,
    kept: OnceCell<Kept>,
}

/// Marks the file as one of ours: "tpau".
const APPLICATION: i32 = 0x7470_6175;

/// `run` is the data, the tolerance and what is wrong, by their names in the program.
const CREATE: &str = "
CREATE TABLE audit (digest TEXT NOT NULL, tileproof TEXT NOT NULL);
CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    status TEXT NOT NULL, passes INTEGER NOT NULL, needed_atol REAL NOT NULL, changes INTEGER NOT NULL, is_fair INTEGER NOT NULL
) WITHOUT ROWID;
";

const KIND: Kind = Kind {
    application: APPLICATION,
    of: "an audit",
    table: "audit",
    create: CREATE,
    is_another: "its program, the files that this names, its data or its tolerances are not those of this one; give another file, or \
                 remove this one",
};

impl AuditJournal {
    /// A journal in a file, which may be there already.
    pub fn new(path: PathBuf) -> AuditJournal {
        AuditJournal { path, kept: OnceCell::new() }
    }

    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    fn kept(&self) -> Result<&Kept, String> {
        self.kept.get().ok_or_else(|| format!("{}: was not begun", self.path.display()))
    }
}

impl Journal for AuditJournal {
    fn begin(&self, subject: &Subject<'_>) -> Result<(), String> {
        let digest = sources::digest_of_audit(subject, CREATE);
        let kept = Kept::open(&self.path, &KIND, &digest, false, &|connection| {
            connection.execute("INSERT INTO audit VALUES (?, ?)", params![digest, env!("CARGO_PKG_VERSION")])
        });
        let _ = self.kept.set(kept.map_err(|error| error.to_string())?);
        Ok(())
    }

    fn find(&self, run: &str) -> Result<Option<Ran>, String> {
        let kept = self.kept()?;
        let ask = "SELECT status, passes, needed_atol, changes, is_fair FROM runs WHERE run = ?";
        let ran = kept.connection.prepare_cached(ask).and_then(|mut asked| {
            let row = asked.query_row([run], |row| {
                let name: String = row.get(0)?;
                let status = Status::ALL.into_iter().find(|status| status.name() == name);
                let (passes, needed_atol, changes, is_fair) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
                Ok(status.map(|status| Ran { status, passes, needed_atol, changes, is_fair }))
            });
            row.optional()
        });
        ran.map(Option::flatten).map_err(|error| kept.failed(&error).to_string())
    }

    fn keep(&self, run: &str, ran: &Ran) -> Result<(), String> {
        let kept = self.kept()?;
        let row = params![run, ran.status.name(), ran.passes, ran.needed_atol, ran.changes, ran.is_fair];
        let kept_now = kept.connection.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?)", row);
        kept_now.map(drop).map_err(|error| kept.failed(&error).to_string())
    }
}

//! Two sweeps, cell by cell: what is found now and was not, and the other way round; accuracy; cycles.
//!
//! Cells are the same where all that tells them apart is, but for what is left out on purpose. It must never match a cell
//! with two. Start at [`compare`]; [`summary`] is what one sweep came to.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use tileproof_report::json::sweep::{
    CompareDocument, ComparedCell, ComparedCycles, ComparedFinding, ComparedOutput, ComparedTime, SweepCell,
    SweepDocument,
};

use crate::SweepError;
use crate::tables::{APPLICATION, KEY};

/// Failing cells that a summary names.
const NAMED: usize = 100;

/// A file of a sweep, read whole.
struct Table {
    name: String,
    cells: Vec<Row>,
    /// Cells of the sweep that are not there yet.
    missing: u64,
}

struct Row {
    number: u64,
    /// Values of [`KEY`].
    key: Vec<String>,
    status: String,
    pass: bool,
    cycles: u64,
    codes: Vec<String>,
    message: Option<String>,
    /// Largest differences, by output.
    outputs: BTreeMap<String, f64>,
    /// The first message, by code.
    messages: BTreeMap<String, String>,
}

/// A row of a table as text, in words that a report takes.
fn described(key: &[String]) -> String {
    let shown = |(name, value): (&&str, &String)| match *name {
        "op" | "program" | "shape" | "dtype" | "layout" if !value.is_empty() => Some(value.clone()),
        "checks" if value == "all" => None,
        "explore" | "seed" if value == "0" => None,
        "data" | "settings" if !value.is_empty() => Some(value.trim_start_matches('=').to_string()),
        _ if value.is_empty() => None,
        name => Some(format!("{name} {value}")),
    };
    KEY.iter().zip(key).filter_map(shown).collect::<Vec<_>>().join(" ")
}

impl Table {
    fn read(path: &Path) -> Result<Table, SweepError> {
        let wrong = |message: String| SweepError::Store { path: path.to_path_buf(), message };
        if !path.is_file() {
            return Err(wrong("there is no such file".into()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| wrong(error.to_string()))?;
        let application = connection.pragma_query_value(None, "application_id", |row| row.get::<_, i32>(0));
        if application.ok() != Some(APPLICATION) {
            return Err(wrong("is no file of a sweep".into()));
        }
        Table::of(&connection).map_err(|error| wrong(error.to_string()))
    }

    fn of(connection: &Connection) -> rusqlite::Result<Table> {
        let sweep = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64));
        let (name, all) = connection.query_row("SELECT name, cells FROM sweep", [], sweep)?;
        let columns = KEY.map(|column| format!("CAST(COALESCE({column}, '') AS TEXT)")).join(", ");
        let query = format!("SELECT cell, status, pass, cycles, codes, message, {columns} FROM cells ORDER BY cell");
        let mut statement = connection.prepare(&query)?;
        let read = |row: &rusqlite::Row<'_>| {
            let codes: String = row.get(4)?;
            Ok(Row {
                number: row.get::<_, i64>(0)? as u64,
                status: row.get(1)?,
                pass: row.get(2)?,
                cycles: row.get::<_, i64>(3)? as u64,
                codes: codes.split_whitespace().map(String::from).collect(),
                message: row.get(5)?,
                key: (0..KEY.len()).map(|i| row.get(6 + i)).collect::<rusqlite::Result<_>>()?,
                outputs: BTreeMap::new(),
                messages: BTreeMap::new(),
            })
        };
        let mut cells: Vec<Row> = statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
        let at: HashMap<u64, usize> = cells.iter().enumerate().map(|(i, row)| (row.number, i)).collect();
        let mut statement =
            connection.prepare("SELECT cell, output, max_diff FROM outputs WHERE max_diff IS NOT NULL")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(i) = at.get(&(row.get::<_, i64>(0)? as u64)) {
                cells[*i].outputs.insert(row.get(1)?, row.get(2)?);
            }
        }
        let mut statement = connection.prepare("SELECT cell, code, message FROM findings ORDER BY cell, number")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(i) = at.get(&(row.get::<_, i64>(0)? as u64)) {
                let message = row.get(2)?;
                cells[*i].messages.entry(row.get(1)?).or_insert(message);
            }
        }
        let missing = all.saturating_sub(cells.len() as u64);
        Ok(Table { name, cells, missing })
    }
}

/// What the sweep in a file came to; `ran` of its cells were carried out now.
///
/// # Errors
/// If the file is none of a sweep.
pub fn summary(path: &Path, ran: usize) -> Result<SweepDocument, SweepError> {
    let table = Table::read(path)?;
    let (mut statuses, mut codes) = (BTreeMap::new(), BTreeMap::new());
    for row in &table.cells {
        *statuses.entry(row.status.clone()).or_insert(0) += 1;
        for code in &row.codes {
            *codes.entry(code.clone()).or_insert(0) += 1;
        }
    }
    let passed = table.cells.iter().filter(|row| row.pass).count();
    let failing = table.cells.iter().filter(|row| !row.pass).take(NAMED).map(|row| SweepCell {
        cell: row.number,
        what: described(&row.key),
        status: row.status.clone(),
        codes: row.codes.clone(),
        message: row.message.clone(),
    });
    Ok(SweepDocument {
        file: path.display().to_string(),
        cells: table.cells.len() as u64,
        ran: ran as u64,
        passed: passed as u64,
        pass: passed == table.cells.len(),
        failing: failing.collect(),
        name: table.name,
        statuses,
        codes,
    })
}

/// The rows of a table by their keys, without the columns `across`.
fn by_key<'a>(table: &'a Table, across: &[usize], path: &Path) -> Result<BTreeMap<Vec<&'a str>, &'a Row>, SweepError> {
    let mut rows = BTreeMap::new();
    for row in &table.cells {
        let key = row.key.iter().enumerate().filter(|(i, _)| !across.contains(i));
        if let Some(before) = rows.insert(key.map(|(_, value)| value.as_str()).collect(), row) {
            return Err(SweepError::Compare(format!(
                "{}: cells {} and {} differ in nothing that is compared; leave less out with --across",
                path.display(),
                before.number,
                row.number
            )));
        }
    }
    Ok(rows)
}

/// Compares two files; the columns `across` do not tell cells apart. Files of sweeps that are not complete do not pass, unless
/// `partial` asks for what is there.
///
/// # Errors
/// If a file is none of a sweep, a column is none of [`KEY`], or the two have no cell in common.
pub fn compare(a: &Path, b: &Path, across: &[String], partial: bool) -> Result<CompareDocument, SweepError> {
    let column = |name: &String| {
        let found = KEY.iter().position(|known| known == name);
        found.ok_or_else(|| {
            SweepError::Compare(format!("across {name}: there is no such column; they are {}", KEY.join(", ")))
        })
    };
    let across: Vec<usize> = across.iter().map(column).collect::<Result<_, _>>()?;
    let (first, second) = (Table::read(a)?, Table::read(b)?);
    let (rows_a, rows_b) = (by_key(&first, &across, a)?, by_key(&second, &across, b)?);
    let pairs: Vec<(&Row, &Row)> = rows_a.iter().filter_map(|(key, row)| Some((*row, *rows_b.get(key)?))).collect();
    if pairs.is_empty() {
        return Err(SweepError::Compare(format!(
            "{} and {} have no cell in common; --across kernels compares cells whose kernels differ",
            a.display(),
            b.display()
        )));
    }
    let (new, gone) = (only_in_second(pairs.iter().copied()), only_in_second(pairs.iter().map(|(a, b)| (*b, *a))));
    let verdicts = |was: bool| {
        let changed = pairs.iter().filter(move |(a, b)| a.pass == was && b.pass != was);
        changed.map(|(a, b)| ComparedCell { what: described(&b.key), a: ended(a), b: ended(b) }).collect::<Vec<_>>()
    };
    let (broken, mended) = (verdicts(true), verdicts(false));
    let (less_accurate, more_accurate, outputs) = accuracy(&pairs);
    Ok(CompareDocument {
        a: a.display().to_string(),
        b: b.display().to_string(),
        cells: pairs.len() as u64,
        only_a: (rows_a.len() - pairs.len()) as u64,
        only_b: (rows_b.len() - pairs.len()) as u64,
        missing_a: first.missing,
        missing_b: second.missing,
        pass: new.is_empty() && broken.is_empty() && (partial || first.missing + second.missing == 0),
        new,
        gone,
        broken,
        mended,
        less_accurate,
        more_accurate,
        outputs,
        cycles: cycles(&pairs),
    })
}

fn ended(row: &Row) -> String {
    match (row.pass, row.codes.is_empty()) {
        (true, _) => "pass".into(),
        (false, false) => row.codes.join(" "),
        (false, true) if row.status == "completed" => "wrong".into(),
        (false, true) => row.status.clone(),
    }
}

fn only_in_second<'a>(pairs: impl Iterator<Item = (&'a Row, &'a Row)>) -> Vec<ComparedFinding> {
    let of_pair = |(a, b): (&'a Row, &'a Row)| {
        let new = b.codes.iter().filter(|code| !a.codes.contains(code));
        new.map(|code| ComparedFinding {
            what: described(&b.key),
            code: code.clone(),
            message: b.messages.get(code).cloned().unwrap_or_default(),
        })
    };
    pairs.flat_map(of_pair).collect()
}

/// Outputs that are further off, those that are nearer, and how many there are.
fn accuracy(pairs: &[(&Row, &Row)]) -> (Vec<ComparedOutput>, Vec<ComparedOutput>, u64) {
    let of_pair = |(a, b): &(&Row, &Row)| {
        let compared = a.outputs.iter().filter_map(|(output, was)| {
            let is = *b.outputs.get(output)?;
            Some(ComparedOutput { what: described(&b.key), output: output.clone(), a: *was, b: is })
        });
        compared.collect::<Vec<_>>()
    };
    let all: Vec<ComparedOutput> = pairs.iter().flat_map(of_pair).collect();
    let count = all.len() as u64;
    let (mut less, more): (Vec<_>, Vec<_>) = all.into_iter().filter(|o| o.a != o.b).partition(|o| o.b > o.a);
    let by_difference = |list: &mut Vec<ComparedOutput>| {
        list.sort_by(|x, y| (y.b - y.a).abs().total_cmp(&(x.b - x.a).abs()));
    };
    let mut more = more;
    by_difference(&mut less);
    by_difference(&mut more);
    (less, more, count)
}

fn cycles(pairs: &[(&Row, &Row)]) -> ComparedCycles {
    let done = |row: &Row| row.status == "completed";
    let both: Vec<_> = pairs.iter().filter(|(a, b)| done(a) && done(b)).collect();
    // By the factor, in whole numbers.
    let grown = |(a, b): &(&Row, &Row)| (u128::from(b.cycles) << 32) / u128::from(a.cycles.max(1));
    let slowest = both.iter().filter(|(a, b)| b.cycles > a.cycles).max_by_key(|pair| grown(pair));
    ComparedCycles {
        cells: both.len() as u64,
        a: both.iter().map(|(a, _)| a.cycles).sum(),
        b: both.iter().map(|(_, b)| b.cycles).sum(),
        faster: both.iter().filter(|(a, b)| b.cycles < a.cycles).count() as u64,
        slower: both.iter().filter(|(a, b)| b.cycles > a.cycles).count() as u64,
        slowest: slowest.map(|(a, b)| ComparedTime { what: described(&b.key), a: a.cycles, b: b.cycles }),
    }
}

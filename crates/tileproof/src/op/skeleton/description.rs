//! The `op.toml` that `op new` writes: the configuration word for word, and what it left out.
//!
//! What it left out is decided by its tables, never by the looks of its text. Start at [`write`].

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tileproof_model::program::Layout;

use super::bound::{Bound, NewBuffers};
use super::stubs;
use crate::fill::Fill;
use crate::op::call::{Call, shape_name};
use crate::op::file::UserOp;
use crate::op::spec::TensorSpec;
use crate::program_file::parameters;
use crate::program_file::value::{Entry, Kind, quoted};

/// A configuration, and what becomes of it.
struct Config<'a> {
    text: &'a str,
    entries: Vec<Entry>,
    /// What stands in the place of bytes of the text; an empty place is one where something is inserted.
    edits: Vec<(Range<usize>, String)>,
    /// What follows the text.
    end: String,
}

impl<'a> Config<'a> {
    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The place below `[table]`, where a key can be added; `None` if there is no such table.
    fn below_header(&self, table: &str, key: &str) -> Result<Option<usize>, String> {
        let Some(entry) = self.entry(table) else { return Ok(None) };
        if let Kind::Table(entries) = &entry.value.kind
            && entries.iter().any(|entry| entry.key == key)
        {
            return Err(format!("{table}: {key} is empty; leave it out, or write what belongs there"));
        }
        if !self.text[..entry.key_at].trim_end().ends_with('[') {
            return Err(format!("{table}: write it as [{table}] on a line of its own, so that op new can add {key}"));
        }
        let line = self.text[entry.key_at..].find('\n');
        Ok(Some(line.map_or(self.text.len(), |length| entry.key_at + length + 1)))
    }

    /// Adds lines, those of `key`, to a table. It is made if need be, and then has `others` too.
    fn add(&mut self, (table, key): (&str, &str), lines: &str, comment: &str, others: &str) -> Result<(), String> {
        match self.below_header(table, key)? {
            None => {
                let _ = write!(self.end, "\n# {comment}\n[{table}]\n{lines}{others}");
            }
            Some(at) => {
                let before = if self.text[..at].ends_with('\n') { "" } else { "\n" };
                self.edits.push((at..at, format!("{before}{lines}")));
            }
        }
        Ok(())
    }

    /// Tables are added behind those that the text has, which must be written in the same way.
    fn takes_tables(&self, key: &str) -> Result<(), String> {
        let Some(entry) = self.entry(key) else { return Ok(()) };
        if self.text[..entry.key_at].trim_end().ends_with("[[") {
            return Ok(());
        }
        Err(format!("{key}: write each as a table, [[{key}]], so that op new can add others"))
    }

    /// Files of fills are seen from the configuration: the description says them as they are seen from its folder.
    fn move_fills(&mut self, from: &Path, to: &Path) {
        if real(from) == real(to) {
            return;
        }
        let tables = self.entry("input").map(|entry| &entry.value.kind);
        let Some(Kind::Array(tables)) = tables else { return };
        let mut edits = Vec::new();
        for table in tables {
            let Kind::Table(entries) = &table.kind else { continue };
            let fill = entries.iter().find(|entry| entry.key == "fill").map(|entry| &entry.value);
            if let Some((value, Kind::Text(text))) = fill.map(|value| (value, &value.kind))
                && let Ok(Fill::Npy(file)) = Fill::parse(text)
                && file.is_relative()
            {
                let moved = quoted(&format!("npy:{}", seen_from(&real(&from.join(file)), &real(to)).display()));
                edits.push((value.at..value.at + literal(&self.text[value.at..]), moved));
            }
        }
        self.edits.extend(edits);
    }

    fn finish(mut self, begin: &str) -> String {
        self.edits.sort_by_key(|(place, _)| place.start);
        let mut text = begin.to_string();
        let mut at = 0;
        for (place, new) in &self.edits {
            text += &self.text[at..place.start];
            text += new;
            at = place.end;
        }
        text += self.text[at..].trim_end();
        text.trim_end().to_string() + "\n" + &self.end
    }
}

/// Bytes of the string that a text of TOML begins with, its quotes included.
fn literal(text: &str) -> usize {
    let quote = text.get(..1).unwrap_or_default();
    let three = quote.repeat(3);
    let quotes = if text.starts_with(&three) { three.as_str() } else { quote };
    let mut at = quotes.len();
    while at < text.len() && !text[at..].starts_with(quotes) {
        let escaped = quote == "\"" && text[at..].starts_with('\\');
        at += usize::from(escaped);
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    (at + quotes.len()).min(text.len())
}

/// A path without links and dots, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let exists = path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    match exists {
        Some((folder, real)) => path.strip_prefix(folder).map_or(real.clone(), |rest| real.join(rest)),
        None => path,
    }
}

/// A file as it is seen from a folder; both are absolute.
fn seen_from(file: &Path, folder: &Path) -> PathBuf {
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Path::new("..").as_os_str());
    up.chain(file.components().skip(shared).map(|part| part.as_os_str())).collect()
}

/// The description that a configuration makes. Its files are seen from `from`, those of the description from `to`.
pub(super) fn write(
    op: &UserOp,
    config: &str,
    (from, to): (&Path, &Path),
    bound: &[Bound<'_>],
    new_cbs: &NewBuffers<'_>,
) -> Result<String, String> {
    let entries = parameters::tree(config, &[]).map_err(|problem| problem.message)?;
    let mut made = Config { text: config, entries, edits: Vec::new(), end: String::new() };
    let mut begin = String::new();
    if made.entry("name").is_none() {
        let _ = writeln!(begin, "name = \"{}\"", op.name);
    }
    if made.entry("summary").is_none() {
        let _ = writeln!(begin, "summary = \"{}: say here what it computes\"", op.name);
    }
    made.move_fills(from, to);
    if !new_cbs.is_empty() {
        made.takes_tables("cb")?;
    }
    for (index, tensor) in new_cbs {
        let pages = if tensor.layouts.contains(&Layout::RowMajor) {
            format!("2 * ceil({0}.page_size / {0}.tile_size)", tensor.name)
        } else {
            "2".into()
        };
        let name = &tensor.name;
        let _ =
            write!(made.end, "\n[[cb]]\nindex = {index}\ncontent = \"{name}\"\nof = \"{name}\"\npages = \"{pages}\"\n");
    }
    let first = &op.inputs[0].name;
    if op.units.is_none() {
        const COMMENT: &str =
            "Pieces of work are divided over the cores; a kernel gets the first of its core and how many there are.";
        made.add(("work", "units"), &format!("units = \"{first}.pages\"\n"), COMMENT, "")?;
    }
    if made.entry("kernel").is_some() {
        return Err("kernel: leave it out, op new writes the kernels".into());
    }
    for (role, arguments) in [
        ("reader", stubs::reader_arguments(bound, op)),
        ("compute", stubs::compute_arguments(bound, op)),
        ("writer", stubs::writer_arguments(bound, op)),
    ] {
        let list = |list: &[String]| list.iter().map(|a| quoted(a)).collect::<Vec<_>>().join(", ");
        let _ = write!(made.end, "\n[[kernel]]\nrole = \"{role}\"\nfile = \"kernels/{role}.cpp\"\n");
        if !arguments.0.is_empty() {
            let _ = writeln!(made.end, "compile_time_args = [{}]", list(&arguments.0));
        }
        let _ = writeln!(made.end, "runtime_args = [{}]", list(&arguments.1));
        if role == "compute" {
            made.end += "compute = { math_fidelity = \"HiFi4\", fp32_dest_acc_en = true }\n";
        }
    }
    if op.reference.is_empty() {
        const COMMENT: &str =
            "Each output in float64, from inputs and attributes; earlier lines may be used in later ones.";
        let line = |output: &TensorSpec| {
            format!("{} = \"{}\"\n", output.name, if output.shape.is_none() { first.as_str() } else { "1" })
        };
        let lines: String = op.outputs.iter().map(line).collect();
        made.add(("reference", "each output"), &lines, COMMENT, "")?;
    }
    if op.grid.shapes.is_empty() {
        const COMMENT: &str = "What the op is proved on, with every kind of data: constant, ramp, one_hot, mean_zero, large_offset, adversarial.";
        let lines = format!("shapes = {:?}\n", shapes(op)?);
        made.add(("grid", "shapes"), &lines, COMMENT, "rtol = 1e-2\natol = 1e-2\n")?;
    }
    Ok(made.finish(&begin))
}

/// Shapes that the configuration's own conditions accept.
fn shapes(op: &UserOp) -> Result<Vec<Vec<u32>>, String> {
    let with_rank = |sides: [u32; 2]| {
        let rank = op.ranks.0 as usize;
        let shape = [vec![1; rank.saturating_sub(2)], sides.to_vec()].concat();
        shape[shape.len() - rank.max(1)..].to_vec()
    };
    let candidates = [[32, 32], [64, 96], [96, 256], [32, 1024]].map(with_rank);
    let mut refusal = String::new();
    let accepted: Vec<Vec<u32>> = candidates
        .into_iter()
        .filter(|shape| {
            let call = Call::new(shape, op.dtypes()[0], op.layouts()[0]);
            match op.resolve(&call) {
                Ok(_) => true,
                Err(error) => {
                    refusal = format!("{} {}: {}", shape_name(shape), call.dtype.dtype_name(), error.message);
                    false
                }
            }
        })
        .take(3)
        .collect();
    if accepted.is_empty() {
        return Err(format!("give [grid] shapes: its conditions accept none of the usual ones ({refusal})"));
    }
    Ok(accepted)
}

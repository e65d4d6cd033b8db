//! How many kernels of a folder compile, and what the others miss: for whoever wants to know before trying.
//!
//! It must never change a file below that folder. The compiling is done by the example `compile_corpus`; start at [`run`].

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::workspace::{cache_folder, example};

/// Reasons that the table shows.
const SHOWN: usize = 40;

/// A kernel, and why it does not compile.
#[derive(PartialEq, Eq, Debug)]
struct Kernel {
    path: String,
    kind: String,
    reasons: Vec<String>,
    /// Definitions of its host that it compiles with, which were guessed.
    guessed: Vec<String>,
}

/// Compiles all kernels below `folder` and prints what is missing; the same as JSON goes to `json`.
pub(crate) fn run(folder: &Path, api: Option<&str>, json: Option<&Path>) -> Result<bool> {
    ensure!(folder.is_dir(), "{}: there is no such folder", folder.display());
    let mut arguments = vec![std::path::absolute(folder)?, cache_folder("corpus")?];
    arguments.extend(api.map(Into::into));
    let kernels: Vec<Kernel> = example("compile_corpus", &arguments)?.iter().map(|line| kernel(line)).collect();
    ensure!(!kernels.is_empty(), "{}: no file below it is a kernel", folder.display());
    let missing = missing(&kernels);
    print!("{}", table(&kernels, &missing));
    if let Some(file) = json {
        let text = serde_json::to_string_pretty(&document(&kernels, &missing))?;
        std::fs::write(file, text + "\n").with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(true)
}

/// A line of the example.
fn kernel(line: &str) -> Kernel {
    let mut parts = line.split('\t').map(String::from);
    let mut next = || parts.next().unwrap_or_default();
    let (path, kind) = (next(), next());
    let (guessed, reasons): (Vec<String>, _) = parts.partition(|part| part.starts_with('='));
    Kernel { path, kind, reasons, guessed: guessed.iter().map(|name| name[1..].to_string()).collect() }
}

/// A reason, how many kernels have it, and of how many it is the first: what blocks most comes first.
struct Missing<'a> {
    reason: &'a str,
    kernels: usize,
    first: usize,
}

fn missing(kernels: &[Kernel]) -> Vec<Missing<'_>> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for kernel in kernels {
        for (number, reason) in kernel.reasons.iter().enumerate() {
            let count = counts.entry(reason).or_default();
            count.0 += 1;
            count.1 += usize::from(number == 0);
        }
    }
    let mut missing: Vec<Missing<'_>> =
        counts.into_iter().map(|(reason, (kernels, first))| Missing { reason, kernels, first }).collect();
    missing.sort_by_key(|missing| (std::cmp::Reverse(missing.first), std::cmp::Reverse(missing.kernels)));
    missing
}

fn compile(kernels: &[Kernel]) -> usize {
    kernels.iter().filter(|kernel| kernel.reasons.is_empty()).count()
}

fn table(kernels: &[Kernel], missing: &[Missing<'_>]) -> String {
    let guessed = kernels.iter().filter(|kernel| !kernel.guessed.is_empty()).count();
    let with = if guessed == 0 {
        String::new()
    } else {
        format!(", {guessed} of them with definitions guessed for their host")
    };
    let mut text = format!("{} of {} kernels compile{with}\n", compile(kernels), kernels.len());
    if missing.is_empty() {
        return text;
    }
    text.push_str("\n  first  in all  what is missing\n");
    for Missing { reason, kernels, first } in missing.iter().take(SHOWN) {
        text.push_str(&format!("  {first:>5}  {kernels:>6}  {reason}\n"));
    }
    if missing.len() > SHOWN {
        text.push_str(&format!("  and {} others\n", missing.len() - SHOWN));
    }
    text
}

fn document(kernels: &[Kernel], missing: &[Missing<'_>]) -> Value {
    json!({
        "kernels": kernels.len(),
        "compile": compile(kernels),
        "missing": missing.iter().map(|m| json!({"reason": m.reason, "kernels": m.kernels, "first": m.first})).collect::<Vec<_>>(),
        "each": kernels.iter().map(|k| json!({"path": k.path, "kind": k.kind, "reasons": k.reasons, "guessed": k.guessed})).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_by_the_kernels_that_have_them_and_those_that_block_most_come_first() {
        let lines = [
            "a.cpp\treader",
            "b.cpp\treader\tno header x.h",
            "c.cpp\tcompute\tno y\tno z",
            "d.cpp\tcompute\tno z\tno y",
        ];
        let kernels: Vec<Kernel> = lines.iter().chain(&["e.cpp\tcompute\tno z"]).map(|line| kernel(line)).collect();
        let missing = missing(&kernels);
        let counted: Vec<(&str, usize, usize)> = missing.iter().map(|m| (m.reason, m.kernels, m.first)).collect();
        assert_eq!(counted, [("no z", 3, 2), ("no y", 2, 1), ("no header x.h", 1, 1)]);
        assert!(table(&kernels, &missing).starts_with("1 of 5 kernels compile\n"));
        let guessed = kernel("f.cpp\tcompute\t=TILES");
        assert_eq!((guessed.reasons.len(), guessed.guessed.as_slice()), (0, &["TILES".to_string()][..]));
        assert!(table(&[guessed], &[]).starts_with("1 of 1 kernels compile, 1 of them with definitions guessed"));
        assert_eq!(document(&kernels, &missing)["missing"][0]["reason"], "no z");
    }
}

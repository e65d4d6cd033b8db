//! What no check of a run could see, so that "0 findings" never stands for "not looked at".
//! It must never list what was checked after all: a list that is always the same is read by nobody.
//! Start reading at [`Run::not_checked`].

use std::path::Path;

use tileproof_model::finding::Code;
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelSource, MemoryConfig};
use tileproof_model::record::{RunRecord, Status};

use super::{Checks, FAMILIES, OutputResult, Run};

impl<O: Observer> Run<'_, O> {
    /// A phrase for each thing that was not checked.
    pub(super) fn not_checked(&self, record: &RunRecord, outputs: &[OutputResult], checks: &Checks) -> Vec<String> {
        let mut list = Vec::new();
        let but = if self.compares { ", but for outputs that depend on the order" } else { "" };
        match checks {
            Checks::All => {}
            Checks::None => list.push(format!("all families (--checks none){but}")),
            Checks::Families(chosen) => {
                let off: Vec<&str> =
                    FAMILIES.iter().filter(|(_, number)| !chosen.contains(number)).map(|(name, _)| *name).collect();
                if !off.is_empty() {
                    list.push(format!("families {} (--checks){but}", off.join(", ")));
                }
            }
        }
        if record.status != Status::Completed {
            let (ran, all) = (record.ledgers.len(), self.file.program.launches.len());
            if ran < all {
                list.push(format!("launches after number {ran} of {all}, which did not complete"));
            }
            list.push("outputs, and what is left at the end: the run did not complete".into());
        }
        let without: Vec<&str> =
            outputs.iter().filter(|o| o.pass && o.max_diff.is_none()).map(|o| o.name.as_str()).collect();
        if !without.is_empty() {
            list.push(format!("values of {} (no [[expect]])", without.join(", ")));
        }
        if checks.observe() {
            list.extend(self.unseen_tensors(checks));
            list.extend(self.unseen_pointers(checks));
        }
        list
    }

    /// Tensors in L1: threads reach their own L1 without a call, so no ledger is kept of them.
    fn unseen_tensors(&self, checks: &Checks) -> Option<String> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let in_l1 = tensors.filter(|(t, data)| t.memory != MemoryConfig::Dram && data.fill.is_some() && !data.output);
        let names: Vec<&str> = in_l1.map(|(tensor, _)| tensor.name.as_str()).collect();
        (!names.is_empty() && checks.count(Code::INPUT_NOT_READ))
            .then(|| format!("whether all of {} in L1 is read", names.join(", ")))
    }

    /// Kernels in C++ that reach L1 through pointers: the machine sees calls alone.
    fn unseen_pointers(&self, checks: &Checks) -> Option<String> {
        let mut files: Vec<String> = Vec::new();
        for kernel in self.file.program.launches.iter().flat_map(|launch| &launch.kernels) {
            let KernelSource::Cpp(source) = &kernel.source else { continue };
            let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            if !files.contains(&name) && reaches_through_pointers(source) {
                files.push(name);
            }
        }
        (!files.is_empty() && (checks.count(Code::READ_IN_FLIGHT) || checks.count(Code::PAGE_UNWRITTEN)))
            .then(|| format!("loads and stores through pointers in {}", files.join(", ")))
    }
}

/// Whether a kernel's text makes pointers into L1, or that of a file beside it that it includes.
fn reaches_through_pointers(source: &Path) -> bool {
    let folder = source.parent().unwrap_or(Path::new(""));
    let text = |path: &Path| std::fs::read_to_string(path).map(|text| without_comments(&text));
    let Ok(own) = text(source) else { return false };
    let included = own.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix("#include")?.trim().strip_prefix('"')?;
        text(&folder.join(name.split('"').next()?)).ok()
    });
    let has_pointers =
        |text: &str| ["tt_l1_ptr", "reinterpret_cast", "volatile"].iter().any(|word| text.contains(word));
    has_pointers(&own) || included.into_iter().any(|text| has_pointers(&text))
}

/// A C++ text without what stands behind `//` and between `/*` and `*/`.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find("*/").map_or("", |end| &rest[at + end + 2..]);
    }
    out.push_str(rest);
    let code = |line: &str| line.split("//").next().unwrap_or("").to_string() + "\n";
    out.lines().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_in_comments_are_none_and_those_of_included_files_are_some() {
        let folder = std::env::temp_dir().join(format!("tileproof-pointers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let has = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).unwrap();
            reaches_through_pointers(&folder.join(name))
        };
        assert!(!has("plain.cpp", "// volatile\n/* tt_l1_ptr\n */ void kernel_main() {}\n"));
        assert!(has("rows.h", "auto* row = reinterpret_cast<volatile uint32_t*>(at);\n"));
        assert!(has("includes.cpp", "#include \"rows.h\"\n#include \"absent.h\"\nvoid kernel_main() {}\n"));
        assert!(!has("another.cpp", "#include <cstdint>\n#include \"absent.h\"\nvoid kernel_main() {}\n"));
    }
}

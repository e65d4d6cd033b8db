//! Reads `[[suppress]]`: findings that are known, and meant to be so, each with its reason.
//! It must never let one through without a reason, nor one that could hide how a run ended.
//! Start reading at [`suppressions`].

use std::path::Path;

use tileproof_model::finding::{Code, Finding};

use super::fields::Fields;
use super::value::{Problem, Value};
use crate::described::program::SUPPRESS;

/// Findings that are left out of the verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// The code that they have.
    pub code: Code,
    /// Why they are as they should be.
    pub reason: String,
    /// The end of the path of the source file to blame; any when left out.
    pub file: Option<String>,
    /// The line to blame, in that file.
    pub line: Option<u32>,
    /// The end of the path of the kernel that ran; any when left out.
    pub kernel: Option<String>,
    /// Line of its table.
    pub at_line: usize,
}

/// How a run ended: the verdict cannot be clean beside one of these.
const ENDS: [Code; 4] = [Code::DEADLOCK, Code::KERNEL_CRASHED, Code::STEP_LIMIT, Code::UNIMPLEMENTED];

/// Reads the tables.
pub(crate) fn suppressions(tables: &[Value], line_of: &dyn Fn(usize) -> usize) -> Result<Vec<Suppression>, Problem> {
    tables.iter().map(|table| suppression(table, line_of)).collect()
}

fn suppression(table: &Value, line_of: &dyn Fn(usize) -> usize) -> Result<Suppression, Problem> {
    let fields = Fields::new("suppress", table, &SUPPRESS)?;
    let value = fields.require("code")?;
    const CODE: &str = "a code that `tileproof explain` lists, as \"TP0310\"";
    let text = fields.text("code", value, CODE)?;
    let code = Code::parse(text).ok_or_else(|| fields.wrong("code", value, CODE))?;
    if ENDS.contains(&code) {
        let message = format!("suppress: {code} says how a run ended, and cannot be suppressed");
        return Err(Problem::new(value.at, message));
    }
    const REASON: &str = "why this finding is as it should be, in words";
    let value = fields.get("reason").ok_or_else(|| {
        Problem::new(fields.at, format!("suppress: field reason is missing; it says why {code} is as it should be"))
    })?;
    let reason = fields.text("reason", value, REASON)?.trim();
    if reason.is_empty() {
        return Err(fields.wrong("reason", value, REASON));
    }
    let end_of_path = |key: &str, expected| match fields.get(key) {
        Some(value) => fields.text(key, value, expected).map(|text| Some(text.to_string())),
        None => Ok(None),
    };
    let file = end_of_path("file", "a source file, as \"reader.cpp\" or \"kernels/reader.cpp\"")?;
    let kernel = end_of_path("kernel", "the source file of a kernel, as \"reader.cpp\"")?;
    let line = match fields.get("line") {
        Some(value) if file.is_none() => {
            return Err(Problem::new(value.at, "suppress: line is the line of a file: give file too"));
        }
        Some(value) => Some(fields.unsigned("line", value, 1)?),
        None => None,
    };
    Ok(Suppression { code, reason: reason.to_string(), file, line, kernel, at_line: fields.line(line_of) })
}

impl Suppression {
    /// Whether it speaks of a finding.
    pub fn covers(&self, finding: &Finding) -> bool {
        let ends = |path: &str, end: &Option<String>| end.as_ref().is_none_or(|end| Path::new(path).ends_with(end));
        let location = finding.primary.location.as_ref();
        let at = match location {
            Some(location) => ends(&location.file, &self.file) && self.line.is_none_or(|line| line == location.line),
            None => self.file.is_none(),
        };
        self.code == finding.code && at && ends(&finding.primary.kernel, &self.kernel)
    }
}

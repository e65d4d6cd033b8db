//! The document of `tileproof run --grid`: a list of cells.
//!
//! The caller fills it; nothing is worked out here. Start at [`CellDocument`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::document::Document;
use super::run::RunDocument;

/// A cell of a grid: a program with some values of its parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CellDocument {
    /// The parameters that the grid goes through, and their values here.
    pub params: BTreeMap<String, String>,
    /// `pass`, `hang`, `finding`, `wrong` or `refused`.
    pub result: String,
    /// The codes of its findings, each once.
    pub codes: Vec<String>,
    /// True for `pass`.
    pub pass: bool,
    /// Why the program cannot be run with these values; `null` where it was.
    pub error: Option<String>,
    /// What it came to; `null` where it could not be run.
    pub run: Option<RunDocument>,
}

impl Document for CellDocument {
    const SCHEMA: &'static str = "tileproof-cell";
}

impl CellDocument {
    /// The word that a table shows: the result, or the codes where something was found.
    pub fn shown(&self) -> String {
        let is_wrong =
            self.run.as_ref().is_some_and(|run| run.status == "completed" && run.outputs.iter().any(|o| !o.pass));
        match (self.result.as_str(), self.codes.first()) {
            ("finding", Some(code)) => {
                let more = if self.codes.len() > 1 { format!(" +{}", self.codes.len() - 1) } else { String::new() };
                format!("{code}{more}{}", if is_wrong { ", wrong" } else { "" })
            }
            (result, _) => result.to_string(),
        }
    }
}

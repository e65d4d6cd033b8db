//! The document of `compare` on two programs.

use serde::Serialize;

use super::document::Document;

/// Two runs, side by side.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CompareRunsDocument {
    /// The first program file.
    pub a: String,
    /// The second.
    pub b: String,
    /// How each ended.
    pub status: [String; 2],
    /// Cycles of each.
    pub cycles: [u64; 2],
    /// What bounds the longest launch of each, in a sentence; empty where a run did not complete.
    pub bound: [String; 2],
    /// Cycles of the critical path by what they go to, what changed most first.
    pub path: Vec<PathEntry>,
    /// What each thread did, in parts of its time.
    pub threads: Vec<ThreadEntry>,
    /// The largest difference of each output from what it should be.
    pub outputs: Vec<OutputEntry>,
    /// Codes that are found in the second alone.
    pub new: Vec<String>,
    /// Codes that are found in the first alone.
    pub gone: Vec<String>,
    /// Nothing new is found, and the second passes if the first does.
    pub pass: bool,
}

impl Document for CompareRunsDocument {
    const SCHEMA: &'static str = "tileproof-compare-runs";
}

/// What cycles of the critical path go to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PathEntry {
    /// A unit, transfers, credits, ..
    pub resource: String,
    /// Cycles in the first.
    pub a: u64,
    /// Cycles in the second.
    pub b: u64,
}

/// What a thread did with its time.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ThreadEntry {
    /// The thread.
    pub thread: String,
    /// Part of the time that it works, in each, from 0 to 1; `null` where it runs no kernel.
    pub works: [Option<f64>; 2],
    /// Part of the time that it waits.
    pub waits: [Option<f64>; 2],
    /// What it waits for most, in each; empty where it does not.
    pub waits_for: [String; 2],
}

/// An output of both.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OutputEntry {
    /// Its name.
    pub name: String,
    /// Largest difference in each; `null` where it was not compared.
    pub max_diff: [Option<f64>; 2],
}

//! Input that others have written, read: whatever the bytes are, the answer is a value or an error with words, never a panic.
//!
//! A target must never write but to one file of its own, and never run a kernel. The command's tests take this file in as a
//! module. Start at [`TARGETS`].

use std::path::{Path, PathBuf};

use tileproof::analyze::{self, Given};
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::schedule::Schedule;
use tileproof::npy;
use tileproof::op::{Op, UserOp};
use tileproof::program_file::ProgramFile;
use tileproof_report::json::{self, AnalysisDocument, FindingDocument, LabelDocument, OpCheckDocument, RunDocument};

/// A target: the folder of what its input may name, and the input.
pub type Target = fn(&Path, &[u8]);

/// All of them, by the names of their seeds' folders.
pub const TARGETS: [(&str, Target); 6] = [
    ("program_file", program_file),
    ("op_file", op_file),
    ("npy", npy),
    ("schedule", schedule),
    ("analyze", analyze),
    ("json", json),
];

/// The folder of what input may name: kernels and an array.
pub fn beside(fuzz: &str) -> PathBuf {
    Path::new(fuzz).join("beside")
}

/// A program file, and the parameters that it has.
pub fn program_file(beside: &Path, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if !is_small(text) {
        return;
    }
    let path = beside.join("program.toml");
    match ProgramFile::parse(&path, text, &[]) {
        Ok(file) => {
            // What is read is whole: whoever runs it asks for these first.
            assert_eq!(file.tensors.len(), file.program.tensors.len());
            assert_eq!(file.launches.len(), file.program.launches.len());
            let _ = (file.cores(), file.threads());
        }
        Err(error) => tells(&error.to_string(), error.line, text),
    }
}

/// Whether it is no call of an op with data that take long to work out: as many as were asked for.
fn is_small(text: &str) -> bool {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<u64>().ok());
    !text.contains("op")
        || numbers.filter(|number| *number > 1).try_fold(1u64, u64::checked_mul).is_some_and(|n| n <= 1 << 20)
}

/// The description of an op: what is told of it, and calls that it is asked for.
pub fn op_file(beside: &Path, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match UserOp::parse(&beside.join("op.toml"), beside, text) {
        Ok(op) => {
            op.describe();
            op.missing();
            for call in op.calls().iter().take(4) {
                if let Ok(()) = op.validate(call) {
                    // It may be refused all the same, with words.
                    let _ = op.program(call).map_err(|refusal| assert!(!format!("{refusal:?}").is_empty()));
                }
            }
        }
        Err(error) => tells(&error.to_string(), error.line, text),
    }
}

/// An array, as tensors of several formats ask for it.
pub fn npy(_: &Path, data: &[u8]) {
    let path = file_of(data, "array.npy");
    for (shape, format) in [(&[2, 3][..], DataFormat::Float16_b), (&[4], DataFormat::Int32), (&[], DataFormat::UInt8)] {
        match npy::read_elements(&path, shape, format) {
            Ok((_, words)) => {
                assert_eq!(words.len() as u32, shape.iter().product::<u32>());
                // What is written is read back.
                let back = path.with_extension("back.npy");
                let as_read = if npy::rounds(&path, format) { DataFormat::Float32 } else { format };
                npy::write_elements(&back, shape, as_read, &words).expect("a folder that can be written");
                assert_eq!(npy::read_elements(&back, shape, as_read).expect("what was written").1, words);
            }
            Err(error) => assert!(error.to_string().len() > 20, "{error}"),
        }
    }
}

/// The token of a schedule: it has one spelling.
pub fn schedule(_: &Path, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Schedule::parse(text) {
        Ok(schedule) => {
            assert_eq!(schedule.to_string(), text);
            schedule.departures.iter().for_each(|departure| assert!(!departure.describe().is_empty()));
        }
        Err(error) => assert!(error.contains("expected"), "{error}"),
    }
}

/// A kernel that is read without running it.
pub fn analyze(_: &Path, data: &[u8]) {
    let path = file_of(data, "kernel.cpp");
    match analyze::file(&path, &Given::default()) {
        Ok(analysis) => {
            // Its names are the text's, and go out as a document.
            assert!(!format!("{analysis:?}").is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// What is read of some bytes is printed, and that is read as the same again.
macro_rules! comes_back {
    ($data:expr; $($document:ty)*) => {$(
        if let Ok(document) = serde_json::from_slice::<$document>($data) {
            let printed = json::to_text(&document).expect("a document");
            let back: $document = serde_json::from_str(&printed).expect("what was printed");
            // As text, since what is no number equals nothing.
            assert_eq!(json::to_text(&back).expect("a document"), printed);
        }
    )*};
}

/// Documents as they are printed, and read again by whoever takes them.
pub fn json(_: &Path, data: &[u8]) {
    comes_back!(data; RunDocument AnalysisDocument OpCheckDocument);
    // Any text may be that of a finding.
    let text = String::from_utf8_lossy(data);
    let run = RunDocument { findings: vec![finding(&text)], ..empty_run() };
    let printed = json::to_text(&run).expect("a document");
    assert!(!printed.chars().any(|c| c.is_control() && c != '\n'), "{printed:?}");
    let back: RunDocument = serde_json::from_str(&printed).expect("what was printed");
    assert_eq!(back, run);
}

fn empty_run() -> RunDocument {
    RunDocument {
        status: "completed".into(),
        cycles: 0,
        wall_s: 0.0,
        outputs: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        suppressed: Vec::new(),
        not_checked: Vec::new(),
        ledger: Vec::new(),
        tensors: Vec::new(),
        prints: Vec::new(),
        schedule: "tp1:0".into(),
        explored: None,
    }
}

/// A finding all of whose texts are this one.
fn finding(text: &str) -> FindingDocument {
    FindingDocument {
        code: "TP0602".into(),
        class: "Crash".into(),
        certainty: "happened".into(),
        message: text.into(),
        core: [0, 0],
        thread: "BRISC".into(),
        file: text.into(),
        line: 1,
        labels: vec![LabelDocument { file: text.into(), line: 0, text: text.into() }],
        facts: [(text.to_string(), text.to_string())].into(),
        help: Some(text.into()),
        schedule: "tp1:0".into(),
        also_on: Vec::new(),
        column: 0,
        text: text.into(),
        notes: vec![text.into()],
    }
}

/// An error has words, and a line that the text has.
fn tells(error: &str, line: usize, text: &str) {
    assert!(!error.is_empty());
    assert!(line <= text.lines().count() + 1, "line {line} of {}: {error}", text.lines().count());
}

/// A file of these bytes; the same one for each input of a process.
fn file_of(data: &[u8], name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tileproof-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = folder.join(name);
    std::fs::write(&path, data).expect("a folder that can be written");
    path
}

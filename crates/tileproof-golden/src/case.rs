//! One golden case: what it was, what went in, what came out.
//! A case must never be changed on the way: what it hands out is what was recorded, or a panic saying what is missing.
//! Start reading at [`cases`].

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fmt, fs, io};

use serde_json::Value;

use crate::archive::{self, CaseEntry, FileEntry, Store, Stored};
use crate::npy::Array;

/// A golden case.
pub struct Case {
    /// Its name, unique within the group.
    pub name: String,
    /// The archive it is in: `base`, `composite`, `formats`, ... (see `tests/golden/PROVENANCE.md`).
    pub group: String,
    /// What was recorded about it: `fidelity`, `fp32_dest_acc_en`, `inputs`, `outputs`, `versions`, ...
    pub meta: Value,
    store: &'static Store,
    entry: CaseEntry,
    texts: Vec<(String, String)>,
}

/// Rows of an array that is not kept in full.
pub struct Sample {
    /// Row `i` of `rows` is row `i * step` of the whole, all leading axes counted as one.
    pub step: usize,
    /// The rows kept.
    pub rows: Array,
}

/// How an array differs from the recorded one.
#[derive(Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// Another number of bytes.
    Length {
        /// Bytes given.
        got: usize,
        /// Bytes recorded.
        expected: usize,
    },
    /// Elements differ; a float's bits and an integer alike are shown as a little-endian number.
    Elements {
        /// How many of those compared.
        differing: usize,
        /// How many were compared.
        compared: usize,
        /// The first one's place in the whole array, flat.
        first: usize,
        /// What was given there.
        got: u32,
        /// What is recorded there.
        expected: u32,
    },
    /// The rows kept agree, but the digest of the whole does not.
    Digest,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { got, expected } => write!(f, "{got} bytes, recorded are {expected}"),
            Self::Elements { differing, compared, first, got, expected } => write!(
                f,
                "{differing} of {compared} elements differ, first at {first}: {got:#x}, recorded is {expected:#x}"
            ),
            Self::Digest => write!(f, "the rows kept agree, but the digest of the whole array does not"),
        }
    }
}

fn store() -> &'static Store {
    static STORE: OnceLock<Store> = OnceLock::new();
    STORE.get_or_init(|| Store::open(&archive::golden_dir()).unwrap_or_else(|e| panic!("golden vectors: {e}")))
}

/// All golden cases, by group and name. Reads the indexes only; arrays are decoded when asked for.
pub fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases = Vec::new();
        for index in store().indexes() {
            for entry in &index.cases {
                cases.push(Case {
                    name: entry.name.clone(),
                    group: index.group.clone(),
                    meta: entry.meta.clone(),
                    store: store(),
                    texts: entry.texts.iter().map(|(file, at)| (file.clone(), index.texts[*at].clone())).collect(),
                    entry: entry.clone(),
                });
            }
        }
        cases
    })
}

/// The cases of one group.
pub fn group(name: &str) -> impl Iterator<Item = &'static Case> {
    cases().iter().filter(move |case| case.group == name)
}

/// The names of the groups.
pub fn groups() -> Vec<&'static str> {
    let mut names: Vec<&str> = cases().iter().map(|case| case.group.as_str()).collect();
    names.dedup();
    names
}

/// One case.
pub fn case(group: &str, name: &str) -> Option<&'static Case> {
    cases().iter().find(|case| case.group == group && case.name == name)
}

impl Case {
    fn text(&self, file: &str) -> Option<&str> {
        self.texts.iter().find(|text| text.0 == file).map(|text| text.1.as_str())
    }

    /// The compute kernel, where the case is one kernel.
    pub fn kernel_source(&self) -> Option<&str> {
        self.text("kernel.cpp")
    }

    /// The program file that runs the case; its paths are relative to the case's folder as [`Case::write_to`] lays it out.
    pub fn program_toml(&self) -> Option<&str> {
        self.text("program.toml")
    }

    /// The arrays of the case. A name with `../` is a file that several cases share.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.entry.files.iter().map(|file| file.file.as_str())
    }

    /// The texts of the case, by file name: kernels, readers, writers, the program file.
    pub fn text_names(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| text.0.as_str())
    }

    fn file(&self, file: &str) -> &FileEntry {
        let found = self.entry.files.iter().find(|entry| entry.file == file);
        found.unwrap_or_else(|| panic!("{}/{}: no {file}", self.group, self.name))
    }

    /// Whether `file` is kept in full. If not, [`Case::sample`] has some rows, and [`Case::check`] works as ever.
    pub fn is_whole(&self, file: &str) -> bool {
        let entry = self.store.entry(&self.file(file).array);
        !matches!(entry.map(|entry| &entry.1.stored), Ok(Stored::Rows { .. }))
    }

    /// An array of the case. Panics if there is none of that name or only rows of it are kept.
    pub fn array(&self, file: &str) -> Array {
        let entry = self.file(file);
        let bytes = self.store.bytes(&entry.array);
        let bytes = bytes.unwrap_or_else(|e| panic!("{}/{}/{file}: {e}", self.group, self.name));
        Array { dtype: entry.dtype, shape: entry.shape.clone(), bytes }
    }

    /// The bytes of an array, little-endian. Panics as [`Case::array`] does.
    pub fn raw(&self, file: &str) -> Vec<u8> {
        self.array(file).bytes
    }

    /// The rows kept of an array that is not whole.
    pub fn sample(&self, file: &str) -> Option<Sample> {
        let entry = self.file(file);
        let (_, array) = self.store.entry(&entry.array).ok()?;
        let Stored::Rows { step, sample } = &array.stored else {
            return None;
        };
        let bytes = self.store.bytes(sample).unwrap_or_else(|e| panic!("{}/{}/{file}: {e}", self.group, self.name));
        let columns = *entry.shape.last()?;
        let shape = vec![bytes.len() / (columns * entry.dtype.width()), columns];
        Some(Sample { step: *step, rows: Array { dtype: entry.dtype, shape, bytes } })
    }

    /// Whether `bytes` are bit for bit the recorded array, also of one that is not kept in full.
    pub fn check(&self, file: &str, bytes: &[u8]) -> Result<(), Mismatch> {
        let entry = self.file(file);
        let expected = entry.shape.iter().product::<usize>() * entry.dtype.width();
        if bytes.len() != expected {
            return Err(Mismatch::Length { got: bytes.len(), expected });
        }
        if archive::content_id(bytes) == entry.array {
            return Ok(());
        }
        let (step, recorded) = match self.sample(file) {
            Some(sample) => (sample.step, sample.rows.bytes),
            None => (1, self.raw(file)),
        };
        let width = entry.dtype.width();
        let columns = entry.shape.last().copied().unwrap_or(1).max(1);
        let number = |b: &[u8]| b.iter().rev().fold(0, |n, byte| n << 8 | u32::from(*byte));
        let mut first = None;
        let mut differing = 0;
        for (i, expected) in recorded.chunks_exact(width).enumerate() {
            let at = i / columns * step * columns + i % columns;
            let got = &bytes[at * width..(at + 1) * width];
            if got != expected {
                differing += 1;
                first = first.or(Some((at, number(got), number(expected))));
            }
        }
        Err(first.map_or(Mismatch::Digest, |(first, got, expected)| Mismatch::Elements {
            differing,
            compared: recorded.len() / width,
            first,
            got,
            expected,
        }))
    }

    /// Lays the case out below `root` as it was recorded: its folder with `.npy` files, `meta.json`, `kernel.cpp` and
    /// `program.toml`, and beside it `kernels/` and what is shared. Arrays not kept in full are left out.
    /// Gives the case's folder.
    pub fn write_to(&self, root: &Path) -> io::Result<PathBuf> {
        let folder = root.join(&self.name);
        let place = |file: &str| match file.strip_prefix("../") {
            Some(shared) => root.join(shared),
            None => folder.join(file),
        };
        let write = |path: PathBuf, contents: &[u8]| {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, contents)
        };
        for file in self.file_names().filter(|file| self.is_whole(file)) {
            write(place(file), &self.array(file).to_npy())?;
        }
        for (file, text) in &self.texts {
            write(place(file), text.as_bytes())?;
        }
        write(folder.join("meta.json"), &serde_json::to_vec_pretty(&self.meta)?)?;
        Ok(folder)
    }
}

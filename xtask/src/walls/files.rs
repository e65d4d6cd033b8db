//! The text files of the workspace, read once.
//!
//! Build output, version control and binary files are left out. Paths are relative to the workspace, with `/`. Start at
//! [`Files::of_workspace`].

use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace::root;

/// Extensions of files that are text.
const TEXT: [&str; 13] = ["rs", "md", "toml", "h", "hpp", "cpp", "cc", "py", "pyi", "sh", "yml", "txt", "json"];

pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> File {
        File { path: path.into(), text: text.into() }
    }

    pub(super) fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| extensions.iter().any(|x| e == *x))
    }
}

pub(super) struct Files(pub(super) Vec<File>);

impl Files {
    pub(super) fn of_workspace() -> Result<Files> {
        let mut files = Vec::new();
        read_folder(&root(), "", &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Files(files))
    }

    pub(super) fn rust(&self) -> impl Iterator<Item = &File> {
        self.0.iter().filter(|f| f.has_extension(&["rs"]))
    }

    pub(super) fn get(&self, path: &str) -> Option<&File> {
        self.0.iter().find(|f| f.path == path)
    }
}

fn read_folder(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read folder {prefix}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "__pycache__" | ".venv") {
                read_folder(&entry.path(), &format!("{path}/"), files)?;
            }
        } else if path == ".ci/run" || Path::new(&name).extension().is_some_and(|e| TEXT.iter().any(|t| e == *t)) {
            let text = std::fs::read_to_string(entry.path()).with_context(|| format!("{path} is not text"))?;
            files.push(File::new(path, text));
        }
    }
    Ok(())
}

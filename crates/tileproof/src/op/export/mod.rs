//! An op of a folder as a change to tt-metal: what `ttnn/cpp/ttnn/operations` has of an operation, and its test.
//!
//! Everything comes from the description that the gates have proved; kernels are copied as they are. It must never overwrite a
//! file. Start at [`UserOp::export`].

mod binding;
mod device_operation;
mod factory;
mod pytest;
mod words;

use std::io;
use std::path::{Path, PathBuf};

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

use super::file::UserOp;
use super::spec::{Role, TensorSpec};
use crate::bounded::read_text;

/// Why an op is not written.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ExportError {
    #[error("{op}: {part} {name} is a word of C++ or Python; give it another name in op.toml")]
    Word { op: String, part: &'static str, name: String },
    #[error("{op}: {what}")]
    Missing { op: String, what: String },
    #[error("{}: is there already; op export overwrites nothing", .0.display())]
    Exists(PathBuf),
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

/// Words that a name in both languages must not be.
const WORDS: &[&str] = &[
    "and",
    "as",
    "assert",
    "async",
    "auto",
    "await",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "double",
    "elif",
    "else",
    "enum",
    "except",
    "explicit",
    "export",
    "extern",
    "finally",
    "float",
    "for",
    "friend",
    "from",
    "global",
    "goto",
    "if",
    "import",
    "in",
    "inline",
    "int",
    "is",
    "lambda",
    "long",
    "mutable",
    "namespace",
    "new",
    "nonlocal",
    "not",
    "operator",
    "or",
    "pass",
    "private",
    "protected",
    "public",
    "raise",
    "register",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "try",
    "typedef",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "with",
    "xor",
    "yield",
    "memory_config",
    "device",
    "t",
    "size",
    "torch",
    "ttnn",
    "pytest",
];

impl UserOp {
    /// Writes the op into a checkout of tt-metal, or a folder in its place. `document` is the text of its design document.
    ///
    /// # Errors
    /// If a name has a meaning of its own, a file is there already or cannot be written; nothing is written then.
    pub fn export(&self, document: &str, root: &Path) -> Result<Vec<PathBuf>, ExportError> {
        let files = self.exported(document)?;
        let of = |path: &Path| root.join(path);
        if let Some((path, _)) = files.iter().find(|(path, _)| of(path).exists()) {
            return Err(ExportError::Exists(of(path)));
        }
        let mut written = Vec::new();
        for (path, text) in &files {
            let path = of(path);
            let put = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
            if let Err(error) = put {
                // What is here is ours: none of it was there before.
                written.iter().for_each(|path: &PathBuf| drop(std::fs::remove_file(path)));
                return Err(ExportError::Io { path, error });
            }
            written.push(path);
        }
        Ok(written)
    }

    /// The files with their texts, by their paths in tt-metal.
    fn exported(&self, document: &str) -> Result<Vec<(PathBuf, String)>, ExportError> {
        self.can_be_exported()?;
        let name = &self.name;
        let folder = PathBuf::from(format!("ttnn/cpp/ttnn/operations/{name}"));
        let device = folder.join("device");
        let mut files = vec![
            (folder.join(format!("{name}.hpp")), binding::header(self)),
            (folder.join(format!("{name}.cpp")), binding::source(self)),
            (folder.join(format!("{name}_nanobind.hpp")), binding::nanobind_header(self)),
            (folder.join(format!("{name}_nanobind.cpp")), binding::nanobind(self)),
            (folder.join("CMakeLists.txt"), binding::cmake(self)),
            (folder.join("README.md"), document.to_string()),
            (device.join(format!("{name}_device_operation.hpp")), device_operation::header(self)),
            (device.join(format!("{name}_device_operation.cpp")), device_operation::source(self)),
            (device.join(format!("{name}_program_factory.hpp")), factory::header(self)),
            (device.join(format!("{name}_program_factory.cpp")), factory::source(self)),
            (PathBuf::from(format!("tests/ttnn/unit_tests/operations/{name}/test_{name}.py")), pytest::test(self)),
        ];
        let mut folders: Vec<PathBuf> = Vec::new();
        for kernel in &self.kernels {
            let from = self.folder.join(&kernel.file);
            files.push((kernel_path(self, kernel.role), text_of(&from)?));
            let near = from.parent().map_or_else(PathBuf::new, Path::to_path_buf);
            let into = kernel_path(self, kernel.role).parent().map_or_else(PathBuf::new, Path::to_path_buf);
            for header in headers_of(&near)? {
                let path = into.join(header.file_name().unwrap_or_default());
                if !folders.contains(&path) {
                    files.push((path.clone(), text_of(&header)?));
                    folders.push(path);
                }
            }
        }
        Ok(files)
    }

    fn can_be_exported(&self) -> Result<(), ExportError> {
        let missing = |what: &str| ExportError::Missing { op: self.name.clone(), what: what.into() };
        let tensors = self.inputs.iter().chain(&self.outputs).map(|tensor| ("tensor", &tensor.name));
        let attributes = self.attributes.iter().map(|attribute| ("attribute", &attribute.name));
        for (part, name) in [("op", &self.name)].into_iter().chain(tensors).chain(attributes) {
            if WORDS.contains(&name.as_str()) {
                return Err(ExportError::Word { op: self.name.clone(), part, name: name.clone() });
            }
        }
        if self.inputs.is_empty() || self.outputs.is_empty() || self.kernels.is_empty() {
            return Err(missing("it needs an input, an output and kernels"));
        }
        Ok(())
    }
}

fn text_of(path: &Path) -> Result<String, ExportError> {
    read_text(path).map_err(|error| ExportError::Io { path: path.to_path_buf(), error })
}

/// Headers beside a kernel, which it may include.
fn headers_of(folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let failed = |error| ExportError::Io { path: folder.to_path_buf(), error };
    let mut headers = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "h" || extension == "hpp") {
            headers.push(path);
        }
    }
    headers.sort();
    Ok(headers)
}

/// Where a kernel is in tt-metal.
fn kernel_path(op: &UserOp, role: Role) -> PathBuf {
    let name = &op.name;
    let kernels = format!("ttnn/cpp/ttnn/operations/{name}/device/kernels");
    PathBuf::from(match role {
        Role::Compute => format!("{kernels}/compute/{name}.cpp"),
        Role::Reader => format!("{kernels}/dataflow/reader_{name}.cpp"),
        Role::Writer => format!("{kernels}/dataflow/writer_{name}.cpp"),
    })
}

/// `rms_norm` as `RmsNorm`.
fn camel(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

/// ttnn's name of a format.
fn dtype(format: DataFormat) -> String {
    format!("tt::tt_metal::DataType::{}", format.dtype_name().to_uppercase())
}

fn layout(layout: Layout) -> &'static str {
    match layout {
        Layout::Tile => "tt::tt_metal::Layout::TILE",
        Layout::RowMajor => "tt::tt_metal::Layout::ROW_MAJOR",
    }
}

/// The tensor of a call that says what those have that may be several things.
fn first_with_several<'o, T: 'o>(op: &'o UserOp, of: impl Fn(&'o TensorSpec) -> &'o [T]) -> &'o TensorSpec {
    op.inputs.iter().find(|tensor| of(tensor).len() > 1).unwrap_or(&op.inputs[0])
}

/// The output, or one of several.
fn returned(op: &UserOp, index: usize) -> String {
    if op.outputs.len() == 1 { "returned".into() } else { format!("returned[{index}]") }
}

/// What an operation returns of `part`, one for each output.
fn all_outputs(op: &UserOp, part: &str) -> String {
    if op.outputs.len() == 1 { part.into() } else { format!("std::vector<{part}>") }
}

/// A template with texts in place of the names between `@`.
fn filled(template: &str, texts: &[(&str, &str)]) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('@') {
        text += before;
        let named = after.split_once('@').and_then(|(name, after)| {
            let known = texts.iter().find(|(known, _)| *known == name)?;
            Some((known.1, after))
        });
        match named {
            Some((known, after)) => (text, rest) = (text + known, after),
            None => (text, rest) = (text + "@", after),
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_takes_texts_for_names() {
        assert_eq!(filled("a @x@, @y@@x@.\n@mark(x)", &[("x", "1"), ("y", "@z@")]), "a 1, @z@1.\n@mark(x)");
    }

    #[test]
    fn names_are_joined_as_types_are_written() {
        assert_eq!([camel("rmsnorm"), camel("layernorm_bw"), camel("a__b")], ["Rmsnorm", "LayernormBw", "AB"]);
    }
}

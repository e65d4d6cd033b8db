//! The C++ compiler: finding it, and its options.
//!
//! It must never be asked for its version in the common case, because a process costs more than a cached build: its file
//! stands for it. Start at [`Compiler::find`].

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;
use std::{env, fs};

use crate::request::BuildError;

/// Options of every kernel. No exceptions but unwind tables: a kernel that can never go on is unwound from inside a call.
/// No merging of equal code, so that every call keeps its own address.
const OPTIONS: &[&str] = &[
    "-std=gnu++20",
    "-O2",
    "-g",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fasynchronous-unwind-tables",
    "-fno-rtti",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-funsigned-char",
    "-fwrapv",
    "-fno-stack-protector",
    "-fno-threadsafe-statics",
    "-fpermissive",
    "-w",
];
/// Options that only g++ knows.
const GNU_OPTIONS: &[&str] = &[
    "-fno-crossjumping",
    "-fno-ipa-icf",
    "-fno-reorder-blocks-and-partition",
    "-fmax-errors=20",
    "-fdiagnostics-color=never",
];
const CLANG_OPTIONS: &[&str] = &["-ferror-limit=20", "-fno-color-diagnostics"];
/// A hook a basic block of the kernel, and one a load or store through a pointer. The runtime has the hooks.
const INSTRUMENTATION: &[&str] = &["-fsanitize-coverage=trace-pc", "-fsanitize=thread"];
const LINK_OPTIONS: &[&str] =
    &["-shared", "-nostartfiles", "-Wl,-z,relro,-z,now", "-Wl,--build-id=none", "-Wl,-Bsymbolic", "-Wl,-z,defs"];
/// g++ would link the sanitizer's library, so it is told what to link; clang++ links it into programs alone.
const GNU_LIBRARIES: &[&str] = &["-nodefaultlibs", "-Wl,--as-needed", "-lstdc++", "-lm", "-lc", "-lgcc_s", "-lgcc"];

/// A compiler that can be run.
pub(crate) struct Compiler {
    program: PathBuf,
    is_clang: bool,
    /// What tells this compiler from another: path, size and time of its file.
    pub(crate) identity: String,
}

/// What a compilation needs beside the kernel's file.
pub(crate) struct Compilation<'a> {
    pub(crate) source: &'a Path,
    pub(crate) include: &'a Path,
    pub(crate) header: &'a Path,
    pub(crate) runtime: &'a Path,
    pub(crate) options: &'a [String],
    pub(crate) output: &'a Path,
    pub(crate) inputs: &'a Path,
}

impl Compiler {
    /// `$CXX`, else g++, else clang++.
    pub(crate) fn find() -> Result<Compiler, BuildError> {
        let chosen = env::var("CXX").ok().filter(|c| !c.trim().is_empty());
        let candidates = chosen.map_or_else(|| vec!["g++".into(), "clang++".into()], |c| vec![c.trim().to_string()]);
        for candidate in &candidates {
            if let Some(program) = resolve(candidate) {
                let real = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
                let facts = fs::metadata(&real).ok();
                let modified =
                    facts.as_ref().and_then(|m| m.modified().ok()).and_then(|t| t.duration_since(UNIX_EPOCH).ok());
                let identity = format!(
                    "{} {} {}",
                    real.display(),
                    facts.map_or(0, |m| m.len()),
                    modified.map_or(0, |t| t.as_nanos())
                );
                let is_clang = real.file_name().is_some_and(|n| n.to_string_lossy().contains("clang"))
                    || candidate.contains("clang");
                return Ok(Compiler { program, is_clang, identity });
            }
        }
        Err(BuildError::NoCompiler { tried: candidates.join(", ") })
    }

    /// Everything of the command line that does not depend on the kernel.
    pub(crate) fn options(&self) -> Vec<&'static str> {
        [self.plain_options(), INSTRUMENTATION.to_vec(), self.link_options()].concat()
    }

    fn plain_options(&self) -> Vec<&'static str> {
        [OPTIONS, if self.is_clang { CLANG_OPTIONS } else { GNU_OPTIONS }].concat()
    }

    fn link_options(&self) -> Vec<&'static str> {
        [LINK_OPTIONS, if self.is_clang { &[] } else { GNU_LIBRARIES }].concat()
    }

    /// Compiles the shim's runtime, which must not be instrumented.
    pub(crate) fn compile_runtime(&self, include: &Path, output: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.args(self.plain_options()).arg("-I").arg(include).arg("-c").arg(include.join("tp/runtime.cpp"));
        // Every first build waits for it, and nobody looks for a line in it.
        run(command.args(["-O1", "-g0"]).arg("-o").arg(output))
    }

    /// Compiles and links a kernel.
    pub(crate) fn compile(&self, work: &Compilation<'_>) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.args(self.plain_options()).args(INSTRUMENTATION).arg("-I").arg(work.include);
        command.arg("-include").arg(work.include.join("tp/prefix.h")).arg("-include").arg(work.header);
        command.args(work.options).arg("-MMD").arg("-MF").arg(work.inputs);
        command.args(["-x", "c++"]).arg(work.source).args(["-x", "none"]).arg(work.runtime);
        run(command.args(self.link_options()).arg("-o").arg(work.output))
    }
}

/// Runs a command; its messages if it fails.
fn run(command: &mut Command) -> Result<(), String> {
    match command.env("LC_ALL", "C").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(if text.is_empty() { format!("the compiler ended with {}", output.status) } else { text })
        }
        Err(error) => Err(format!("{}: {error}", command.get_program().display())),
    }
}

/// The file that a command name stands for.
fn resolve(name: &str) -> Option<PathBuf> {
    let is_program = |p: &PathBuf| p.is_file();
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(is_program);
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(is_program)
}

//! The C++ compiler: finding it, and its options.
//!
//! It must never be asked for anything in the common case, because a process costs more than a cached build: its files
//! stand for it. Start at [`Compiler::find`].

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs, io};

use tileproof_worker::Reach;

use crate::cache::Cache;
use crate::diagnostics;
use crate::environment;
use crate::given::{self, Given};
use crate::identity::{self, Identity, on_path};
use crate::limited::{self, Ended, Limits};
use crate::request::BuildError;

/// Where the shim lies for images, wherever it lies.
pub(crate) const SHIM: &str = "/tileproof-shim";

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
    // A stack that runs over is met at its end, whatever the size of the frame.
    "-fstack-clash-protection",
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

/// Names how long a compiler may take, in seconds.
const LIMIT: &str = "TILEPROOF_COMPILER_LIMIT";
/// A kernel takes one; one that a busy machine and a hundred templates slow down takes ten.
const DEFAULT_SECONDS: u64 = 60;
/// What each process of a compiler may take of the address space: ten times what a kernel needs.
const MEMORY: u64 = 4 << 30;

/// A compiler that can be run.
pub(crate) struct Compiler {
    program: PathBuf,
    /// Its programs, without links.
    programs: Vec<PathBuf>,
    is_clang: bool,
    /// What tells this compiler from another.
    pub(crate) identity: String,
    /// Folders of its own headers.
    own: Vec<PathBuf>,
    limits: Limits,
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
    /// What it may read.
    pub(crate) given: &'a Given,
    /// A folder for what it says, which images know by another name.
    pub(crate) scratch: &'a Path,
}

impl Compiler {
    /// `$CXX`, else g++, else clang++.
    pub(crate) fn find(cache: &Cache) -> Result<Compiler, BuildError> {
        let candidates = candidates();
        let resolved = candidates.iter().find_map(|candidate| Some((candidate, resolve(candidate)?)));
        let Some((candidate, program)) = resolved else {
            return Err(BuildError::NoCompiler { tried: candidates.join(", ") });
        };
        let failed = |text| BuildError::Compiler { file: program.clone(), text };
        let limits = Limits { time: limit().map_err(failed)?, memory: MEMORY };
        let real = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
        let is_clang =
            real.file_name().is_some_and(|n| n.to_string_lossy().contains("clang")) || candidate.contains("clang");
        let Identity { text: identity, mut programs } = identity::identity(&program, cache).map_err(failed)?;
        // A compiler in PREFIX/bin has its headers in PREFIX/lib and PREFIX/include.
        let prefix = real.parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
        let below = |prefix: &Path| ["include", "lib", "lib64", "lib32"].map(|folder| prefix.join(folder));
        let own = [below(prefix), below(Path::new("/usr"))].concat();
        programs.push(real);
        Ok(Compiler { program, programs, is_clang, identity, own, limits })
    }

    /// Whether a file is the compiler's own, which nobody edits.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        self.own.iter().any(|folder| path.starts_with(folder))
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
    pub(crate) fn compile_runtime(&self, include: &Path, output: &Path, scratch: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.args(self.plain_options()).arg("-I").arg(include).arg("-c").arg(include.join("tp/runtime.cpp"));
        command.arg(mapped(include, SHIM));
        // Every first build waits for it, and nobody looks for a line in it.
        let command = command.args(["-O1", "-g0"]).arg("-o").arg(output);
        self.run(command, (&Given::default(), [include, include]), scratch)
    }

    /// Compiles and links a kernel.
    pub(crate) fn compile(&self, work: &Compilation<'_>) -> Result<(), String> {
        let mut command = self.command(work);
        command.arg("-MD").arg("-MT").arg("image").arg("-MF").arg(work.inputs);
        command.args(["-x", "c++"]).arg(work.source).args(["-x", "none"]).arg(work.runtime);
        let command = command.args(self.link_options()).arg("-o").arg(work.output);
        self.run(command, (work.given, [work.include, work.runtime]), work.scratch)
    }

    /// Whether the preprocessor reads on and on in a kernel. One that ends with an error of the kernel's has come to that error
    /// first, as the compiler will.
    pub(crate) fn reads_without_end(&self, work: &Compilation<'_>) -> bool {
        let mut command = self.command(work);
        command.args(["-E", "-x", "c++"]).arg(work.source).arg("-o").arg("/dev/null");
        let limits = Limits { time: Duration::from_secs(5).min(self.limits.time), memory: 1 << 30 };
        let reach = self.reach((work.given, [work.include, work.runtime]), work.scratch);
        match reach.and_then(|reach| limited::run(clean(&mut command), work.scratch, limits, reach)) {
            Ok(Ended::TooLate) => true,
            // What has no end takes all the memory there is.
            Ok(Ended::Badly(_, text)) => !diagnostics::tells_an_error(&text),
            // Whatever it is, it is not the kernel's: the compilation says it.
            Ok(Ended::Well(_)) | Err(_) => false,
        }
    }

    fn command(&self, work: &Compilation<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.plain_options()).args(INSTRUMENTATION).arg("-I").arg(work.include);
        command.arg("-include").arg(work.include.join("tp/prefix.h")).arg("-include").arg(work.header);
        // An image is the same wherever the cache lies and whoever compiles it.
        command.arg(mapped(work.include, SHIM)).arg(mapped(work.scratch, SHIM));
        command.args(work.options);
        command
    }

    /// The walls around it, with what of the shim it reads.
    fn reach(&self, (given, shim): (&Given, [&Path; 2]), scratch: &Path) -> io::Result<Option<Reach>> {
        // Others may put the same there again meanwhile, which is another file: its folder stays.
        let shim = shim.map(|path| if path.is_dir() { path } else { path.parent().unwrap_or(path) });
        given.reach(&self.program, &self.programs, shim, scratch)
    }

    /// Runs a command; its messages if it fails.
    fn run(&self, command: &mut Command, given: (&Given, [&Path; 2]), scratch: &Path) -> Result<(), String> {
        let reach = self.reach(given, scratch);
        let is_boxed = matches!(reach, Ok(Some(_)));
        match reach.and_then(|reach| limited::run(clean(command), scratch, self.limits, reach)) {
            Ok(Ended::Well(_)) => Ok(()),
            Ok(Ended::Badly(status, text)) if text.is_empty() => {
                Err(given::of_walls(format!("the compiler ended with {status}"), is_boxed))
            }
            Ok(Ended::Badly(_, text)) => {
                let is_hidden = text.contains("Permission denied") && !diagnostics::tells_an_error(&text);
                Err(given::of_walls(text, is_boxed && is_hidden))
            }
            Ok(Ended::TooLate) => {
                let seconds = self.limits.time.as_secs();
                Err(format!("it did not end within {seconds} s and was stopped; {LIMIT} gives it more"))
            }
            Err(error) => {
                let is_hidden = error.kind() == io::ErrorKind::PermissionDenied;
                let text = format!("{}: {error}", command.get_program().display());
                Err(given::of_walls(text, is_boxed && is_hidden))
            }
        }
    }
}

/// Has images name what lies in a folder as if it lay in another.
fn mapped(folder: &Path, as_if: &str) -> OsString {
    [OsStr::new("-ffile-prefix-map="), folder.as_os_str(), OsStr::new("="), OsStr::new(as_if)].iter().copied().collect()
}

/// Takes away of the environment what a compilation must not heed.
fn clean(command: &mut Command) -> &mut Command {
    for name in environment::TAKEN_AWAY {
        command.env_remove(name);
    }
    // `__DATE__` and `__TIME__` are the same in every build.
    if env::var_os("SOURCE_DATE_EPOCH").is_none() {
        command.env("SOURCE_DATE_EPOCH", "0");
    }
    // A wrapper that keeps what it compiled would write elsewhere than it may; this keeps it itself.
    command.env("LC_ALL", "C").env("CCACHE_DISABLE", "1")
}

/// How long a compiler may take.
fn limit() -> Result<Duration, String> {
    let Some(text) = env::var_os(LIMIT) else { return Ok(Duration::from_secs(DEFAULT_SECONDS)) };
    let seconds = text.to_str().and_then(|text| text.trim().parse().ok()).filter(|seconds| *seconds > 0);
    seconds.map(Duration::from_secs).ok_or_else(|| format!("{LIMIT} is {text:?}; give it whole seconds, 1 or more"))
}

/// `$CXX`, else what compilers are called.
pub(crate) fn candidates() -> Vec<String> {
    let chosen = env::var("CXX").ok().filter(|c| !c.trim().is_empty());
    chosen.map_or_else(|| vec!["g++".into(), "clang++".into()], |c| vec![c.trim().to_string()])
}

/// The file that a command name stands for.
fn resolve(name: &str) -> Option<PathBuf> {
    if name.contains('/') { Some(PathBuf::from(name)).filter(|path| path.is_file()) } else { on_path(name) }
}

//! `tileproof sdk`: what tt-metal host programs in C++ are built against.
//!
//! Start at [`SdkPlace::run`].

use std::path::{Path, PathBuf};

use clap::Args;
use tileproof_sdk::LIBRARY;

use crate::arguments::below;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::terminal::say;

const EXAMPLES: [&str; 4] = ["sdk", "sdk --cmake", "sdk --cflags", "sdk --libs"];

const USE: &str = "\
Build:
  cmake -B build -DTT-Metalium_DIR=$(tileproof sdk --cmake) && cmake --build build
  g++ main.cpp $(tileproof sdk --cflags --libs)
Run, as options of the command: TILEPROOF_CHECKS, TILEPROOF_EXPLORE, TILEPROOF_SCHEDULE, TILEPROOF_THREADS, TILEPROOF_LIMIT,
TILEPROOF_IN_PROCESS, TILEPROOF_FORMAT (every run is told in it), TILEPROOF_REPORT (a file instead of stderr), TILEPROOF_RECORD (see `record`),
TILEPROOF_ARCH (wormhole, blackhole), TILEPROOF_API (what kernels are written for), TILEPROOF_DEVICES (1),
TILEPROOF_EXIT (0: findings do not make the program end with 1).
";

#[derive(Args)]
#[command(after_help = below(&[USE], &EXAMPLES))]
pub(crate) struct SdkPlace {
    /// Print the folder for -DTT-Metalium_DIR=, instead of that for CMAKE_PREFIX_PATH.
    #[arg(long, conflicts_with_all = ["cflags", "libs"])]
    cmake: bool,
    /// Print what a compiler needs to find the headers.
    #[arg(long)]
    cflags: bool,
    /// Print what a linker needs to find the library.
    #[arg(long)]
    libs: bool,
}

impl SdkPlace {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let library = library()?;
        let sdk = tileproof_sdk::lay_out(&library)
            .map_err(|error| BadInput::new(format!("the headers cannot be kept in the cache: {error}")))?;
        let mut words = Vec::new();
        if self.cflags {
            words.extend(sdk.compile_flags());
        }
        if self.libs {
            let folder = library.parent().unwrap_or(Path::new("/")).display().to_string();
            words.push(format!("{} -Wl,-rpath,{folder}", library.display()));
        }
        if words.is_empty() {
            words.push(if self.cmake { sdk.cmake() } else { sdk.prefix }.display().to_string());
        }
        say(words.join(" ") + "\n")?;
        Ok(Outcome::Clean)
    }
}

/// The library: where `TILEPROOF_HOST_LIBRARY` says, else beside the command, else in the `lib` beside its folder.
fn library() -> Result<PathBuf, BadInput> {
    if let Some(named) = std::env::var_os("TILEPROOF_HOST_LIBRARY").filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return match named.canonicalize() {
            Ok(found) if found.is_file() => Ok(found),
            _ => Err(BadInput::new(format!("TILEPROOF_HOST_LIBRARY: there is no file {}", named.display()))),
        };
    }
    let command = std::env::current_exe().and_then(|command| command.canonicalize()).unwrap_or_default();
    let folder = command.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    places.iter().find_map(|place| place.canonicalize().ok()).ok_or_else(|| {
        BadInput::new(format!(
            "{LIBRARY} is not beside the command, in {}: build it with `cargo build --release -p tileproof-host` in the sources, \
             and copy it there, or name it in TILEPROOF_HOST_LIBRARY",
            folder.display()
        ))
    })
}

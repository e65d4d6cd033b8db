//! Packs raw golden vectors into `tests/golden`: `pack_vectors OUT [golden=DIR] [more=DIR] [public=DIR] [blackhole=DIR]`.
//! It must never touch the folders it reads, and the same folders in the same order give the same archives.
//! Start reading at `main`; the work is in `tileproof_golden::pack`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tileproof_golden::pack::{Set, pack};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((out, sets)) = parse(&arguments) else {
        eprintln!("usage: pack_vectors OUT [golden=DIR] [more=DIR] [public=DIR] [blackhole=DIR]");
        return ExitCode::from(2);
    };
    match pack(Path::new(out), &sets) {
        Ok(report) => {
            println!(
                "{:12} {:>5} {:>7} {:>7} {:>10} {:>8} {:>8}",
                "group", "cases", "arrays", "stored", "raw", "index", "arrays"
            );
            let mut total = 0;
            for g in &report {
                println!(
                    "{:12} {:5} {:7} {:7} {:10} {:8} {:8}",
                    g.group, g.cases, g.arrays.0, g.arrays.1, g.raw, g.packed.0, g.packed.1
                );
                total += g.packed.0 + g.packed.1;
            }
            println!("{total} bytes in all");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<(&String, Vec<(Set, PathBuf)>)> {
    let (out, sets) = arguments.split_first()?;
    let sets = sets.iter().map(|argument| {
        let (set, directory) = argument.split_once('=')?;
        let set = match set {
            "golden" => Set::Golden,
            "more" => Set::More,
            "public" => Set::Public,
            "blackhole" => Set::Blackhole,
            _ => return None,
        };
        Some((set, PathBuf::from(directory)))
    });
    Some((out, sets.collect::<Option<Vec<_>>>()?))
}

//! Lays all golden cases out as folders again: `lay_out_vectors OUT` makes `OUT/GROUP/CASE/`.
//! It must never write outside OUT. Start reading at `main`; the work is in `Case::write_to`.

use std::path::Path;
use std::process::ExitCode;

use tileproof_golden::cases;

fn main() -> ExitCode {
    let Some(out) = std::env::args().nth(1) else {
        eprintln!("usage: lay_out_vectors OUT");
        return ExitCode::from(2);
    };
    for case in cases() {
        if let Err(e) = case.write_to(&Path::new(&out).join(&case.group)) {
            eprintln!("error: {}/{}: {e}", case.group, case.name);
            return ExitCode::FAILURE;
        }
    }
    println!("{} cases", cases().len());
    ExitCode::SUCCESS
}

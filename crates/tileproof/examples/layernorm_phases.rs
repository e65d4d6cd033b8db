//! What the parts of a LayerNorm run take once the process is warm, in milliseconds: each the least of a few runs on one host thread, or on
//! all.
//!
//! `layernorm_phases forward|backward SHAPE none|all [THREADS]` prints host data to pages, the machine, pages to host data.

use std::error::Error;

use tileproof::layernorm::{BackwardRequest, ForwardRequest, LayerNormResult, backward, forward};
use tileproof::phases::Phases;
use tileproof::run_file::ChosenChecks;

const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [op, shape, checks, threads @ ..] = &arguments[..] else {
        return Err("layernorm_phases forward|backward SHAPE none|all [THREADS]".into());
    };
    let shape: Vec<u32> = shape.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let threads = threads.first().map(|threads| threads.parse()).transpose()?;
    let checks = if checks == "none" { ChosenChecks::None } else { ChosenChecks::All };
    let run = || -> Result<LayerNormResult, Box<dyn Error>> {
        let (shape, checks) = (shape.clone(), checks.clone());
        Ok(match &op[..] {
            "forward" => forward(&ForwardRequest { checks, threads, ..ForwardRequest::new(shape) })?,
            _ => backward(&BackwardRequest { checks, threads, ..BackwardRequest::new(shape) })?,
        })
    };
    let mut best = run()?.phases;
    for _ in 1..RUNS {
        let result = run()?;
        if !result.pass() {
            return Err(format!("{op} does not pass").into());
        }
        let Phases { to_pages, machine, from_pages, .. } = result.phases;
        best.to_pages = best.to_pages.min(to_pages);
        best.machine = best.machine.min(machine);
        best.from_pages = best.from_pages.min(from_pages);
    }
    println!("{:.3} {:.3} {:.3}", best.to_pages * 1e3, best.machine * 1e3, best.from_pages * 1e3);
    Ok(())
}

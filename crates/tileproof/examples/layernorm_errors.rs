//! Prints the table of errors of `docs/layernorm.md`: LayerNorm backward as published, mended and as shipped, on five kinds
//! of data. `cargo run --release -p tileproof --example layernorm_errors [WIDTH...]`

use std::error::Error;
use std::path::Path;

use tileproof::build::Builder;
use tileproof::fill::Fill;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::{BackwardRequest, GivenKernels, LayerNormResult, backward, backward_with};

/// Rows of x.
const ROWS: u32 = 64;
const WIDTHS: [u32; 6] = [20, 100, 1000, 2048, 8192, 8462];

/// A kind of data: its name, and the fills of x, dy and gamma.
struct Kind(&'static str, Fill, Fill, Fill);

fn kinds() -> [Kind; 5] {
    let uniform = |lo, hi| Fill::Uniform { lo, hi };
    let ramp = |lo, hi| Fill::Ramp { lo, hi };
    [
        Kind("constant", Fill::Constant(0.5), Fill::Constant(1.0), Fill::Constant(1.0)),
        Kind("ramp", ramp(-1.0, 1.0), uniform(-1.0, 1.0), uniform(0.0, 1.0)),
        Kind("mean-zero", uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(0.0, 1.0)),
        Kind("offset", Fill::Normal { mean: 100.0, std: 1.0 }, uniform(0.0, 1.0), uniform(0.0, 1.0)),
        Kind("adversarial", ramp(-1.0, 1.0), ramp(0.0, 2.0), Fill::Constant(1.0)),
    ]
}

fn given(folder: &str) -> Result<GivenKernels, Box<dyn Error>> {
    let specimens = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specimens/layernorm_bw").join(folder);
    Ok(GivenKernels { folder: KernelFolder::find(&specimens)?, include_dirs: Vec::new() })
}

/// Largest errors of dx and dgamma, and whether the tolerances hold and nothing was found.
fn cell(result: &LayerNormResult) -> String {
    let [dx, dgamma] = [0, 1].map(|i| result.outputs.get(i).and_then(|output| output.max_diff).unwrap_or(f64::NAN));
    let mut codes: Vec<String> = result.record.findings.iter().map(|f| f.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    let verdict = match (result.pass(), codes.is_empty()) {
        (true, _) => "pass".to_string(),
        (false, true) => "FAIL".to_string(),
        (false, false) => codes.join(" "),
    };
    format!("{} / {} | {verdict}", short(dx), short(dgamma))
}

/// Two digits.
fn short(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        v if (0.01..10_000.0).contains(&v) => {
            let decimals = (1 - v.log10().floor() as i32).max(0) as usize;
            format!("{v:.decimals$}")
        }
        v => format!("{v:.1e}"),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<u32> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let widths = if asked.is_empty() { WIDTHS.to_vec() } else { asked };
    let builder = Builder::new(None)?;
    println!("| data | W | published | findings | mended | verdict | shipped | verdict |");
    println!("|---|---|---|---|---|---|---|---|");
    for Kind(name, x, dy, gamma) in kinds() {
        for &width in &widths {
            let request = BackwardRequest {
                x: x.clone(),
                dy: dy.clone(),
                gamma: gamma.clone(),
                ..BackwardRequest::new([1, 1, ROWS, width])
            };
            let published = backward_with(&request, given("published")?, &builder)?;
            let mended = backward_with(&request, given("mended")?, &builder)?;
            let shipped = backward(&request)?;
            println!("| {name} | {width} | {} | {} | {} |", cell(&published), cell(&mended), cell(&shipped));
        }
    }
    Ok(())
}

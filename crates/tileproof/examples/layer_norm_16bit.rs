//! Runs the LayerNorm kernels of an unpacked `ttnn` wheel with a Dst of 16 bits and of 32, on data with larger and larger means: the
//! table of docs/numerics/layer_norm_16bit.md, and what is claimed there.
//!
//! `layer_norm_16bit PROGRAMS WHEEL CACHE`: the programs are those of `xtask/compat/programs`. It must never take an expected value from
//! the machine. Start at `main`; a line a claim is printed, `ok CLAIM: ..` or `no CLAIM: ..`, behind the rows of the table.

#![allow(clippy::disallowed_methods, reason = "correlations in float64; nothing of them enters a record")]

use std::path::PathBuf;
use std::{env, fs};

use tileproof::audit::more_exact;
use tileproof::build::Builder;
use tileproof::built_by;
use tileproof::fill::Fill;
use tileproof::model::finding::{Code, Finding};
use tileproof::npy;
use tileproof::other_data::run_adversarial_program;
use tileproof::program_file::{Expected, ProgramFile};
use tileproof::run_file::{ChosenChecks, RunOptions, run_program_file};

type Failure = Box<dyn std::error::Error>;

/// A program in both widths of Dst.
struct Subject {
    shape: &'static str,
    program: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    /// The mean at which 16 bits fail, and how little the outputs have to do with what is expected then.
    fails_at: f64,
    correlates_below: f64,
}

const SUBJECTS: [Subject; 2] = [
    Subject {
        shape: "64x2048",
        program: "layernorm_0.79.toml",
        parameters: &[("HT", "2"), ("WT", "64")],
        fails_at: 100.0,
        correlates_below: 0.6,
    },
    Subject {
        shape: "32x8192",
        program: "layernorm_large_0.79.toml",
        parameters: &[],
        fails_at: 10.0,
        correlates_below: 0.75,
    },
];
const OF_16_BITS: [(&str, &str); 3] = [("FP32", "false"), ("FP32_NUMBER", "0"), ("MID", "Float16_b")];
const OF_32_BITS: [(&str, &str); 3] = [("FP32", "true"), ("FP32_NUMBER", "1"), ("MID", "Float32")];
const MEANS: [f64; 4] = [0.0, 1.0, 10.0, 100.0];

struct Runner {
    programs: PathBuf,
    wheel: String,
    cache: PathBuf,
    scratch: PathBuf,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [programs, wheel, cache] = arguments.as_slice() else {
        return Err("usage: layer_norm_16bit PROGRAMS WHEEL CACHE".into());
    };
    let scratch = env::temp_dir().join(format!("tileproof-layer-norm-{}", std::process::id()));
    let runner = Runner { programs: programs.into(), wheel: wheel.clone(), cache: cache.into(), scratch };
    println!("| shape | Dst | mean 0 | mean 1 | mean 10 | mean 100 |");
    println!("|---|---|---|---|---|---|");
    for subject in &SUBJECTS {
        let claims = runner.claims(subject)?;
        for (claim, holds) in claims {
            println!("{} {} {claim}", if holds { "ok" } else { "no" }, subject.shape);
        }
    }
    let _ = fs::remove_dir_all(&runner.scratch);
    Ok(())
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// Rows around a mean, and weights that are as often below 0 as above.
fn data(mean: f64) -> Vec<(String, Fill)> {
    let normal = Fill::Normal { mean: 0.0, std: 1.0 };
    let x = Fill::Normal { mean, std: 1.0 };
    vec![("x".into(), x), ("gamma".into(), normal.clone()), ("beta".into(), normal)]
}

impl Runner {
    fn parameters(&self, subject: &Subject, width: &[(&str, &str)]) -> Vec<(String, String)> {
        let wheel = ("WHEEL".to_string(), self.wheel.clone());
        std::iter::once(wheel).chain(pairs(subject.parameters)).chain(pairs(width)).collect()
    }

    fn path(&self, subject: &Subject) -> PathBuf {
        self.programs.join(subject.program)
    }

    /// How well the outputs correlate with what is expected, and the most that they are off by.
    fn measured(&self, subject: &Subject, width: &[(&str, &str)], mean: f64) -> Result<(f64, f64), Failure> {
        let options = RunOptions {
            parameters: self.parameters(subject, width),
            fills: data(mean),
            checks: ChosenChecks::None,
            save: Some(self.scratch.clone()),
            cache: Some(self.cache.clone()),
            ..RunOptions::default()
        };
        let result = run_program_file(&self.path(subject), &options)?;
        let file = ProgramFile::read(&self.path(subject), &options.parameters)?.with_fills(&options.fills)?;
        let tensor = file.program.tensors.iter().find(|tensor| tensor.output).ok_or("no output")?;
        let (_, words) = npy::read_elements(&self.scratch.join("y.npy"), &tensor.shape, tensor.format)?;
        let found: Vec<f64> = words.iter().map(|word| f64::from(f32::from_bits(word << 16))).collect();
        let off = result.outputs.first().and_then(|output| output.max_diff).ok_or("nothing was compared")?;
        Ok((correlation(&found, &expected(&file)?), off))
    }

    /// Prints the rows of a program, and says what holds of it.
    fn claims(&self, subject: &Subject) -> Result<Vec<(String, bool)>, Failure> {
        let mut claims = Vec::new();
        for (bits, width) in [(16, &OF_16_BITS), (32, &OF_32_BITS)] {
            let mut row = format!("| {} | {bits} bits |", subject.shape);
            for mean in MEANS {
                let (correlation, off) = self.measured(subject, width, mean)?;
                row += &format!(" {correlation:.5}, {off:.2} |");
                let holds = match (bits, mean) {
                    (16, mean) if mean == subject.fails_at => correlation < subject.correlates_below,
                    (16, mean) if mean < 10.0 => correlation > 0.9998,
                    (16, _) => continue,
                    _ => correlation > 0.999,
                };
                claims.push((format!("{bits} bits, mean {mean}: correlates by {correlation:.5}"), holds));
            }
            println!("{row}");
        }
        claims.extend(self.found_and_mended(subject)?);
        Ok(claims)
    }

    /// What data that find things, the second run and settings that are tried say of it.
    fn found_and_mended(&self, subject: &Subject) -> Result<Vec<(String, bool)>, Failure> {
        let builder = built_by(Builder::new(Some(self.cache.clone()))?, None);
        let file = ProgramFile::read(&self.path(subject), &self.parameters(subject, &OF_16_BITS))?;
        let (_, outcomes) = run_adversarial_program(&file, &*builder)?;
        let worst = outcomes.first().ok_or("no data were tried")?;
        let is_given = |name: &str| outcomes.iter().any(|outcome| outcome.kind.name == name && outcome.pass);
        let mut claims = vec![
            ("passes on the data that are given".to_string(), is_given("given")),
            (format!("fails on data that find things, most on {}", worst.kind.name), !worst.pass),
        ];
        let options = RunOptions {
            parameters: self.parameters(subject, &OF_16_BITS),
            fills: data(subject.fails_at),
            cache: Some(self.cache.clone()),
            ..RunOptions::default()
        };
        let result = run_program_file(&self.path(subject), &options)?;
        // Either what each addition rounds away, or that a sum stands still.
        let blames = |finding: &&Finding| match finding.code {
            Code::DIGITS_LOST => ["reduce SUM", "Dst of 16 bits"].iter().all(|words| finding.message.contains(words)),
            code => code == Code::STAGNATION,
        };
        let blamed = result.record.findings.iter().find(blames);
        let said = blamed.map_or_else(|| "nothing".to_string(), |finding| finding.message.clone());
        claims.push((format!("the second run blames: {said}"), blamed.is_some()));
        for settings in more_exact(&file.with_fills(&options.fills)?, &*builder)? {
            let [before, after] = settings.max_diff;
            // Another order of sums helps, and a Dst of 32 bits mends it.
            let is_wide = settings.settings.contains("fp32_dest_acc_en = true");
            let holds = after < if is_wide { 0.1 * before } else { before };
            claims.push((format!("{}: {before:.2} becomes {after:.2}", settings.settings), holds));
        }
        Ok(claims)
    }
}

/// What the formula of the only output gives on the data of a program, worked out here once more.
fn expected(file: &ProgramFile) -> Result<Vec<f64>, Failure> {
    let is_formula = file.expects.iter().any(|expect| matches!(expect.values, Expected::Formula(_)));
    if !is_formula {
        return Err("the program expects no formula".into());
    }
    let values = |name: &str| -> Result<Vec<f64>, Failure> {
        let at = file.program.tensors.iter().position(|tensor| tensor.name == name).ok_or("no such tensor")?;
        let (tensor, fill) = (&file.program.tensors[at], file.tensors[at].fill.as_ref().ok_or("no fill")?);
        let values = fill.values(&tensor.shape, tensor.format, file.seed, at as u64)?;
        Ok(values.into_iter().map(f64::from).collect())
    };
    let (x, gamma, beta) = (values("x")?, values("gamma")?, values("beta")?);
    let row = |row: &[f64]| {
        let count = row.len() as f64;
        let mean = row.iter().sum::<f64>() / count;
        let variance = row.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let scale = (variance + 1e-5).sqrt();
        let weights = gamma.iter().zip(&beta);
        row.iter().zip(weights).map(|(x, (gamma, beta))| (x - mean) / scale * gamma + beta).collect::<Vec<f64>>()
    };
    Ok(x.chunks_exact(gamma.len()).flat_map(row).collect())
}

/// Pearson's.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        (both, of_a, of_b) = (both + a * b, of_a + a * a, of_b + b * b);
    }
    both / (of_a * of_b).sqrt()
}

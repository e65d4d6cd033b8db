//! Runs programs made of the kernels of an unpacked `ttnn` wheel and says of each whether it is right: the other half of
//! `cargo xtask compat`.
//!
//! `run_programs LIST WHEEL GENERATION CACHE`: the list is `xtask/compat/programs.toml`, whose descriptions lie beside it. It
//! must never take an expected value from the machine: what comes out is compared with float64, and with recorded results
//! where there are some. Start at `main`; one line a program is printed, `ok NAME: ..` or `no NAME: ..`.

#![allow(
    clippy::disallowed_methods,
    reason = "references in float64, with tolerances; nothing of them enters a record"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Deserialize;
use tileproof::model::finding::Finding;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::record::Status;
use tileproof::npy;
use tileproof::program_file::ProgramFile;
use tileproof::run_file::{RunOptions, run_program_file};

/// The list.
#[derive(Deserialize)]
struct List {
    run: Vec<Run>,
}

/// One program with its parameters.
#[derive(Deserialize)]
struct Run {
    name: String,
    program: String,
    generations: Vec<String>,
    parameters: BTreeMap<String, toml::Value>,
    reference: String,
    tolerance: f64,
    recorded: Option<String>,
    /// Codes of what is wrong with the public kernels and does no harm here.
    #[serde(default)]
    findings: Vec<String>,
}

/// A matrix in float64, row by row.
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    fn map(&self, f: impl Fn(usize, usize) -> Option<f64>) -> Vec<Option<f64>> {
        (0..self.rows).flat_map(|r| (0..self.columns).map(move |c| (r, c))).map(|(r, c)| f(r, c)).collect()
    }
}

type Binary = fn(f64, f64) -> f64;
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [list, wheel, generation, cache] = arguments.as_slice() else {
        return Err("usage: run_programs LIST WHEEL GENERATION CACHE".into());
    };
    let folder = Path::new(list).with_extension("");
    let list: List = toml::from_str(&fs::read_to_string(list)?)?;
    let scratch = env::temp_dir().join(format!("tileproof-compat-{}", std::process::id()));
    for run in list.run.iter().filter(|run| run.generations.contains(generation)) {
        let program = folder.join(format!("{}_{generation}.toml", run.program));
        match right(run, &program, wheel, Path::new(cache), &scratch) {
            Ok(text) => println!("ok {}: {text}", run.name),
            Err(error) => println!("no {}: {}", run.name, error.to_string().lines().next().unwrap_or_default()),
        }
    }
    let _ = fs::remove_dir_all(&scratch);
    Ok(())
}

/// Runs a program; how close it came, or what is wrong.
fn right(run: &Run, program: &Path, wheel: &str, cache: &Path, scratch: &Path) -> Result<String, Failure> {
    let mut parameters = vec![("WHEEL".to_string(), wheel.to_string())];
    for (name, value) in &run.parameters {
        let text = match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            _ => return Err(format!("parameter {name} is neither text nor an integer").into()),
        };
        parameters.push((name.clone(), text));
    }
    let recorded = match &run.recorded {
        Some(name) => {
            let case = ["op", "layernorm"].iter().find_map(|group| tileproof_golden::case(group, name));
            let case = case.ok_or("no such recorded case")?;
            let folder = case.write_to(scratch)?;
            parameters.retain(|(name, _)| !name.starts_with("FILL"));
            let inputs =
                [("FILL", "in0.npy"), ("FILL2", "in1.npy"), ("FILL2", "in1_gamma.npy"), ("FILL3", "in2_beta.npy")];
            for (parameter, file) in inputs {
                if folder.join(file).is_file() {
                    parameters.push((parameter.into(), format!("npy:{}", folder.join(file).display())));
                }
            }
            Some(case)
        }
        None => None,
    };
    let file = ProgramFile::read(program, &parameters)?;
    let save = scratch.join("out");
    let options =
        RunOptions { parameters, save: Some(save.clone()), cache: Some(PathBuf::from(cache)), ..RunOptions::default() };
    let result = run_program_file(program, &options)?;
    let is_known = |finding: &&Finding| run.findings.contains(&finding.code.to_string());
    if let Some(finding) = result.record.findings.iter().find(|finding| !is_known(finding)) {
        return Err(format!("{} {}", finding.code, finding.message).into());
    }
    for code in &run.findings {
        if result.record.findings.iter().all(|finding| finding.code.to_string() != *code) {
            return Err(format!("{code} is expected and was not found").into());
        }
    }
    if result.record.status != Status::Completed {
        return Err(format!("{:?}", result.record.status).into());
    }
    let tensors = &file.program.tensors;
    let mut inputs = Vec::new();
    for (stream, (tensor, data)) in tensors.iter().zip(&file.tensors).enumerate() {
        if let Some(fill) = &data.fill {
            let values = fill.values(&tensor.shape, tensor.format, file.seed, stream as u64)?;
            inputs.push(matrix(&tensor.shape, values.into_iter().map(f64::from).collect()));
        }
    }
    let output = tensors.iter().find(|tensor| tensor.output).ok_or("no output")?;
    let (_, words) = npy::read_elements(&save.join(format!("{}.npy", output.name)), &output.shape, output.format)?;
    let shift = if output.format == DataFormat::Float32 { 0 } else { 16 };
    let got: Vec<f64> = words.iter().map(|word| f64::from(f32::from_bits(word << shift))).collect();
    let shape = matrix(&output.shape, got.clone());
    let expected = reference(&run.reference, &inputs, &shape).ok_or("no such reference")?;
    let worst = got.iter().zip(&expected).filter_map(|(got, expected)| {
        // Where float64 has no number, only a recorded result can say what is right.
        let expected = (*expected).filter(|expected| expected.is_finite())?;
        let difference = (got - expected).abs() / (1.0 + expected.abs());
        // A NaN is as far away as can be.
        Some(if difference.is_nan() { f64::INFINITY } else { difference })
    });
    let worst = worst.fold(0.0, f64::max);
    if worst > run.tolerance {
        return Err(format!("{worst:.3e} from float64, beyond {:.3e}", run.tolerance).into());
    }
    let Some(recorded) = recorded else { return Ok(format!("{worst:.1e} from float64")) };
    let width = if shift == 0 { 4 } else { 2 };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(width)).collect();
    match recorded.check("out0.npy", &bytes) {
        Ok(()) => Ok(format!("{worst:.1e} from float64, every bit as recorded")),
        Err(mismatch) => Err(format!("{worst:.1e} from float64, but not as recorded: {mismatch}").into()),
    }
}

fn matrix(shape: &[u32], values: Vec<f64>) -> Matrix {
    let columns = shape.last().copied().unwrap_or(1) as usize;
    Matrix { rows: values.len() / columns, columns, values }
}

/// What must come out, where it is defined.
fn reference(name: &str, inputs: &[Matrix], output: &Matrix) -> Option<Vec<Option<f64>>> {
    let x = inputs.first()?;
    let unary = |f: fn(f64) -> f64| Some(output.map(|r, c| Some(f(x.at(r, c)))));
    let binary = |f: Binary, row: fn(usize) -> usize, column: fn(usize) -> usize| {
        let b = inputs.get(1)?;
        Some(output.map(|r, c| Some(f(x.at(r, c), b.at(row(r), column(c))))))
    };
    let same: fn(usize) -> usize = |i| i;
    let first: fn(usize) -> usize = |_| 0;
    let (add, multiply): (Binary, Binary) = (|a, b| a + b, |a, b| a * b);
    let all = || x.values.iter();
    let column = |c: usize| (0..x.rows).map(move |r| x.at(r, c));
    match name {
        "copy" => unary(|v| v),
        "exp" => unary(f64::exp),
        "log" => unary(f64::ln),
        "sqrt" => unary(f64::sqrt),
        "rsqrt" => unary(|v| 1.0 / v.sqrt()),
        "reciprocal" => unary(|v| 1.0 / v),
        "tanh" => unary(f64::tanh),
        "sigmoid" => unary(|v| 1.0 / (1.0 + (-v).exp())),
        "silu" => unary(|v| v / (1.0 + (-v).exp())),
        "relu" => unary(|v| v.max(0.0)),
        "gelu" => unary(|v| v * normal_cdf(v)),
        "abs" => unary(f64::abs),
        "square" => unary(|v| v * v),
        "add" => binary(add, same, same),
        "subtract" => binary(|a, b| a - b, same, same),
        "multiply" => binary(multiply, same, same),
        "bcast_h_add" => binary(add, first, same),
        "bcast_h_multiply" => binary(multiply, first, same),
        "bcast_w_add" => binary(add, same, first),
        "bcast_w_multiply" => binary(multiply, same, first),
        "bcast_hw_add" => binary(add, first, first),
        "bcast_hw_multiply" => binary(multiply, first, first),
        "transpose" => Some(output.map(|r, c| Some(x.at(c, r)))),
        "matmul" => {
            let b = inputs.get(1)?;
            Some(output.map(|r, c| Some((0..x.columns).map(|k| x.at(r, k) * b.at(k, c)).sum())))
        }
        "sum_w" => Some(output.map(|r, c| (c == 0).then(|| x.row(r).iter().sum()))),
        "sum_h" => Some(output.map(|r, c| (r == 0).then(|| column(c).sum()))),
        "sum_hw" => Some(output.map(|r, c| (r == 0 && c == 0).then(|| all().sum()))),
        "max_w" => Some(output.map(|r, c| (c == 0).then(|| x.row(r).iter().copied().fold(f64::MIN, f64::max)))),
        "softmax" => Some(output.map(|r, c| {
            let sum: f64 = x.row(r).iter().map(|v| v.exp()).sum();
            Some(x.at(r, c).exp() / sum)
        })),
        "layer_norm" | "layer_norm_plain" => {
            let (gamma, beta) = (inputs.get(1)?, inputs.get(2)?);
            let is_plain = name == "layer_norm_plain";
            Some(output.map(|r, c| {
                let row = x.row(r);
                let mean = row.iter().sum::<f64>() / row.len() as f64;
                let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / row.len() as f64;
                let normalised = (x.at(r, c) - mean) / (variance + 1e-5).sqrt();
                Some(if is_plain { normalised } else { normalised * gamma.at(0, c) + beta.at(0, c) })
            }))
        }
        _ => None,
    }
}

/// The share of the normal distribution below `x`, by integrating its density with Simpson's rule.
fn normal_cdf(x: f64) -> f64 {
    const STEPS: usize = 400;
    let width = x / STEPS as f64;
    let density = |i: usize| (-(i as f64 * width).powi(2) / 2.0).exp();
    let inner: f64 = (1..STEPS).map(|i| density(i) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    0.5 + (density(0) + inner + density(STEPS)) * width / 3.0 / (2.0 * std::f64::consts::PI).sqrt()
}

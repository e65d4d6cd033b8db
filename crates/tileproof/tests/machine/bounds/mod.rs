//! Tolerances that come of the operations hold: of random small programs no output is ever off by more.
//!
//! Kernels carry out chains of operations on a tile, in random formats, fidelities and widths of Dst, on data of many sizes; what
//! they should give is worked out here, in float64. `TILEPROOF_BOUNDED_PROGRAMS=10000` makes so many (in release, two minutes).

mod chain;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tileproof::npy::write_elements;
use tileproof::program_file::ProgramFile;
use tileproof::run_file::{BuildKernels, ChosenChecks, RunOptions, RunResult, run_program_file_with};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_kernel::{compute_kernel, data_movement_kernel};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::host::{bf16_to_f32, f32_to_bf16};

use self::chain::{Chain, IN, MID, Matrices, Matrix, OUT, Round, Vectors};
use crate::random_programs::program::Numbers;
use crate::support::folder;

struct Kernels;

impl BuildKernels for Kernels {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        let kernel = |request: &CompileRequest| match request.source.file_stem().and_then(|stem| stem.to_str()) {
            Some("reader") => data_movement_kernel("reader.cpp", chain::reader),
            Some("writer") => data_movement_kernel("writer.cpp", chain::writer),
            _ => compute_kernel("compute.cpp", chain::compute),
        };
        Ok(requests.iter().map(kernel).collect())
    }
}

/// How the machine is set, and in which formats data lie in L1.
#[derive(Debug)]
struct Setting {
    input: &'static str,
    mid: &'static str,
    output: &'static str,
    wide: bool,
    fidelity: &'static str,
}

impl Setting {
    fn random(numbers: &mut Numbers) -> Setting {
        const FLOATS: [&str; 2] = ["bfloat16", "float32"];
        let wide = numbers.coin();
        Setting {
            input: numbers.of(&FLOATS),
            mid: numbers.of(&["bfloat16", "float32", "bfloat8_b"]),
            output: numbers.of(&FLOATS),
            wide,
            fidelity: numbers.of(&["LoFi", "HiFi2", "HiFi3", "HiFi4"]),
        }
    }
}

fn page_size(dtype: &str) -> u32 {
    match dtype {
        "float32" => 4096,
        "bfloat8_b" => 1088,
        _ => 2048,
    }
}

fn text(setting: &Setting, chain: &Chain) -> String {
    const RANGES: &str = "core_ranges = [[[0, 0], [0, 0]]]\n";
    let Setting { input, mid, output, wide, fidelity } = setting;
    let mut text = String::new();
    for (name, dtype, rest) in [
        ("in0", *input, "fill = \"npy:in0.npy\""),
        ("in1", *input, "fill = \"npy:in1.npy\""),
        ("in2", "bfloat16", &*format!("fill = \"constant:{}\"", chain.scaler)),
        ("out", *output, "output = true"),
    ] {
        let _ = writeln!(
            text,
            "[[tensor]]\nname = \"{name}\"\nshape = [32, 32]\ndtype = \"{dtype}\"\nlayout = \"tile\"\n{rest}"
        );
    }
    let buffers = [(IN[0], *input), (IN[1], *input), (IN[2], "bfloat16"), (MID, *mid), (OUT, *output)];
    for (cb, dtype) in buffers {
        let bytes = page_size(dtype);
        let format = format!("{{ buffer_index = {cb}, data_format = \"{dtype}\", page_size = {bytes} }}");
        let _ = writeln!(text, "[[cb]]\ntotal_size = {}\n{RANGES}format_descriptors = [{format}]", 2 * bytes);
    }
    let words: Vec<String> = chain.words().iter().map(u32::to_string).collect();
    let compute = format!("{{ compute = {{ math_fidelity = \"{fidelity}\", fp32_dest_acc_en = {wide} }} }}");
    let tensors = |names: &[&str], kind: &str| {
        let of: Vec<String> = names.iter().map(|name| format!("{{ {kind} = \"{name}\" }}")).collect();
        of.join(", ")
    };
    let (ins, outs) = (["in0", "in1", "in2"], ["out"]);
    for (name, config, accessors, arguments) in [
        ("reader", "\"reader\"".into(), tensors(&ins, "tensor_accessor"), tensors(&ins, "address")),
        ("compute", compute, String::new(), words.join(", ")),
        ("writer", "\"writer\"".into(), tensors(&outs, "tensor_accessor"), tensors(&outs, "address")),
    ] {
        let _ = writeln!(
            text,
            "[[kernel]]\nkernel_source = \"{name}.cpp\"\n{RANGES}config = {config}\ncompile_time_args = [{accessors}]\nruntime_args = [{{ core = [0, 0], args = [{arguments}] }}]"
        );
    }
    text + "[[expect]]\ntensor = \"out\"\nfile = \"out.npy\"\ntolerance = \"derived\"\n"
}

fn format(dtype: &str) -> DataFormat {
    if dtype == "float32" { DataFormat::Float32 } else { DataFormat::Float16_b }
}

/// The words of values in a format, and the values that those are.
fn rounded(values: &[f64], format: DataFormat) -> (Vec<u32>, Matrix) {
    let word = |value: &f64| match format {
        DataFormat::Float32 => (*value as f32).to_bits(),
        _ => f32_to_bf16(*value as f32).into(),
    };
    let value = |word: &u32| match format {
        DataFormat::Float32 => f32::from_bits(*word).into(),
        _ => f64::from(bf16_to_f32(*word as u16)),
    };
    let words: Vec<u32> = values.iter().map(word).collect();
    let values = words.iter().map(value).collect();
    (words, values)
}

/// Data of a size and about a middle.
fn data(numbers: &mut Numbers) -> Vec<f64> {
    let (size, middle) = (numbers.of(&[1e-3, 1.0, 1.0, 30.0]), numbers.of(&[0.0, 0.0, 1.0, 100.0]));
    (0..1024).map(|_| middle + size * (f64::from(numbers.one(0, 1 << 24)) / f64::from(1 << 23) - 1.0)).collect()
}

fn run(to: &Path, setting: &Setting, chain: &Chain, data: [Vec<f64>; 2]) -> Result<RunResult, String> {
    run_expecting(to, setting, chain, data, &|inputs| chain.exact(inputs))
}

/// Runs a chain, of which something is expected.
fn run_expecting(
    to: &Path,
    setting: &Setting,
    chain: &Chain,
    data: [Vec<f64>; 2],
    expected: &dyn Fn([&Matrix; 2]) -> Matrix,
) -> Result<RunResult, String> {
    let save = |name: &str, dtype: &str, values: &[f64]| {
        let (words, values) = rounded(values, format(dtype));
        write_elements(&to.join(name), &[32, 32], format(dtype), &words).unwrap();
        values
    };
    let first = save("in0.npy", setting.input, &data[0]);
    let second = save("in1.npy", setting.input, &data[1]);
    save("out.npy", setting.output, &expected([&first, &second]));
    let program = to.join("program.toml");
    fs::write(&program, text(setting, chain)).unwrap();
    let options = RunOptions { threads: Some(1), checks: ChosenChecks::None, ..RunOptions::default() };
    run_program_file_with(&program, &options, &Kernels).map_err(|error| error.to_string())
}

#[test]
fn no_output_of_a_random_program_is_off_by_more_than_its_operations_may_lose() {
    let asked = std::env::var("TILEPROOF_BOUNDED_PROGRAMS").ok();
    let programs: u32 = asked.map_or(150, |count| count.parse().expect("a number"));
    let to = with_kernels("bounded");
    let (mut numbers, mut shares, mut unknown) = (Numbers(7), Vec::new(), 0);
    for index in 0..programs {
        let (setting, chain) = (Setting::random(&mut numbers), Chain::random(&mut numbers));
        let data = [data(&mut numbers), data(&mut numbers)];
        match run(&to, &setting, &chain, data) {
            Ok(result) => {
                let output = &result.outputs[0];
                assert!(result.pass(), "{index}: {setting:?} {chain:?}: {output:?} {:?}", result.record.findings);
                shares.push(output.derived.expect("a derived tolerance").share);
            }
            // A root of what may be below 0, or more than a format holds.
            Err(error) => {
                assert!(error.contains("no tolerance can be derived"), "{index}: {setting:?} {chain:?}: {error}");
                unknown += 1;
            }
        }
    }
    shares.sort_by(f64::total_cmp);
    let [median, most] = [shares[shares.len() / 2], shares[shares.len() - 1]];
    println!("{programs} programs, {unknown} without a bound: off by {median:.3} of it, {most:.3} at most");
    assert!(unknown * 10 <= programs, "{unknown} of {programs} without a bound");
    // A bound that nothing comes near says nothing.
    assert!(median > 0.02 && most <= 1.0, "{median} {most}");
}

/// An empty folder with the names of kernels in it.
fn with_kernels(name: &str) -> PathBuf {
    let to = folder(name);
    for kernel in ["reader", "writer", "compute"] {
        fs::write(to.join(format!("{kernel}.cpp")), "").unwrap();
    }
    to
}

const PLAIN: Setting =
    Setting { input: "bfloat16", mid: "bfloat16", output: "bfloat16", wide: false, fidelity: "HiFi4" };

fn chain_of(first: Matrices, then: &[(Vectors, f32)]) -> Chain {
    Chain { rounds: vec![Round { first, then: then.to_vec() }], scaler: 1.0 }
}

#[test]
fn another_function_is_off_by_more_than_the_operations_may_lose() {
    let to = with_kernels("other-function");
    let ramp: Vec<f64> = (0..1024).map(|at| f64::from(at) / 1024.0).collect();
    let product = chain_of(Matrices::Mul, &[]);
    assert!(run(&to, &PLAIN, &product, [ramp.clone(), vec![0.5; 1024]]).unwrap().pass());
    // What is expected is the product with 0.5, and the kernel gets 0.51: within any tolerance of 0.02.
    let wrong = run_expecting(&to, &PLAIN, &product, [ramp.clone(), vec![0.51; 1024]], &|[x, _]| {
        x.iter().map(|x| 0.5 * x).collect()
    });
    let wrong = wrong.unwrap();
    let derived = wrong.outputs[0].derived.unwrap();
    assert!(!wrong.pass() && derived.share > 1.0 && derived.largest_bound < 0.05, "{derived:?}");
    assert!(wrong.outputs[0].max_diff.unwrap() < 0.02, "{:?}", wrong.outputs[0]);
}

#[test]
fn the_first_column_of_each_face_goes_on_behind_a_sum_of_rows() {
    let to = with_kernels("edge");
    // What the vector unit leaves in column 16 is packed: the edge mask of rows keeps the first column of both faces.
    let chain = chain_of(Matrices::SumRow, &[(Vectors::Add, 0.0)]);
    assert!(run(&to, &PLAIN, &chain, [vec![0.25; 1024], vec![3.0; 1024]]).unwrap().pass());
}

#[test]
fn a_root_of_what_may_be_negative_has_no_bound_which_is_an_error_and_no_pass() {
    let to = with_kernels("no-bound");
    // 100 times 100.5 less 10,000 in a Dst of 16 bits, whose steps are 64 there.
    let chain = chain_of(Matrices::Mul, &[(Vectors::AddNumber, -10_000.0), (Vectors::Rsqrt, 0.0)]);
    let error = run(&to, &PLAIN, &chain, [vec![100.0; 1024], vec![100.5; 1024]]).unwrap_err();
    assert!(error.ends_with("program.toml: out: no tolerance can be derived: of 1024 elements it is not known: a divisor may be 0, a number too large, or the run is too long; give rtol and atol"), "{error}");
}

#[test]
fn a_tolerance_by_another_name_is_refused_and_so_are_two() {
    let to = with_kernels("two-tolerances");
    let chain = chain_of(Matrices::Copy, &[]);
    assert!(run(&to, &PLAIN, &chain, [vec![1.0; 1024], vec![1.0; 1024]]).unwrap().pass());
    let with = |line: &str| text(&PLAIN, &chain).replace("tolerance = \"derived\"", line);
    let refused = |line: &str| {
        fs::write(to.join("program.toml"), with(line)).unwrap();
        ProgramFile::read(&to.join("program.toml"), &[]).err().unwrap().message
    };
    assert_eq!(
        refused("tolerance = \"tight\""),
        "expect: tolerance = \"tight\": expected \"derived\"; numbers are rtol and atol"
    );
    assert_eq!(
        refused("tolerance = \"derived\"\nrtol = 0.01"),
        "expect of \"out\": give bits = true, or rtol and atol, or tolerance = \"derived\""
    );
}

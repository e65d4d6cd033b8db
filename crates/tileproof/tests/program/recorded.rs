//! Programs whose outputs were recorded on the vendor's simulator, by digests: parts of a bitonic sort, random numbers, means and
//! variances by Welford's method, lines out of tables, remainders, sums, reductions and transpositions.
//!
//! Digests come from outside, as golden vectors do (`tests/golden/PROVENANCE.md`); kernels and inputs are those that they were recorded
//! with, in `recorded/`. Start at [`digests_are_those_that_were_recorded`].

use std::fmt::Write;
use std::fs;
use std::path::Path;

use tileproof::npy::{read_elements, write_elements};
use tileproof::run_file::{RunOptions, run_program_file};
use tileproof_numerics::format::DataFormat;

use crate::support;

const DIGESTS: &str = include_str!("../../../../tests/golden/program_digests.txt");

/// Numbers that look drawn.
fn mixed(count: u32, salt: u32) -> impl Iterator<Item = u32> {
    (0..count).map(move |at| {
        let x = at.wrapping_mul(2_654_435_761).wrapping_add(salt.wrapping_mul(40_503));
        let x = (x ^ x >> 15).wrapping_mul(2_246_822_519);
        x ^ x >> 13
    })
}

/// Six tiles of bf16 words: whole numbers of which many are equal, numbers between -8 and 8, any words at all.
pub(super) fn numbers() -> Vec<u32> {
    let equal = mixed(2048, 1).map(|x| (((x >> 24) % 12) as f32 - 6.0).to_bits() >> 16);
    let small = mixed(2048, 3).map(|x| x >> 31 << 15 | (124 + (x >> 8) % 6) << 7 | x & 127);
    equal.chain(small).chain(mixed(2048, 2).map(|x| x >> 16)).collect()
}

/// Where a number lies, and in which column.
fn indices() -> Vec<u32> {
    (0..2048).map(|at| at / 32 + 100 * (at % 32)).collect()
}

pub(super) struct Tensor {
    pub(super) name: &'static str,
    pub(super) cb: u32,
    pub(super) format: DataFormat,
    pub(super) tiles: u32,
    /// `None` of an output.
    pub(super) words: Option<Vec<u32>>,
}

fn word(format: DataFormat) -> (&'static str, u32) {
    match format {
        DataFormat::Float32 => ("float32", 4096),
        DataFormat::UInt16 => ("uint16", 2048),
        DataFormat::UInt32 => ("uint32", 4096),
        _ => ("bfloat16", 2048),
    }
}

/// A program of one core around a kernel of `recorded/`, or of another folder.
pub(super) struct Program {
    pub(super) kernel: String,
    pub(super) defines: Vec<(&'static str, String)>,
    pub(super) wide: bool,
    pub(super) tensors: Vec<Tensor>,
}

impl Program {
    fn sort(wide: bool) -> Program {
        let format = if wide { DataFormat::UInt32 } else { DataFormat::UInt16 };
        let bf16 = DataFormat::Float16_b;
        let tensors = vec![
            Tensor { name: "numbers", cb: 0, format: bf16, tiles: 6, words: Some(numbers()) },
            Tensor { name: "indices", cb: 1, format, tiles: 2, words: Some(indices()) },
            Tensor { name: "sorted", cb: 16, format: bf16, tiles: 204, words: None },
            Tensor { name: "their_indices", cb: 17, format, tiles: 204, words: None },
        ];
        Program { kernel: "sort.cpp".into(), defines: vec![("SECOND", "1".into())], wide, tensors }
    }

    fn random(dropout: bool, seed: &str, wide: bool) -> Program {
        let format = if wide { DataFormat::Float32 } else { DataFormat::Float16_b };
        let small = numbers()[2048..4096].to_vec();
        let tensors = vec![
            Tensor { name: "x", cb: 0, format: DataFormat::Float16_b, tiles: 2, words: Some(small) },
            Tensor { name: "out", cb: 16, format, tiles: 2, words: None },
        ];
        let mut defines = vec![("SEED", seed.to_string())];
        if dropout {
            defines.push(("DROPOUT", "1".into()));
        }
        Program { kernel: "random.cpp".into(), defines, wide, tensors }
    }

    fn welford(wide: bool) -> Program {
        let format = if wide { DataFormat::Float32 } else { DataFormat::Float16_b };
        let tensors = vec![
            Tensor { name: "x", cb: 0, format: DataFormat::Float16_b, tiles: 6, words: Some(numbers()) },
            Tensor { name: "out", cb: 16, format, tiles: 10, words: None },
        ];
        Program { kernel: "welford.cpp".into(), defines: Vec::new(), wide, tensors }
    }

    /// A kernel on six tiles of numbers.
    fn of_numbers(kernel: &str, tiles: u32, wide: bool) -> Program {
        let format = if wide { DataFormat::Float32 } else { DataFormat::Float16_b };
        let tensors = vec![
            Tensor { name: "x", cb: 0, format: DataFormat::Float16_b, tiles: 6, words: Some(numbers()) },
            Tensor { name: "out", cb: 16, format, tiles, words: None },
        ];
        Program { kernel: kernel.into(), defines: Vec::new(), wide, tensors }
    }

    /// On two tiles of integers: the least one, any, and small ones by turns.
    fn int_sums() -> Program {
        let integers = mixed(2048, 1).zip(0..).map(|(x, at)| match at % 3 {
            0 => 0x8000_0000,
            1 => x,
            _ => (x % 81).wrapping_sub(40),
        });
        let format = DataFormat::UInt32;
        let tensors = vec![
            Tensor { name: "x", cb: 0, format, tiles: 2, words: Some(integers.collect()) },
            Tensor { name: "out", cb: 16, format, tiles: 6, words: None },
        ];
        Program { kernel: "int_sums.cpp".into(), defines: Vec::new(), wide: true, tensors }
    }

    /// On four tiles of integers: those of [`Program::int_sums`] as they begin, corners, any, and any below zero; of UInt16 their lower
    /// halves.
    fn reduced_integers(kind: &str, sums_of_rows: bool) -> Program {
        const CORNERS: [u32; 8] = [0, 1, u32::MAX, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fff0, 32];
        let wide = kind != "UInt16";
        let (format, kept) = if wide { (DataFormat::UInt32, u32::MAX) } else { (DataFormat::UInt16, 0xffff) };
        let integers = mixed(4096, 1).zip(0..).map(|(x, at)| match (at / 1024, at % 3) {
            (0, 0) => 0x8000_0000,
            (0, 2) => (x % 81).wrapping_sub(40),
            (1, _) => CORNERS[(at / 64 + at % 2 * (x % 8)) as usize % 8],
            (3, _) => x | 0x8000_0000,
            _ => x,
        });
        let words = Some(integers.map(|word| word & kept).collect());
        let tensors = vec![
            Tensor { name: "x", cb: 0, format, tiles: 4, words },
            Tensor { name: "out", cb: 16, format, tiles: if sums_of_rows { 12 } else { 28 }, words: None },
        ];
        let mut defines = vec![("FORMAT", kind.to_string())];
        if sums_of_rows {
            defines.push(("SUMS_OF_ROWS", "1".into()));
        }
        Program { kernel: "reduced_integers.cpp".into(), defines, wide, tensors }
    }

    /// Six tiles of numbers, in blocks, with a scaler of ones and a tile of which each row is one word of another kind.
    fn block_maxima(wide: bool) -> Program {
        let mut program = Program::of_numbers("block_maxima.cpp", 5, wide);
        let magnitudes = [0, 1, 0x7f, 0x80, 0x3f80, 0x7f80, 0x7f81, 0x7fff];
        let kinds = (0..1024).map(|at| magnitudes[at / 64 % 8] | (at as u32 / 32 % 2) << 15);
        let words = Some([0x3f80; 1024].into_iter().chain(kinds).collect());
        let scaler = Tensor { name: "scaler", cb: 1, format: DataFormat::Float16_b, tiles: 2, words };
        program.tensors.insert(1, scaler);
        program.defines = vec![("SCALER", "1".into())];
        program
    }

    /// Twelve tiles' worth of row-major rows, and two tiles of scalers of which each face is another: a maximum takes a scaler of 1 alone, and
    /// all but the first face must not be read.
    fn pooled(pool: &str, format: DataFormat, wide: bool) -> Program {
        let of_faces = match pool {
            "MAX" => [[0x3f80, 0x4000, 0x4000, 0x4000]; 2],
            _ => [[0x3f80, 0x3e80, 0x4000, 0], [0x3f2b, 0xbf80, 0x4049, 0x3d00]],
        };
        let face = |at: usize| at / 512 * 2 + at / 16 % 2;
        let scalers = of_faces.iter().flat_map(|faces| (0..1024).map(move |at| faces[face(at)]));
        let rows = [numbers(), numbers()].concat();
        let rows = match format {
            DataFormat::Float32 => {
                rows.iter().zip(mixed(12 * 1024, 7)).map(|(x, low)| x << 16 | low & 0xffff).collect()
            }
            _ => rows,
        };
        let (bf16, out) = (DataFormat::Float16_b, if wide { DataFormat::Float32 } else { DataFormat::Float16_b });
        let tensors = vec![
            Tensor { name: "x", cb: 0, format, tiles: 12, words: Some(rows) },
            Tensor { name: "scaler", cb: 1, format: bf16, tiles: 2, words: Some(scalers.collect()) },
            Tensor { name: "out", cb: 16, format: out, tiles: 8, words: None },
        ];
        let defines = vec![("OP", pool.into()), ("SCALER", "1".into())];
        Program { kernel: "pooled.cpp".into(), defines, wide, tensors }
    }

    /// Functions of the vector library on every word of bf16.
    fn library(wide: bool) -> Program {
        let format = if wide { DataFormat::Float32 } else { DataFormat::Float16_b };
        let tensors = vec![
            Tensor { name: "x", cb: 0, format: DataFormat::Float16_b, tiles: 64, words: Some((0..0x1_0000).collect()) },
            Tensor { name: "out", cb: 16, format, tiles: 64 * 12, words: None },
        ];
        Program { kernel: "library.cpp".into(), defines: Vec::new(), wide, tensors }
    }

    fn text(&self, chip: &str, api: &str) -> String {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/recorded");
        let mut text = format!("arch = \"{chip}\"\napi = \"{api}\"\n");
        for Tensor { name, cb, format, tiles, words } in &self.tensors {
            let (dtype, bytes) = word(*format);
            let end = if words.is_some() { format!("fill = \"npy:{name}.npy\"") } else { "output = true".into() };
            let pages = if words.is_some() { *tiles } else { 2 };
            let _ = writeln!(
                text,
                "[[tensor]]\nname = \"{name}\"\nshape = [{tiles}, 32, 32]\ndtype = \"{dtype}\"\nlayout = \"tile\"\n{end}"
            );
            let _ = writeln!(text, "[[cb]]\ntotal_size = {}\ncore_ranges = [[[0, 0], [0, 0]]]", pages * bytes);
            let formats = format!("{{ buffer_index = {cb}, data_format = \"{dtype}\", page_size = {bytes} }}");
            let _ = writeln!(text, "format_descriptors = [{formats}]");
        }
        let (inputs, outputs): (Vec<&Tensor>, Vec<&Tensor>) =
            self.tensors.iter().partition(|tensor| tensor.words.is_some());
        let integers = inputs.iter().filter(|tensor| tensor.format == DataFormat::UInt32);
        let unpacked: Vec<u32> = integers.map(|tensor| tensor.cb).collect();
        let config =
            format!("{{ compute = {{ fp32_dest_acc_en = {}, unpack_to_dest_fp32 = {unpacked:?} }} }}", self.wide);
        let accessors = |of: &[&Tensor]| -> String {
            of.iter().map(|tensor| format!("{{ tensor_accessor = \"{}\" }}, ", tensor.name)).collect()
        };
        let address = |tensor: &&Tensor| format!("{{ address = \"{}\" }}, ", tensor.name);
        let reads: String = inputs.iter().map(|tensor| format!("{}{}, ", address(tensor), tensor.tiles)).collect();
        let writes: String = outputs.iter().map(address).collect();
        let writes = format!("{}, {writes}", outputs[0].tiles);
        let defines: String = self.defines.iter().map(|(name, value)| format!("[\"{name}\", \"{value}\"], ")).collect();
        for (file, config, accessors, arguments) in [
            ("reader.cpp", "\"reader\"", accessors(&inputs), reads),
            (&self.kernel, config.as_str(), String::new(), String::new()),
            ("writer.cpp", "\"writer\"", accessors(&outputs), writes),
        ] {
            let _ = writeln!(text, "[[kernel]]\nkernel_source = \"{}\"", kernels.join(file).display());
            let _ = writeln!(text, "core_ranges = [[[0, 0], [0, 0]]]\nconfig = {config}\ndefines = [{defines}]");
            let _ = writeln!(text, "compile_time_args = [{accessors}]");
            let _ = writeln!(text, "runtime_args = [{{ core = [0, 0], args = [{arguments}] }}]");
        }
        text
    }

    /// Runs it, and gives the bytes of each output's elements.
    pub(super) fn outputs(&self, chip: &str, api: &str, name: &str) -> Vec<(&'static str, Vec<u8>)> {
        let folder = support::folder(&format!("recorded-{name}").replace(' ', "-"));
        for tensor in &self.tensors {
            if let Some(words) = &tensor.words {
                let path = folder.join(format!("{}.npy", tensor.name));
                write_elements(&path, &[tensor.tiles, 32, 32], tensor.format, words).unwrap();
            }
        }
        let path = folder.join("program.toml");
        fs::write(&path, self.text(chip, api)).unwrap();
        let options = RunOptions { save: Some(folder.clone()), ..RunOptions::default() };
        let result = run_program_file(&path, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(result.pass(), "{name}: {:?} {:?}", result.record.status, result.record.findings);
        let outputs = self.tensors.iter().filter(|tensor| tensor.words.is_none());
        outputs
            .map(|tensor| {
                let path = folder.join(format!("{}.npy", tensor.name));
                let (_, words) = read_elements(&path, &[tensor.tiles, 32, 32], tensor.format).unwrap();
                let bytes = word(tensor.format).1 as usize / 1024;
                (tensor.name, words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(bytes)).collect())
            })
            .collect()
    }
}

/// FNV-1a of 64 bits.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The day of the headers that digests were recorded with, and one before the mixing of random numbers.
pub(super) const NEWEST: &str = "2026-09-18";
const OLDER: &str = "2026-01-22";

#[test]
fn digests_are_those_that_were_recorded() {
    let mut got = String::new();
    let mut add = |chip: &str, name: &str, program: Program, api: &str| {
        for (tensor, bytes) in program.outputs(chip, api, &format!("{chip} {name}")) {
            let _ = writeln!(got, "{chip} {name} {tensor} {:016x}", digest(&bytes));
        }
    };
    for chip in ["wormhole", "blackhole"] {
        for wide in [false, true] {
            let bits = if wide { 32 } else { 16 };
            add(chip, &format!("sort {bits}"), Program::sort(wide), NEWEST);
            for seed in ["1", "0xdeadbeef"] {
                add(chip, &format!("dropout {seed} {bits}"), Program::random(true, seed, wide), NEWEST);
            }
        }
        for wide in [false, true] {
            add(chip, &format!("welford {}", if wide { 32 } else { 16 }), Program::welford(wide), NEWEST);
        }
        for wide in [false, true] {
            for (kernel, tiles) in [("lines", 8), ("remainders", 48)] {
                let name = format!("{kernel} {}", if wide { 32 } else { 16 });
                add(chip, &name, Program::of_numbers(&format!("{kernel}.cpp"), tiles, wide), NEWEST);
            }
        }
        add(chip, "int_sums 32", Program::int_sums(), NEWEST);
        for kind in ["Int32", "UInt32", "UInt16"] {
            // Blackhole's kernel for the largest along rows does not compile for words of 16 bits.
            let program = Program::reduced_integers(kind, kind == "UInt16" && chip == "blackhole");
            add(chip, &format!("reduced_integers {kind}"), program, NEWEST);
        }
        for wide in [false, true] {
            for (kernel, tiles) in [("reduced_rows", 18), ("rows", 12)] {
                let name = format!("{kernel} {}", if wide { 32 } else { 16 });
                add(chip, &name, Program::of_numbers(&format!("{kernel}.cpp"), tiles, wide), NEWEST);
            }
        }
        for wide in [false, true] {
            let name = format!("block_maxima {}", if wide { 32 } else { 16 });
            add(chip, &name, Program::block_maxima(wide), NEWEST);
        }
        for wide in [false, true] {
            let bits = if wide { 32 } else { 16 };
            for pool in ["SUM", "AVG", "MAX"] {
                add(chip, &format!("pooled {pool} {bits}"), Program::pooled(pool, DataFormat::Float16_b, wide), NEWEST);
            }
            // Blackhole's simulator refuses such rows with a 32-bit Dst.
            if !wide || chip == "wormhole" {
                let program = Program::pooled("SUM", DataFormat::Float32, wide);
                add(chip, &format!("pooled SUM of Float32 {bits}"), program, NEWEST);
            }
        }
        add(chip, "quantized 32", Program::of_numbers("quantized.cpp", 30, true), NEWEST);
        let within: &[(&'static str, &str)] = &[("WIDE", "1"), ("WITHIN", "1")];
        for (name, wide, defines) in [("16", false, &[][..]), ("32 within faces", true, within)] {
            let defines = defines.iter().map(|(name, value)| (*name, (*value).into())).collect();
            let program = Program { defines, ..Program::of_numbers("transposes.cpp", 12, wide) };
            add(chip, &format!("transposes {name}"), program, NEWEST);
        }
        for wide in [false, true] {
            add(chip, &format!("library {}", if wide { 32 } else { 16 }), Program::library(wide), NEWEST);
        }
        for seed in ["1", "0xdeadbeef"] {
            add(chip, &format!("rand_of_2025 {seed} 32"), Program::random(false, seed, true), OLDER);
            add(chip, &format!("rand {seed} 32"), Program::random(false, seed, true), NEWEST);
        }
    }
    let recorded: String =
        DIGESTS.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    assert_eq!(got, recorded);
}

//! The vector unit against golden vectors: copy_tile, the call under test, pack_tile.
//!
//! Expected values come from the vectors alone, and every call of a vector must be known here and run
//! bit for bit. The calls are in [`crate::sfpu_calls`]. Start reading at [`Case::run`].

use std::collections::{BTreeMap, BTreeSet};

use tileproof_golden as golden;
use tileproof_numerics::chip::{Arithmetic, BLACKHOLE, Recorded, WORMHOLE};
use tileproof_numerics::dst::Dst;
use tileproof_numerics::format::{DataFormat, pack_source_format, unpack_register_format};
use tileproof_numerics::fpu::{self, Fidelity, FpuMode};
use tileproof_numerics::host;
use tileproof_numerics::pack::{EdgeMask, PackMode, Relu, pack_tile};
use tileproof_numerics::sfpu::{RunningSum, SfpuMode, SfpuOp, cumsum, execute};
use tileproof_numerics::tile::{TILE_DATUMS, Tile, face_index};
use tileproof_numerics::unpack::unpack_tile;

use crate::sfpu_calls::{operation, reduction};

/// One vector: what the kernel does, and which Dst index it packs.
pub(crate) struct Case {
    recorded: &'static golden::Case,
    pub(crate) calls: Vec<(String, Vec<String>)>,
    packed: usize,
}

/// Groups with kernels that copy, call the vector unit and pack, and how many such cases each has: a
/// lost one must not pass.
const GROUPS: [(&str, usize); 5] = [("base", 69), ("sfpu", 190), ("int", 31), ("typecast", 29), ("extra", 40)];

/// The vectors of a group whose kernels copy, call the vector unit and pack.
pub(crate) fn cases(group: &str) -> Vec<Case> {
    let whole = ["sfpu", "int", "typecast"].contains(&group);
    let chosen = golden::group(group).filter(|recorded| {
        let name = recorded.name.as_str();
        let vector_unit = whole
            || ["sfpu_reduce", "cumsum_tile", "fill_tile", "mask_posinf", "mask_tile", "_sfpu__"]
                .iter()
                .any(|n| name.contains(n))
            || operation_stem(name);
        vector_unit && !name.starts_with("sfpu_dst_index")
    });
    chosen
        .map(|recorded| {
            let kernel = recorded.kernel_source().expect("a kernel");
            let packed = kernel.find("pack_tile(").map_or(0, |at| {
                let index = kernel[at + 10..].split(',').next().expect("argument");
                index.parse().expect("index packed")
            });
            Case { recorded, calls: calls_of(kernel), packed }
        })
        .collect()
}

/// Names in the first set of vectors, which has no groups.
fn operation_stem(name: &str) -> bool {
    let stem = name.trim_start_matches("exhaustive_bf16__").split("__").next().unwrap_or_default();
    ["abs_tile", "negative_tile", "square_tile", "exp_tile", "exp_approx_tile", "gelu_tile", "sigmoid_tile"]
        .contains(&stem)
        || ["rsqrt", "sqrt", "recip", "add_unary", "sub_unary", "mul_unary"].iter().any(|s| stem.starts_with(s))
}

/// The calls between `tile_regs_acquire` and `tile_regs_commit`, with their arguments.
fn calls_of(kernel: &str) -> Vec<(String, Vec<String>)> {
    let text: String = kernel[kernel.find("kernel_main").expect("kernel_main")..].split_whitespace().collect();
    let from = text.find("tile_regs_acquire();").expect("acquire") + "tile_regs_acquire();".len();
    let to = text.find("tile_regs_commit").expect("commit");
    let mut calls = Vec::new();
    let mut fill_value = None;
    for statement in text[from..to].split(';') {
        if let Some(value) = statement.strip_prefix("floatv=") {
            fill_value = Some(value.to_string());
        } else if let Some(open) = statement.rfind('(') {
            let arguments = statement[open + 1..].trim_end_matches(')');
            let arguments = arguments
                .split(',')
                .map(|a| if a == "v" { fill_value.clone().expect("value of v") } else { a.to_string() })
                .collect();
            calls.push((statement[..open].to_string(), arguments));
        }
    }
    calls
}

/// The value of an argument in round `i`; `a ? x : b ? y : z` lists the rounds' values in order.
fn argument(text: &str, i: usize) -> u32 {
    let parts: Vec<&str> = text.split(['?', ':']).collect();
    let text = if parts.len() > 1 {
        if 2 * i + 1 < parts.len() { parts[2 * i + 1] } else { parts[parts.len() - 1] }
    } else {
        text
    };
    let digits = text.trim_end_matches('u');
    if let Some(hex) = digits.strip_prefix("0x") {
        u32::from_str_radix(hex, 16).expect("hexadecimal argument")
    } else if let Ok(integer) = digits.parse::<u32>() {
        integer
    } else if let Some(float) = text.strip_suffix('f') {
        float.parse::<f32>().expect("float argument").to_bits()
    } else {
        match text {
            "i" => i as u32,
            "i==0" => u32::from(i == 0),
            _ => panic!("argument {text}"),
        }
    }
}

/// An array of tiles in logical order as pages in face order.
fn pages(bytes: &[u8], width: usize) -> Vec<Vec<u8>> {
    bytes
        .chunks(TILE_DATUMS * width)
        .map(|tile| {
            let mut page = vec![0; tile.len()];
            for (at, datum) in tile.chunks(width).enumerate() {
                let to = face_index(at / 32, at % 32) * width;
                page[to..to + width].copy_from_slice(datum);
            }
            page
        })
        .collect()
}

fn format_named(name: &str) -> DataFormat {
    match name {
        "bf16" => DataFormat::Float16_b,
        "fp32" => DataFormat::Float32,
        "int32" => DataFormat::Int32,
        "uint32" => DataFormat::UInt32,
        "uint16" => DataFormat::UInt16,
        "uint8" => DataFormat::UInt8,
        "bfp8" => DataFormat::Bfp8_b,
        "bfp4" => DataFormat::Bfp4_b,
        _ => panic!("format {name}"),
    }
}

impl Case {
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.recorded.meta[key].as_bool() == Some(true)
    }

    /// The format and the pages of each input or output, in order.
    fn arrays(&self, list: &str, on: Recorded) -> Vec<(DataFormat, Vec<Vec<u8>>)> {
        let described = self.recorded.meta[list].as_array().expect("a list of arrays");
        described
            .iter()
            .map(|array| {
                let format = format_named(array["format"].as_str().expect("a format"));
                if let Some(raw) = array["raw_file"].as_str() {
                    let bytes = self.recorded.raw(raw);
                    return (format, bytes.chunks(format.tile_bytes() as usize).map(<[u8]>::to_vec).collect());
                }
                let file = array["file"].as_str().expect("a file");
                // The group of Blackhole holds only what differs there.
                let differing = golden::case("blackhole", &self.recorded.name)
                    .filter(|case| on == Recorded::Blackhole && case.file_names().any(|name| name == file));
                let data = differing.unwrap_or(self.recorded).raw(file);
                (format, pages(&data, format.tile_bytes() as usize / TILE_DATUMS))
            })
            .collect()
    }

    fn to_dest(&self, cb: usize) -> bool {
        let list = self.recorded.meta["unpack_to_dest_fp32_cbs"].as_array().expect("unpack_to_dest_fp32_cbs");
        list.iter().any(|n| n.as_u64() == Some(cb as u64))
    }

    /// `copy_tile`: through SrcA, or straight to Dst.
    fn copy(&self, (l1, pages): &(DataFormat, Vec<Vec<u8>>), page: usize, to_dest: bool, dst: &mut Tile) -> Option<()> {
        let dst_32 = self.flag("fp32_dest_acc_en");
        let register = unpack_register_format(*l1, dst_32, to_dest)?;
        let mut unpacked = Tile::ZERO;
        unpack_tile(*l1, register, &pages[page], &mut unpacked);
        if to_dest || register.is_32_bit_integer() {
            *dst = unpacked;
        } else {
            let mode =
                FpuMode { src_a: register, src_b: register, dst_32, fidelity: Fidelity::HiFi4, rules: WORMHOLE.fpu };
            fpu::move_a_to_dst(mode, &unpacked, dst);
        }
        Some(())
    }

    pub(crate) fn name(&self) -> &'static str {
        &self.recorded.name
    }

    /// Runs the case: its pages, or the call that is unknown.
    fn pages(&self, chip: Arithmetic) -> Result<Vec<Vec<u8>>, String> {
        let dst_32 = self.flag("fp32_dest_acc_en");
        let sources = self.arrays("inputs", Recorded::Wormhole);
        let (out, recorded) = self.arrays("outputs", Recorded::Wormhole).swap_remove(0);
        let approx = self.flag("math_approx_mode");
        let mode = SfpuMode { dst_32, approx, rules: chip.sfpu, src_b_is_fp16: false };
        let pack_mode = PackMode {
            dst_32,
            source: pack_source_format(out, dst_32, false).ok_or("pack format")?,
            out,
            relu: Relu::None,
            edge: EdgeMask::None,
        };
        let mut dst = Dst::default();
        let mut pages = Vec::new();
        let mut sum = RunningSum::ZERO;
        for i in 0..recorded.len() {
            dst.clear(0, 16);
            for index in 0..4 {
                dst.materialize(index, 0);
            }
            for (name, arguments) in &self.calls {
                match name.as_str() {
                    "copy_tile" => {
                        let cb = argument(&arguments[0], i) as usize;
                        let to = argument(&arguments[2], i) as usize;
                        self.copy(&sources[cb], i, self.to_dest(cb), dst.tile_mut(to)).ok_or("unpack format")?;
                        dst.set_valid(to, u64::MAX);
                    }
                    "cb_wait_front" | "cb_pop_front" => {}
                    _ => {
                        let op = operation(name).ok_or_else(|| name.clone())?;
                        let at = |k: usize| argument(&arguments[k], i) as usize;
                        let (tiles, first) = match op.inputs() {
                            0 | 1 => ([at(0), 0, 0], 1),
                            _ if name.starts_with("mask") => ([at(0), at(0) + 1, 0], 2),
                            2 => ([at(0), at(1), 0], 3),
                            _ => ([at(0), at(1), at(2)], 4),
                        };
                        let output = if first > 2 { at(first - 1) } else { at(0) };
                        let mut params = [0; 4];
                        for (p, text) in arguments[first..].iter().enumerate() {
                            params[p] = argument(text, i);
                            // What a round chooses the compiler does not see.
                            params[3] |= u32::from(p < 3 && !text.contains(['?', 'i'])) << p;
                        }
                        if op == SfpuOp::Reduce {
                            params = reduction(name);
                        }
                        if op == SfpuOp::Cumsum {
                            let from = if params[0] != 0 { RunningSum::ZERO } else { sum };
                            sum = cumsum(&mode, &mut dst, output, from).map_err(|e| e.to_string())?;
                            continue;
                        }
                        execute(op, &params, &mode, &mut dst, tiles, output).map_err(|e| e.to_string())?;
                    }
                }
            }
            let mut page = vec![0; out.tile_bytes() as usize];
            pack_tile(&pack_mode, dst.tile(self.packed), &mut page);
            pages.push(page);
        }
        Ok(pages)
    }

    /// What the case gives on a chip as one number: FNV-1a over its tiles' datums, row by row, or over the pages of a block float.
    pub(crate) fn digest(&self, chip: Arithmetic) -> Result<u64, String> {
        let pages = self.pages(chip)?;
        let by_rows = |page: &Vec<u8>| match page.len() % TILE_DATUMS {
            0 => host::untilize(page.len() / TILE_DATUMS, page, 32, 32),
            _ => page.clone(),
        };
        let step = |digest: u64, byte: u8| (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Ok(pages.iter().flat_map(by_rows).fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// The datums that differ from what is recorded, or the call that is unknown.
    fn run(&self, chip: Arithmetic) -> Result<usize, String> {
        let sources = self.arrays("inputs", Recorded::Wormhole);
        let (_, expected) = self.arrays("outputs", chip.sfpu.recorded).swap_remove(0);
        let mut differing = 0;
        for (i, (page, expected)) in self.pages(chip)?.iter().zip(&expected).enumerate() {
            let width = (expected.len() / TILE_DATUMS).max(1);
            let pairs = || page.chunks(width).zip(expected.chunks(width));
            if let Some(k) = pairs().position(|(a, b)| a != b) {
                let hex = |page: &[u8], width: usize| -> String {
                    page[k * width..(k + 1) * width].iter().rev().map(|b| format!("{b:02x}")).collect()
                };
                let from = |(_, pages): &(DataFormat, Vec<Vec<u8>>)| hex(&pages[i], pages[i].len() / TILE_DATUMS);
                let inputs: Vec<String> = sources.iter().map(from).collect();
                println!(
                    "{} page {i} datum {k}: {inputs:?} gives {}, expected {}",
                    self.recorded.name,
                    hex(page, width),
                    hex(expected, width)
                );
            }
            differing += pairs().filter(|(a, b)| a != b).count();
        }
        Ok(differing)
    }
}

#[test]
fn the_vector_unit_equals_the_golden_vectors() {
    let mut unknown = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut ran = BTreeMap::new();
    for (group, count) in GROUPS {
        let cases = cases(group);
        for case in &cases {
            match case.run(WORMHOLE) {
                Err(call) => drop(unknown.insert(call)),
                Ok(0) => *ran.entry(group).or_insert(0) += 1,
                Ok(differing) => wrong.push((case.recorded.name.as_str(), differing)),
            }
        }
        assert_eq!(cases.len(), count, "cases of group {group}");
    }
    println!("bit for bit: {ran:?}");
    assert!(wrong.is_empty(), "differ: {wrong:?}");
    assert!(unknown.is_empty(), "unknown: {unknown:?}");
}

/// The first set of vectors on Blackhole.
#[test]
fn the_vector_unit_of_blackhole_equals_the_golden_vectors() {
    let cases = cases("base");
    let results = cases.iter().map(|case| (case.recorded.name.as_str(), case.run(BLACKHOLE)));
    let wrong: Vec<_> = results.filter(|(_, result)| *result != Ok(0)).collect();
    assert!(wrong.is_empty(), "differ, or are refused: {wrong:?}");
    assert_eq!(cases.len(), 69);
}

/// Digests of what ttsim for Blackhole gave for cases of the other groups, one line a case (`tests/golden/PROVENANCE.md`).
const DIGESTS: &str = include_str!("../../../../tests/golden/blackhole_digests.txt");

/// The cases with a digest of their results on Blackhole.
pub(crate) fn digested() -> Vec<(Case, u64)> {
    let lines = DIGESTS.lines().filter(|line| !line.starts_with('#'));
    let known: BTreeMap<&str, u64> = lines
        .map(|line| line.split_once(' ').expect("a name and a digest"))
        .map(|(name, digest)| (name, u64::from_str_radix(digest, 16).expect("a digest")))
        .collect();
    let all = ["sfpu", "int", "typecast", "extra"].iter().flat_map(|group| cases(group));
    all.filter_map(|case| known.get(case.name()).map(|digest| (case, *digest))).collect()
}

#[test]
fn the_vector_unit_of_blackhole_gives_the_digests_that_are_recorded() {
    let all = digested();
    let results = all.iter().map(|(case, digest)| (case.name(), case.digest(BLACKHOLE), *digest));
    let wrong: Vec<_> = results.filter(|(_, result, digest)| *result != Ok(*digest)).collect();
    assert!(wrong.is_empty(), "differ, or are refused: {wrong:#?}");
    assert_eq!(all.len(), DIGESTS.lines().filter(|line| !line.starts_with('#')).count());
    let of_wormhole = GROUPS.iter().filter(|(group, _)| *group != "base").map(|(_, cases)| cases).sum::<usize>();
    assert_eq!(all.len(), of_wormhole, "each case is recorded on both chips");
}

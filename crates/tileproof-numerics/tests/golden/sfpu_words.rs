//! Calls on all words of bf16, those of several tiles with words that look drawn beside them, by digests of what ttsim answered: copy_tile, the call, pack_tile.
//!
//! Digests come from outside, as the vectors do. Start at [`the_calls_answer_all_words_as_recorded`].

use std::collections::BTreeSet;

use tileproof_numerics::chip::{Arithmetic, BLACKHOLE, Recorded, WORMHOLE};
use tileproof_numerics::dst::Dst;
use tileproof_numerics::format::{DataFormat, pack_source_format, unpack_register_format};
use tileproof_numerics::fpu::{self, Fidelity, FpuMode};
use tileproof_numerics::pack::{EdgeMask, PackMode, Relu, pack_tile};
use tileproof_numerics::sfpu::{SfpuMode, SfpuOp, execute};
use tileproof_numerics::tile::{TILE_DATUMS, Tile, face_index};
use tileproof_numerics::unpack::unpack_tile;

const DIGESTS: &str = include_str!("../../../../tests/golden/word_digests.txt");

/// A line of the file.
pub(crate) struct Line {
    chip: Arithmetic,
    pub(crate) op: SfpuOp,
    dst_32: bool,
    approx: bool,
    digest: u64,
}

fn recorded() -> Vec<Line> {
    let read = |line: &str| {
        let (line, approx) = line.strip_suffix(" approximate").map_or((line, false), |line| (line, true));
        let [chip, call, bits, digest] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let chip = if chip == "blackhole" { BLACKHOLE } else { WORMHOLE };
        let is_named = |op: &&SfpuOp| format!("{op:?}") == call;
        let op = *SfpuOp::ALL.iter().find(is_named).unwrap_or_else(|| panic!("{call}"));
        Line { chip, op, dst_32: bits == "32", approx, digest: u64::from_str_radix(digest, 16).expect("a digest") }
    };
    DIGESTS.lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

/// The operations that are recorded on a chip in a width of Dst, in exact or in approximate mode.
pub(crate) fn recorded_on(on: Recorded, dst_32: bool, approx: bool) -> BTreeSet<u16> {
    let is_of = |line: &Line| line.chip.sfpu.recorded == on && line.dst_32 == dst_32 && line.approx == approx;
    recorded().into_iter().filter(is_of).map(|line| line.op.code()).collect()
}

/// The lines of a chip and a width of Dst in exact mode.
pub(crate) fn exact(on: Recorded, dst_32: bool) -> Vec<Line> {
    let is_of = |line: &Line| line.chip.sfpu.recorded == on && line.dst_32 == dst_32 && !line.approx;
    recorded().into_iter().filter(is_of).collect()
}

impl Line {
    /// Whether kernels that are compiled for approximate steps answer otherwise to some word.
    pub(crate) fn approximate_differs(&self) -> bool {
        digest(&Line { approx: true, ..*self }) != digest(self)
    }
}

/// The widths of Dst that an operation works on; `true` is 32 bits.
pub(crate) fn widths(op: SfpuOp) -> Vec<bool> {
    let allows = |dst_32: &bool| match op {
        SfpuOp::Where => *dst_32,
        SfpuOp::WhereFloat16b => !*dst_32,
        _ => op.row().width.allows(*dst_32),
    };
    [false, true].into_iter().filter(allows).collect()
}

/// The word at a place of an input: all in order, or words that look drawn, of which every other tile has those between 2^-3 and 2^5.
fn word(input: usize, tile: u32, at: usize) -> u16 {
    let word = 1024 * tile as u16 + at as u16;
    let mixed = match input {
        0 => return word,
        1 => word.wrapping_mul(40_503).wrapping_add(0x1234),
        _ => word.wrapping_mul(30_011).wrapping_add(0x4321),
    };
    if tile % 2 == 1 { (mixed & 0x83ff) + 0x3e00 } else { mixed }
}

/// What the recorded call was given. Bit n of the last says that the compiler saw number n.
fn parameters(op: SfpuOp) -> [u32; 4] {
    use SfpuOp::*;
    let (half, two) = (0.5f32.to_bits(), 2.0f32.to_bits());
    match op {
        // No argument; the numbers are choices of templates, which were left alone.
        AddBinary | SubBinary | RsubBinary | Exp | ExpFast | ExpFastUnclamped => [0; 4],
        CopyDestValues => [255, 0, 0, 0],
        AddUnary | SubUnary | MulUnary | DivUnary | RsubUnary | LeakyRelu | Prelu | Addcmul | LogWithBase => {
            [0.3f32.to_bits(), 0, 0, 1]
        }
        Power => [2.7f32.to_bits(), 0, 0, 1],
        PowerIterative => [3, 0, 0, 1],
        Round => [2, 0, 0, 1],
        Softplus => [half, two, 20.0f32.to_bits(), 7],
        _ => [half, two, 0, 3],
    }
}

/// What a call answers to all words.
fn digest(&Line { chip, op, dst_32, approx, .. }: &Line) -> u64 {
    let mode = SfpuMode { dst_32, approx, rules: chip.sfpu, src_b_is_fp16: false };
    let input = DataFormat::Float16_b;
    let out = match op {
        SfpuOp::TypecastFloatToUInt16 => DataFormat::UInt16,
        _ if dst_32 => DataFormat::Float32,
        _ => input,
    };
    let register = unpack_register_format(input, dst_32, false).expect("a format of SrcA");
    let fpu = FpuMode { src_a: register, src_b: register, dst_32, fidelity: Fidelity::HiFi4, rules: chip.fpu };
    let source = pack_source_format(out, dst_32, false).expect("a format of the packer");
    let pack = PackMode { dst_32, source, out, relu: Relu::None, edge: EdgeMask::None };
    let params = parameters(op);
    let (mut dst, mut digest) = (Dst::default(), 0xcbf2_9ce4_8422_2325_u64);
    for tile in 0..64u32 {
        for to_tile in 0..op.inputs().max(1) {
            let mut page = vec![0; input.tile_bytes() as usize];
            for at in 0..TILE_DATUMS {
                let to = 2 * face_index(at / 32, at % 32);
                page[to..to + 2].copy_from_slice(&word(to_tile, tile, at).to_le_bytes());
            }
            let mut unpacked = Tile::ZERO;
            unpack_tile(input, register, &page, &mut unpacked);
            fpu::move_a_to_dst(fpu, &unpacked, dst.tile_mut(to_tile));
            dst.set_valid(to_tile, u64::MAX);
        }
        let last = op.inputs().saturating_sub(1);
        let inputs = [0, 1, 2].map(|input: usize| input.min(last));
        execute(op, &params, &mode, &mut dst, inputs, 0).unwrap_or_else(|e| panic!("{e}"));
        let mut page = vec![0; out.tile_bytes() as usize];
        pack_tile(&pack, dst.tile(0), &mut page);
        let width = page.len() / TILE_DATUMS;
        for at in 0..TILE_DATUMS {
            let from = width * face_index(at / 32, at % 32);
            for byte in &page[from..from + width] {
                digest = (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
    }
    digest
}

#[test]
fn the_calls_answer_all_words_as_recorded() {
    let all = recorded();
    let wrong: Vec<String> = all
        .iter()
        .filter(|line| digest(line) != line.digest)
        .map(|Line { chip, op, dst_32, approx, .. }| {
            format!("{op:?} on {:?}, 32 bits: {dst_32}, approximate: {approx}", chip.sfpu.recorded)
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() >= 621, "lines are lost: {}", all.len());
}

//! Calls on integers, by digests of what ttsim answered: one tile of each input, of the corners of integers and of any.
//!
//! Digests come from outside, as the vectors do. Start at [`the_calls_answer_integers_as_recorded`].

use std::collections::BTreeSet;

use tileproof_numerics::chip::{Arithmetic, BLACKHOLE, Recorded, WORMHOLE};
use tileproof_numerics::dst::Dst;
use tileproof_numerics::sfpu::{SfpuMode, SfpuOp, Width, execute};
use tileproof_numerics::tile::{TILE_DATUMS, face_index};

const DIGESTS: &str = include_str!("../../../../tests/golden/integer_digests.txt");

/// A line: chip, operation, scalar, digest.
fn recorded() -> Vec<(Arithmetic, SfpuOp, u32, u64)> {
    let lines = DIGESTS.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let [chip, name, scalar, digest] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let chip = if chip == "blackhole" { BLACKHOLE } else { WORMHOLE };
        let op = SfpuOp::ALL.iter().find(|op| format!("{op:?}") == name).unwrap_or_else(|| panic!("{name}"));
        let number = |word| u64::from_str_radix(word, 16).expect("a number");
        (chip, *op, number(scalar) as u32, number(digest))
    };
    lines.map(read).collect()
}

/// The operations that are recorded on a chip.
pub(crate) fn proven(on: Recorded) -> BTreeSet<u16> {
    recorded().into_iter().filter(|(chip, ..)| chip.sfpu.recorded == on).map(|(_, op, ..)| op.code()).collect()
}

const CORNERS: [u32; 20] = [
    0,
    1,
    2,
    4,
    5,
    6,
    77,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xffff_fff0,
    0xffff_fffb,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x3f80_0000,
    0x100,
    0x100_0001,
    0xff_ffff,
];
const CORNERS_OF_16_BITS: [u32; 14] = [0, 1, 2, 4, 5, 15, 16, 31, 33, 0x7fff, 0x8000, 0x8001, 0xfff0, 0xffff];

/// Words that look drawn, corners, and small numbers, by turns.
fn integer(at: u32, salt: u32, corners: &[u32]) -> u32 {
    let x = at.wrapping_mul(2_654_435_761).wrapping_add(salt.wrapping_mul(40_503));
    let x = (x ^ x >> 15).wrapping_mul(2_246_822_519);
    let x = x ^ x >> 13;
    match at % 3 {
        0 => corners[x as usize % corners.len()],
        1 => x,
        _ => (x % 81).wrapping_sub(40),
    }
}

fn digest(chip: Arithmetic, op: SfpuOp, scalar: u32) -> u64 {
    let low_16 = op.row().width == Width::Narrow;
    let gives_16_bits = matches!(op, SfpuOp::TypecastInt32ToUInt16 | SfpuOp::TypecastUInt32ToUInt16);
    let mode = SfpuMode { dst_32: !low_16, approx: false, rules: chip.sfpu, src_b_is_fp16: false };
    let mut dst = Dst::default();
    for tile in 0..2 {
        for at in 0..TILE_DATUMS {
            let salt = tile as u32 + 1;
            let word = if low_16 {
                integer(at as u32, salt, &CORNERS_OF_16_BITS) << 16
            } else {
                integer(at as u32, salt, &CORNERS)
            };
            dst.tile_mut(tile).0[face_index(at / 32, at % 32)] = word;
        }
        dst.set_valid(tile, u64::MAX);
    }
    let inputs = [0, usize::from(op.inputs() == 2), 0];
    execute(op, &[scalar, 0, 0, 0], &mode, &mut dst, inputs, 0).unwrap_or_else(|e| panic!("{e}"));
    let bytes = (0..TILE_DATUMS).flat_map(|at| {
        let word = dst.tile(0).0[face_index(at / 32, at % 32)];
        let (word, width) = if low_16 || gives_16_bits { (word >> 16, 2) } else { (word, 4) };
        word.to_le_bytes().into_iter().take(width)
    });
    bytes.fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn the_calls_answer_integers_as_recorded() {
    let all = recorded();
    let wrong: Vec<String> = all
        .iter()
        .filter(|(chip, op, scalar, expected)| digest(*chip, *op, *scalar) != *expected)
        .map(|(chip, op, scalar, _)| format!("{op:?} with {scalar:x} on {:?}", chip.sfpu.recorded))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() >= 371, "lines are lost: {}", all.len());
}

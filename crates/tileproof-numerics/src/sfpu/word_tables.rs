//! Results of operations on words of 16 bits, kept: there are 65,536 of them, and a tile looks its own up.
//!
//! A table must hold nothing but what the operation's own steps gave for the word, and no operation whose lanes know of one
//! another may have one. A table belongs to an operation with its parameters and mode, is filled word by word as they come, and a
//! host thread keeps a few. Start reading at [`look_up`].

use std::cell::RefCell;

use super::call::{Call, Ran};
use super::lreg::LANES;
use super::op::SfpuOp;
use super::row::Family;
use super::tiles::{Part, register, register_mut, registers};
use super::unit::Sfpu;
use crate::dst::Dst;
use crate::simd::{Lanes, vectorized};
use crate::tile::{TILE_DATUMS, Tile};

/// Words of 16 bits.
const WORDS: usize = 1 << 16;
/// Calls that a thread remembers.
const MOST: usize = 16;
/// Issue slots for 32 datums below which the steps are as fast as a table.
const FEW_SLOTS: u32 = 6;
/// An entry is the result with these bits turned, so that 0 is one that nobody has asked for. The result that would be 0 is a
/// denormal, which no store of a float leaves; an integer like it is worked out each time.
const TURNED: u32 = 0x0000_5A5A;

/// What the result for a word depends on.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    op: SfpuOp,
    params: [u32; 4],
    unit: Sfpu,
}

/// A call that was seen, with a table from its second time on: parameters may differ from tile to tile.
struct Table {
    key: Key,
    entries: Option<Box<[u32; WORDS]>>,
}

#[derive(Default)]
struct Tables {
    /// The last used comes first.
    seen: Vec<Table>,
    /// Where the steps run for words that are asked for the first time.
    dst: Dst,
}

thread_local! {
    static TABLES: RefCell<Tables> = RefCell::default();
}

/// Runs a call in place from its table; `None` where none serves it. `steps` are the operation's own.
pub(super) fn look_up(call: &mut Call<'_>, steps: impl Fn(&mut Call<'_>) -> Ran) -> Option<Ran> {
    let row = call.op.row();
    let by_lane = row.inputs == 1 && !matches!(row.family, Family::Custom | Family::Reduce | Family::Running);
    // Lanes that a call does not store keep what the output held.
    let in_place = call.inputs[0] == call.output;
    if !by_lane || !in_place || row.slots[usize::from(call.unit.dst_32)] < FEW_SLOTS {
        return None;
    }
    let tile = call.dst.tile(call.output);
    if vectorized(LowHalves { tile, part: call.part }) != 0 {
        return None;
    }
    TABLES.with_borrow_mut(|tables| tables.run(call, steps))
}

impl Tables {
    fn run(&mut self, call: &mut Call<'_>, steps: impl Fn(&mut Call<'_>) -> Ran) -> Option<Ran> {
        let key = Key { op: call.op, params: *call.params, unit: call.unit };
        match self.seen.iter().position(|table| table.key == key) {
            Some(0) => {}
            Some(at) => self.seen[..=at].rotate_right(1),
            None => {
                self.seen.truncate(MOST - 1);
                self.seen.insert(0, Table { key, entries: None });
                return None;
            }
        }
        let entries = self.seen[0].entries.get_or_insert_with(empty);
        let mut out = Tile::ZERO;
        let tile = call.dst.tile(call.output);
        let missing = vectorized(Gather { entries, tile, part: call.part, out: &mut out });
        if missing != 0 {
            if let Err(what) = add(entries, &mut self.dst, call, missing, steps) {
                return Some(Err(what));
            }
            let tile = call.dst.tile(call.output);
            for k in (0..TILE_DATUMS / LANES).filter(|k| missing >> k & 1 == 1) {
                let words = register(tile, k);
                for (out, word) in register_mut(&mut out, k).iter_mut().zip(words) {
                    *out = entries[(word >> 16) as usize] ^ TURNED;
                }
            }
        }
        for k in registers(call.part) {
            *register_mut(call.dst.tile_mut(call.output), k) = *register(&out, k);
        }
        Some(Ok(()))
    }
}

fn empty() -> Box<[u32; WORDS]> {
    vec![0; WORDS].into_boxed_slice().try_into().expect("as many as there are words")
}

/// Enters the words of registers that miss some, packed into as few registers as they fill.
#[cold]
fn add(
    entries: &mut [u32; WORDS],
    dst: &mut Dst,
    call: &Call<'_>,
    missing: u32,
    steps: impl Fn(&mut Call<'_>) -> Ran,
) -> Ran {
    let mut words = [0; TILE_DATUMS];
    let mut count = 0;
    let tile = call.dst.tile(call.output);
    for k in (0..TILE_DATUMS / LANES).filter(|k| missing >> k & 1 == 1) {
        for &word in register(tile, k) {
            if entries[(word >> 16) as usize] == 0 {
                words[count] = word;
                count += 1;
                // Once is enough for a word that comes again.
                entries[(word >> 16) as usize] = 1;
            }
        }
    }
    dst.tile_mut(0).0 = words;
    let Call { op, unit, params, .. } = *call;
    let part = Part::first(count.div_ceil(LANES));
    let ran = steps(&mut Call { op, unit, dst, inputs: [0; 3], output: 0, part, params });
    for (word, result) in words[..count].iter().zip(dst.tile(0).0) {
        entries[(word >> 16) as usize] = if ran.is_ok() { result ^ TURNED } else { 0 };
    }
    ran
}

/// The low halves of all words, or-ed.
struct LowHalves<'a> {
    tile: &'a Tile,
    part: Part,
}

impl Lanes for LowHalves<'_> {
    type Output = u32;
    #[inline(always)]
    fn run(self) -> u32 {
        let mut any = [0; LANES];
        for k in registers(self.part) {
            let words = register(self.tile, k);
            for i in 0..LANES {
                any[i] |= words[i];
            }
        }
        any.iter().fold(0, |any, lane| any | lane) & 0xffff
    }
}

/// Looks each word up, and returns which registers have one that is missing.
struct Gather<'a> {
    entries: &'a [u32; WORDS],
    tile: &'a Tile,
    part: Part,
    out: &'a mut Tile,
}

impl Lanes for Gather<'_> {
    type Output = u32;
    #[inline(always)]
    fn run(self) -> u32 {
        let mut missing = 0;
        for k in registers(self.part) {
            let words = register(self.tile, k);
            let out = register_mut(self.out, k);
            let mut least = u32::MAX;
            for i in 0..LANES {
                let entry = self.entries[(words[i] >> 16) as usize];
                least = least.min(entry);
                out[i] = entry ^ TURNED;
            }
            missing |= u32::from(least == 0) << k;
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;
    use crate::sfpu::mode::{Faces, SfpuMode};
    use crate::sfpu::run::execute_faces;

    /// All words of 16 bits, in an order in which known and new ones mix, through calls that have a table and through a call
    /// into another tile, which has none.
    #[test]
    fn tables_give_what_the_steps_give_for_every_word() {
        use SfpuOp::*;
        for op in [Gelu, Tanh, Sigmoid, Log, Floor, UnaryGe, LeakyRelu, TypecastFloatToUInt16] {
            for dst_32 in [false, true] {
                let mode = SfpuMode { dst_32, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };
                let params = [0x3f40_0000, 0, 0, 0];
                let mut dst = Dst::default();
                for round in 0..6 + 2 * WORDS / TILE_DATUMS {
                    let faces = if round < 6 { [Faces::R, Faces::C, Faces::One][round % 3] } else { Faces::RC };
                    for (i, word) in dst.tile_mut(0).0.iter_mut().enumerate() {
                        *word = (((round * TILE_DATUMS + i) * 40_503 / 2) as u32) << 16;
                    }
                    *dst.tile_mut(1) = dst.tile(0).clone();
                    *dst.tile_mut(2) = dst.tile(0).clone();
                    execute_faces(op, &params, &mode, &mut dst, [0; 3], 1, faces).unwrap();
                    execute_faces(op, &params, &mode, &mut dst, [2; 3], 2, faces).unwrap();
                    assert!(dst.tile(1) == dst.tile(2), "{op:?}, 32 bits: {dst_32}, {faces:?}, round {round}");
                }
            }
        }
    }

    #[test]
    fn parameters_and_modes_have_tables_of_their_own() {
        let mut dst = Dst::default();
        for turn in 0..40u32 {
            let (scalar, dst_32) = ([0x3f80_0000, 0x4000_0000, 0x4040_0000][turn as usize % 3], turn % 2 == 0);
            let mode = SfpuMode { dst_32, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };
            dst.tile_mut(0).0.fill(0xbf81_0000);
            execute_faces(SfpuOp::LeakyRelu, &[scalar, 0, 0, 0], &mode, &mut dst, [0; 3], 0, Faces::RC).unwrap();
            let exact = (f32::from_bits(0xbf81_0000) * f32::from_bits(scalar)).to_bits();
            let expected = if dst_32 { exact } else { exact & 0xffff_0000 };
            assert_eq!(dst.tile(0).0[77], expected, "turn {turn}");
        }
    }
}

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
    // Lanes that a call does not store keep what the output held.
    let in_place = call.inputs[0] == call.output;
    if !in_place || !pays(call.op) {
        return None;
    }
    let tile = call.dst.tile(call.output);
    if vectorized(LowHalves { tile, part: call.part }) != 0 {
        return None;
    }
    TABLES.with_borrow_mut(|tables| tables.run(call, steps))
}

/// Whether an operation has lanes that know nothing of one another, and steps that take longer than to look its words up, which is
/// two thirds of a microsecond a tile: the steps of most comparisons, limits and integers take less (docs/performance.md).
fn pays(op: SfpuOp) -> bool {
    use SfpuOp::*;
    let row = op.row();
    row.inputs == 1
        && match row.family {
            Family::Custom | Family::Reduce | Family::Running | Family::Integer | Family::Division => false,
            Family::Basic => matches!(op, RsubUnary),
            Family::Compare => matches!(op, UnaryLt | UnaryGt | UnaryLe | UnaryGe),
            Family::Limits => matches!(op, ReluMax | LeakyRelu | Prelu | Clamp | Hardtanh | Threshold),
            Family::Convert => matches!(
                op,
                TypecastFloatToInt32
                    | TypecastFloatToUInt32
                    | TypecastFloatToUInt16
                    | TypecastFloatToUInt8
                    | TypecastInt32ToFloat32
                    | TypecastInt32ToFloat16b
                    | TypecastInt32ToUInt16
                    | TypecastUInt32ToFloat32
                    | TypecastUInt32ToFloat16b
                    | TypecastUInt16ToFloat16b
            ),
            _ => true,
        }
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
    use crate::chip::{Arithmetic, BLACKHOLE, WORMHOLE};
    use crate::sfpu::mode::{Faces, SfpuMode};
    use crate::sfpu::row::Keeps;
    use crate::sfpu::run::execute_faces;
    use crate::simd::levels::{Level, at_most};

    const PARAMS: [[u32; 4]; 3] = [[0; 4], [0x3f8c_cccd, 0x3f2e_8ba3, 0x41a0_0000, 0], [1, 0xbf80, 1, 7]];
    const CHIPS: [Arithmetic; 2] = [WORMHOLE, BLACKHOLE];

    fn mode(chip: Arithmetic, approx: bool, dst_32: bool) -> SfpuMode {
        SfpuMode { dst_32, approx, rules: chip.sfpu, src_b_is_fp16: false }
    }

    /// Words of 16 bits from a place on, in an order in which neighbours are far apart and none comes twice.
    fn words_from(place: usize) -> Tile {
        Tile(std::array::from_fn(|i| (((place + i) * 40_503) as u32) << 16))
    }

    /// Words through calls in place, and through calls into another tile that held the same, which have no table: the first
    /// call is noted alone, later ones find known words and new ones. `None` where the operation is refused.
    fn compare(op: SfpuOp, params: &[u32; 4], mode: &SfpuMode, calls: &[(Faces, usize)]) -> Option<()> {
        TABLES.with_borrow_mut(|tables| tables.seen.clear());
        let mut dst = Dst::default();
        for (faces, place) in calls {
            let words = words_from(*place);
            for tile in 0..3 {
                *dst.tile_mut(tile) = words.clone();
            }
            execute_faces(op, params, mode, &mut dst, [0; 3], 1, *faces).ok()?;
            execute_faces(op, params, mode, &mut dst, [2; 3], 2, *faces).unwrap();
            for (i, word) in words.0.iter().enumerate() {
                let [steps, table] = [1, 2].map(|tile| dst.tile(tile).0[i]);
                assert_eq!(table, steps, "{op:?} of {word:08x}, {params:x?}, {mode:?}, {faces:?}");
            }
        }
        let has_table = TABLES.with_borrow(|tables| tables.seen.iter().any(|table| table.entries.is_some()));
        assert_eq!(has_table, pays(op), "{op:?}, {mode:?}");
        Some(())
    }

    /// What registers keep from call to call is no matter of a word.
    fn operations() -> impl Iterator<Item = SfpuOp> {
        SfpuOp::ALL.iter().copied().filter(|op| op.row().inputs == 1 && op.row().keeps == Keeps::Nothing)
    }

    #[test]
    fn tables_give_what_the_steps_give_on_each_chip_in_each_mode_with_each_set_of_instructions() {
        let mut place = 0;
        let mut compared = 0;
        for op in operations() {
            for (chip, approx, dst_32) in (0..8).map(|n| (CHIPS[n / 4], n / 2 % 2 == 1, n % 2 == 1)) {
                let mode = mode(chip, approx, dst_32);
                for (params, level) in
                    (0..9).map(|n| (PARAMS[n / 3], [Level::Plain, Level::Avx2, Level::Avx512][n % 3]))
                {
                    // Other words for each: half of a call's are those of the call before.
                    place += 1_777;
                    let calls = [
                        (Faces::R, place),
                        (Faces::RC, place),
                        (Faces::RC, place + TILE_DATUMS / 2),
                        (Faces::C, place + TILE_DATUMS),
                    ];
                    let done = at_most(level, || compare(op, &params, &mode, &calls));
                    compared += usize::from(done.is_some() && pays(op));
                }
            }
        }
        // Some 80 operations on at least one chip.
        assert!(compared > 80 * 18, "{compared}");
    }

    #[test]
    fn tables_give_what_the_steps_give_for_every_word() {
        for op in operations() {
            for dst_32 in [false, true] {
                let tiles = (0..WORDS / TILE_DATUMS).map(|tile| (Faces::RC, tile * TILE_DATUMS));
                let calls: Vec<_> = [(Faces::One, 0)].into_iter().chain(tiles).collect();
                let _ = compare(op, &PARAMS[1], &mode(WORMHOLE, false, dst_32), &calls);
            }
        }
    }

    #[test]
    fn parameters_and_modes_have_tables_of_their_own() {
        let mut dst = Dst::default();
        for turn in 0..40u32 {
            let (scalar, dst_32) = ([0x3f80_0000, 0x4000_0000, 0x4040_0000][turn as usize % 3], turn % 2 == 0);
            dst.tile_mut(0).0.fill(0xbf81_0000);
            let params = [scalar, 0, 0, 0];
            let mode = mode(WORMHOLE, false, dst_32);
            execute_faces(SfpuOp::LeakyRelu, &params, &mode, &mut dst, [0; 3], 0, Faces::RC).unwrap();
            let exact = (f32::from_bits(0xbf81_0000) * f32::from_bits(scalar)).to_bits();
            let expected = if dst_32 { exact } else { exact & 0xffff_0000 };
            assert_eq!(dst.tile(0).0[77], expected, "turn {turn}");
        }
    }

    /// Modes take turns, so that a table which is not told apart would serve another's words.
    #[test]
    fn chips_and_approximate_mode_have_tables_of_their_own() {
        let mut dst = Dst::default();
        let mut tell_apart = [0; 2];
        for op in operations().filter(|op| pays(*op)) {
            let mut answers: [Option<Tile>; 4] = [const { None }; 4];
            for turn in 0..12 {
                let mode = mode(CHIPS[turn % 2], turn / 2 % 2 == 1, true);
                *dst.tile_mut(0) = words_from(12_345);
                *dst.tile_mut(1) = words_from(12_345);
                *dst.tile_mut(2) = words_from(12_345);
                if execute_faces(op, &PARAMS[1], &mode, &mut dst, [0; 3], 0, Faces::RC).is_ok() {
                    execute_faces(op, &PARAMS[1], &mode, &mut dst, [1; 3], 2, Faces::RC).unwrap();
                    for (table, steps) in dst.tile(0).0.iter().zip(dst.tile(2).0) {
                        assert_eq!(*table, steps, "{op:?}, {mode:?}, turn {turn}");
                    }
                    answers[turn % 4] = Some(dst.tile(0).clone());
                }
            }
            let differ = |[a, b]: [usize; 2]| answers[a].is_some() && answers[b].is_some() && answers[a] != answers[b];
            tell_apart[0] += usize::from(differ([0, 1]));
            tell_apart[1] += usize::from(differ([0, 2]));
        }
        // Or this test says nothing.
        assert!(tell_apart.iter().all(|operations| *operations > 3), "{tell_apart:?}");
    }
}

//! Loops over tiles of floats by lanes, whose vector code the host runs as wide as it can.
//!
//! A lane that carries a doubt must be worked out by the steps on a register instead: those of a tile are packed into as few
//! registers as they fill. Units without such lanes (approximate mode, chips but Wormhole) and hosts without a fused multiply-add
//! take registers alone. Start reading at [`unary`], which the families call.

use super::call::Call;
use super::lane::Lane;
use super::lreg::{LANES, LReg, Register};
use super::tiles::{Layout, load, register, register_mut, registers, store, stored};
use super::unit::Sfpu;
use crate::chip::WORMHOLE;
use crate::simd::{Lanes, vectorized};
use crate::tile::{TILE_DATUMS, Tile};

/// Runs steps over tiles of floats, with the unit as their first parameter and one datum of each tile as the others. They are
/// written once and compiled for lanes and for registers; `R` is the one or the other.
macro_rules! swiftly {
    ($call:expr, |$unit:ident, $($input:ident),+| $steps:expr) => {{
        let call: &mut Call<'_> = $call;
        call.swiftly(
            {
                type R = super::lane::Lane;
                #[inline(always)]
                move |$unit: super::unit::Sfpu, [$($input),+]| -> R { $steps }
            },
            {
                type R = super::lreg::LReg;
                move |$unit: super::unit::Sfpu, [$($input),+]| -> R { $steps }
            },
        );
    }};
}
pub(super) use swiftly;

const WIDE: Sfpu = Sfpu { rules: WORMHOLE.sfpu, dst_32: true, approx: false };
const NARROW: Sfpu = Sfpu { rules: WORMHOLE.sfpu, dst_32: false, approx: false };

impl Call<'_> {
    /// What [`swiftly`] becomes: `lanes` and `registers` are the same steps.
    #[inline(always)]
    pub(super) fn swiftly<const N: usize>(
        &mut self,
        lanes: impl Fn(Sfpu, [Lane; N]) -> Lane + Copy,
        exactly: impl Fn(Sfpu, [LReg; N]) -> LReg + Copy,
    ) {
        if self.unit == WIDE {
            vectorized(Tiles::<_, _, true, N> { call: self, lanes, exactly });
        } else if self.unit == NARROW {
            vectorized(Tiles::<_, _, false, N> { call: self, lanes, exactly });
        } else {
            self.by_registers(exactly);
        }
    }

    #[inline(never)]
    fn by_registers<const N: usize>(&mut self, exactly: impl Fn(Sfpu, [LReg; N]) -> LReg) {
        for k in registers(self.part) {
            let inputs = std::array::from_fn(|n| load(self.dst.tile(self.inputs[n]), k, Layout::Float));
            let out = exactly(self.unit, inputs);
            store(self.dst.tile_mut(self.output), k, out, Layout::Float, self.unit.dst_32);
        }
    }
}

struct Tiles<'a, 'b, L, E, const DST_32: bool, const N: usize> {
    call: &'a mut Call<'b>,
    lanes: L,
    exactly: E,
}

impl<L, E, const DST_32: bool, const N: usize> Lanes for Tiles<'_, '_, L, E, DST_32, N>
where
    L: Fn(Sfpu, [Lane; N]) -> Lane + Copy,
    E: Fn(Sfpu, [LReg; N]) -> LReg,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.call.by_registers(self.exactly);
    }

    #[inline(always)]
    fn run_fused(self) {
        let Tiles { call, lanes, exactly } = self;
        // Known to the compiler, so that steps for another width are not there.
        let unit = if DST_32 { WIDE } else { NARROW };
        let mut out = Tile::ZERO;
        let mut doubtful = Doubtful { count: 0, places: [0; TILE_DATUMS] };
        for k in registers(call.part) {
            let mut inputs = [[0; LANES]; N];
            for n in 0..N {
                inputs[n] = *register(call.dst.tile(call.inputs[n]), k);
            }
            let words = register_mut(&mut out, k);
            let mut doubts = [0; LANES];
            for i in 0..LANES {
                let mut loaded = [Lane::loaded(0); N];
                for n in 0..N {
                    loaded[n] = Lane::loaded(inputs[n][i]);
                }
                let lane = lanes(unit, loaded).stored(DST_32);
                words[i] = lane.word;
                doubts[i] = lane.doubt;
            }
            if doubts.iter().fold(0, |any, doubt| any | doubt) < 0 {
                doubtful.note(k, &doubts);
            }
        }
        if doubtful.count > 0 {
            again(call, &doubtful, &mut out, exactly);
        }
        for k in registers(call.part) {
            *register_mut(call.dst.tile_mut(call.output), k) = *register(&out, k);
        }
    }
}

/// Where lanes of a tile carry a doubt.
struct Doubtful {
    count: usize,
    places: [u16; TILE_DATUMS],
}

impl Doubtful {
    #[inline(never)]
    fn note(&mut self, k: usize, doubts: &[i32; LANES]) {
        for (i, doubt) in doubts.iter().enumerate() {
            self.places[self.count] = (k * LANES + i) as u16;
            self.count += usize::from(*doubt < 0);
        }
    }
}

/// Works the doubtful lanes out by registers.
#[cold]
#[inline(never)]
fn again<const N: usize>(
    call: &Call<'_>,
    doubtful: &Doubtful,
    out: &mut Tile,
    exactly: impl Fn(Sfpu, [LReg; N]) -> LReg,
) {
    for places in doubtful.places[..doubtful.count].chunks(LANES) {
        // Lanes that are left over hold the first again: a zero may be what takes long.
        let mut inputs = [LReg::splat(0); N];
        for (n, input) in inputs.iter_mut().enumerate() {
            let tile = call.dst.tile(call.inputs[n]);
            *input = LReg::splat(tile.0[usize::from(places[0])]);
            for (lane, place) in input.0.iter_mut().zip(places) {
                *lane = tile.0[usize::from(*place)];
            }
        }
        let result = stored(exactly(call.unit, inputs), Layout::Float, call.unit.dst_32);
        for (lane, place) in result.0.iter().zip(places) {
            out.0[usize::from(*place)] = *lane;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dst::Dst;
    use crate::sfpu::mode::SfpuMode;
    use crate::sfpu::op::SfpuOp;
    use crate::sfpu::run::execute;
    use crate::simd::levels::{Level, at_most};

    /// All words of bf16, then words of float32 of many kinds.
    fn word(place: usize, next: &mut impl FnMut() -> u32) -> u32 {
        let bits = next();
        match place {
            0..65_536 => (place as u32) << 16,
            _ => match place / 32 % 8 {
                0 => bits,
                1 => bits & 0x80ff_ffff | 0x3f00_0000,
                2 => bits & 0x83ff_ffff | 0x3c00_0000,
                // Near one and near powers of two.
                3 => 0x3f80_0000u32.wrapping_add((bits as i32 >> (8 + bits % 20)) as u32),
                4 => (bits & 0xff80_0000).wrapping_add(((bits << 20) as i32 >> 24) as u32),
                5 => ((bits as i32 as f32) * (85.0 / 2_147_483_648.0)).to_bits(),
                6 => ((bits as i32 as f32) * (4.0 / 2_147_483_648.0)).to_bits(),
                _ => [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x0080_0000, bits][bits as usize % 8],
            },
        }
    }

    #[test]
    fn every_operation_gives_the_same_bits_with_each_set_of_instructions() {
        let mut s = 0x853c_49e6_748f_ea9bu64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        let words: Vec<u32> = (0..65_536 + 48 * TILE_DATUMS).map(|place| word(place, &mut next)).collect();
        let tiles: Vec<&[u32]> = words.chunks(TILE_DATUMS).collect();
        let mut dst = Dst::default();
        for &op in SfpuOp::ALL {
            for dst_32 in [true, false] {
                let mode = SfpuMode { dst_32, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };
                let keep = if dst_32 { u32::MAX } else { 0xffff_0000 };
                for params in [[0; 4], [0x3f8c_cccd, 0x3f2e_8ba3, 0x41a0_0000, 0], [1, 0xbf80, 1, 7]] {
                    if execute(op, &params, &mode, &mut dst, [0, 1, 2], 3).is_err() {
                        continue;
                    }
                    for (turn, tile) in tiles.iter().enumerate() {
                        // The other inputs are other tiles, or near the first.
                        for (n, other) in
                            [tile, &tiles[turn * 7 % tiles.len()], &tiles[turn * 29 % tiles.len()]].iter().enumerate()
                        {
                            for (word, from) in dst.tile_mut(n).0.iter_mut().zip(**other) {
                                *word = from & keep;
                            }
                        }
                        // Not in place, so that no table stands in for the steps; some operations keep lanes of the output.
                        let mut results = [Level::Plain, Level::Avx2, Level::Avx512].map(|level| {
                            dst.tile_mut(3).0.fill(0x3f80_0000);
                            at_most(level, || execute(op, &params, &mode, &mut dst, [0, 1, 2], 3)).unwrap();
                            dst.tile(3).clone()
                        });
                        let [plain, avx2, widest] = &mut results;
                        for i in 0..TILE_DATUMS {
                            let of = [0, 1, 2].map(|n| dst.tile(n).0[i]);
                            assert_eq!(avx2.0[i], plain.0[i], "{op:?} of {of:08x?}, AVX2, 32 bits: {dst_32}");
                            assert_eq!(widest.0[i], plain.0[i], "{op:?} of {of:08x?}, 32 bits: {dst_32}");
                        }
                    }
                }
            }
        }
    }
}

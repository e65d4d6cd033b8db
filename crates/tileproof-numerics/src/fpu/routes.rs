//! The fast routes against the plain model, on data of many kinds.
//!
//! Every route must give the plain model's bits for every mode; the kinds below reach ties, special
//! patterns, tiny and huge exponents, and the edges of the ranges where a route hands over. Start at [`kinds`].

use super::eltwise::{eltwise_add, eltwise_mul, eltwise_sub};
use super::matmul::{matmul, matmul_plain};
use super::mode::{Fidelity, FpuMode};
use super::moves::move_a_to_dst;
use super::plain;
use super::reduce::{PoolType, ReduceDim, reduce};
use crate::chip::{BLACKHOLE, WORMHOLE};
use crate::tile::Tile;

/// A small generator: xorshift64.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u32
    }

    fn tile(&mut self, mut datum: impl FnMut(&mut Random) -> u32) -> Tile {
        Tile::from_fn(|_, _| datum(self))
    }
}

/// Names and data of tiles.
pub(super) fn kinds(random: &mut Random) -> Vec<(&'static str, Tile)> {
    const SPECIAL: [u32; 12] = [
        0,
        0x8000_0000,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0xFFFF_FFFF,
        0x0080_0000,
        0x807F_FFFF,
        0x7F7F_FFFF,
        0x3F80_0000,
        0xBF80_0000,
        0x0000_0001,
    ];
    let word = |low: u32, count: u32, r: &mut Random| r.next() & 0x807F_FFFF | (low + r.next() % count) << 23;
    let near = |r: &mut Random| word(124, 4, r);
    vec![
        ("any bits", random.tile(|r| r.next())),
        ("near one", random.tile(near)),
        ("wide", random.tile(|r| word(100, 50, r))),
        ("tiny", random.tile(|r| word(0, 12, r))),
        ("small", random.tile(|r| word(56, 24, r))),
        ("huge", random.tile(|r| word(180, 75, r))),
        ("largest", random.tile(|r| word(236, 20, r))),
        ("near one, then never written", {
            let mut tile = random.tile(near);
            tile.0[512..].fill(0xFFFF_0000);
            tile
        }),
        ("few bits", random.tile(|r| word(123, 9, r) & 0xFFE0_0000)),
        ("sparse", random.tile(|r| if r.next() % 4 == 0 { word(110, 20, r) } else { 0 })),
        (
            "special",
            random.tile(|r| match r.next() % 3 {
                0 => SPECIAL[r.next() as usize % SPECIAL.len()],
                _ => word(120, 10, r),
            }),
        ),
        (
            "special among small",
            random.tile(|r| match r.next() % 64 {
                0 => r.next() | 0x7F80_0000,
                _ => word(70, 20, r),
            }),
        ),
        ("one row", {
            let mut tile = Tile::ZERO;
            for face in 0..4 {
                for col in 0..16 {
                    tile.0[256 * face + col] = near(random);
                }
            }
            tile
        }),
    ]
}

fn modes() -> Vec<FpuMode> {
    use crate::format::DataFormat::{Bfp8_b, Float16_b, Tf32};
    let mut modes = Vec::new();
    for (src_a, src_b) in [(Float16_b, Float16_b), (Tf32, Tf32), (Tf32, Bfp8_b)] {
        for dst_32 in [false, true] {
            for fidelity in [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4] {
                for rules in [WORMHOLE.fpu, BLACKHOLE.fpu] {
                    modes.push(FpuMode { src_a, src_b, dst_32, fidelity, rules });
                }
            }
        }
    }
    modes
}

/// Every pair of kinds, with a Dst of a third kind, in every mode.
fn for_all(seed: u64, check: impl Fn(FpuMode, &str, &Tile, &Tile, &Tile)) {
    let mut random = Random::new(seed);
    let (a_kinds, b_kinds, dsts) = (kinds(&mut random), kinds(&mut random), kinds(&mut random));
    for mode in modes() {
        for (i, (a_name, a)) in a_kinds.iter().enumerate() {
            for (j, (b_name, b)) in b_kinds.iter().enumerate() {
                let (dst_name, dst) = &dsts[(3 * i + j) % dsts.len()];
                let dst = Tile(dst.0.map(|w| if mode.dst_32 { w } else { w & 0xFFFF_0000 }));
                let name = format!("{mode:?}: {a_name}, {b_name}, Dst {dst_name}");
                check(mode, &name, a, b, &dst);
            }
        }
    }
}

fn assert_same(name: &str, fast: &Tile, plain: &Tile, a: &Tile, b: &Tile, dst: &Tile) {
    if let Some(i) = (0..1024).find(|&i| fast.0[i] != plain.0[i]) {
        panic!(
            "{name}: datum {i} is {:#010x}, plain {:#010x}; a {:#010x} b {:#010x} Dst {:#010x}",
            fast.0[i], plain.0[i], a.0[i], b.0[i], dst.0[i]
        );
    }
}

#[test]
fn add_and_subtract_equal_the_plain_model() {
    for_all(1, |mode, name, a, b, dst| {
        if mode.fidelity != Fidelity::LoFi {
            return;
        }
        for accumulate in [false, true] {
            let mut fast = dst.clone();
            eltwise_sub(mode, a, b, &mut fast, accumulate);
            let mut plain = dst.clone();
            for i in 0..1024 {
                let old = if accumulate { dst.0[i] } else { 0 };
                plain.0[i] = plain::elwadd(mode, a.0[i], b.0[i] ^ 0x8000_0000, old);
            }
            assert_same(name, &fast, &plain, a, b, dst);
            let negated = Tile(b.0.map(|w| w ^ 0x8000_0000));
            eltwise_add(mode, a, &negated, fast_reset(&mut fast, dst), accumulate);
            assert_same(name, &fast, &plain, a, b, dst);
        }
    });
}

fn fast_reset<'t>(fast: &'t mut Tile, dst: &Tile) -> &'t mut Tile {
    fast.0 = dst.0;
    fast
}

#[test]
fn multiply_equals_the_plain_model() {
    for_all(2, |mode, name, a, b, dst| {
        for dst_is_zero in [false, true] {
            let mut fast = dst.clone();
            eltwise_mul(mode, a, b, &mut fast, dst_is_zero);
            let mut plain = dst.clone();
            for i in 0..1024 {
                let old = if dst_is_zero { 0 } else { dst.0[i] };
                plain.0[i] = plain::elwmul(mode, a.0[i], b.0[i], old);
            }
            assert_same(name, &fast, &plain, a, b, dst);
        }
    });
}

#[test]
fn matmul_equals_the_plain_model() {
    for_all(3, |mode, name, a, b, dst| {
        // The plain model is slow: Blackhole only where its one difference can show.
        if mode.rules == BLACKHOLE.fpu && (!mode.dst_32 || mode.fidelity != Fidelity::HiFi4) {
            return;
        }
        let mut fast = dst.clone();
        matmul(mode, a, b, &mut fast);
        let mut plain = dst.clone();
        matmul_plain(mode, a, b, &mut plain);
        assert_same(name, &fast, &plain, a, b, dst);
    });
}

#[test]
fn operands_that_come_again_give_what_they_would_give_alone() {
    for_all(6, |mode, name, a, b, dst| {
        if mode.rules == BLACKHOLE.fpu || mode.fidelity != Fidelity::LoFi {
            return;
        }
        // SrcA again, SrcB again, both again, each in the other's place.
        for (a, b) in [(a, b), (a, dst), (b, dst), (b, dst), (dst, b)] {
            let mut fast = dst.clone();
            matmul(mode, a, b, &mut fast);
            let mut plain = dst.clone();
            matmul_plain(mode, a, b, &mut plain);
            assert_same(name, &fast, &plain, a, b, dst);
        }
    });
}

#[test]
fn reductions_equal_the_plain_model() {
    for_all(4, |mode, name, data, scaler, dst| {
        if mode.rules == BLACKHOLE.fpu || mode.src_a != mode.src_b {
            return;
        }
        let same = |dim: ReduceDim, scaler: &Tile, dst: &Tile| {
            let mut valid = u64::MAX;
            let mut fast = dst.clone();
            reduce(mode, PoolType::Sum, dim, data, scaler, &mut fast, &mut valid);
            let mut plain = dst.clone();
            plain_sum(mode, dim, data, scaler, &mut plain);
            assert_same(name, &fast, &plain, data, scaler, dst);
        };
        // Rows of the scaler that are alike, and rows and columns of Dst some of which are.
        let alike = |tile: &Tile, index: fn(usize) -> usize| Tile(std::array::from_fn(|i| tile.0[index(i)]));
        let repeated = alike(scaler, |i| i & !0x30);
        for dim in [ReduceDim::Row, ReduceDim::Col] {
            same(dim, scaler, dst);
            same(dim, &repeated, dst);
        }
        same(ReduceDim::Row, &repeated, &alike(dst, |i| i & !1));
        same(ReduceDim::Col, &repeated, &alike(dst, |i| i & !0x10));
    });
}

/// A sum over rows or columns by its definition: each Dst datum sees its products in this order.
fn plain_sum(mode: FpuMode, dim: ReduceDim, data: &Tile, scaler: &Tile, dst: &mut Tile) {
    let datum = |tile: &Tile, face: usize, r: usize, c: usize| tile.0[256 * face + 16 * r + c];
    for face in 0..4 {
        for r in 0..16 {
            for c in 0..16 {
                let at = 256 * face + 16 * r + c;
                match dim {
                    // GAPOOL: four rows of the top faces, face by face, the phase inside.
                    ReduceDim::Col if face < 2 && r < 4 => {
                        for from in [face, face + 2] {
                            let a = std::array::from_fn(|k| datum(data, from, k, c));
                            let b = std::array::from_fn(|k| datum(scaler, from, r, k));
                            for phase in 0..mode.fidelity.phases() {
                                dst.0[at] = plain::mvmul(mode, &a, &b, dst.0[at], phase);
                            }
                        }
                    }
                    // MVMUL into the left faces, the phase outside; row c of the scaler for column c, of
                    // its upper faces for all of the data.
                    ReduceDim::Row if face % 2 == 0 => {
                        for phase in 0..mode.fidelity.phases() {
                            for from in [face, face + 1] {
                                let a = std::array::from_fn(|k| datum(scaler, from % 2, c, k));
                                let b = std::array::from_fn(|k| datum(data, from, r, k));
                                dst.0[at] = plain::mvmul(mode, &a, &b, dst.0[at], phase);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn maximum_equals_the_plain_model() {
    for_all(5, |mode, name, data, _, dst| {
        if mode.fidelity != Fidelity::LoFi || mode.rules == BLACKHOLE.fpu {
            return;
        }
        let ones = Tile([0x3F80_0000; 1024]);
        let mut valid = u64::MAX;
        let mut fast = dst.clone();
        reduce(mode, PoolType::Max, ReduceDim::Col, data, &ones, &mut fast, &mut valid);
        for col in 0..16 {
            for face in 0..2 {
                let mut max = dst.0[256 * face + col];
                for from in [face, face + 2] {
                    let a = std::array::from_fn(|k| data.0[256 * from + 16 * k + col]);
                    max = plain::gmpool(mode, &a, max);
                }
                assert_eq!(fast.0[256 * face + col], max, "{name}: face {face} column {col}");
            }
        }
    });
}

#[test]
fn moves_equal_the_plain_model() {
    for_all(6, |mode, name, a, b, dst| {
        if mode.fidelity != Fidelity::LoFi {
            return;
        }
        let mut fast = dst.clone();
        move_a_to_dst(mode, a, &mut fast);
        let plain = Tile(a.0.map(|w| match mode.dst_32 {
            true => plain::elwadd(mode, w, 0, 0),
            false => w & 0xFFFF_0000,
        }));
        assert_same(name, &fast, &plain, a, b, dst);
    });
}

//! Prints the time of each tile operation: the best of several runs, in nanoseconds a tile; with those of the vector unit that
//! of bringing their tiles into Dst.
//!
//! It measures, it judges nothing. Run it with `cargo run --release --example tile_times`; an argument
//! keeps only the operations whose name contains it, and `--avx2` measures what a host without AVX-512 takes.

use std::hint::black_box;
use std::time::Instant;

use tileproof_numerics::chip::WORMHOLE;
use tileproof_numerics::dst::Dst;
use tileproof_numerics::format::DataFormat::{self, Bfp8_b, Float16_b, Float32, Tf32};
use tileproof_numerics::fpu::{self, BroadcastType, Fidelity, FpuMode, PoolType, ReduceDim};
use tileproof_numerics::pack::{EdgeMask, PackMode, Relu, accumulate_l1, pack_tile};
use tileproof_numerics::sfpu::{SfpuMode, SfpuOp, execute};
use tileproof_numerics::simd::Level;
use tileproof_numerics::tile::Tile;
use tileproof_numerics::unpack::{transpose, unpack_tile, unpack_tilize};

/// Best time of 20 batches of 200 calls.
fn time(name: &str, mut operation: impl FnMut()) {
    let part = std::env::args().skip(1).find(|argument| argument != "--avx2");
    if part.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..200 {
            operation();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / 200.0);
    }
    println!("{name:<44} {best:>9.0} ns");
}

fn data(seed: u32, mask: u32) -> Tile {
    let mut state = seed;
    Tile::from_fn(|_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Exponents 120 to 127, any sign and mantissa.
        (state & 0x807F_FFFF | (120 + (state >> 28 & 7)) << 23) & mask
    })
}

fn main() {
    if std::env::args().any(|argument| argument == "--avx2") {
        Level::Avx2.at_most();
    }
    let (a, b) = (data(1, 0xFFFF_0000), data(2, 0xFFFF_0000));
    let mut dst = data(3, 0xFFFF_0000);
    let mut bytes = vec![0u8; 4096];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (i * 37 % 128) as u8;
    }
    let mode = |dst_32, fidelity| FpuMode {
        src_a: if dst_32 { Tf32 } else { Float16_b },
        src_b: if dst_32 { Tf32 } else { Float16_b },
        dst_32,
        fidelity,
        rules: WORMHOLE.fpu,
    };
    for (l1, register) in [(Float16_b, Float16_b), (Float32, Tf32), (Float32, Float32), (Bfp8_b, Bfp8_b)] {
        time(&format!("unpack {l1:?} to {register:?}"), || {
            unpack_tile(l1, register, black_box(&bytes), &mut dst);
        });
    }
    time("unpack_tilize Float16_b", || {
        unpack_tilize(Float16_b, Float16_b, black_box(&bytes), 64, &mut dst);
    });
    time("transpose", || transpose(black_box(&a), &mut dst));
    for dst_32 in [false, true] {
        let width = if dst_32 { "32-bit Dst" } else { "16-bit Dst" };
        let lofi = mode(dst_32, Fidelity::LoFi);
        dst.0 = data(3, 0xFFFF_0000).0;
        time(&format!("copy_tile, {width}"), || fpu::move_a_to_dst(lofi, black_box(&a), &mut dst));
        time(&format!("dst_to_src, {width}"), || fpu::dst_to_src(lofi, black_box(&a), &mut dst));
        time(&format!("add, {width}"), || {
            fpu::eltwise_add(lofi, black_box(&a), black_box(&b), &mut dst, false);
        });
        time(&format!("add accumulating, {width}"), || {
            fpu::eltwise_add(lofi, black_box(&a), black_box(&b), &mut dst, true);
        });
        for fidelity in [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4] {
            let mode = mode(dst_32, fidelity);
            time(&format!("mul {fidelity:?}, {width}"), || {
                fpu::eltwise_mul(mode, black_box(&a), black_box(&b), &mut dst, false);
            });
            time(&format!("mul {fidelity:?} onto zero, {width}"), || {
                fpu::eltwise_mul(mode, black_box(&a), black_box(&b), &mut dst, true);
            });
            time(&format!("matmul {fidelity:?}, {width}"), || {
                fpu::matmul(mode, black_box(&a), black_box(&b), &mut dst);
            });
        }
        let scaler = Tile::from_fn(|r, _| if r % 16 == 0 { 0x3F80_0000 } else { 0 });
        let ones = Tile([0x3F80_0000; 1024]);
        let sum_and_max =
            [(PoolType::Sum, &scaler, ""), (PoolType::Sum, &ones, " by ones"), (PoolType::Max, &scaler, "")];
        for (pool, scaler, by) in sum_and_max {
            for dim in [ReduceDim::Row, ReduceDim::Col, ReduceDim::Scalar] {
                time(&format!("reduce {pool:?} {dim:?} HiFi4{by}, {width}"), || {
                    let mut valid = 0;
                    let mode = mode(dst_32, Fidelity::HiFi4);
                    fpu::reduce(mode, pool, dim, black_box(&a), scaler, &mut dst, &mut valid);
                });
            }
        }
    }
    time("broadcast Row", || fpu::broadcast(BroadcastType::Row, black_box(&b), &mut dst));
    time("broadcast Col", || fpu::broadcast(BroadcastType::Col, black_box(&b), &mut dst));
    time("broadcast Scalar", || fpu::broadcast(BroadcastType::Scalar, black_box(&b), &mut dst));
    let packs: [(bool, DataFormat, DataFormat); 6] = [
        (false, Float16_b, Float16_b),
        (true, Float16_b, Float16_b),
        (true, Float32, Float32),
        (false, Float16_b, Float32),
        (false, Bfp8_b, Bfp8_b),
        (true, Bfp8_b, Bfp8_b),
    ];
    for (dst_32, source, out) in packs {
        for edge in [EdgeMask::None, EdgeMask::Row] {
            let mode = PackMode { dst_32, source, out, relu: Relu::None, edge };
            let width = if dst_32 { "32-bit Dst" } else { "16-bit Dst" };
            time(&format!("pack {source:?} to {out:?}, {edge:?}, {width}"), || {
                pack_tile(&mode, black_box(&a), &mut bytes);
            });
        }
    }
    let new = bytes.clone();
    time("accumulate_l1 Float32", || accumulate_l1(Float32, &mut bytes, black_box(&new)));
    time("accumulate_l1 Float16_b", || {
        accumulate_l1(Float16_b, &mut bytes[..2048], black_box(&new[..2048]));
    });
    vector_unit();
}

/// What a 32-bit Dst and a 16-bit one hold.
const CONTENTS: [(&str, bool, u32); 3] =
    [("16-bit Dst", false, 0xFFFF_0000), ("32-bit Dst", true, u32::MAX), ("32-bit Dst of bf16", true, 0xFFFF_0000)];

/// Every operation of the vector unit in place, on tiles that differ from call to call.
fn vector_unit() {
    for (content, dst_32, keep) in CONTENTS {
        let mode = SfpuMode { dst_32, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };
        let tiles: Vec<Tile> = (0..64).map(|seed| data(seed, keep)).collect();
        let positive: Vec<Tile> = tiles.iter().map(|tile| Tile(tile.0.map(|word| word & 0x7FFF_FFFF))).collect();
        for &op in SfpuOp::ALL {
            let name = format!("{op:?}");
            // Roots and logarithms of what they are made for.
            let is_positive = ["Sqrt", "Rsqrt", "Log", "Pow"].iter().any(|start| name.starts_with(start));
            let inputs = if is_positive { &positive } else { &tiles };
            let params = match op {
                // The average of rows: a sum would grow to infinity.
                SfpuOp::Reduce => [1, 1, if dst_32 { 0 } else { 5 }, 0],
                SfpuOp::Exp | SfpuOp::ExpFast | SfpuOp::ExpFastUnclamped => [0; 4],
                // Whole numbers: decimals, and a power.
                SfpuOp::Round => [2, 0, 0, 0],
                SfpuOp::PowerIterative => [3, 0, 0, 0],
                _ => [0x3F8C_CCCD, 0x3F2E_8BA3, 0x41A0_0000, 0],
            };
            let mut dst = Dst::default();
            if execute(op, &params, &mode, &mut dst, [0, 1, 2], 0).is_err() {
                continue;
            }
            let mut turn = 0;
            time(&format!("sfpu {name}, {content}"), || {
                for index in 0..op.inputs() {
                    *dst.tile_mut(index) = inputs[(turn + index * 5) % inputs.len()].clone();
                }
                turn += 1;
                execute(op, black_box(&params), &mode, &mut dst, [0, 1, 2], 0).expect("a modelled operation");
            });
        }
    }
}

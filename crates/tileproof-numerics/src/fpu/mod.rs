//! The matrix unit (FPU): element-wise, matrix and pool instructions on whole tiles.
//!
//! Every function takes Src tiles as the unpacker left them and updates a Dst tile in place; the
//! arithmetic is the fixed-point sum of the hardware, never host floating point that happens to
//! agree. It must not look at valid flags it was not given, and it must not guess a result for a
//! format it does not model: [`FpuMode::is_modelled`] says which those are. Start at [`plain`],
//! the datum-by-datum model that every faster route is tested against.

mod dot;
mod eltwise;
mod exact;
mod lanes;
mod matmul;
mod mode;
mod moves;
pub mod plain;
mod reduce;
#[cfg(test)]
mod routes;

pub use eltwise::{eltwise_add, eltwise_mul, eltwise_sub};
pub use matmul::matmul;
pub use mode::{Fidelity, FpuMode};
pub use moves::{
    BroadcastType, broadcast, dst_to_src, move_a_to_dst, move_b_to_dst, moves_16_bit_rows, transpose_dest,
    write_16_bit_rows,
};
pub use reduce::{PoolType, ReduceDim, pool_rows, pool_rows_of_block, reduce, scaler_goes_to_src_a};

//! What the host's memory moves: the limit of whatever reads and writes each byte once.
//!
//! Start at [`run`].

use std::hint::black_box;
use std::time::Instant;

use super::measure::Table;

/// Bytes that are copied: more than any cache holds.
const BYTES: usize = 256 << 20;
/// Copies, of which the fastest counts.
const ROUNDS: usize = 5;
/// A tile of bfloat16 in bytes; an operation on two of them moves three.
const TILE: f64 = 2048.0;

/// Measures a copy on one thread; bytes a second that are read or written.
pub(super) fn run(table: &mut Table) -> f64 {
    let from = vec![1_u8; BYTES];
    let mut to = vec![0_u8; BYTES];
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        to.copy_from_slice(black_box(&from));
        best = best.min(begin.elapsed().as_secs_f64());
        black_box(&mut to);
    }
    // Each byte is read and written.
    let per_second = 2.0 * BYTES as f64 / best;
    table.heading("the host");
    table.figure("memory, a copy on one thread", per_second / 1e9, "GB/s");
    table.figure("three tiles of bfloat16 at that rate", 3.0 * TILE / per_second * 1e6, "us");
    per_second
}

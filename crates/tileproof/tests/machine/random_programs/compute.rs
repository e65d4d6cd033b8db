//! The compute kernel of random programs: it copies tiles from a buffer to another.
//!
//! Start at [`kernel`].

use std::cell::Cell;

use tileproof_kernel::{Compute, compute_kernel};
use tileproof_model::kernel::SharedKernel;

use super::program::Copies;

/// Calls of a block that order something.
const CALLS: u32 = 8;

/// How many calls there are that can be left out.
pub(super) fn calls(copies: Copies) -> u32 {
    CALLS * copies.blocks
}

pub(super) fn arguments(copies: Copies, skips: Option<u32>) -> String {
    let Copies { from, to, blocks, block } = copies;
    format!("{from}, {to}, {blocks}, {block}, {}", skips.unwrap_or(u32::MAX))
}

pub(super) fn kernel() -> SharedKernel {
    compute_kernel("compute", copy)
}

fn copy(compute: &Compute<'_>) {
    let [from, to, blocks, block, skips] = [0, 1, 2, 3, 4].map(|index| compute.get_arg_val(index));
    let made = Cell::new(0);
    let is_made = || made.replace(made.get() + 1) != skips;
    compute.compute_kernel_hw_startup(from, from, to);
    compute.copy_init(from);
    for _ in 0..blocks {
        if is_made() {
            compute.cb_wait_front(from, block);
        }
        if is_made() {
            compute.tile_regs_acquire();
        }
        (0..block).for_each(|tile| compute.copy_tile(from, tile, tile));
        if is_made() {
            compute.tile_regs_commit();
        }
        if is_made() {
            compute.cb_pop_front(from, block);
        }
        if is_made() {
            compute.cb_reserve_back(to, block);
        }
        if is_made() {
            compute.tile_regs_wait();
        }
        (0..block).for_each(|tile| compute.pack_tile(tile, to));
        if is_made() {
            compute.tile_regs_release();
        }
        if is_made() {
            compute.cb_push_back(to, block);
        }
    }
}

//! The doors of MATH in a program whose sums are made in parts: terms go to several tiles of Dst by turns, and `add_binary_tile` adds
//! those up before anything else happens.
//!
//! A kernel could be written so, and would take the same cycles. Only runs that nobody observes have them. Start at [`math`].

use tileproof_model::abi::Site;
use tileproof_model::observe::Observer;
use tileproof_model::op_word::OpWord;
use tileproof_numerics::sfpu::SfpuOp;

use crate::doors::compute;
use crate::doors::core_door::core_door;
use crate::engine::Engine;
use crate::turns::{call, with};

/// Whether sums are made in parts in this run.
pub(super) fn are_made<O: Observer>(site: Site) -> bool {
    with::<O, _>(site, |engine, _| engine.mutation.as_ref().is_some_and(|mutation| mutation.parts.is_some()))
}

/// A term of a sum goes to the tile whose turn it is; whatever else the matrix unit does finds sums whole.
pub(super) fn math<O: Observer>(site: Site, word: OpWord, dst: u32) {
    let tile = with::<O, _>(site, |engine, by| {
        let Engine { cores, mutation, .. } = engine;
        mutation.as_mut()?.parts.as_mut()?.term(by.core, &cores[by.core], word, dst)
    });
    if tile.is_none() {
        add_up::<O>(site);
    }
    compute::math::<O>(site, word, tile.unwrap_or(dst));
}

/// Adds up all sums that are in parts.
pub(super) fn add_up<O: Observer>(site: Site) {
    let next = || with::<O, _>(site, |engine, by| engine.mutation.as_mut()?.parts.as_mut()?.next_part(by.core));
    while let Some((sum, part)) = next() {
        add_part::<O>(site, sum, part);
    }
}

core_door!(call, add_part(sum: u32, part: u32) |core, sink, by| {
    let add = u32::from(SfpuOp::AddBinary.code());
    core.sfpu(sink, by.site, add, [sum, part, 0], sum, &[0; 4])?;
    let half = core.tensix.math_pack.math_half;
    let tile = core.physical_tile(half, part);
    core.tensix.dst.clear(tile, 1);
    Ok(())
});

pub(super) extern "C-unwind" fn tile_regs_commit<O: Observer>(site: Site) {
    add_up::<O>(site);
    compute::tile_regs_commit::<O>(site);
}

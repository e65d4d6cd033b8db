//! Sums that are made in parts: which tile of Dst a term goes to, and what is to be added up at the end.
//!
//! It must never take a tile that holds something. Start at [`Parts::term`]; `doors/parts.rs` carries it out.

use std::collections::BTreeMap;

use tileproof_model::op_word::{OpWord, flag};

use crate::core::Core;

/// The sums of a run that are in parts.
pub(crate) struct Parts {
    /// Tiles that a sum may be spread over.
    most: usize,
    /// Those of each core that are not added up yet.
    open: BTreeMap<usize, Vec<Sum>>,
}

/// A sum in some tile of Dst.
struct Sum {
    /// The tile that the kernel names.
    dst: u32,
    /// The other tiles.
    parts: Vec<u32>,
    /// How many of those hold something.
    used: usize,
    /// Terms since it was begun.
    terms: usize,
}

impl Parts {
    pub(crate) fn new(most: usize) -> Parts {
        Parts { most, open: BTreeMap::new() }
    }

    /// Where a call of the matrix unit is to write, if it adds a term to a sum; `None` if it does something else, or no tile is free.
    pub(crate) fn term(&mut self, by: usize, core: &Core, word: OpWord, dst: u32) -> Option<u32> {
        let half = core.tensix.math_pack.math_half;
        let is_used = |tile: u32| core.tensix.dst.valid_rows(core.physical_tile(half, tile)) != 0;
        let takes_dst = word.has(flag::REUSE_SRCA) || word.has(flag::REUSE_SRCB);
        if !word.adds() || word.is_maximum() || takes_dst || !is_used(dst) {
            return None;
        }
        let open = self.open.entry(by).or_default();
        if open.iter().any(|sum| sum.parts.contains(&dst)) {
            return None;
        }
        let at = match open.iter().position(|sum| sum.dst == dst) {
            Some(at) => at,
            None => {
                let taken =
                    |tile: &u32| *tile == dst || open.iter().any(|sum| sum.dst == *tile || sum.parts.contains(tile));
                let free = (0..core.config.dst_capacity()).rev().filter(|tile| !is_used(*tile) && !taken(tile));
                let parts: Vec<u32> = free.take(self.most - 1).collect();
                if parts.is_empty() {
                    return None;
                }
                open.push(Sum { dst, parts, used: 0, terms: 0 });
                open.len() - 1
            }
        };
        let sum = &mut open[at];
        sum.terms += 1;
        match sum.terms % (sum.parts.len() + 1) {
            0 => Some(dst),
            part => {
                sum.used = sum.used.max(part);
                Some(sum.parts[part - 1])
            }
        }
    }

    /// A sum, and a part that is to be added to it and is none any more.
    pub(crate) fn next_part(&mut self, by: usize) -> Option<(u32, u32)> {
        let open = self.open.get_mut(&by)?;
        while let Some(sum) = open.last_mut() {
            if sum.used > 0 {
                sum.used -= 1;
                return Some((sum.dst, sum.parts[sum.used]));
            }
            open.pop();
        }
        None
    }
}

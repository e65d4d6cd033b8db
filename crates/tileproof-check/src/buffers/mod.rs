//! Circular buffers: the protocol that the four calls expect and that nothing on the device enforces.
//!
//! [`pages`] follows what each thread reserved and waited for, [`laps`] the ends of buffers, [`sides`] who uses them, [`units`] pages of odd sizes,
//! [`windows`] which pages transfers touch; [`capacity`] and [`leftovers`] look at single calls, [`part_left`] at what is left
//! undone. None may speak of a kernel that keeps to the protocol.

pub mod capacity;
pub mod laps;
pub mod leftovers;
pub mod pages;
pub mod part_left;
pub mod sides;
pub mod units;
pub mod windows;

use tileproof_model::arch::Arch;

/// Buffers that a core can have.
pub(crate) const BUFFERS: usize = Arch::MOST_CIRCULAR_BUFFERS as usize;

//! The ABI table: what happens when a kernel calls. Each function finds the engine and the calling thread and lets the engine do
//! one step ([`crate::turns`]).

mod befalls;
mod buffers;
mod compute;
mod core_door;
mod mutant;
mod noc;
mod own;
mod parts;
mod steps;
mod words;

use tileproof_model::abi::Abi;
use tileproof_model::abi::l1::OFFSET_MASK;
use tileproof_model::observe::Observer;

use crate::engine::Engine;

use buffers::*;
use compute::*;
use noc::*;
use own::*;
use steps::*;
use words::*;

impl<O: Observer> Engine<O> {
    /// The table that kernels of this engine are given.
    pub(crate) const ABI: &'static Abi = &tileproof_model::doors!(O, hooks: O::ACTIVE);

    /// The same where a program runs with one thing wrong, or is asked what could be.
    pub(crate) const MUTANT_ABI: &'static Abi = &mutant::table::<O>(Self::ABI);
}

/// Offsets of L1 and L1 addresses are told apart by this mask alone; a window must not be smaller than L1.
const _: () = assert!(OFFSET_MASK >= 1536 * 1024);

//! What is read off a run that was followed: why an output is not what is expected, or how many digits it has lost.
//!
//! Each file is one reading, which all elements asked of must bear out. Must never follow data: what they go by, the files beside
//! this folder have kept. Start at [`verdict`].

mod another_input;
mod another_tile;
pub(super) mod audit;
mod carrier;
pub(super) mod case;
mod constants;
mod conversion;
mod elsewhere;
mod exchanged;
mod guess;
mod known;
mod left_out;
mod masked;
mod not_taken;
mod operation;
mod order;
mod padded;
mod parameter;
mod replay;
pub(super) mod shapes;
mod sites;
mod terms;
mod unused;
pub(super) mod verdict;
mod what_if;
mod zero_factor;

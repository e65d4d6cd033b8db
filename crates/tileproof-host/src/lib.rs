//! The library behind tt-metal host programs in C++: the functions that the headers of `tileproof-sdk` call.
//!
//! A device is a number here, never a pointer, so that one that was closed is refused and nothing is reached through it. It must
//! never end in a panic that crosses into C++, and never describe a program in words of its own: what a host program describes
//! becomes a launch of the model. Start at `door.rs`, which has the functions; `told.rs` has what they are told.

mod devices;
mod door;
mod settings;
mod sources;
mod told;
mod verdict;

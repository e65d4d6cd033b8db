//! What became of values on the way: asked after the fact, by a second run of a program whose output is wrong.
//!
//! These observers look at every datum, which takes time, and what they see happens in right kernels too: so they must never
//! run unless an output is not as expected, and what they say is a suspicion. [`digits`] looks for lost digits and values
//! that leave the range, [`trace`] for the first operation that two runs with different padding disagree about.

pub mod digits;
pub mod trace;

pub use digits::Digits;
pub use trace::Trace;

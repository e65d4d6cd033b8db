//! The machine.
//!
//! A core runs five threads, each on a fiber, and they meet only where the hardware lets them: circular-buffer credits,
//! SrcA and SrcB, the Dst window, NoC and semaphores. The machine reads no clock, environment, hash order or thread id: the
//! same program gives the same record. Start at [`machine::Machine`], then `doors` (what a kernel calls) and `tensix`
//! (what the compute calls do).

mod buffer;
mod claims;
mod core;
mod cost;
mod credits;
mod doors;
mod dram;
mod explore;
mod fiber;
mod hart;
mod l1;
mod l1_tensor;
mod late;
mod ledger;
mod liveness;
pub mod machine;
mod mailbox;
mod multicast;
mod noc;
mod observe;
mod print;
mod report;
mod schedule;
mod signals;
mod tensix;
mod trap;
mod trial;

pub use machine::{LaunchError, LaunchOutcome, Machine, TensorHandle};

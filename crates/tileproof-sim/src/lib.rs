//! The machine.
//!
//! A core runs five threads, each on a fiber, and they meet only where the hardware lets them: circular-buffer credits,
//! SrcA and SrcB, the Dst window, NoC and semaphores. The machine reads no clock, environment, hash order or thread id: the
//! same program gives the same record. Start at [`machine::Machine`], then `engine` and `run`; `doors` is what a kernel calls,
//! `noc` and `tensix` what the calls do.

mod allocate;
mod arrivals;
mod black_box;
mod buffer;
mod carried;
mod cb_memory;
mod claims;
mod core;
mod cost;
mod credits;
mod departures;
mod doors;
mod dram;
mod endless;
mod engine;
mod epochs;
mod fault;
mod fiber;
mod hart;
mod host_pages;
mod kept;
mod l1;
mod l1_map;
mod l1_tensor;
mod launch_error;
mod ledger;
mod liveness;
mod looked_for;
mod machine;
mod mailbox;
mod mailboxes;
mod meeting;
mod mutation;
mod noc;
mod observe;
mod order;
mod page_set;
mod parts;
mod places;
mod print;
mod prints;
mod refused;
mod report;
mod run;
mod sanitized;
mod semaphores;
mod senders;
mod set_up;
mod signals;
mod standby;
mod step;
mod stuck;
mod tensix;
mod trap;
mod trial;
mod turns;
mod values;

pub use allocate::bytes_of_a_bank;
pub use black_box::{ASKS_WHERE, BlackBox, Interrupted, Last};
pub use engine::LaunchOutcome;
pub use fault::{locate, site_of};
pub use host_pages::ask_for_huge_pages;
pub use l1::open_descriptor;
pub use l1_tensor::accessor_words;
pub use launch_error::LaunchError;
pub use machine::{Left, Machine, TensorHandle};

//! A process of its own for code that is not trusted.
//!
//! It is a fork of this one, which shares some memory with it, is boxed in by the host, and answers with bytes. Whoever starts it
//! watches it: it may end by itself, by its own fault, or because it never would. It must never know what runs in it. Start at
//! [`run`]; `sandbox.rs` is the box, `watch.rs` the other side.

mod answer;
mod host_calls;
pub mod interrupt;
mod pipes;
mod process;
mod reach;
mod sandbox;
mod tied;
mod watch;

pub use process::{Job, run};
pub use reach::Reach;
pub use sandbox::{Host, host};
pub use tied::tie;
pub use watch::{Death, How, Limits, Report, Watched};

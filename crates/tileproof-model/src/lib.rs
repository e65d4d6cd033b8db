//! The words of Tileproof.
//!
//! What a program is ([`program`]), how a kernel meets the machine ([`abi`], [`kernel`]), what the chips are
//! ([`arch`]), what happens in a run ([`event`], [`observe`]) and where ([`layout`]), what it leaves behind ([`finding`], [`record`], [`timeline`]), and the
//! words that messages share ([`wording`]). Nothing here runs anything. Start at
//! [`abi`]: it is the only door from a kernel into the machine.

pub mod abi;
pub mod arch;
pub mod cycles;
pub mod declare;
pub mod event;
pub mod finding;
pub mod kernel;
pub mod layout;
pub mod mixed;
pub mod mutant;
pub mod observe;
pub mod op_word;
pub mod program;
pub mod record;
pub mod schedule;
pub mod thread;
pub mod timeline;
pub mod wording;

pub use tileproof_numerics as numerics;

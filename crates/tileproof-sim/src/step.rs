//! What a call of a kernel came to, and who made it.

use tileproof_model::abi::Site;
use tileproof_model::thread::Thread;

use crate::hart::Wait;

/// What a call came to: what it did, so that observers can be shown it, or why it is not done.
pub(crate) type Step<T = ()> = Result<T, Halt>;

/// Why a call is not done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Halt {
    /// It waits, and asks again.
    Wait(Wait),
    /// It gives the others a turn, and asks again.
    Turn,
    /// The run ends: a finding says why.
    Stop,
}

/// A call, by who made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// Index of the core in this launch.
    pub(crate) core: usize,
    pub(crate) thread: Thread,
    pub(crate) site: Site,
}

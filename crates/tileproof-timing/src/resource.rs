//! What time is spent on: units, transfers, the ways threads wait for each other.
//!
//! Start at [`Resource`].

use tileproof_model::timeline::{Doing, FarEnd};

/// What a cycle of a run goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Resource {
    /// The unpackers.
    Unpack,
    /// The matrix unit.
    Fpu,
    /// The vector unit.
    Sfpu,
    /// The packers.
    Pack,
    /// A transfer from or to DRAM is under way, and nothing of it is on the port.
    DramLatency,
    /// The port carries bytes from or to DRAM, or other transfers before them.
    DramBandwidth,
    /// A transfer between cores is under way.
    NocLatency,
    /// The port carries bytes between cores.
    NocBandwidth,
    /// A RISC starts transfers.
    NocIssue,
    /// A RISC reads or publishes credits of circular buffers, or a section of Dst changes hands.
    Credits,
    /// A RISC reads semaphores, flags and mailboxes.
    Signals,
    /// A RISC loads from and stores to L1.
    L1,
    /// A RISC runs code of the kernel, or looks whether something has happened.
    OwnCode,
    /// Units are programmed.
    Configure,
}

impl Resource {
    /// All, in the order in which they are told.
    pub const ALL: [Resource; 14] = [
        Resource::Unpack,
        Resource::Fpu,
        Resource::Sfpu,
        Resource::Pack,
        Resource::DramLatency,
        Resource::DramBandwidth,
        Resource::NocLatency,
        Resource::NocBandwidth,
        Resource::NocIssue,
        Resource::Credits,
        Resource::Signals,
        Resource::L1,
        Resource::OwnCode,
        Resource::Configure,
    ];

    /// As a sentence names it.
    pub const fn name(self) -> &'static str {
        match self {
            Resource::Unpack => "the unpackers",
            Resource::Fpu => "the matrix unit",
            Resource::Sfpu => "the vector unit",
            Resource::Pack => "the packers",
            Resource::DramLatency => "DRAM latency",
            Resource::DramBandwidth => "DRAM bandwidth",
            Resource::NocLatency => "NoC latency",
            Resource::NocBandwidth => "NoC bandwidth",
            Resource::NocIssue => "starting NoC transfers",
            Resource::Credits => "credits",
            Resource::Signals => "semaphores",
            Resource::L1 => "L1 accesses of a RISC",
            Resource::OwnCode => "code of the kernels",
            Resource::Configure => "programming units",
        }
    }

    /// What a call is busy with.
    pub const fn of(doing: Doing) -> Resource {
        match doing {
            Doing::Unpack => Resource::Unpack,
            Doing::Fpu => Resource::Fpu,
            Doing::Sfpu => Resource::Sfpu,
            Doing::Pack => Resource::Pack,
            Doing::NocRead | Doing::NocWrite | Doing::SemaphoreInc => Resource::NocIssue,
            Doing::ReadBarrier | Doing::WriteBarrier | Doing::OtherBarrier => Resource::NocIssue,
            Doing::WaitFront | Doing::ReserveBack | Doing::Push | Doing::Pop => Resource::Credits,
            Doing::Acquire | Doing::Commit | Doing::SectionWait | Doing::Release => Resource::Credits,
            Doing::SemaphoreWait | Doing::Mailbox => Resource::Signals,
            Doing::L1 => Resource::L1,
            Doing::Poll => Resource::OwnCode,
            Doing::Configure | Doing::End => Resource::Configure,
        }
    }

    /// What a transfer waits for while nothing of it is on the port, and while it is or stands behind others.
    pub const fn of_transfer(far: FarEnd) -> (Resource, Resource) {
        match far {
            FarEnd::Dram(_) => (Resource::DramLatency, Resource::DramBandwidth),
            FarEnd::Core(_) | FarEnd::Own | FarEnd::Nowhere => (Resource::NocLatency, Resource::NocBandwidth),
        }
    }
}

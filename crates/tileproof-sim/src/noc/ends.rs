//! What a kernel asks for when it starts a transfer, and the memory at both ends of it.

use tileproof_model::abi::noc_flag;
use tileproof_model::thread::{CoreCoord, CoreRange};

/// What a transfer does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// From a NoC address to L1.
    Read,
    /// From L1 to a NoC address; nobody acknowledges a posted one.
    Write { posted: bool },
    /// From L1 to the L1 of every core of a rectangle. The kernel counts `dests` of them; the sender is one if it lies in the
    /// rectangle and asks for itself.
    Multicast { dests: u32, loopback: bool },
    /// A word that travels in the request itself.
    InlineWrite { value: u32 },
    /// Adds to a word of L1. The addition is seen at once, its acknowledgement later; a posted one has none, so that a barrier
    /// has nothing to wait for (tt-metal `noc_semaphore_inc`, its template argument `posted`).
    Increment { value: u32, posted: bool },
}

/// A transfer as a kernel starts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) kind: Kind,
    /// 0 or 1.
    pub(crate) noc: u8,
    /// The call makes one packet of it.
    one_packet: bool,
    /// Address in the L1 of the caller's core; none for words.
    pub(crate) local: u32,
    /// Address on the NoC.
    pub(crate) far: u64,
    pub(crate) bytes: u32,
}

impl Transfer {
    /// A transfer of `bytes` bytes. `noc` may carry flags ([`noc_flag`]).
    pub(crate) fn new(kind: Kind, noc: u32, local: u32, far: u64, bytes: u32) -> Transfer {
        let one_packet = noc & noc_flag::ONE_PACKET != 0;
        Transfer { kind, noc: noc as u8 & 1, one_packet, local, far, bytes }
    }

    /// A transfer of one word, to an address on the NoC.
    pub(crate) fn word(kind: Kind, noc: u32, far: u64) -> Transfer {
        Transfer { kind, noc: noc as u8 & 1, one_packet: false, local: 0, far, bytes: 4 }
    }

    pub(crate) fn is_read(&self) -> bool {
        self.kind == Kind::Read
    }

    /// A write that no barrier of ordinary writes waits for.
    pub(crate) fn is_posted(&self) -> bool {
        matches!(self.kind, Kind::Write { posted: true } | Kind::Increment { posted: true, .. })
    }

    /// What it adds to the word that it reaches.
    pub(crate) fn added(&self) -> u32 {
        if let Kind::Increment { value, .. } = self.kind { value } else { 0 }
    }

    /// The longest packet, for a call that makes one packet of more.
    #[inline]
    pub(crate) fn beyond_a_packet(&self, burst: u32) -> bool {
        self.one_packet && self.bytes > burst
    }
}

/// The memory at both ends of a transfer.
pub(crate) struct Ends {
    /// Offset in the L1 of the caller's core; 0 for words.
    pub(crate) local: u32,
    pub(crate) far: Far,
}

/// The memory at the far end.
pub(crate) enum Far {
    /// An address in a DRAM bank.
    Dram { bank: u32, address: u64 },
    /// L1 of a core, by its index, and an offset there.
    L1 { core: usize, offset: u32 },
    /// L1 of a core that runs apart from the caller's, by its number in the launch, and an offset there.
    Away { core: usize, offset: u32 },
    /// L1 of many cores.
    Cores(Reached),
}

/// What a multicast reaches.
pub(crate) struct Reached {
    pub(crate) rectangle: CoreRange,
    /// The cores that it writes to.
    pub(crate) cores: Vec<CoreCoord>,
    /// Those that kernels run on, by their index: the L1 of others nobody looks at.
    pub(crate) running: Vec<usize>,
    /// Where the caller's core runs apart, the others of those, by their number in the launch.
    pub(crate) away: Vec<usize>,
    /// Offset in their L1.
    pub(crate) offset: u32,
}

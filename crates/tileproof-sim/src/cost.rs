//! What operations cost: how the constants of a chip are put together.
//!
//! Each constant stands with its source in `chips/` of the model, and none stands here. One resource a thread: a thread's clock is
//! the clock of the unit that it drives. Start at [`Costs`].

use tileproof_model::cycles::Cycles;

/// The way of a transfer, as far as its time goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    ReadL1,
    WriteL1,
    Multicast,
    /// From a bank.
    ReadDram(u32),
    /// To a bank.
    WriteDram(u32),
}

/// What a transfer costs, in cycles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    /// Of the RISC that starts it.
    pub(crate) issue: u64,
    /// Until its last byte is there, or is known to be there, beyond what follows.
    pub(crate) latency: u64,
    /// Of the port of the thread.
    pub(crate) port: u64,
    /// Which bank of DRAM, and for how long that is busy with it.
    pub(crate) bank: Option<(u32, u64)>,
}

/// Cycles of operations, by the constants of a chip.
pub(crate) trait Costs {
    /// Cycles for which the engine that fetches operands is busy.
    fn unpack(&self, bytes: u32, both: bool) -> u64;
    /// The same where rows become a tile.
    fn tilize(&self, bytes: u32) -> u64;
    /// Cycles of the packers for a tile.
    fn pack(&self, bytes: u32, accumulate: bool) -> u64;
    /// Cycles of the packers for `block` tiles that become rows, of `datum` bytes each.
    fn untilize(&self, datum: u32, block: u32) -> u64;
    /// Cycles of the packers for rows of 16 datums, a row a cycle.
    fn pack_rows(&self, rows: u32) -> u64;
    /// Element-wise operations of the matrix unit.
    fn eltwise(&self, phases: u32) -> u64;
    fn matmul(&self, phases: u32) -> u64;
    fn copy_tile(&self) -> u64;
    /// Pooling, and the moves behind it.
    fn pool(&self, phases: u32, along_row: bool) -> u64;
    /// A call of the vector unit that takes some issue slots a row.
    fn vector(&self, slots: u32) -> u64;
    /// Vector code of a kernel's own, of some instructions in all.
    fn own_vector_code(&self, instructions: u32) -> u64;
    /// A loop of a RISC over words of L1.
    fn l1_words(&self, words: u32) -> u64;
    /// What a transfer costs on its way.
    fn transfer(&self, bytes: u32, way: Way) -> Carried;
}

impl Costs for Cycles {
    fn unpack(&self, bytes: u32, both: bool) -> u64 {
        self.call + u64::from(bytes).div_ceil(if both { self.unpack_bytes_each } else { self.unpack_bytes })
    }

    fn tilize(&self, bytes: u32) -> u64 {
        self.call + u64::from(bytes).div_ceil(self.tilize_bytes)
    }

    fn pack(&self, bytes: u32, accumulate: bool) -> u64 {
        let plain = u64::from(bytes).div_ceil(self.pack_bytes).max(self.pack_least);
        self.call + if accumulate { self.pack_accumulate * plain } else { plain }
    }

    fn untilize(&self, datum: u32, block: u32) -> u64 {
        let packs = u64::from(16 * datum).div_ceil(self.untilize_bytes);
        self.call + self.untilize_pieces * (packs + self.untilize_extra) * u64::from(block) + self.untilize_block
    }

    fn pack_rows(&self, rows: u32) -> u64 {
        self.call + u64::from(rows)
    }

    fn eltwise(&self, phases: u32) -> u64 {
        self.call + self.eltwise_phase * u64::from(phases)
    }

    fn matmul(&self, phases: u32) -> u64 {
        self.call + self.matmul_phase * u64::from(phases)
    }

    fn copy_tile(&self) -> u64 {
        self.call + self.copy
    }

    fn pool(&self, phases: u32, along_row: bool) -> u64 {
        let behind = if along_row { self.reduce_row } else { self.reduce_column };
        self.call + self.reduce_phase * u64::from(phases) + behind
    }

    fn vector(&self, slots: u32) -> u64 {
        self.call + self.vector_slot * u64::from(slots) + self.vector_call
    }

    fn own_vector_code(&self, instructions: u32) -> u64 {
        self.call + u64::from(instructions)
    }

    fn l1_words(&self, words: u32) -> u64 {
        self.l1_store * u64::from(words)
    }

    #[inline]
    fn transfer(&self, bytes: u32, way: Way) -> Carried {
        let bytes = u64::from(bytes);
        let (issue, latency, rate) = match way {
            Way::ReadL1 => (self.l1_read_issue, self.l1_read_latency, self.l1_read_bytes),
            Way::WriteL1 => (self.l1_write_issue, self.l1_write_latency, self.l1_write_bytes),
            Way::Multicast => (self.l1_write_issue, self.l1_write_latency, self.multicast_bytes),
            Way::ReadDram(_) => (self.dram_read_issue, self.dram_read_latency, self.dram_read_bytes),
            Way::WriteDram(_) => (self.dram_write_issue, self.dram_write_latency, self.dram_write_bytes),
        };
        let bank = match way {
            Way::ReadDram(bank) | Way::WriteDram(bank) => Some((bank, bytes.div_ceil(self.dram_bank_reached))),
            _ => None,
        };
        Carried { issue, latency, port: bytes.div_ceil(rate), bank }
    }
}

//! What operations cost on a chip, in cycles: the constants of the timing model.
//!
//! Their values stand in `chips/NAME.toml`, one file a chip, each with its source beside it, and nowhere else; the build makes
//! [`Cycles`] of a file. How they are put together is the machine's. Start at [`Cycles`].

macro_rules! constants {
    ($($(#[doc = $doc:literal])+ $name:ident,)*) => {
        /// The constants of a chip.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Cycles {
            $($(#[doc = $doc])+ pub $name: u64,)*
        }

        impl Cycles {
            /// Name and meaning of each constant, in the order of the files.
            pub const MEANINGS: &'static [(&'static str, &'static str)] =
                &[$((stringify!($name), concat!($($doc),+)),)*];
        }
    };
}

constants! {
    /// One poll of a credit counter, a semaphore or a mailbox by a RISC.
    poll,
    /// Publishing or freeing pages, or writing to a mailbox.
    credit,
    /// A word of L1 that a RISC loads or stores in a loop.
    l1_store,
    /// Programming a unit.
    configure,
    /// Programming an operation.
    init,
    /// What a tile call costs beyond what its unit does.
    call,
    /// Each of acquire, commit, wait and release.
    window,
    /// The poll that ends a barrier.
    barrier,
    /// Issue of a read from the L1 of a core by a RISC.
    l1_read_issue,
    /// Latency of a read from L1, beyond its issue, its bytes and its barrier.
    l1_read_latency,
    /// Bytes a cycle of a thread's reads from L1.
    l1_read_bytes,
    /// Issue of a write to the L1 of a core, a multicast or an atomic by a RISC.
    l1_write_issue,
    /// Latency of a write to L1, until it is acknowledged, beyond its issue, its bytes and its barrier.
    l1_write_latency,
    /// Bytes a cycle of a thread's writes to L1.
    l1_write_bytes,
    /// Bytes a cycle of a thread's multicasts.
    multicast_bytes,
    /// Issue of a read from DRAM by a RISC.
    dram_read_issue,
    /// Latency of a read from DRAM, beyond its issue, its bytes and its barrier.
    dram_read_latency,
    /// Bytes a cycle of a thread's reads from DRAM, over all banks.
    dram_read_bytes,
    /// Issue of a write to DRAM by a RISC.
    dram_write_issue,
    /// Latency of a write to DRAM, until it is acknowledged, beyond its issue, its bytes and its barrier.
    dram_write_latency,
    /// Bytes a cycle of a thread's writes to DRAM, over all banks.
    dram_write_bytes,
    /// Bytes a cycle that a DRAM bank reaches.
    dram_bank_reached,
    /// Bytes a cycle of a DRAM bank at most.
    dram_bank_bytes,
    /// From router to router of a NoC.
    hop,
    /// The shortest latency of a transfer, in tenths of the usual one.
    near_latency_tenths,
    /// Bytes a cycle of an unpacker that works alone.
    unpack_bytes,
    /// Bytes a cycle of each unpacker where both work.
    unpack_bytes_each,
    /// Bytes a cycle of an unpacker that makes tiles of rows.
    tilize_bytes,
    /// Element-wise operations, a phase of fidelity.
    eltwise_phase,
    /// A product of matrices, a phase of fidelity.
    matmul_phase,
    /// A copy to Dst.
    copy,
    /// Pooling, a phase of fidelity.
    reduce_phase,
    /// Pooling along rows, beside its phases.
    reduce_row,
    /// Pooling along columns or both, beside its phases.
    reduce_column,
    /// An issue slot of the vector unit, for the 32 steps of a tile.
    vector_slot,
    /// A call of the vector unit, beside its slots.
    vector_call,
    /// Bytes a cycle of the packers.
    pack_bytes,
    /// The least for which a tile occupies the packers.
    pack_least,
    /// How many times as long the packers take where L1 accumulates.
    pack_accumulate,
    /// Pieces in which a tile is packed where tiles become rows.
    untilize_pieces,
    /// Bytes of a row of a face that one instruction packs there.
    untilize_bytes,
    /// Instructions of such a piece beside those.
    untilize_extra,
    /// Instructions of such a block of tiles.
    untilize_block,
}

/// A constant of a chip with its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sourced {
    /// The field of [`Cycles`].
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// Where it comes from.
    pub source: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/cycles.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_names_each_constant_once_and_its_source() {
        for sourced in [WORMHOLE_SOURCES, BLACKHOLE_SOURCES] {
            let names: Vec<&str> = sourced.iter().map(|constant| constant.name).collect();
            let meant: Vec<&str> = Cycles::MEANINGS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, meant);
            assert!(sourced.iter().all(|constant| constant.source.len() > 10), "{sourced:?}");
        }
    }
}

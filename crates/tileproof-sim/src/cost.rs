//! What operations cost, in cycles.
//!
//! Wormhole figures: ISA documentation (`TensixCoprocessor/MatrixUnit.md`, `BabyRISCV/README.md`, NoC), LLK loop structures,
//! and the latency tables that tt-metal publishes (`noc_latencies.yaml`). One resource a thread: a thread's clock is the
//! clock of the unit that it drives.

// Each number with its source; where none measures it, it is counted from what the call does, and says so. Blackhole goes by the
// same numbers: what was published of it is its clock, and too little else.

/// One poll of a credit counter or semaphore by a RISC: an MMIO or L1 load, compare and branch (counted: a load takes 7 or 8 cycles,
/// ISA documentation, `BabyRISCV/README.md`).
pub(crate) const POLL: u64 = 10;
/// Publishing or freeing pages: pointer update and one stream-register write.
pub(crate) const CREDIT: u64 = 8;
/// Programming a unit: a handful of register writes behind a drain of the unit.
pub(crate) const CONFIGURE: u64 = 30;
/// Programming an operation: address modifiers and a MOP.
pub(crate) const INIT: u64 = 20;
/// Software overhead of a tile call on a compute thread, as far as the unit does not hide it.
pub(crate) const CALL: u64 = 6;
/// Semaphore and Dst-offset work of acquire, commit, wait and release.
pub(crate) const WINDOW: u64 = 10;
/// Issue of a NoC read or write by a data-movement RISC: the slope of 256 transfers of 64 bytes (tt-metal `noc_latencies.yaml`).
pub(crate) const NOC_READ_ISSUE: u64 = 26;
pub(crate) const NOC_WRITE_ISSUE: u64 = 23;
/// Poll of a NoC status register that ends a barrier.
pub(crate) const BARRIER: u64 = 7;
/// Latency of a DRAM read and of an L1-to-L1 transfer, without the payload: one transfer of 64 bytes in the same table. That counts
/// from the first call to the end of the barrier, so a lone transfer is some 30 cycles dearer here than there.
const DRAM_LATENCY: u64 = 400;
const L1_LATENCY: u64 = 293;
/// Bytes that one core moves a cycle, sustained: the slope of large transfers in the same table.
const NOC_BYTES_PER_CYCLE: u64 = 28;
const DRAM_BYTES_PER_CYCLE: u64 = 22;
/// A multicast moves about half of what a unicast write moves in the same time (tt-metal's measurements: 15 bytes a cycle).
pub(crate) const MULTICAST_SLOWDOWN: u32 = 2;
/// RISC loads and stores of L1 words in a loop: at most one store in five cycles.
const L1_WORD: u64 = 5;

/// Cycles for which the engine that fetches operands is busy: 64 bytes a cycle for one unpacker, 32 each for two.
pub(crate) fn unpack(bytes: u32, both: bool) -> u64 {
    CALL + u64::from(bytes).div_ceil(if both { 32 } else { 64 })
}

/// Cycles of the packers: four of 16 bytes a cycle, and never less than a face-row each.
pub(crate) fn pack(bytes: u32, accumulate: bool) -> u64 {
    let plain = u64::from(bytes).div_ceil(64).max(16);
    CALL + if accumulate { 2 * plain } else { plain }
}

/// Cycles of the matrix unit: element-wise 8 instructions a phase, matmul 16 a phase, copies 8.
pub(crate) fn eltwise(phases: u32) -> u64 {
    CALL + 8 * u64::from(phases)
}

pub(crate) fn matmul(phases: u32) -> u64 {
    CALL + 16 * u64::from(phases)
}

pub(crate) const COPY: u64 = CALL + 8;

/// Pooling: four instructions a phase and the moves that turn a row into a column.
pub(crate) fn reduce(phases: u32, along_row: bool) -> u64 {
    CALL + 4 * u64::from(phases) + if along_row { 40 } else { 8 }
}

/// A transfer: (cycles during which the core's port is busy, cycles from issue to the last byte).
pub(crate) fn transfer(bytes: u32, dram: bool) -> (u64, u64) {
    let (rate, latency) = if dram { (DRAM_BYTES_PER_CYCLE, DRAM_LATENCY) } else { (NOC_BYTES_PER_CYCLE, L1_LATENCY) };
    let busy = u64::from(bytes).div_ceil(rate);
    (busy, latency + busy)
}

/// A loop of a RISC over L1 words.
pub(crate) fn l1_words(words: u32) -> u64 {
    L1_WORD * u64::from(words)
}

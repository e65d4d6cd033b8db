//! The ABI table: the only door from a kernel into the machine.
//!
//! Rust and C++ kernels call the same functions, each with the site of the call first. A function that can wait
//! suspends the fiber it was called on with all frames of the kernel left on its stack, and may unwind through them when
//! the machine ends a kernel that can never go on; hence `extern "C-unwind"`. The machine knows the calling thread by
//! itself, so no handle is passed. The table grows at its end only; `version` and `bytes` let an older kernel image be told
//! from a newer one.

use crate::op_word::OpWord;

/// Version of the table's layout.
pub const ABI_VERSION: u32 = 1;

/// Where a call was made: a return address in a loaded image, or the address of a `&'static Location`. Only the
/// kernel that made the call can say what it means ([`crate::kernel::Kernel::locate`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Site(pub u64);

/// One circular buffer as one thread sees it. Every thread has its own copy, as on the device, which the machine keeps and
/// the kernel may write too: some walk a buffer in an order of their own. Addresses are L1 addresses that the kernel may
/// dereference.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct CbInterface {
    /// Bytes in the buffer; 0 when it was not configured on this core.
    pub fifo_size: u32,
    /// Address one past the buffer.
    pub fifo_limit: u32,
    /// Bytes a page.
    pub fifo_page_size: u32,
    /// Pages.
    pub fifo_num_pages: u32,
    /// Where this thread reads next.
    pub fifo_rd_ptr: u32,
    /// Where this thread writes next.
    pub fifo_wr_ptr: u32,
    /// Bytes packed since the last push (`fifo_wr_tile_ptr`).
    pub fifo_wr_tile_ptr: u32,
    /// Data format code of the buffer.
    pub data_format: u32,
}

/// Operands of a configure call: bit 0 SrcA, bit 1 SrcB.
pub mod operand {
    /// SrcA.
    pub const SRC_A: u32 = 1;
    /// SrcB.
    pub const SRC_B: u32 = 2;
}

/// How a configure call comes about, in the low byte of `how`.
pub mod configure {
    /// The unit is programmed.
    pub const AGAIN: u32 = 0;
    /// It is programmed as part of a start-up.
    pub const START: u32 = 1;
    /// The call compared the formats of an old buffer with the new one's, found them equal, and programs nothing. The old
    /// buffer rides above.
    pub const UNCHANGED: u32 = 2;
    /// Where the old buffer rides.
    pub const OLD_SHIFT: u32 = 8;
}

/// What a NoC barrier waits for.
pub mod barrier {
    /// Data of all reads has landed.
    pub const READS: u32 = 0;
    /// All writes are acknowledged, those aside that are posted.
    pub const WRITES: u32 = 1;
    /// The data of all writes has left L1, those aside that are posted.
    pub const WRITES_FLUSHED: u32 = 2;
    /// All atomics are acknowledged.
    pub const ATOMICS: u32 = 3;
    /// Everything else.
    pub const FULL: u32 = 4;
    /// The data of all posted writes has left L1.
    pub const POSTED_FLUSHED: u32 = 5;
}

/// What rides above the number of a NoC.
pub mod noc_flag {
    /// Nobody acknowledges: no barrier waits for it.
    pub const POSTED: u32 = 1 << 8;
    /// The call makes one packet of it, however long it is.
    pub const ONE_PACKET: u32 = 1 << 9;
}

/// Where `format_tile` takes a tile from.
pub mod tile_source {
    /// A page of a circular buffer from its read pointer on.
    pub const READ: u32 = 0;
    /// A page of a circular buffer from its write pointer on.
    pub const WRITE: u32 = 1;
    /// A tile of Dst, as the calling thread counts them.
    pub const DST: u32 = 2;
}

/// How `semaphore_wait` compares.
pub mod compare {
    /// Until the value is equal.
    pub const EQUAL: u32 = 0;
    /// Until the value is at least.
    pub const AT_LEAST: u32 = 1;
}

/// Functions of the machine that a kernel can call. Addresses are L1 addresses below 4 GiB, counts of pages and tiles.
#[repr(C)]
#[allow(missing_docs, reason = "each group says what its functions are; the names are those of the kernel API")]
pub struct Abi {
    pub version: u32,
    pub bytes: u32,

    // Circular buffers. In a compute kernel the shim calls these only on the thread that owns the side.
    pub cb_wait_front: extern "C-unwind" fn(Site, cb: u32, pages: u32),
    pub cb_pop_front: extern "C-unwind" fn(Site, cb: u32, pages: u32),
    pub cb_reserve_back: extern "C-unwind" fn(Site, cb: u32, pages: u32),
    pub cb_push_back: extern "C-unwind" fn(Site, cb: u32, pages: u32),
    /// 1 if `pages` could be waited for without blocking, else 0.
    pub cb_pages_available_at_front: extern "C-unwind" fn(Site, cb: u32, pages: u32) -> u32,
    /// 1 if `pages` could be reserved without blocking, else 0.
    pub cb_pages_reservable_at_back: extern "C-unwind" fn(Site, cb: u32, pages: u32) -> u32,
    /// The calling thread's copy, to read and to write until the kernel ends; null when `cb` does not exist on the chip.
    pub cb_interface: extern "C-unwind" fn(Site, cb: u32) -> *mut CbInterface,

    // UNPACK thread. `how` is one of [`configure`].
    pub unpack_configure: extern "C-unwind" fn(Site, operands: u32, cb_a: u32, cb_b: u32, how: u32),
    pub unpack_init: extern "C-unwind" fn(Site, OpWord),
    /// Hands one tile of each operand that `word` uses to the matrix unit.
    pub unpack: extern "C-unwind" fn(Site, OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32),

    // MATH thread.
    pub math_configure: extern "C-unwind" fn(Site, operands: u32, cb_a: u32, cb_b: u32, how: u32),
    pub math_pack_sync_init: extern "C-unwind" fn(Site),
    pub math_init: extern "C-unwind" fn(Site, OpWord),
    pub math: extern "C-unwind" fn(Site, OpWord, dst: u32),
    pub sfpu_init: extern "C-unwind" fn(Site, op: u32),
    /// `inputs` and `output` are Dst tile indices, `params` four words; see `SfpuOp` for their meaning by operation.
    pub sfpu: extern "C-unwind" fn(Site, op: u32, in0: u32, in1: u32, in2: u32, output: u32, params: &[u32; 4]),
    pub tile_regs_acquire: extern "C-unwind" fn(Site),
    pub tile_regs_commit: extern "C-unwind" fn(Site),

    // PACK thread.
    pub pack_configure: extern "C-unwind" fn(Site, cb: u32, how: u32),
    pub pack_init: extern "C-unwind" fn(Site, OpWord),
    pub pack_dest_init: extern "C-unwind" fn(Site),
    /// `dim` is a `reduce_dim` plus 1, or 0 to clear the mask.
    pub pack_edge_mask: extern "C-unwind" fn(Site, dim: u32),
    /// Low 16 bits mode, high 16 bits threshold, as `llk_pack_relu_config` takes it.
    pub pack_relu_config: extern "C-unwind" fn(Site, config: u32),
    pub pack_l1_acc: extern "C-unwind" fn(Site, enable: u32),
    /// Packs Dst tile `dst`; with `out_of_order` to page `index` of the reserved ones, else to the next.
    pub pack_tile: extern "C-unwind" fn(Site, dst: u32, cb: u32, out_of_order: u32, index: u32),
    /// Packs `block` Dst tiles as row-major rows at column block `column` of the reserved pages.
    pub pack_untilize: extern "C-unwind" fn(Site, OpWord, dst: u32, cb: u32, column: u32),
    pub tile_regs_wait: extern "C-unwind" fn(Site),
    pub tile_regs_release: extern "C-unwind" fn(Site),

    // NoC. `noc` is 0 or 1, with `noc_flag::ONE_PACKET` or without for data; a NoC address is `y << 42 | x << 36 | offset`,
    // a multicast one has the end there and the start 12 bits higher.
    pub noc_read: extern "C-unwind" fn(Site, noc: u32, from: u64, to_l1: u32, bytes: u32),
    pub noc_write: extern "C-unwind" fn(Site, noc: u32, from_l1: u32, to: u64, bytes: u32, posted: u32),
    pub noc_barrier: extern "C-unwind" fn(Site, noc: u32, kind: u32),
    /// `noc` with `noc_flag::POSTED` or without.
    pub noc_semaphore_inc: extern "C-unwind" fn(Site, noc: u32, address: u64, value: u32),
    /// NoC address of byte 0 of a DRAM (`dram` = 1) or L1 bank, without the buffer's base.
    pub bank_address: extern "C-unwind" fn(Site, dram: u32, bank: u32, noc: u32) -> u64,
    /// Number of DRAM (`dram` = 1) or L1 banks.
    pub bank_count: extern "C-unwind" fn(dram: u32) -> u32,
    /// NoC coordinates of the calling core: `y << 16 | x`.
    pub my_coordinates: extern "C-unwind" fn(noc: u32) -> u32,

    // Semaphores and L1.
    pub semaphore_address: extern "C-unwind" fn(Site, id: u32) -> u32,
    pub semaphore_wait: extern "C-unwind" fn(Site, address: u32, how: u32, value: u32),
    pub semaphore_set: extern "C-unwind" fn(Site, address: u32, value: u32),
    /// Stores `words` words at an L1 address, checked against the bounds of L1.
    pub l1_store: unsafe extern "C-unwind" fn(Site, address: u32, from: *const u32, words: u32),
    /// Loads `words` words from an L1 address, checked against the bounds of L1.
    pub l1_load: unsafe extern "C-unwind" fn(Site, address: u32, to: *mut u32, words: u32),

    // The thread itself.
    /// Spends `cycles` of the calling thread's time on work that the machine does not see.
    pub spend: extern "C-unwind" fn(Site, cycles: u32),
    /// A turn of a loop that waits for somebody else: lets the other threads run.
    pub poll: extern "C-unwind" fn(Site),
    /// Bytes `text` of length `len`: the kernel found itself broken (an assertion, an abort). Does not return.
    pub fail: unsafe extern "C-unwind" fn(Site, text: *const u8, len: usize),
    /// L1 address of the runtime arguments of the calling thread: its core's own (`common` = 0) or common ones (1).
    pub argument_address: extern "C-unwind" fn(common: u32) -> u32,
    /// How many there are.
    pub argument_count: extern "C-unwind" fn(common: u32) -> u32,
    /// Bytes `text` of length `len`: a line that the kernel prints.
    pub print: unsafe extern "C-unwind" fn(Site, text: *const u8, len: usize),
    /// Bytes `text` of length `len`: something of the kernel API that the tool does not model. Does not return.
    pub unsupported: unsafe extern "C-unwind" fn(Site, text: *const u8, len: usize),
    /// The 16-bit counter of pages that a buffer has received (`acked` = 0), or that were given back (1).
    pub cb_counter: extern "C-unwind" fn(Site, cb: u32, acked: u32) -> u32,
    /// Writes the datums of a tile as text to `to`, at most `capacity` bytes, and returns how many. `source` is a
    /// [`tile_source`], `index` the circular buffer, `slice` six bytes from the lowest: first row, end, step, first
    /// column, end, step.
    pub format_tile: unsafe extern "C-unwind" fn(
        Site,
        source: u32,
        index: u32,
        tile: u32,
        slice: u64,
        to: *mut u8,
        capacity: u32,
    ) -> u32,
    /// Writes to the L1 of all cores of a rectangle; `dests` is how many the kernel says they are, the sender among them
    /// with `loopback` = 1.
    pub noc_multicast:
        extern "C-unwind" fn(Site, noc: u32, from_l1: u32, to: u64, bytes: u32, dests: u32, loopback: u32),
    /// Writes the word `value` to a NoC address, from no memory.
    pub noc_inline_write: extern "C-unwind" fn(Site, noc: u32, value: u32, to: u64),
    /// What pages in DRAM (`dram` = 1) or L1 are aligned to, in bytes.
    pub bank_alignment: extern "C-unwind" fn(dram: u32) -> u32,

    // Transaction ids, 0 to 15. A thread's reads and writes on a NoC each carry the id that was set last, 0 at first.
    /// The id of the reads (`writes` = 0) or writes (1) to come.
    pub noc_set_trid: extern "C-unwind" fn(Site, noc: u32, writes: u32, trid: u32),
    /// A [`barrier`] on the transfers of one id alone.
    pub noc_trid_barrier: extern "C-unwind" fn(Site, noc: u32, kind: u32, trid: u32),
    /// 1 if such a barrier would not wait, and then as good as one; else 0.
    pub noc_trid_poll: extern "C-unwind" fn(Site, noc: u32, kind: u32, trid: u32) -> u32,

    // Mailboxes, one from each of BRISC, UNPACK, MATH and PACK to each of them; threads by their numbers.
    /// Sends a word to a thread; waits while four words of the caller's are under way.
    pub mailbox_write: extern "C-unwind" fn(Site, to: u32, value: u32),
    /// Takes the next word that a thread has sent to the caller; waits for it.
    pub mailbox_read: extern "C-unwind" fn(Site, from: u32) -> u32,
    /// 1 if there is one, else 0.
    pub mailbox_poll: extern "C-unwind" fn(Site, from: u32) -> u32,

    /// Packs the first rows of 16 datums of Dst tile `dst`, as many as the word's wide field says, one after the other to
    /// page `index` of the reserved ones.
    pub pack_rows: extern "C-unwind" fn(Site, OpWord, dst: u32, cb: u32, index: u32),

    /// The kernel is about to load from L1 (`store` = 0) or store to it (1) through a pointer, which is `address`. `None` where
    /// nobody wants to know: nothing else depends on it.
    pub l1_access: Option<extern "C-unwind" fn(Site, address: u32, bytes: u32, store: u32)>,
}

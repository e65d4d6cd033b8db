//! The ABI table: the only door from a kernel into the machine. This is its only declaration.
//!
//! Rust and C++ kernels call the same functions, each with the site of the call first. A function that can wait
//! suspends the fiber it was called on with all frames of the kernel left on its stack, and may unwind through them when
//! the machine ends a kernel that can never go on; hence `extern "C-unwind"`. The machine knows the calling thread by
//! itself, so no handle is passed. The macros make the struct, what the machine fills it with ([`doors!`](crate::doors)), and the
//! description of which the C++ header is written. An image is known by a digest of that header too, so that none meets
//! another table than its own, and functions stand where their subject is.

use crate::declare::{Function, Group, Spelled, constants, record, spelled};
use crate::op_word::OpWord;

/// Where a call was made: a return address in a loaded image, or the address of a `&'static Location`. Only the
/// kernel that made the call can say what it means ([`crate::kernel::Kernel::locate`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Site(pub u64);

spelled! {
    Site => "Site",
    *mut CbInterface => "CbInterface*",
}

record! {
    /// One circular buffer as one thread sees it. Every thread has its own copy, as on the device, which the machine keeps and
    /// the kernel may write too: some walk a buffer in an order of their own. Addresses are L1 addresses that the kernel may
    /// dereference.
    #[derive(Clone, Copy, Default, Debug)]
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
}

constants! {
    /// Operands of a configure call.
    pub mod operand: u32 {
        /// SrcA.
        SRC_A = 1,
        /// SrcB.
        SRC_B = 2,
        /// Both.
        SRC_AB = 3,
    }

    /// How a configure call comes about, in the low byte of `how`.
    pub mod configure: u32 {
        /// The unit is programmed.
        AGAIN = 0,
        /// It is programmed as part of a start-up.
        START = 1,
        /// The call compared the formats of an old buffer with the new one's, found them equal, and programs nothing. The old
        /// buffer rides above.
        UNCHANGED = 2,
        /// Where the old buffer rides.
        OLD_SHIFT = 8,
    }

    /// The page that `pack_tile` packs to.
    pub mod page: u32 {
        /// The next of the reserved ones.
        NEXT = 0,
        /// The one that is named.
        NAMED = 1,
    }

    /// What a NoC barrier waits for.
    pub mod barrier: u32 {
        /// Data of all reads has landed.
        READS = 0,
        /// All writes are acknowledged, those aside that are posted.
        WRITES = 1,
        /// The data of all writes has left L1, those aside that are posted.
        WRITES_FLUSHED = 2,
        /// All atomics are acknowledged.
        ATOMICS = 3,
        /// Everything else.
        FULL = 4,
        /// The data of all posted writes has left L1.
        POSTED_FLUSHED = 5,
    }

    /// How an address on the NoC holds a node: 36 bits within it, then six of x and six of y (tt-metal `noc_parameters.h`).
    pub mod noc_address: u32 {
        /// Where x stands.
        X_SHIFT = 36,
        /// Where y stands.
        Y_SHIFT = 42,
        /// How much higher the first node of a rectangle stands than the last.
        START_SHIFT = 12,
    }

    /// An address in the L1 of a core, as its kernels have it.
    pub mod l1: u32 {
        /// The bits that are the offset, the same on every core.
        OFFSET_MASK = 0x00ff_ffff,
    }

    /// What rides above the number of a NoC.
    pub mod noc_flag: u32 {
        /// Nobody acknowledges: no barrier waits for it.
        POSTED = 1 << 8,
        /// The call makes one packet of it, however long it is.
        ONE_PACKET = 1 << 9,
    }

    /// What the transfers are that take a transaction id.
    pub mod direction: u32 {
        /// Reads.
        READS = 0,
        /// Writes.
        WRITES = 1,
    }

    /// A call whose results follow the day of the headers: its place in [`DayChange::ALL`](crate::record::DayChange::ALL).
    pub mod by_day: u32 {
        /// `binary_right_shift_tile` of UInt32.
        RIGHT_SHIFT = 1,
        /// `copy_dest_values` without a format.
        COPY_DEST_ORDER = 2,
        /// `rand_tile`.
        RANDOM_TILES = 3,
        /// `exp_tile` with a second template argument.
        EXP_ARGUMENTS = 4,
        /// `log1p_tile<true>`.
        LOG1P = 5,
        /// `_reciprocal_compat_`.
        COMPAT_RECIPROCAL = 6,
    }

    /// Where a bank is.
    pub mod bank: u32 {
        /// In the L1 of a core.
        L1 = 0,
        /// In DRAM.
        DRAM = 1,
    }

    /// How `semaphore_wait` compares.
    pub mod compare: u32 {
        /// Until the value is equal.
        EQUAL = 0,
        /// Until the value is at least.
        AT_LEAST = 1,
    }

    /// The counters of a circular buffer.
    pub mod counter: u32 {
        /// Pages that it has received.
        RECEIVED = 0,
        /// Pages that were given back.
        ACKED = 1,
    }

    /// Runtime arguments.
    pub mod arguments: u32 {
        /// Those of the core.
        OWN = 0,
        /// Those that all cores have.
        COMMON = 1,
    }

    /// Where `format_tile` takes a tile from.
    pub mod tile_source: u32 {
        /// A page of a circular buffer from its read pointer on.
        READ = 0,
        /// A page of a circular buffer from its write pointer on.
        WRITE = 1,
        /// A tile of Dst, as the calling thread counts them.
        DST = 2,
    }
}

/// The type of a function of the table: `safe` or `unsafe` to call, or a `hook`, which is absent where nobody wants to know.
macro_rules! function_type {
    (safe ($($argument:ident: $type:ty),*) $($result:ty)?) => {
        extern "C-unwind" fn($($argument: $type),*) $(-> $result)?
    };
    (unsafe ($($argument:ident: $type:ty),*) $($result:ty)?) => {
        unsafe extern "C-unwind" fn($($argument: $type),*) $(-> $result)?
    };
    (hook ($($argument:ident: $type:ty),*) $($result:ty)?) => {
        Option<extern "C-unwind" fn($($argument: $type),*) $(-> $result)?>
    };
}

/// What a function gives back.
macro_rules! returned {
    () => {
        ()
    };
    ($result:ty) => {
        $result
    };
}

/// The table, `GROUPS`, which describes it, and [`doors!`](crate::doors), which fills it.
macro_rules! table {
    ($(
        $subject:literal {
            $($(#[$doc:meta])* $kind:ident fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*
        }
    )*) => {
        /// Functions of the machine that a kernel can call. Addresses are L1 addresses below 4 GiB, counts of pages and tiles.
        #[repr(C)]
        #[allow(missing_docs, reason = "the names are those of the kernel API")]
        pub struct Abi {
            $($($(#[$doc])* pub $name: function_type!($kind ($($argument: $type),*) $($result)?),)*)*
        }

        /// The functions of [`Abi`], in its order.
        pub const GROUPS: &[Group] = &[$(Group {
            subject: $subject,
            functions: &[$(Function {
                name: stringify!($name),
                arguments: &[$((stringify!($argument), <$type as Spelled>::CPP)),*],
                returns: <returned!($($result)?) as Spelled>::CPP,
            }),*],
        }),*];

        /// The table whose functions are those of the same names in scope, for an observer's type. Hooks are there if
        /// `hooks` is true. A function that is missing, or takes other arguments, does not compile.
        #[macro_export]
        macro_rules! doors {
            ($observer:ty, hooks: $hooks:expr) => {
                $crate::abi::Abi { $($($name: $crate::door!($kind $name::<$observer>, $hooks),)*)* }
            };
        }
    };
}

/// A door of the table: part of [`doors!`](crate::doors).
#[doc(hidden)]
#[macro_export]
macro_rules! door {
    (hook $door:expr, $hooks:expr) => {
        if $hooks { Some($door) } else { None }
    };
    ($kind:ident $door:expr, $hooks:expr) => {
        $door
    };
}

table! {
    "circular buffers; in a compute kernel the shim calls these on the thread that owns the side" {
        safe fn cb_wait_front(site: Site, cb: u32, pages: u32);
        safe fn cb_pop_front(site: Site, cb: u32, pages: u32);
        safe fn cb_reserve_back(site: Site, cb: u32, pages: u32);
        safe fn cb_push_back(site: Site, cb: u32, pages: u32);
        /// 1 if `pages` could be waited for without blocking, else 0.
        safe fn cb_pages_available_at_front(site: Site, cb: u32, pages: u32) -> u32;
        /// 1 if `pages` could be reserved without blocking, else 0.
        safe fn cb_pages_reservable_at_back(site: Site, cb: u32, pages: u32) -> u32;
        /// A 16-bit [`counter`] of the buffer.
        safe fn cb_counter(site: Site, cb: u32, counter: u32) -> u32;
        /// The calling thread's copy, to read and to write until the kernel ends; null when `cb` does not exist on the chip.
        safe fn cb_interface(site: Site, cb: u32) -> *mut CbInterface;
    }

    "UNPACK" {
        /// `how` is one of [`configure`], `operands` of [`operand`].
        safe fn unpack_configure(site: Site, operands: u32, cb_a: u32, cb_b: u32, how: u32);
        safe fn unpack_init(site: Site, word: OpWord);
        /// Hands one tile of each operand that `word` uses to the matrix unit.
        safe fn unpack(site: Site, word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32);
    }

    "MATH: the matrix unit" {
        /// As `unpack_configure`.
        safe fn math_configure(site: Site, operands: u32, cb_a: u32, cb_b: u32, how: u32);
        safe fn math_pack_sync_init(site: Site);
        safe fn math_init(site: Site, word: OpWord);
        safe fn math(site: Site, word: OpWord, dst: u32);
    }

    "MATH: the vector unit" {
        /// `op` is the code of a `SfpuOp`.
        safe fn sfpu_init(site: Site, op: u32);
        /// Inputs and output are Dst tile indices, `params` four words; see `SfpuOp` for their meaning by operation. Above `op`
        /// rides a [`vector`](crate::op_word::vector) mode.
        safe fn sfpu(site: Site, op: u32, in0: u32, in1: u32, in2: u32, output: u32, params: &[u32; 4]);
        /// Custom code: `count` steps of four words each, see `Instruction`; addresses are rows of Dst from the first of the half.
        unsafe fn sfpu_steps(site: Site, steps: *const u32, count: u32);
    }

    "Days" {
        /// The program says no day, and what comes after would be another call on other days' headers: `change` is one of [`by_day`].
        safe fn follows_day(site: Site, change: u32);
    }

    "PACK" {
        safe fn pack_configure(site: Site, cb: u32, how: u32);
        safe fn pack_init(site: Site, word: OpWord);
        safe fn pack_dest_init(site: Site);
        /// `dim` is an [`edge_mask`](crate::op_word::edge_mask).
        safe fn pack_edge_mask(site: Site, dim: u32);
        /// Low 16 bits mode, high 16 bits threshold, as `llk_pack_relu_config` takes it.
        safe fn pack_relu_config(site: Site, config: u32);
        safe fn pack_l1_acc(site: Site, enable: u32);
        /// Packs Dst tile `dst` to a [`page`] of the reserved ones: the next, or that of number `index`.
        safe fn pack_tile(site: Site, dst: u32, cb: u32, page: u32, index: u32);
        /// Packs `block` Dst tiles as row-major rows at column block `column` of the reserved pages.
        safe fn pack_untilize(site: Site, word: OpWord, dst: u32, cb: u32, column: u32);
        /// Packs the first rows of 16 datums of Dst tile `dst`, as many as the word's wide field says, one after the other to
        /// page `index` of the reserved ones.
        safe fn pack_rows(site: Site, word: OpWord, dst: u32, cb: u32, index: u32);
    }

    "the Dst window; MATH acquires and commits, PACK waits and releases" {
        safe fn tile_regs_acquire(site: Site);
        safe fn tile_regs_commit(site: Site);
        safe fn tile_regs_wait(site: Site);
        safe fn tile_regs_release(site: Site);
    }

    "the NoC; `noc` is 0 or 1, for data with `noc_flag::ONE_PACKET` or without" {
        /// An address on the NoC is a [`noc_address`].
        safe fn noc_read(site: Site, noc: u32, from: u64, to_l1: u32, bytes: u32);
        safe fn noc_write(site: Site, noc: u32, from_l1: u32, to: u64, bytes: u32, posted: u32);
        /// Writes to the L1 of all cores of a rectangle. `dests` is how many the kernel says they are, the sender among them
        /// where `loopback` is not 0.
        safe fn noc_multicast(site: Site, noc: u32, from_l1: u32, to: u64, bytes: u32, dests: u32, loopback: u32);
        /// Writes the word `value` to a NoC address, from no memory.
        safe fn noc_inline_write(site: Site, noc: u32, value: u32, to: u64);
        /// `noc` with `noc_flag::POSTED` or without.
        safe fn noc_semaphore_inc(site: Site, noc: u32, address: u64, value: u32);
        /// `kind` is one of [`barrier`].
        safe fn noc_barrier(site: Site, noc: u32, kind: u32);
    }

    "transaction ids" {
        /// The id, 0 to 15, of the transfers to come in a [`direction`]; 0 where none was set.
        safe fn noc_set_trid(site: Site, noc: u32, direction: u32, trid: u32);
        /// A [`barrier`] on the transfers of one id alone.
        safe fn noc_trid_barrier(site: Site, noc: u32, kind: u32, trid: u32);
        /// 1 if such a barrier would not wait, and then as good as one; else 0.
        safe fn noc_trid_poll(site: Site, noc: u32, kind: u32, trid: u32) -> u32;
    }

    "places on the chip" {
        /// NoC address of byte 0 of a bank, without the buffer's base. `kind` is one of [`bank`].
        safe fn bank_address(site: Site, kind: u32, bank: u32, noc: u32) -> u64;
        /// How many banks there are.
        safe fn bank_count(kind: u32) -> u32;
        /// What pages in a bank are aligned to, in bytes.
        safe fn bank_alignment(kind: u32) -> u32;
        /// NoC coordinates of the calling core: `y << 16 | x`.
        safe fn my_coordinates(noc: u32) -> u32;
    }

    "semaphores" {
        safe fn semaphore_address(site: Site, id: u32) -> u32;
        /// `how` is one of [`compare`].
        safe fn semaphore_wait(site: Site, address: u32, how: u32, value: u32);
        safe fn semaphore_set(site: Site, address: u32, value: u32);
    }

    "mailboxes, one from each of BRISC, UNPACK, MATH and PACK to each of them; threads by their numbers" {
        /// Sends a word to a thread; waits while four words of the caller's are under way.
        safe fn mailbox_write(site: Site, to: u32, value: u32);
        /// Takes the next word that a thread has sent to the caller; waits for it.
        safe fn mailbox_read(site: Site, from: u32) -> u32;
        /// 1 if there is one, else 0.
        safe fn mailbox_poll(site: Site, from: u32) -> u32;
    }

    "L1" {
        /// Stores `words` words at an L1 address, checked against the bounds of L1.
        unsafe fn l1_store(site: Site, address: u32, from: *const u32, words: u32);
        /// Loads `words` words from an L1 address, checked against the bounds of L1.
        unsafe fn l1_load(site: Site, address: u32, to: *mut u32, words: u32);
        /// The caller's cache of L1 forgets what it holds.
        safe fn l1_invalidate(site: Site);
        /// The kernel is about to load from L1, or to store to it where `store` is not 0, through a pointer, which is `address`.
        /// `None` where nobody wants to know: nothing else depends on it.
        hook fn l1_access(site: Site, address: u32, bytes: u32, store: u32);
    }

    "runtime arguments" {
        /// L1 address of those of the calling thread; `whose` is one of [`arguments`].
        safe fn argument_address(whose: u32) -> u32;
        /// How many there are.
        safe fn argument_count(whose: u32) -> u32;
    }

    "text" {
        /// Bytes `text` of length `len`: a line that the kernel prints.
        unsafe fn print(site: Site, text: *const u8, len: usize);
        /// Writes the datums of a tile as text to `to`, at most `capacity` bytes, and returns how many. `source` is a
        /// [`tile_source`], `index` the circular buffer, `slice` six bytes from the lowest: first row, end, step, first
        /// column, end, step.
        unsafe fn format_tile(
            site: Site, source: u32, index: u32, tile: u32, slice: u64, to: *mut u8, capacity: u32
        ) -> u32;
    }

    "the thread itself" {
        /// Spends `cycles` of the calling thread's time on work that the machine does not see.
        safe fn spend(site: Site, cycles: u32);
        /// A turn of a loop that waits for somebody else: lets the other threads run.
        safe fn poll(site: Site);
        /// Tells where the kernel keeps the address of the word of L1 that it has loaded last; the machine clears it after a turn.
        /// Returns where it is to keep the address in its own code at which its last basic block began.
        unsafe fn watch(looked_for: *mut u32) -> *mut u64;
        /// Bytes `text` of length `len`: the kernel found itself broken (an assertion, an abort). Does not return.
        unsafe fn fail(site: Site, text: *const u8, len: usize);
        /// Bytes `text` of length `len`: something of the kernel API that the tool does not model. Does not return.
        unsafe fn unsupported(site: Site, text: *const u8, len: usize);
    }
}

//! What happens in a run, as observers see it: one small value for each call of a kernel that a check may care about.
//!
//! An event says what the call asked and what the machine's state was before it; it must never carry anything that costs
//! time to make. Start reading at [`Event`].

use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::{TILE_DATUMS, Tile};

use crate::abi::Site;
use crate::op_word::OpWord;
use crate::record::BufferAction;
use crate::thread::Thread;

/// Something that a thread of a core did.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Index of the core in this launch.
    pub core: usize,
    /// Thread that did it.
    pub thread: Thread,
    /// Where in its kernel.
    pub site: Site,
    /// Its clock after the call.
    pub cycle: u64,
    /// What it did.
    pub what: What,
}

/// What a thread did.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// It is about to wait for pages, to be read or free.
    BufferAsk {
        /// [`BufferAction::Wait`] or [`BufferAction::Reserve`].
        action: BufferAction,
        /// Buffer.
        cb: u32,
        /// Pages.
        pages: u32,
        /// Pages that the buffer has.
        capacity: u32,
    },
    /// A call on a circular buffer went through.
    Buffer {
        /// Which.
        action: BufferAction,
        /// Buffer.
        cb: u32,
        /// Pages.
        pages: u32,
        /// Where the thread stood before the call.
        at: BufferPosition,
    },
    /// UNPACK fetched an operand; a call on two operands is two events.
    Unpack {
        /// What it read.
        access: TileAccess,
    },
    /// MATH ran the matrix unit.
    Math {
        /// The program that ran.
        word: OpWord,
        /// The tile that it wrote, and read where it accumulates.
        dst: DstTile,
    },
    /// MATH ran the vector unit.
    Sfpu {
        /// Operation.
        op: SfpuOp,
        /// Its first parameter.
        parameter: u32,
        /// Tiles that it read: the first [`SfpuOp::inputs`] of these.
        inputs: [DstTile; 3],
        /// The tile that it wrote.
        output: DstTile,
        /// The rows that it works on, by its vector mode.
        rows: u64,
    },
    /// PACK packed a tile, or one of a block.
    Pack {
        /// The tile that it read.
        dst: DstTile,
        /// Where it wrote.
        access: TileAccess,
        /// Whether MATH had committed the section.
        committed: bool,
    },
    /// PACK was programmed.
    PackInit {
        /// With this.
        word: OpWord,
    },
    /// PACK's edge mask was set: a `reduce_dim` plus 1, or 0 for none.
    EdgeMask {
        /// The mask.
        dim: u32,
        /// Whether it is that of each face, which is so where one packer takes them all.
        of_faces: bool,
    },
    /// PACK's ReLU was set, as `llk_pack_relu_config` takes it; the low bits are 0 for none.
    Relu {
        /// Mode and threshold.
        config: u32,
    },
    /// L1 accumulation was turned on or off.
    L1Accumulation {
        /// On.
        enable: bool,
    },
    /// A start-up: MATH or PACK begins anew with the first section of Dst.
    StartUp {
        /// It was at another section.
        moves: bool,
    },
    /// `tile_regs_acquire` went through.
    Acquire,
    /// `tile_regs_commit`.
    Commit,
    /// `tile_regs_wait` went through.
    SectionWait,
    /// `tile_regs_release`; the tiles from `first` on were cleared.
    Release {
        /// First tile, physical.
        first: u8,
        /// How many.
        count: u8,
    },
    /// A NoC read was started: its destination is in flight until a barrier.
    NocRead {
        /// NoC.
        noc: u8,
        /// What it reads.
        from: NocPlace,
        /// Offset in L1 that it goes to.
        to: u32,
        /// How many bytes.
        bytes: u32,
        /// What its end in L1 is like.
        end: NocEnd,
        /// The circular buffer that it reads, where that is in L1, and the bytes from there to its end.
        far: Option<(u32, u32)>,
        /// Its transaction id.
        trid: u8,
    },
    /// A NoC write was started: its source is in use until a barrier or a flush.
    NocWrite {
        /// NoC.
        noc: u8,
        /// Offset in L1 that it comes from.
        from: u32,
        /// What it writes.
        to: NocPlace,
        /// How many bytes.
        bytes: u32,
        /// What its end in L1 is like.
        end: NocEnd,
        /// The circular buffer that it goes to, where that is in L1, and the bytes from there to its end.
        far: Option<(u32, u32)>,
        /// Nobody acknowledges it, and only the flush of posted writes counts it.
        posted: bool,
        /// It is one of the writes of a multicast: one for each core that it reaches.
        multicast: bool,
        /// Its transaction id.
        trid: u8,
        /// It brings what its destination holds, as far as anybody has looked.
        is_same: bool,
        /// The word that it brings, if it is one.
        word: Option<u32>,
    },
    /// A NoC barrier went through.
    NocBarrier {
        /// NoC.
        noc: u8,
        /// What it waited for: one of [`crate::abi::barrier`].
        kind: u32,
        /// The transaction id that it waited for, if not for all.
        trid: Option<u8>,
    },
    /// A semaphore was raised over the NoC.
    SemaphoreInc {
        /// NoC.
        noc: u8,
        /// Where it lies.
        to: NocPlace,
        /// What was added.
        by: u32,
        /// Nobody acknowledges it.
        posted: bool,
    },
    /// A word was written over the NoC that travels in its request.
    InlineWrite {
        /// NoC.
        noc: u8,
        /// Where it lies.
        to: NocPlace,
        /// Whether that is a semaphore.
        is_semaphore: bool,
        /// The word.
        value: u32,
    },
    /// A wait for a semaphore went through.
    SemaphoreWait {
        /// Offset in L1 where it lies.
        offset: u32,
        /// What was waited for: this value, or at least this.
        asked: u32,
        /// This value, and no other.
        is_exact: bool,
        /// What was there.
        saw: u32,
    },
    /// It was asked whether a wait would go on at once, and that shows nowhere else where the answer is no.
    Polled,
    /// A word was put into a mailbox.
    MailboxWrite {
        /// For this thread.
        to: Thread,
    },
    /// A word was taken out of a mailbox.
    MailboxRead {
        /// From this thread.
        from: Thread,
    },
    /// The thread itself loaded from L1, by a call or through a pointer.
    Load {
        /// Offset in L1.
        offset: u32,
        /// How many bytes.
        bytes: u32,
        /// The circular buffer that it comes from.
        buffer: Option<u32>,
    },
    /// The thread itself stored to L1, by a call or through a pointer.
    Store {
        /// Offset in L1.
        offset: u32,
        /// How many bytes.
        bytes: u32,
        /// The circular buffer that it begins in, and the bytes from there to the buffer's end.
        buffer: Option<(u32, u32)>,
        /// The bytes of it that lie in L1 that nothing owns: the last circular buffer below, and how far behind its end the first
        /// of them is.
        free: Option<(u32, u32)>,
        /// The word that is stored, where it is one and known: not through a pointer.
        value: Option<u32>,
    },
    /// The thread's cache of L1 has forgotten what it held.
    CacheInvalidated,
    /// The kernel has returned; the site is that of its last call.
    Returned,
    /// All kernels have ended, and pages are left in a buffer. The thread and site are those of the last push.
    PagesLeft {
        /// Buffer.
        cb: u32,
        /// How many.
        pages: u32,
        /// Pages pushed in all.
        pushed: u64,
    },
}

/// What a NoC transfer reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NocPlace {
    /// An address in a DRAM bank.
    Dram {
        /// Bank.
        bank: u32,
        /// Address in it.
        address: u32,
    },
    /// No core that a kernel runs on: what becomes of it nobody sees.
    Nowhere,
    /// L1 of a core of this launch, by its index, at an offset.
    L1(usize, u32),
}

/// The end of a NoC transfer in the L1 of the core that asked for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NocEnd {
    /// The circular buffer that it begins in, and the bytes from there to the buffer's end.
    pub buffer: Option<(u32, u32)>,
    /// The two ends must be equal modulo this.
    pub alignment: u32,
    /// How far they differ, modulo it.
    pub skew: u32,
    /// Where it lies in L1 that nothing owns: the last circular buffer below, and how far behind its end.
    pub free: Option<(u32, u32)>,
}

/// Where a thread stands in a circular buffer. Every thread has pointers of its own; the credits are shared
/// (tt-metal `circular_buffer_interface.h`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferPosition {
    /// Pages that the buffer has.
    pub capacity: u32,
    /// The page that the thread's own pointer is at; `capacity` or more when it has run past the end.
    pub page: u32,
    /// The page that the credits say comes next.
    pub due: u32,
    /// The thread that used this side of the buffer last, and where.
    pub last: Option<(Thread, Site)>,
    /// The thread's own pointer, as an offset in L1.
    pub offset: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Its memory is a tensor's, which held something before the launch.
    pub is_backed: bool,
}

/// A tile in L1, by way of a circular buffer.
#[derive(Clone, Copy, Debug)]
pub struct TileAccess {
    /// Buffer.
    pub cb: u32,
    /// Tile index as the call gave it, or the number of tiles packed since the last push.
    pub tile: u32,
    /// Pages from the thread's pointer on that the access reaches into.
    pub pages: u32,
    /// Where the thread stands.
    pub at: BufferPosition,
    /// The bytes of L1 that it touches, or that its rows lie between: offset and how many.
    pub offset: u32,
    /// How many.
    pub bytes: u32,
    /// Whether it is one whole tile, face by face.
    pub is_tile: bool,
    /// Whether UNPACK turns rows into columns on the way.
    pub is_transposed: bool,
    /// Whether its rows lie apart, with those of other tiles in between.
    pub is_spread: bool,
    /// Whether the first of them are as undefined memory is filled, before the call.
    pub is_poison: bool,
    /// Whether a page of an output lies there.
    pub is_output: bool,
}

/// What went through a compute unit in one call, tiles in face order. A register that the call does not read is `None`.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// What it read: SrcA and SrcB, or the tiles of Dst that the vector unit read; undefined rows as 0.
    pub inputs: [Option<&'a Tile>; 3],
    /// Its tile of Dst before the call, undefined rows as 0.
    pub before: &'a Tile,
    /// The same tile after it.
    pub after: &'a Tile,
    /// What the matrix unit would have given onto a cleared tile.
    pub alone: Option<&'a Tile>,
    /// Whether Dst holds 32 bits a datum.
    pub wide: bool,
    /// Phases of fidelity, of four, that the matrix unit takes for a product.
    pub phases: u32,
    /// The parameters of an operation of the vector unit.
    pub parameters: [u32; 4],
}

/// What UNPACK brought to a register, or PACK to L1: datums of a tile in face order.
#[derive(Clone, Copy, Debug)]
pub struct Carried<'a> {
    /// The format in L1.
    pub l1: DataFormat,
    /// That of the register, or the one that the packer made of Dst first.
    pub register: DataFormat,
    /// Where each datum lies in L1; `u32::MAX` for one that was not carried, or that shares its byte with others.
    pub at: &'a [u32; TILE_DATUMS],
    /// What L1 holds there: before UNPACK, after PACK.
    pub values: &'a [f64; TILE_DATUMS],
    /// What the register holds, as a number.
    pub in_register: &'a [f64; TILE_DATUMS],
    /// UNPACK brought it to SrcB.
    pub to_b: bool,
    /// The program that the unit ran.
    pub word: OpWord,
}

/// A tile of Dst.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DstTile {
    /// Index as the call gave it, relative to the thread's section.
    pub index: u32,
    /// Physical tile, from 0 to 15.
    pub tile: u8,
    /// Whether the section has that index; where not, the machine says so itself.
    pub exists: bool,
    /// Which of its 64 rows something had written before the call.
    pub rows: u64,
}

//! What a run leaves behind.

use tileproof_numerics::format::DataFormat;

use crate::finding::{Finding, Place};
use crate::kernel::SourceLocation;
use crate::thread::{CoreCoord, Thread};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Status {
    /// All kernels returned.
    #[default]
    Completed,
    /// Nothing could run any more.
    Deadlock,
    /// A kernel ended abnormally.
    Crashed,
    /// The model did not know what the hardware does, or the step limit was reached.
    Stopped,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 4] = [Status::Completed, Status::Deadlock, Status::Crashed, Status::Stopped];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Deadlock => "deadlock",
            Status::Crashed => "crashed",
            Status::Stopped => "stopped",
        }
    }
}

/// A line that a kernel printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Print {
    /// Where.
    pub place: Place,
    /// When, in cycles of the launch.
    pub cycle: u64,
    /// What.
    pub text: String,
}

/// What was done with circular buffers and tensors in one launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ledger {
    /// Circular buffers by index; cores that did the same with one share an entry.
    pub buffers: Vec<BufferLedger>,
    /// Tensors in the order of their allocation.
    pub tensors: Vec<TensorLedger>,
    /// Whether a kernel used the vector unit with inits that nobody could check: of another chip, or an older generation.
    pub inits_unchecked: bool,
    /// Whether UNPACK or a thread has read a datum that is as undefined memory is filled, as far as observers saw.
    pub reads_undefined: bool,
    /// Where calls ran first, in their newest form, that are others on other days' headers.
    pub by_day: Vec<ByDay>,
}

/// The first call of a kernel that would be another on other days' headers, where its program says no day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByDay {
    /// What changed.
    pub change: DayChange,
    /// The call.
    pub place: Place,
}

/// What changed between days of the kernel API, of calls that give other results for it; as `tp/api_dates.h` has them, and docs/api.md.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DayChange {
    /// `TP_ROW_SUMS`.
    RowSums,
    /// `TP_RIGHT_SHIFT`.
    RightShift,
    /// `TP_COPY_DEST_ORDER`.
    CopyDestOrder,
    /// `TP_RANDOM_TILES`.
    RandomTiles,
    /// `TP_EXP_ARGUMENTS`.
    ExpArguments,
    /// `TP_LOG1P`.
    Log1p,
    /// `TP_COMPAT_RECIPROCAL`.
    CompatReciprocal,
}

impl DayChange {
    /// All of them, at the numbers of [`by_day`](crate::abi::by_day).
    pub const ALL: [DayChange; 7] = [
        DayChange::RowSums,
        DayChange::RightShift,
        DayChange::CopyDestOrder,
        DayChange::RandomTiles,
        DayChange::ExpArguments,
        DayChange::Log1p,
        DayChange::CompatReciprocal,
    ];

    /// The call.
    pub const fn call(self) -> &'static str {
        match self {
            DayChange::RowSums => "reduce_tile of a sum or average along rows",
            DayChange::RightShift => "binary_right_shift_tile of UInt32",
            DayChange::CopyDestOrder => "copy_dest_values",
            DayChange::RandomTiles => "rand_tile",
            DayChange::ExpArguments => "exp_tile with a second template argument",
            DayChange::Log1p => "log1p_tile with a template argument",
            DayChange::CompatReciprocal => "_reciprocal_compat_",
        }
    }

    /// How it was taken.
    pub const fn taken(self) -> &'static str {
        match self {
            DayChange::RowSums => "taken as on 3 July 2026 and later: data in SrcB, the scaler in SrcA",
            DayChange::RightShift => "taken as on 18 September 2026: zeros come in from the left; before, the sign",
            DayChange::CopyDestOrder => {
                "taken as since 28 January 2026: from the first tile to the second; before, to the first"
            }
            DayChange::RandomTiles => "taken as on 18 September 2026: draws are mixed with the number of the lane",
            DayChange::ExpArguments => {
                "taken as on 18 September 2026: the argument is `scale_en`; before, `fast_and_approx`"
            }
            DayChange::Log1p => "taken as on 18 September 2026: the argument changes nothing",
            DayChange::CompatReciprocal => {
                "taken as on 18 September 2026: infinity for zero; before, 2 to the power of 127"
            }
        }
    }

    /// The last day that is known to have the older form.
    pub const fn last_day(self) -> &'static str {
        match self {
            DayChange::RowSums => "2026-06-25",
            DayChange::RightShift | DayChange::CompatReciprocal => "2026-04-11",
            DayChange::CopyDestOrder => "2026-01-27",
            DayChange::RandomTiles | DayChange::ExpArguments => "2026-04-02",
            DayChange::Log1p => "2026-01-22",
        }
    }
}

/// One circular buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferLedger {
    /// Index.
    pub cb: u32,
    /// Data format.
    pub format: DataFormat,
    /// Bytes a page.
    pub page_size: u32,
    /// Pages it holds.
    pub capacity: u32,
    /// Most pages that were in it at a time.
    pub high_water: u32,
    /// Pages left in it at the end.
    pub left: u32,
    /// Calls, grouped by the line that made them.
    pub calls: Vec<BufferCall>,
    /// Cores on which all of this is the same.
    pub cores: Vec<CoreCoord>,
}

/// What a line does to a circular buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BufferAction {
    /// `cb_reserve_back`.
    Reserve,
    /// `cb_push_back`.
    Push,
    /// `cb_wait_front`.
    Wait,
    /// `cb_pop_front`.
    Pop,
}

impl BufferAction {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            BufferAction::Reserve => "reserve",
            BufferAction::Push => "push",
            BufferAction::Wait => "wait",
            BufferAction::Pop => "pop",
        }
    }
}

/// Calls of one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferCall {
    /// What they do.
    pub action: BufferAction,
    /// Thread.
    pub thread: Thread,
    /// Kernel.
    pub kernel: String,
    /// Line; `None` when unknown.
    pub location: Option<SourceLocation>,
    /// Number of calls.
    pub calls: u64,
    /// Pages over all calls.
    pub pages: u64,
}

/// One tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorLedger {
    /// Name.
    pub name: String,
    /// Pages it has.
    pub pages: u32,
    /// Pages that were read at all.
    pub pages_read: u32,
    /// Pages that were written at all.
    pub pages_written: u32,
    /// Bytes read by all NoC reads.
    pub bytes_read: u64,
    /// Bytes written by all NoC writes.
    pub bytes_written: u64,
    /// Which core wrote each page last, in the order of the pages; those that no core wrote are left out.
    pub writers: Vec<WrittenBy>,
}

/// Pages of a tensor, one behind the other, that a core wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenBy {
    /// The core.
    pub core: CoreCoord,
    /// The first of them.
    pub first: u32,
    /// How many.
    pub pages: u32,
}

/// A finding that the program says to leave out of the verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppressed {
    /// What was found.
    pub finding: Finding,
    /// Why that is as it should be.
    pub reason: String,
}

/// Everything that a run says, apart from the contents of tensors. It depends on the program and the schedule token only:
/// not on host threads, host speed or build profile.
#[derive(Clone, Debug, Default)]
pub struct RunRecord {
    /// How it ended.
    pub status: Status,
    /// Cycles from the first launch to the end of the last.
    pub cycles: u64,
    /// Errors and warnings, folded over cores.
    pub findings: Vec<Finding>,
    /// Remarks that do not fail a run.
    pub notes: Vec<Finding>,
    /// Findings and notes that the program suppresses, each with its reason.
    pub suppressed: Vec<Suppressed>,
    /// What no check of the run could see, a phrase each.
    pub not_checked: Vec<String>,
    /// What kernels printed, by time, then core and thread.
    pub prints: Vec<Print>,
    /// What was done with circular buffers and tensors, launch by launch.
    pub ledgers: Vec<Ledger>,
    /// Lines that kernels wrote to the host's streams, where they run in a process of their own.
    pub said: Vec<String>,
}

impl RunRecord {
    /// True if the run ended and nothing was found.
    pub fn is_clean(&self) -> bool {
        self.status == Status::Completed && self.findings.is_empty()
    }
}

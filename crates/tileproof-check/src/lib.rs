//! The checks: observers that watch what kernels do and say what is wrong with it.
//!
//! Each check has a file and state of its own, sees the events that it looks at and must never change a run: a run with checks gives the
//! same outputs and cycles as one without. Start reading at [`Checks`].

/// Circular buffers: the protocol that the four calls expect and that nothing on the device enforces.
///
/// [`pages`](buffers::pages) follows what each thread reserved and waited for, [`laps`](buffers::laps) the ends of buffers,
/// [`sides`](buffers::sides) who uses them, [`units`](buffers::units) pages of odd sizes, [`windows`](buffers::windows) which pages
/// transfers touch; [`capacity`](buffers::capacity) and [`leftovers`](buffers::leftovers) look at single calls,
/// [`part_left`](buffers::part_left) at what is left undone. None may speak of a kernel that keeps to the protocol.
pub mod buffers {
    pub mod capacity;
    pub mod laps;
    pub mod leftovers;
    pub mod pages;
    pub mod part_left;
    pub mod sides;
    pub mod units;
    pub mod windows;
}

/// Dst: its windows, and what is in its tiles.
///
/// [`window`](dst::window) follows acquire, commit, wait and release; [`unwritten`](dst::unwritten), [`accumulate`](dst::accumulate),
/// [`part`](dst::part) and [`lost`](dst::lost) follow the tiles, the last also the pages that they are packed to. None may speak of
/// an index that the section does not have: the machine does that itself.
pub mod dst {
    pub mod accumulate;
    pub mod lost;
    pub(crate) mod operands;
    pub(crate) mod operation;
    pub mod part;
    pub mod unwritten;
    pub mod window;
}

/// L1 and what is in it: [`unwritten`](memory::unwritten) pages that are read, and what comes of undefined values,
/// [`unread`](memory::unread) pages, [`transfers`](memory::transfers) that do not fit their place, and what reaches
/// [`free`](memory::free) memory.
pub mod memory {
    pub mod free;
    pub mod transfers;
    mod undefined;
    pub mod unread;
    pub mod unwritten;
}

/// One order of events: accesses that conflict, and that nothing puts in order.
///
/// [`races`](order::races) follows every access to L1 and DRAM, and what orders it: no look is taken at the clock of this run. The
/// docs of its parts say which edges there are, each with its source.
pub mod order {
    mod chain;
    mod clock;
    mod edges;
    mod habits;
    mod left;
    pub mod orders;
    pub mod races;
    mod shadow;
    mod swallowed;
    mod told;
    mod transfers;
    mod unowned;
    pub mod why;
}

/// The packer's state that outlives the call which set it: edge mask, ReLU, L1 accumulation.
///
/// [`masked`](packer::masked), [`relu`](packer::relu), [`sums`](packer::sums) and [`undrained`](packer::undrained) look at packs that a
/// state of an earlier operation reaches. None may speak of a pack that the state was set for; [`left_untilizing`](packer::left_untilizing)
/// notes what a kernel leaves behind. What a unit is programmed with, operation and format, the machine compares by itself.
pub mod packer {
    pub mod left_untilizing;
    pub mod masked;
    pub mod relu;
    pub mod sums;
    pub mod undrained;
}

/// What became of values on the way: asked after the fact, by a second run of a program whose output is wrong.
///
/// These observers look at every datum, which takes time, and what they see happens in right kernels too: so they must never
/// run unless an output is not as expected, and what they say is a suspicion. [`digits`](values::digits) looks for lost digits and
/// values that leave the range, [`trace`](values::trace) for the first operation that two runs with different padding disagree about.
pub mod values {
    pub mod digits;
    pub mod scout;
    pub mod shadow;
    pub mod trace;
}

mod by_core;
pub mod recorder;
mod spans;
mod starts;

use tileproof_model::event::{Event, What};
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raises};
use tileproof_model::record::BufferAction;

/// All checks.
#[derive(Default, Debug)]
pub struct Checks {
    capacity: buffers::capacity::Capacity,
    pages: buffers::pages::Pages,
    laps: buffers::laps::Laps,
    sides: buffers::sides::Sides,
    units: buffers::units::Units,
    leftovers: buffers::leftovers::Leftovers,
    part_left: buffers::part_left::PartLeft,
    window: dst::window::Window,
    unwritten: dst::unwritten::Unwritten,
    accumulate: dst::accumulate::Accumulate,
    part: dst::part::PartOnly,
    masked: packer::masked::Masked,
    relu: packer::relu::LeftRelu,
    sums: packer::sums::Sums,
    undrained: packer::undrained::Undrained,
    left_untilizing: packer::left_untilizing::LeftUntilizing,
    lost: dst::lost::Lost,
    transfers: memory::transfers::Transfers,
    unwritten_pages: memory::unwritten::UnwrittenPages,
    unread: memory::unread::Unread,
    races: order::races::Races,
    windows: buffers::windows::Windows,
    free: memory::free::Free,
}

impl Observer for Checks {
    const ACTIVE: bool = true;

    fn launch(&mut self, layout: &MemoryLayout) {
        *self = Checks::default();
        let cores = layout.cores.len();
        self.pages.launch(cores);
        self.part_left.launch(cores);
        self.window.launch(cores);
        self.unwritten.launch(cores);
        self.accumulate.launch(cores);
        self.part.launch(cores);
        self.masked.launch(cores);
        self.relu.launch(cores);
        self.sums.launch(cores);
        self.undrained.launch(cores);
        self.left_untilizing.launch(cores);
        self.lost.launch(cores);
        self.unwritten_pages.launch(cores);
        self.unread.launch(cores);
        self.races.launch(layout);
        self.windows.launch(cores);
        self.free.launch(layout);
    }

    fn end(&mut self, core: usize, raised: &mut Raises) {
        self.unwritten.end(core, raised);
        self.lost.end(core, raised);
        self.unread.end(core, raised);
        self.unwritten_pages.end(core, raised);
        self.part_left.end(core, raised);
    }

    /// Each kind of event goes to the checks that look at it: there are many events, and most checks want few.
    fn on(&mut self, event: &Event, raised: &mut Raises) {
        macro_rules! show {
            ($($check:ident)*) => {{ $(self.$check.on(event, raised);)* }};
        }
        match event.what {
            What::BufferAsk { .. } => show!(capacity),
            What::Buffer { action, .. } => {
                show!(pages laps sides units windows free);
                match action {
                    BufferAction::Push => show!(part_left undrained unwritten_pages unread races),
                    BufferAction::Pop => show!(part_left accumulate unwritten_pages lost unread races),
                    BufferAction::Wait => show!(part_left lost races),
                    BufferAction::Reserve => show!(races),
                }
            }
            What::Unpack { .. } => {
                show!(pages laps sides units part_left unwritten accumulate part masked sums unwritten_pages lost unread races)
            }
            What::Math { .. } | What::Sfpu { .. } => {
                show!(window unwritten accumulate part masked unwritten_pages lost races);
            }
            What::Pack { .. } => {
                show!(pages laps sides units window unwritten part masked relu sums undrained unwritten_pages lost races);
            }
            What::PackInit { .. } => show!(left_untilizing),
            What::EdgeMask { .. } => show!(masked),
            What::Relu { .. } => show!(relu),
            What::L1Accumulation { .. } => show!(pages sums undrained unwritten_pages lost),
            What::Acquire | What::Commit => show!(window lost races),
            What::SectionWait => show!(window races),
            What::StartUp { .. } => show!(window),
            What::Release { .. } => show!(window unwritten accumulate part masked unwritten_pages lost),
            What::NocRead { .. } | What::NocWrite { .. } => {
                show!(transfers part_left unwritten part sums unwritten_pages lost unread windows free races);
            }
            What::NocBarrier { .. } => show!(races),
            What::Load { .. } => show!(units part_left unwritten sums unwritten_pages lost unread windows races),
            What::Store { .. } => show!(part unwritten_pages unread windows free races),
            What::SemaphoreInc { .. } | What::SemaphoreWait { .. } => show!(races),
            What::InlineWrite { .. } => show!(part unwritten_pages races),
            What::Returned => show!(left_untilizing races),
            What::MailboxWrite { .. } | What::MailboxRead { .. } | What::CacheInvalidated => show!(races),
            What::PagesLeft { .. } => show!(leftovers),
            What::Polled => {}
        }
    }
}

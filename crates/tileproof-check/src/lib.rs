//! The checks: observers that watch what kernels do and say what is wrong with it.
//!
//! Each check has a file and state of its own, sees the events that it looks at and must never change a run: a run with checks gives the
//! same outputs and cycles as one without. Start reading at [`Checks`].

pub mod buffers;
pub mod dst;
pub mod memory;
mod once;
pub mod order;
pub mod packer;
mod spans;
pub mod values;

use tileproof_model::event::{Event, What};
use tileproof_model::observe::{Observer, Raised};
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
    writes: order::writes::Writes,
    reads: order::reads::Reads,
    windows: buffers::windows::Windows,
    free: memory::free::Free,
}

impl Observer for Checks {
    const ACTIVE: bool = true;

    fn launch(&mut self, cores: usize) {
        *self = Checks::default();
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
        self.writes.launch(cores);
        self.reads.launch(cores);
        self.windows.launch(cores);
        self.free.launch(cores);
    }

    fn end(&mut self, core: usize, raised: &mut Vec<Raised>) {
        self.unwritten.end(core, raised);
        self.lost.end(core, raised);
        self.unread.end(core, raised);
        self.unwritten_pages.end(core, raised);
        self.part_left.end(core, raised);
    }

    /// Each kind of event goes to the checks that look at it: there are many events, and most checks want few.
    fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        macro_rules! show {
            ($($check:ident)*) => {{ $(self.$check.on(event, raised);)* }};
        }
        match event.what {
            What::BufferAsk { .. } => show!(capacity),
            What::Buffer { action, .. } => {
                show!(pages laps sides units windows free);
                match action {
                    BufferAction::Push => show!(part_left undrained reads writes unwritten_pages unread),
                    BufferAction::Pop => show!(part_left accumulate writes unwritten_pages lost unread),
                    BufferAction::Wait => show!(part_left writes lost),
                    BufferAction::Reserve => show!(writes),
                }
            }
            What::Unpack { .. } => {
                show!(pages laps sides units part_left unwritten accumulate part masked sums reads unwritten_pages lost unread)
            }
            What::Math { .. } | What::Sfpu { .. } => {
                show!(window unwritten accumulate part masked unwritten_pages lost);
            }
            What::Pack { .. } => {
                show!(pages laps sides units window unwritten part masked relu sums undrained writes unwritten_pages lost);
            }
            What::PackInit { .. } => show!(left_untilizing),
            What::EdgeMask { .. } => show!(masked),
            What::Relu { .. } => show!(relu),
            What::L1Accumulation { .. } => show!(pages sums undrained unwritten_pages lost),
            What::Acquire | What::Commit => show!(window lost),
            What::SectionWait => show!(window),
            What::Release { .. } => show!(window unwritten accumulate part masked unwritten_pages lost),
            What::NocRead { .. } | What::NocWrite { .. } => {
                show!(transfers part_left unwritten part sums reads writes unwritten_pages lost unread windows free);
            }
            What::NocBarrier { .. } => show!(reads writes),
            What::Load { .. } => show!(units part_left unwritten sums reads unwritten_pages lost unread windows),
            What::Store { .. } => show!(part writes unwritten_pages unread windows free),
            What::SemaphoreInc { .. } | What::SemaphoreWait { .. } => show!(writes),
            What::InlineWrite { .. } => show!(part writes unwritten_pages),
            What::Returned => show!(writes left_untilizing),
            What::PagesLeft { .. } => show!(leftovers),
        }
    }
}

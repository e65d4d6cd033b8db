//! The checks: observers that watch what kernels do and say what is wrong with it.
//!
//! Each check has a file and state of its own, sees every event and must never change a run: a run with checks gives the
//! same outputs and cycles as one without. Start reading at [`Checks`].

pub mod buffers;
pub mod dst;
pub mod memory;
mod once;
pub mod order;
pub mod packer;

use tileproof_model::event::Event;
use tileproof_model::observe::{Observer, Raised};

/// All checks.
#[derive(Default, Debug)]
pub struct Checks {
    capacity: buffers::capacity::Capacity,
    pages: buffers::pages::Pages,
    laps: buffers::laps::Laps,
    sides: buffers::sides::Sides,
    leftovers: buffers::leftovers::Leftovers,
    window: dst::window::Window,
    unwritten: dst::unwritten::Unwritten,
    accumulate: dst::accumulate::Accumulate,
    masked: packer::masked::Masked,
    relu: packer::relu::LeftRelu,
    sums: packer::sums::Sums,
    lost: dst::lost::Lost,
    unwritten_pages: memory::unwritten::UnwrittenPages,
    writes: order::writes::Writes,
    reads: order::reads::Reads,
}

impl Observer for Checks {
    const ACTIVE: bool = true;

    fn launch(&mut self, cores: usize) {
        *self = Checks::default();
        self.pages.launch(cores);
        self.window.launch(cores);
        self.unwritten.launch(cores);
        self.accumulate.launch(cores);
        self.masked.launch(cores);
        self.relu.launch(cores);
        self.sums.launch(cores);
        self.lost.launch(cores);
        self.unwritten_pages.launch(cores);
        self.writes.launch(cores);
        self.reads.launch(cores);
    }

    fn end(&mut self, raised: &mut Vec<Raised>) {
        self.lost.end(raised);
    }

    fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        self.capacity.on(event, raised);
        self.pages.on(event, raised);
        self.laps.on(event, raised);
        self.sides.on(event, raised);
        self.leftovers.on(event, raised);
        self.window.on(event, raised);
        self.unwritten.on(event, raised);
        self.accumulate.on(event, raised);
        self.masked.on(event, raised);
        self.relu.on(event, raised);
        self.sums.on(event, raised);
        self.lost.on(event, raised);
        self.unwritten_pages.on(event, raised);
        self.writes.on(event, raised);
        self.reads.on(event, raised);
    }
}

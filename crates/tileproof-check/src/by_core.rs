//! State that checks keep by core: how much of it there can be, and whose an event is.

use tileproof_model::arch::Arch;
use tileproof_model::event::Event;

/// Buffers that a core can have.
pub(crate) const BUFFERS: usize = Arch::MOST_CIRCULAR_BUFFERS as usize;

/// Tiles of Dst at most.
pub(crate) const TILES: usize = 16;

/// The state of the event's core.
pub(crate) fn of_core<'a, T>(cores: &'a mut [T], event: &Event) -> Option<&'a mut T> {
    cores.get_mut(event.core)
}

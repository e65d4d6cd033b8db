//! What semaphores prove: that a receiver has seen a write, and said so.
//!
//! A sender of multicasts needs no barrier when every receiver answers: it waits for its own semaphore, which receivers raise
//! after they have seen theirs, which was set over the same NoC behind the data. Knowledge goes along such chains only, from
//! calls to calls that they order. It must never pass for known what was merely in time in this run. Start reading at
//! [`Arrivals`].

use std::collections::BTreeMap;

use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;

/// Writes that keep their order: of one thread, over one NoC and virtual channel, to one core. Multicasts have a channel of
/// their own (ISA documentation, `NoC/Ordering.md`; tt-metal `noc_nonblocking_api.h`). Packets enter the far end in order, so
/// that the first has left its source when the second is seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Channel {
    pub(super) from: (usize, Thread),
    pub(super) noc: u8,
    pub(super) posted: bool,
    /// The core, and whether they are multicasts.
    pub(super) to: (usize, bool),
}

/// By channel, the number of the first write of which nothing is known.
type Known = BTreeMap<Channel, u64>;

/// Where knowledge waits to be picked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// A semaphore of a core, by its offset.
    Semaphore(usize, u32),
    /// The pages of a circular buffer that are there to be read.
    Pushed(usize, u32),
    /// Those that are free.
    Popped(usize, u32),
}

/// Who knows what.
#[derive(Default, Debug)]
pub(super) struct Arrivals {
    threads: BTreeMap<(usize, Thread), Known>,
    places: BTreeMap<Place, Known>,
}

/// Bytes of a semaphore.
const SEMAPHORE: u32 = 4;

fn merge(known: &mut Known, more: &Known) {
    for (channel, number) in more {
        let here = known.entry(*channel).or_default();
        *here = (*here).max(*number);
    }
}

impl Arrivals {
    /// Follows an event, `number` being that of the write that it starts. What the thread has learned of its own writes by it.
    pub(super) fn on(&mut self, event: &Event, number: u64) -> Vec<(Channel, u64)> {
        let me = (event.core, event.thread);
        match event.what {
            // A semaphore that is set by a write: whoever sees it also sees what went the same way before.
            What::NocWrite { noc, to: NocPlace::L1(core, offset), bytes: SEMAPHORE, posted, multicast, .. } => {
                let channel = Channel { from: me, noc, posted, to: (core, multicast) };
                let place = Place::Semaphore(core, offset);
                self.tell(me, place);
                self.places.entry(place).or_default().insert(channel, number + 1);
            }
            // So it is with one that travels in its request: writes of one NoC and virtual channel keep their order, whatever
            // command buffer they come from (tt-metal documentation, `data_movement/ordering.rst`).
            What::InlineWrite { noc, to: NocPlace::L1(core, offset), .. } => {
                let channel = Channel { from: me, noc, posted: false, to: (core, false) };
                let place = Place::Semaphore(core, offset);
                self.tell(me, place);
                self.places.entry(place).or_default().insert(channel, number);
            }
            _ if self.places.is_empty() => {}
            What::SemaphoreInc { to: NocPlace::L1(core, offset), .. } => self.tell(me, Place::Semaphore(core, offset)),
            What::Store { offset, bytes: SEMAPHORE, .. } => self.tell(me, Place::Semaphore(event.core, offset)),
            What::SemaphoreWait { offset } => return self.learn(me, Place::Semaphore(event.core, offset)),
            What::Buffer { action, cb, .. } => match action {
                BufferAction::Push => self.tell(me, Place::Pushed(event.core, cb)),
                BufferAction::Pop => self.tell(me, Place::Popped(event.core, cb)),
                BufferAction::Wait => return self.learn(me, Place::Pushed(event.core, cb)),
                BufferAction::Reserve => return self.learn(me, Place::Popped(event.core, cb)),
            },
            _ => {}
        }
        Vec::new()
    }

    fn tell(&mut self, me: (usize, Thread), place: Place) {
        if let Some(known) = self.threads.get(&me) {
            merge(self.places.entry(place).or_default(), known);
        }
    }

    fn learn(&mut self, me: (usize, Thread), place: Place) -> Vec<(Channel, u64)> {
        let Some(news) = self.places.get(&place) else { return Vec::new() };
        merge(self.threads.entry(me).or_default(), news);
        news.iter().filter(|(channel, _)| channel.from == me).map(|(channel, number)| (*channel, *number)).collect()
    }
}

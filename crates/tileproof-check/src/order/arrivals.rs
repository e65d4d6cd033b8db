//! What semaphores prove: that a receiver has seen a write, and said so.
//!
//! A sender of multicasts needs no barrier when every receiver answers: it waits for its own semaphore, which receivers raise
//! after they have seen theirs, which was set over the same NoC behind the data. Knowledge goes along such chains only, from
//! calls to calls that they order. It must never pass for known what was merely in time in this run. Start reading at
//! [`Arrivals`].

use std::collections::{BTreeMap, VecDeque};

use tileproof_model::event::{BufferPosition, Event, NocPlace, What};
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

/// A semaphore of a core, by its offset: where knowledge waits to be picked up.
type Semaphore = (usize, u32);

/// Pages of a circular buffer that were handed on: pushed, or popped.
#[derive(Default, Debug)]
struct Handed {
    /// How many, in all.
    pages: u64,
    /// What threads knew that handed on pages, by how many had been handed on before; only where it is more than at the entry
    /// before.
    knew: VecDeque<(u64, Known)>,
}

impl Handed {
    /// Pages are handed on by a thread that knows something. Nobody will ask for `floor` pages or fewer.
    fn tell(&mut self, known: Option<&Known>, pages: u32, floor: u64) {
        let before = self.pages;
        self.pages += u64::from(pages);
        let Some(known) = known.filter(|known| !known.is_empty()) else { return };
        let is_old = |old: &Known| known.iter().all(|(channel, number)| old.get(channel) >= Some(number));
        if self.knew.back().is_some_and(|(_, old)| is_old(old)) {
            return;
        }
        self.knew.push_back((before, known.clone()));
        // Whoever asks for more pages than the floor is told of all these.
        while self.knew.get(1).is_some_and(|(at, _)| *at <= floor)
            && let Some((_, old)) = self.knew.pop_front()
            && let Some((_, next)) = self.knew.front_mut()
        {
            merge(next, &old);
        }
    }

    /// What all those know who handed on the first `pages`.
    fn known(&self, pages: u64) -> Known {
        let mut known = Known::new();
        self.knew.iter().take_while(|(before, _)| *before < pages).for_each(|(_, of)| merge(&mut known, of));
        known
    }
}

/// The two sides of a circular buffer.
#[derive(Default, Debug)]
struct Sides {
    pushed: Handed,
    popped: Handed,
}

/// Who knows what.
#[derive(Default, Debug)]
pub(super) struct Arrivals {
    threads: BTreeMap<(usize, Thread), Known>,
    semaphores: BTreeMap<Semaphore, Known>,
    /// By core and buffer.
    buffers: BTreeMap<(usize, u32), Sides>,
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
                self.tell(me, (core, offset)).insert(channel, number + 1);
            }
            // So it is with one that travels in its request: writes of one NoC and virtual channel keep their order, whatever
            // command buffer they come from (tt-metal documentation, `data_movement/ordering.rst`).
            What::InlineWrite { noc, to: NocPlace::L1(core, offset), .. } => {
                let channel = Channel { from: me, noc, posted: false, to: (core, false) };
                self.tell(me, (core, offset)).insert(channel, number);
            }
            What::Buffer { action, cb, pages, at } => return self.handed(me, (action, cb, pages), at),
            _ if self.semaphores.is_empty() => {}
            What::SemaphoreInc { to: NocPlace::L1(core, offset), .. } if self.knows(me) => {
                self.tell(me, (core, offset));
            }
            What::Store { offset, bytes: SEMAPHORE, .. } => {
                // Whoever waits from here on waits for what comes from here on.
                self.semaphores.remove(&(event.core, offset));
                // Most words of four bytes are data, and most threads know nothing.
                if self.knows(me) {
                    self.tell(me, (event.core, offset));
                }
            }
            What::SemaphoreWait { offset } => {
                let news = self.semaphores.get(&(event.core, offset)).cloned();
                return news.map_or_else(Vec::new, |news| self.learn(me, &news));
            }
            _ => {}
        }
        Vec::new()
    }

    /// Pages say what their thread knew that handed them on, to whoever waits for those pages: that others were handed on by
    /// then is a matter of this run's times.
    fn handed(
        &mut self,
        me: (usize, Thread),
        (action, cb, pages): (BufferAction, u32, u32),
        at: BufferPosition,
    ) -> Vec<(Channel, u64)> {
        let Sides { pushed, popped } = self.buffers.entry((me.0, cb)).or_default();
        let (asked, capacity) = (u64::from(pages), u64::from(at.capacity));
        let news = match action {
            BufferAction::Push => {
                pushed.tell(self.threads.get(&me), pages, popped.pages);
                return Vec::new();
            }
            BufferAction::Pop => {
                popped.tell(self.threads.get(&me), pages, pushed.pages.saturating_sub(capacity));
                return Vec::new();
            }
            BufferAction::Wait => pushed.known(popped.pages + asked),
            BufferAction::Reserve => popped.known((pushed.pages + asked).saturating_sub(capacity)),
        };
        if news.is_empty() { Vec::new() } else { self.learn(me, &news) }
    }

    fn knows(&self, me: (usize, Thread)) -> bool {
        self.threads.get(&me).is_some_and(|known| !known.is_empty())
    }

    /// A thread signals a semaphore: all that it knows waits there.
    fn tell(&mut self, me: (usize, Thread), semaphore: Semaphore) -> &mut Known {
        let there = self.semaphores.entry(semaphore).or_default();
        if let Some(known) = self.threads.get(&me) {
            merge(there, known);
        }
        there
    }

    fn learn(&mut self, me: (usize, Thread), news: &Known) -> Vec<(Channel, u64)> {
        merge(self.threads.entry(me).or_default(), news);
        news.iter().filter(|(channel, _)| channel.from == me).map(|(channel, number)| (*channel, *number)).collect()
    }
}

//! Which order a run has had, and what of it was left open: for `--explore`, which is to run each order once.
//!
//! Two runs have had the same order when every thread has done the same, each look has seen what the same writes left, and each write
//! came behind the same one (Mazurkiewicz 1977). Additions may change places, and a wait that was met says nothing of when. Two accesses
//! that conflict, and that nothing puts in order but that one came first here, are open: another schedule may turn them round (Flanagan
//! and Godefroid, "Dynamic partial-order reduction", POPL 2005). It must never take for one order what a thread can tell apart.
//! Start at [`Orders::on`].

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::layout::MemoryLayout;
use tileproof_model::mixed::{chained, mixed};
use tileproof_model::observe::{Observer, Raises};
use tileproof_model::thread::{CoreCoord, Thread};

use super::clock::Moment;
use super::races::{FLAG_BYTES, Memory, Races, actor_of, thread_of};

/// Checks, and beside them the order.
#[derive(Default, Debug)]
pub struct WithOrders<O> {
    checks: O,
    /// What the order was.
    pub orders: Orders,
}

impl<O: Observer> Observer for WithOrders<O> {
    const ACTIVE: bool = true;

    fn launch(&mut self, layout: &MemoryLayout) {
        self.checks.launch(layout);
        self.orders.launch(layout);
    }

    fn on(&mut self, event: &Event, raised: &mut Raises) {
        if O::ACTIVE {
            self.checks.on(event, raised);
        }
        self.orders.on(event);
    }

    fn point(&mut self, core: usize, thread: Thread, point: u64) {
        let Orders { actors, path, .. } = &mut self.orders;
        let actor = &mut actors[actor_of(core, thread)];
        (actor.point, actor.node) = (point, *path);
    }

    fn end(&mut self, core: usize, raised: &mut Raises) {
        self.checks.end(core, raised);
    }

    fn left(&self) -> Vec<u64> {
        self.orders.to_words()
    }

    fn take_over(&mut self, left: &[u64]) -> bool {
        let orders = Orders::of_words(left);
        orders.map(|orders| self.orders = orders).is_some()
    }
}

/// What a thread does to bytes, as far as the order matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    /// It sees what is there.
    Look,
    /// It goes on once the word is this, or at least this where that is not `exact`; what was added made `more` than that.
    Wait {
        asked: u32,
        exact: bool,
        more: bool,
    },
    /// What is there is this from now on, as far as it is known.
    Set(Option<u32>),
    Add,
}

impl Act {
    /// Whether it matters which of two comes first, where `many` threads have changed the word.
    fn conflicts(self, first: Act, many: bool) -> bool {
        match (first, self) {
            (Act::Look | Act::Wait { .. }, Act::Look | Act::Wait { .. }) | (Act::Add, Act::Add) => false,
            // What is added helps a wait that asks for no more than there is; but what one thread adds may stand for another's.
            (Act::Wait { exact, .. }, Act::Add) => exact || many,
            (Act::Add, Act::Wait { exact, more, .. }) => exact || many && more,
            (Act::Wait { asked, exact: false, .. }, Act::Set(Some(value)))
            | (Act::Set(Some(value)), Act::Wait { asked, exact: false, .. }) => many || value < asked,
            _ => true,
        }
    }
}

/// What a schedule can hold back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Late {
    /// What NoC reads bring.
    Reads,
    /// What NoC writes take and bring.
    Writes,
    /// Words that go with their request: no schedule holds them back.
    Words,
}

/// An access that a later one may conflict with.
#[derive(Clone, Copy, Debug)]
struct Access {
    act: Act,
    actor: usize,
    at: Moment,
    /// When it has come about, if that is later.
    lands: Option<(Moment, Late)>,
    /// The last point of its thread before it, what had come before that, and its call.
    point: u64,
    node: u64,
    site: Site,
}

/// Bytes that were touched alike.
#[derive(Clone, Default, Debug)]
struct Piece {
    end: u32,
    /// Says which write left what is there, and what was added since.
    version: u64,
    added: u64,
    /// Threads that have changed it.
    changers: BTreeSet<usize>,
    accesses: Vec<Access>,
}

/// A thread.
#[derive(Clone, Default, Debug)]
struct Actor {
    /// How much it has done that counts.
    done: u64,
    point: u64,
    node: u64,
    /// Its last look, while it has done nothing else: a look of the same call at the same bytes takes its place.
    look: Option<(Site, (u64, u32), u64)>,
    /// Calls that something is open with, by the last point before them.
    open: BTreeMap<u64, Site>,
}

/// Two accesses that nothing has put in order but that the first came first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Open {
    /// The point before the first.
    pub point: u64,
    /// The same where the same threads have done the same up to there, one after the other.
    pub node: u64,
    /// The threads of both.
    pub threads: [(CoreCoord, Thread); 2],
}

/// The order of a run.
#[derive(Default, Debug)]
pub struct Orders {
    races: Races,
    /// What the engine finds on the way; others tell it.
    aside: Raises,
    actors: Vec<Actor>,
    /// By memory and offset.
    pieces: BTreeMap<(u64, u32), Piece>,
    /// The same for runs that had the same order.
    pub fingerprint: u64,
    /// What another schedule may turn round.
    pub open: BTreeSet<Open>,
    /// Who has done what so far.
    path: u64,
    /// Asks who goes on at a node.
    pub asked: Option<u64>,
    /// Who did.
    pub went_on: Option<(CoreCoord, Thread)>,
    /// Threads that have touched anything.
    pub threads: BTreeSet<(CoreCoord, Thread)>,
    /// Transfers that come too late for something: where they are held back, what they meet is another.
    pub late: BTreeSet<Late>,
    /// Something else is open that no point can turn round: accesses through pointers between two calls, polls of which nobody sees
    /// that they found nothing.
    pub has_more: bool,
}

impl Orders {
    fn launch(&mut self, layout: &MemoryLayout) {
        self.races.launch(layout);
        self.actors = vec![Actor::default(); 5 * layout.cores.len()];
        self.pieces.clear();
        self.fingerprint = mixed(self.fingerprint);
        self.path = mixed(self.path);
    }

    fn on(&mut self, event: &Event) {
        let me = actor_of(event.core, event.thread);
        let now = self.races.actors[me].known.now();
        // What a look sees orders the two: it is open all the same. Waits and writes come behind what they needed.
        let looks = match event.what {
            What::Load { .. } => true,
            What::NocRead { from: NocPlace::L1(core, offset), bytes, .. } => {
                bytes <= FLAG_BYTES && self.races.is_word(core, offset)
            }
            _ => false,
        };
        if looks {
            self.follow(event, me, now);
        }
        self.races.on(event, &mut self.aside);
        // That a transfer comes too late for something shows on a schedule that holds it back, and at no point.
        self.late.extend(self.aside.take().iter().filter_map(|raised| match raised.code {
            Code::READ_IN_FLIGHT => Some(Late::Reads),
            Code::WRITE_IN_FLIGHT | Code::CREDIT_BEFORE_DATA | Code::WRITE_NOT_LANDED => Some(Late::Writes),
            _ => None,
        }));
        if !looks {
            self.follow(event, me, now);
        }
    }

    fn follow(&mut self, event: &Event, me: usize, now: Moment) {
        let own = Memory::L1(event.core);
        let mut touch = |act, place| self.touch(event, (me, now), act, place);
        match event.what {
            What::Load { offset, bytes, .. } => return touch(Act::Look, (own, offset, bytes)),
            What::CacheInvalidated => return,
            What::Store { offset, bytes, value, .. } => touch(Act::Set(value), (own, offset, bytes)),
            What::Unpack { access } => touch(Act::Look, (own, access.offset, access.bytes)),
            What::Pack { access, .. } => touch(Act::Set(None), (own, access.offset, access.bytes)),
            What::SemaphoreWait { offset, asked, is_exact, saw } => {
                touch(Act::Wait { asked, exact: is_exact, more: saw > asked }, (own, offset, 4));
            }
            What::SemaphoreInc { to: NocPlace::L1(core, offset), .. } => {
                touch(Act::Add, (Memory::L1(core), offset, 4));
            }
            What::InlineWrite { to: NocPlace::L1(core, offset), value, .. } => {
                touch(Act::Set(Some(value)), (Memory::L1(core), offset, 4));
            }
            What::NocRead { from, to, bytes, .. } => {
                if let Some(place) = place_of(from, bytes) {
                    touch(Act::Look, place);
                }
                touch(Act::Set(None), (own, to, bytes));
            }
            What::NocWrite { from, to, bytes, is_same, word, .. } => {
                touch(Act::Look, (own, from, bytes));
                if let Some(place) = place_of(to, bytes).filter(|_| !is_same) {
                    touch(Act::Set(word), place);
                }
            }
            What::Polled => self.has_more = true,
            What::Buffer { action, cb, pages, .. } => {
                self.counts(me, event.site, &[action as u64, cb.into(), pages.into()]);
            }
            _ => {}
        }
        self.actors[me].look = None;
    }

    /// A thread has done something that counts: its part of the fingerprint.
    fn counts(&mut self, me: usize, site: Site, saw: &[u64]) -> u64 {
        let actor = &mut self.actors[me];
        actor.done += 1;
        let part = chained(&[me as u64, actor.done, site.0, chained(saw)]);
        self.fingerprint = self.fingerprint.wrapping_add(part);
        part
    }

    fn touch(
        &mut self,
        event: &Event,
        (me, now): (usize, Moment),
        act: Act,
        (memory, offset, bytes): (Memory, u32, u32),
    ) {
        let memory = match memory {
            Memory::L1(core) if offset < self.races.layout.cores[core].semaphores.start => return,
            Memory::L1(core) => 2 * core as u64,
            Memory::Dram(bank) => 2 * u64::from(bank) + 1,
        };
        let (from, end) = ((memory, offset), (memory, offset.saturating_add(bytes)));
        if from >= end {
            return;
        }
        self.divide(from, end);
        let thread = self.thread(me);
        if self.asked == Some(self.path) && self.went_on.is_none() {
            self.went_on = Some(thread);
        }
        self.threads.insert(thread);
        self.path = mixed(self.path ^ me as u64);
        let Actor { point, node, .. } = self.actors[me];
        let lands = self.landing(event, me, act);
        let access = Access { act, actor: me, at: now, lands, point, node, site: event.site };
        if act == Act::Look && self.has_seen(&access, from, end) {
            return;
        }
        let mut found = Vec::new();
        for (_, piece) in self.pieces.range_mut(from..end) {
            if matches!(act, Act::Add | Act::Set(_)) {
                piece.changers.insert(me);
            }
            // Whoever waits changes nothing for itself.
            let many = |first: &Access| {
                let waits = if matches!(act, Act::Wait { .. }) { me } else { first.actor };
                piece.changers.iter().filter(|changer| **changer != waits).count() > 1
            };
            found.extend(piece.accesses.iter().filter(|first| act.conflicts(first.act, many(first))).copied());
        }
        for first in found {
            self.compare(&first, &access);
        }
        if let (Act::Look, Some((site, place, part))) = (act, self.actors[me].look)
            && (site, place) == (event.site, from)
        {
            self.actors[me].done -= 1;
            self.fingerprint = self.fingerprint.wrapping_sub(part);
        }
        let seen: Vec<u64> = self.pieces.range(from..end).map(|(_, piece)| version(piece, act)).collect();
        let part = match act {
            Act::Wait { .. } => self.counts(me, event.site, &[]),
            _ => self.counts(me, event.site, &[u64::from(offset), chained(&seen)]),
        };
        self.actors[me].look = (act == Act::Look).then_some((event.site, from, part));
        for (_, piece) in self.pieces.range_mut(from..end) {
            match act {
                Act::Set(_) => {
                    (piece.version, piece.added) = (part, 0);
                    piece.accesses.clear();
                }
                // Whoever looks comes behind what the last of a thread's own says.
                _ => piece.accesses.retain(|old| old.actor != me || discriminant(&old.act) != discriminant(&act)),
            }
            piece.added = piece.added.wrapping_add(if act == Act::Add { part } else { 0 });
            piece.accesses.push(access);
        }
    }

    /// Whether a thread has looked at all of some bytes as they are: then this is the look that a later change comes behind.
    fn has_seen(&mut self, look: &Access, from: (u64, u32), end: (u64, u32)) -> bool {
        let mut has_seen = true;
        for (_, piece) in self.pieces.range_mut(from..end) {
            let is_change = |access: &Access| matches!(access.act, Act::Add | Act::Set(_));
            let since = piece.accesses.iter().rposition(is_change).map_or(0, |at| at + 1);
            let mut looks = piece.accesses[since..].iter_mut();
            match looks.find(|access| access.act == Act::Look && access.actor == look.actor) {
                Some(before) => *before = *look,
                None => has_seen = false,
            }
        }
        has_seen
    }

    /// Cuts pieces so that some bytes are whole ones.
    fn divide(&mut self, from: (u64, u32), end: (u64, u32)) {
        for at in [from, end] {
            let before = self.pieces.range_mut(..at).next_back();
            let Some((_, piece)) = before.filter(|(start, piece)| start.0 == at.0 && piece.end > at.1) else {
                continue;
            };
            let rest = piece.clone();
            piece.end = at.1;
            self.pieces.insert(at, rest);
        }
        let mut untouched = Vec::new();
        let mut at = from.1;
        for ((_, start), piece) in self.pieces.range(from..end) {
            untouched.extend((at < *start).then_some((at, *start)));
            at = piece.end;
        }
        untouched.extend((at < end.1).then_some((at, end.1)));
        for (start, end) in untouched {
            self.pieces.insert((from.0, start), Piece { end, ..Piece::default() });
        }
    }

    /// A thread, by the name that it has in all launches.
    fn thread(&self, actor: usize) -> (CoreCoord, Thread) {
        let (core, thread) = thread_of(actor as u32);
        (self.races.layout.cores[core].coord, thread)
    }

    /// When the transfer that was just started takes its data, or brings them.
    fn landing(&self, event: &Event, me: usize, act: Act) -> Option<(Moment, Late)> {
        let late = match event.what {
            What::NocRead { .. } => Late::Reads,
            What::NocWrite { .. } => Late::Writes,
            What::InlineWrite { .. } | What::SemaphoreInc { .. } => Late::Words,
            _ => return None,
        };
        // Of a write the source has an end of its own, which comes first.
        let mut ends = self.races.actors[me].transfers.of_last().map(|(_, moment)| (moment, late));
        if act == Act::Look { ends.next() } else { ends.last() }
    }

    /// Two accesses to the same bytes, the second of which comes now.
    fn compare(&mut self, first: &Access, then: &Access) {
        if first.actor == then.actor {
            return;
        }
        let known = &self.races.actors[then.actor].known;
        // A wait knows of what it has needed; what another thread does may have done as well.
        let is_needed =
            matches!(first.act, Act::Add | Act::Set(Some(_))) && matches!(then.act, Act::Wait { exact: false, .. });
        if known.has(first.at) && !is_needed {
            self.late.extend(first.lands.filter(|(lands, _)| !known.has(*lands)).map(|(_, late)| late));
            return;
        }
        if first.point > 0 {
            let threads = [first, then].map(|access| self.thread(access.actor));
            self.open.insert(Open { point: first.point, node: first.node, threads });
        }
        for access in [first, then] {
            let site = self.actors[access.actor].open.insert(access.point, access.site);
            // Between two points all that a thread does comes at once.
            self.has_more |= access.point == 0 || site.is_some_and(|site| site != access.site);
        }
    }
}

/// Which version of its bytes an access comes behind: of additions, it is no matter which of them.
fn version(piece: &Piece, act: Act) -> u64 {
    match act {
        Act::Add => piece.version,
        _ => piece.version.wrapping_add(mixed(piece.added)),
    }
}

fn place_of(place: NocPlace, bytes: u32) -> Option<(Memory, u32, u32)> {
    match place {
        NocPlace::L1(core, offset) => Some((Memory::L1(core), offset, bytes)),
        NocPlace::Dram { bank, address } => Some((Memory::Dram(bank), address, bytes)),
        NocPlace::Nowhere => None,
    }
}

//! What each thread called, call by call; which of its loads brought what nothing wrote, and what it stored afterwards.
//!
//! Two runs that differ in undefined memory alone make the same calls, unless a thread goes by what is undefined. It must never
//! compare sites: those are addresses. Start at [`Course::on`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::mixed::chained;
use tileproof_model::thread::Thread;

use super::nodes::Call;
use super::origin::Origin;

/// Calls of a thread that are kept.
const MOST: usize = 1 << 18;

/// A load of a thread's own that brought what is undefined, or came of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) call: Call,
    /// The calls that the thread had made by then.
    step: usize,
    pub(super) bytes: u32,
    pub(super) cb: Option<u32>,
    pub(super) origin: Origin,
}

/// A store of a thread's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    pub(super) call: Call,
    /// The last load before it that brought what is undefined.
    pub(super) after: Option<u32>,
}

/// A thread of a launch.
type Who = (usize, usize, Thread);

/// The calls of all threads.
#[derive(Clone, Default, Debug)]
pub(super) struct Course {
    /// A digest of each call, by thread.
    steps: BTreeMap<Who, Vec<(u64, Site)>>,
    loads: Vec<Load>,
    /// Of each thread the last of them.
    last: BTreeMap<Who, u32>,
    stores: Vec<Store>,
    known: BTreeMap<(Who, Site, Option<u32>), u32>,
}

/// Where a thread goes another way: the load that it goes by, and its first call that is another, if it makes one.
pub(super) struct Turn {
    pub(super) load: Load,
    pub(super) next: Option<Call>,
}

impl Course {
    /// A thread made a call.
    pub(super) fn on(&mut self, call: Call, event: &Event) {
        let steps = self.steps.entry(who(call)).or_default();
        if steps.len() < MOST {
            steps.push((digest(&event.what), event.site));
        }
    }

    /// A thread has loaded what is undefined.
    pub(super) fn loads(&mut self, call: Call, (bytes, cb): (u32, Option<u32>), origin: Origin) {
        let step = self.steps.get(&who(call)).map_or(0, Vec::len);
        self.loads.push(Load { call, step, bytes, cb, origin });
        self.last.insert(who(call), self.loads.len() as u32 - 1);
    }

    /// The number of a thread's store.
    pub(super) fn stores(&mut self, call: Call) -> u32 {
        let after = self.last.get(&who(call)).copied();
        let next = self.stores.len() as u32;
        let number = *self.known.entry((who(call), call.site, after)).or_insert(next);
        if number == next {
            self.stores.push(Store { call, after });
        }
        number
    }

    pub(super) fn store(&self, number: u32) -> Option<&Store> {
        self.stores.get(number as usize)
    }

    /// The load that what a store left may have come of.
    pub(super) fn load_before(&self, store: u32) -> Option<&Load> {
        self.loads.get(self.store(store)?.after? as usize)
    }

    /// Whether any thread made other calls, in another run.
    pub(super) fn is_as(&self, other: &Course) -> bool {
        let digests = |course: &Course| {
            let of =
                |(who, steps): (&Who, &Vec<(u64, Site)>)| (*who, steps.iter().map(|(it, _)| *it).collect::<Vec<_>>());
            course.steps.iter().map(of).collect::<Vec<_>>()
        };
        digests(self) == digests(other)
    }

    /// The first thread that made other calls in another run after it had loaded what is undefined.
    pub(super) fn turn(&self, other: &Course) -> Option<Turn> {
        self.steps.iter().find_map(|(who, steps)| {
            let none = Vec::new();
            let others = other.steps.get(who).unwrap_or(&none);
            let same = steps.iter().zip(others).take_while(|((a, _), (b, _))| a == b).count();
            if same == steps.len() && same == others.len() {
                return None;
            }
            let its = |load: &&Load| self::who(load.call) == *who && load.step <= same;
            let load = *self.loads.iter().rfind(its)?;
            let next = steps.get(same).map(|(_, site)| Call { site: *site, ..load.call });
            Some(Turn { load, next })
        })
    }
}

fn who(call: Call) -> Who {
    (call.launch, call.core, call.thread)
}

fn place(at: NocPlace) -> u64 {
    match at {
        NocPlace::Dram { bank, address } => 1 << 63 | u64::from(bank) << 32 | u64::from(address),
        NocPlace::L1(core, offset) => (core as u64) << 32 | u64::from(offset),
        NocPlace::Nowhere => u64::MAX,
    }
}

/// A call as a number: what it is, and the arguments that a kernel chooses.
fn digest(what: &What) -> u64 {
    let wide = u64::from;
    chained(&match *what {
        What::BufferAsk { action, cb, pages, .. } => [1, action as u64, wide(cb), wide(pages), 0],
        What::Buffer { action, cb, pages, .. } => [2, action as u64, wide(cb), wide(pages), 0],
        What::Unpack { access } => [3, wide(access.cb), wide(access.tile), wide(access.offset), 0],
        What::Math { word, dst } => [4, word.0, wide(dst.index), 0, 0],
        What::Sfpu { op, parameter, output, .. } => [5, op as u64, wide(parameter), wide(output.index), 0],
        What::Pack { dst, access, .. } => [6, wide(dst.index), wide(access.cb), wide(access.offset), 0],
        What::PackInit { word } => [7, word.0, 0, 0, 0],
        What::EdgeMask { dim, .. } => [8, wide(dim), 0, 0, 0],
        What::Relu { config } => [9, wide(config), 0, 0, 0],
        What::L1Accumulation { enable } => [10, enable.into(), 0, 0, 0],
        What::NocRead { from, to, bytes, .. } => [11, place(from), wide(to), wide(bytes), 0],
        What::NocWrite { from, to, bytes, multicast, .. } => [12, wide(from), place(to), wide(bytes), multicast.into()],
        What::NocBarrier { kind, .. } => [13, wide(kind), 0, 0, 0],
        What::SemaphoreInc { to, by, .. } => [14, place(to), wide(by), 0, 0],
        What::InlineWrite { to, value, .. } => [15, place(to), wide(value), 0, 0],
        What::SemaphoreWait { offset, asked, .. } => [16, wide(offset), wide(asked), 0, 0],
        What::MailboxWrite { to } => [17, to as u64, 0, 0, 0],
        What::MailboxRead { from } => [18, from as u64, 0, 0, 0],
        What::Load { offset, bytes, .. } => [19, wide(offset), wide(bytes), 0, 0],
        What::Store { offset, bytes, value, .. } => [20, wide(offset), wide(bytes), value.map_or(u64::MAX, wide), 0],
        What::StartUp { .. } => [21, 0, 0, 0, 0],
        What::Acquire => [22, 0, 0, 0, 0],
        What::Commit => [23, 0, 0, 0, 0],
        What::SectionWait => [24, 0, 0, 0, 0],
        What::Release { .. } => [25, 0, 0, 0, 0],
        What::CacheInvalidated => [26, 0, 0, 0, 0],
        What::Returned => [27, 0, 0, 0, 0],
        What::PagesLeft { cb, pages, .. } => [28, wide(cb), wide(pages), 0, 0],
        What::Polled => [29, 0, 0, 0, 0],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(thread: Thread, site: u64) -> Call {
        Call { launch: 1, core: 0, thread, site: Site(site) }
    }

    /// A course of loads at some offsets, by BRISC; where the number is marked the load brings what is undefined.
    fn course(offsets: &[(u32, bool)]) -> Course {
        let mut course = Course::default();
        for (number, (offset, is_undefined)) in offsets.iter().enumerate() {
            let what = What::Load { offset: *offset, bytes: 4, buffer: None };
            let call = call(Thread::Brisc, number as u64);
            course.on(call, &Event { core: 0, thread: Thread::Brisc, site: call.site, cycle: 0, what });
            if *is_undefined {
                course.loads(call, (4, None), Origin::Unknown);
            }
        }
        course
    }

    #[test]
    fn a_thread_goes_by_the_last_undefined_load_before_its_calls_are_others() {
        let one = course(&[(0, false), (4, true), (8, true), (64, false), (12, true)]);
        let turn = one.turn(&course(&[(0, false), (4, true), (8, true), (128, false)])).unwrap();
        assert_eq!((turn.load.call.site, turn.next.map(|call| call.site)), (Site(2), Some(Site(3))));
        assert!(!one.is_as(&course(&[(0, false)])) && one.is_as(&one.clone()) && one.turn(&one.clone()).is_none());
        // Before anything undefined was loaded it is no reason.
        assert!(course(&[(0, false), (4, true)]).turn(&course(&[(8, false)])).is_none());
    }

    #[test]
    fn a_store_knows_the_undefined_load_before_it() {
        let mut course = course(&[(0, false), (4, true)]);
        let store = course.stores(call(Thread::Brisc, 9));
        assert_eq!(course.stores(call(Thread::Brisc, 9)), store);
        assert_eq!(course.load_before(store).map(|load| load.call.site), Some(Site(1)));
        let other = course.stores(call(Thread::Ncrisc, 9));
        assert!(course.load_before(other).is_none());
    }
}

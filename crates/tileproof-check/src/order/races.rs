//! Accesses that conflict, and that nothing puts in order: in L1 of any core and in DRAM.
//!
//! Two accesses conflict when they touch the same bytes and one of them writes. The actors are the threads, and every transfer
//! that is under way: it takes its data and brings them some time between its call and the barrier, or the answer, that proves
//! that it has. What orders them is followed as clocks ([`super::clock`]), along the edges of [`super::edges`]; what each byte
//! was touched by, in [`super::shadow`]. No look is taken at the machine's time: what is not ordered is a race, come it as it may
//! in this run. Start at [`Races::on`]; the texts are in [`super::told`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tileproof_model::abi::Site;
use tileproof_model::event::{BufferPosition, Event, NocPlace, What};
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::Raises;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;

use super::clock::{Component, Known, Moment};
use super::edges::{Sides, Signalled, Word};
use super::shadow::{Access, Act, Banks, Met, Shadow};
use super::transfers::{End, Kind, Scope, Signal, Transfers};
use crate::by_core::BUFFERS;
use crate::starts::Starts;

/// Threads of a core.
const THREADS: usize = Thread::ALL.len();

/// Writes of so few bytes may be flags, which a thread looks at and waits for.
pub(super) const FLAG_BYTES: u32 = 16;

/// A thread as others know it.
#[derive(Debug)]
pub(super) struct Actor {
    pub(super) known: Known,
    pub(super) transfers: Transfers,
    /// The last signal that it has seen of each thread.
    pub(super) told: Vec<Signalled>,
    /// What it has stored last, while it has called for nothing since: site, offset and end.
    pub(super) stored: Option<(Site, u32, u32)>,
    /// Words that it has loaded since its cache forgot all, each with the changes that the word had seen by then.
    pub(super) cached: Vec<(u32, u32)>,
    /// The last multicast: its call, its cycle and the number of its first write.
    multicast: Option<(Site, u64, u32)>,
}

/// Where bytes lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Memory {
    L1(usize),
    Dram(u32),
}

/// What comes too early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Later {
    /// The bytes are touched.
    Touch(Act),
    /// Pages of a buffer are handed to its consumer.
    Push(u32),
    /// Pages of a buffer are given back to its producer.
    Pop(u32),
}

/// The check.
#[derive(Default, Debug)]
pub struct Races {
    pub(super) layout: MemoryLayout,
    pub(super) actors: Vec<Actor>,
    pub(super) l1: Vec<Shadow>,
    dram: Banks,
    /// By core and buffer.
    sides: Vec<Sides>,
    /// By core and buffer, the thread that pushed last.
    producers: Vec<Option<Thread>>,
    /// By core and offset.
    pub(super) words: BTreeMap<(usize, u32), Word>,
    /// By core, sender and reader.
    mail: BTreeMap<(usize, Thread, Thread), VecDeque<Known>>,
    next: Component,
    /// Calls of which another check has spoken: what follows from that is not told twice.
    pub(super) spoken: BTreeSet<(usize, Thread, Site)>,
    /// By core, and by the offset that they go to, the last reads: from where, how many bytes, and when they have come.
    reads: Vec<Starts<(NocPlace, u32, Moment)>>,
    /// By what they are counted with and their call, the last transfer that was told to come too late.
    late: BTreeMap<(Component, Site), u32>,
}

/// A call: core, thread and site.
pub type Call = (usize, Thread, Site);

/// The index of a thread.
pub(super) fn actor_of(core: usize, thread: Thread) -> usize {
    core * THREADS + thread as usize
}

/// The core and the thread of an index.
pub(super) fn thread_of(actor: u32) -> (usize, Thread) {
    (actor as usize / THREADS, Thread::ALL[actor as usize % THREADS])
}

impl Races {
    pub(crate) fn launch(&mut self, layout: &MemoryLayout) {
        let cores = layout.cores.len();
        let actors = (0..cores * THREADS).map(|actor| Actor {
            known: Known::of(actor as Component),
            transfers: Transfers::default(),
            told: Vec::new(),
            stored: None,
            cached: Vec::new(),
            multicast: None,
        });
        *self = Races {
            layout: layout.clone(),
            actors: actors.collect(),
            l1: (0..cores).map(|_| Shadow::default()).collect(),
            reads: (0..cores).map(|_| Starts::default()).collect(),
            sides: (0..cores * BUFFERS).map(|_| Sides::default()).collect(),
            producers: vec![None; cores * BUFFERS],
            next: (cores * THREADS) as Component,
            ..Races::default()
        };
    }

    /// Follows an event; `raised` holds what other checks have said of it.
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        for other in raised.waiting() {
            self.spoken.insert((other.core, other.thread, other.site));
        }
        let me = actor_of(event.core, event.thread);
        self.habits(event, me, raised);
        match event.what {
            What::Buffer { action, cb, pages, at } => self.buffer(event, me, (action, cb, pages), at, raised),
            What::Unpack { access } => self.own(event, Act::Unpack, (access.offset, access.bytes), raised),
            What::Pack { access, .. } => self.own(event, Act::Pack, (access.offset, access.bytes), raised),
            // MATH takes what UNPACK has brought; the flags of SrcA and SrcB say so (ISA documentation, `SrcASrcB.md`).
            What::Math { .. } => self.follow(event.core, Thread::Unpack, Thread::Math),
            // Sections of Dst go from MATH to PACK and back by the semaphore MATH_PACK (tt-llk `cmath_common.h`).
            What::SectionWait => self.follow(event.core, Thread::Math, Thread::Pack),
            What::Acquire => self.follow(event.core, Thread::Pack, Thread::Math),
            What::NocRead { .. } => self.noc_read(event, me, raised),
            What::NocWrite { .. } => self.noc_write(event, me, raised),
            What::InlineWrite { noc, to: NocPlace::L1(core, offset), .. } => {
                self.actors[me].transfers.begin();
                let end = End::Landing { posted: false, multicast: false, core: Some(core) };
                let landing = self.moment(me, event.site, Kind { end, noc, trid: 0 });
                self.lands(event, (noc, false), (Memory::L1(core), offset, 4), landing, raised);
            }
            What::SemaphoreInc { noc, to: NocPlace::L1(core, offset), by, posted } => {
                self.swallows(event, me, (core, offset), false, raised);
                self.adds(event, me, noc, (core, offset), by, posted);
            }
            What::SemaphoreWait { offset, asked, saw, is_exact } => {
                self.overwrites(event, offset, (asked, is_exact), raised);
                self.looks(event.core, me, offset, Some((asked, saw)));
            }
            What::MailboxWrite { to } => {
                let told = self.actors[me].known.hand_on();
                self.mail.entry((event.core, event.thread, to)).or_default().push_back(told);
            }
            What::MailboxRead { from } => {
                let queue = self.mail.get_mut(&(event.core, from, event.thread));
                if let Some(told) = queue.and_then(VecDeque::pop_front) {
                    self.actors[me].known.join(&told);
                }
            }
            What::Load { offset, bytes, .. } => self.load(event, me, (offset, bytes), raised),
            What::Store { offset, bytes, .. } => self.store(event, me, (offset, bytes), raised),
            What::NocBarrier { noc, kind, trid } => {
                let Actor { known, transfers, .. } = &mut self.actors[me];
                transfers.wait(Scope { noc, kind, trid }, event.site, known);
            }
            What::Returned => self.returned(event, me, raised),
            _ => {}
        }
    }

    /// A thread of a core comes behind what another has done so far.
    fn follow(&mut self, core: usize, from: Thread, to: Thread) {
        if let Ok([from, to]) = self.actors.get_disjoint_mut([actor_of(core, from), actor_of(core, to)]) {
            to.known.join(&from.known);
            from.known.goes_on();
        }
    }

    fn moment(&mut self, me: usize, site: Site, kind: Kind) -> Moment {
        self.actors[me].transfers.end(kind, site, &mut self.next)
    }

    /// Pages say what their thread knew that handed them on, to whoever waits for those pages.
    fn buffer(
        &mut self,
        event: &Event,
        me: usize,
        (action, cb, pages): (BufferAction, u32, u32),
        at: BufferPosition,
        raised: &mut Raises,
    ) {
        let place = event.core * BUFFERS + (cb as usize).min(BUFFERS - 1);
        let (asked, capacity) = (u64::from(pages), u64::from(at.capacity));
        let bytes = (at.offset, pages.saturating_mul(at.page_bytes));
        match action {
            BufferAction::Wait => {
                let Sides { pushed, popped } = &self.sides[place];
                pushed.learn(popped.pages + asked, &mut self.actors[me].known);
            }
            BufferAction::Reserve => {
                let Sides { pushed, popped } = &self.sides[place];
                popped.learn((pushed.pages + asked).saturating_sub(capacity), &mut self.actors[me].known);
            }
            BufferAction::Push => {
                self.hands_over(event, me, Later::Push(cb), bytes, raised);
                self.producers[place] = Some(event.thread);
                let known = self.actors[me].known.hand_on();
                let Sides { pushed, popped } = &mut self.sides[place];
                pushed.tell(known, pages, popped.pages);
            }
            BufferAction::Pop => {
                self.hands_over(event, me, Later::Pop(cb), bytes, raised);
                let known = self.actors[me].known.hand_on();
                let Sides { pushed, popped } = &mut self.sides[place];
                popped.tell(known, pages, pushed.pages.saturating_sub(capacity));
            }
        }
    }

    /// Pages change hands: whatever the NoC still brings into those that are pushed, or takes from those that are popped, comes
    /// too late.
    fn hands_over(&mut self, event: &Event, me: usize, later: Later, (offset, bytes): (u32, u32), raised: &mut Raises) {
        let Actor { known, .. } = &self.actors[me];
        let place = |cb: u32| event.core * BUFFERS + (cb as usize).min(BUFFERS - 1);
        let met = match later {
            Later::Pop(cb) => {
                // Pages that others give back to the very thread that sends them: it fills them anew itself, and must have
                // waited by then.
                let producer = self.producers[place(cb)];
                let layout = &self.layout.cores[event.core];
                self.l1[event.core].meets(offset, bytes, true, &mut |first| {
                    let (_, sender) = thread_of(first.actor);
                    // Where another buffer has the same memory, a transfer of another thread takes from a page of that one, which
                    // its own pop gives up; a write that comes too early is met by itself.
                    let is_given_up =
                        || sender == event.thread || producer != Some(sender) && !layout.shares_memory(cb);
                    first.act != Act::WriteTakes || is_known(known, first) || !is_given_up()
                })
            }
            _ => self.l1[event.core]
                .meets(offset, bytes, false, &mut |first| !first.act.is_transfer() || is_known(known, first)),
        };
        if let Some(met) = met {
            self.report(event, later, (Memory::L1(event.core), met), raised);
        }
    }

    /// A thread itself touches bytes of its core's L1.
    fn own(&mut self, event: &Event, act: Act, (offset, bytes): (u32, u32), raised: &mut Raises) {
        let now = self.actors[actor_of(event.core, event.thread)].known.now();
        self.touch(event, act, (Memory::L1(event.core), offset, bytes), [now, now], raised);
    }

    /// Bytes are touched by a call: at a moment, or by another that lies behind it.
    fn touch(
        &mut self,
        event: &Event,
        act: Act,
        (memory, offset, bytes): (Memory, u32, u32),
        [at, or]: [Moment; 2],
        raised: &mut Raises,
    ) {
        self.touch_again(event, act, (memory, offset, bytes), ([at, or], None), raised);
    }

    /// The same; `again` is when an earlier read of the same bytes to the same place ends: whichever comes last, the same is there.
    fn touch_again(
        &mut self,
        event: &Event,
        act: Act,
        (memory, offset, bytes): (Memory, u32, u32),
        ([at, or], again): ([Moment; 2], Option<Moment>),
        raised: &mut Raises,
    ) {
        // Firmware's own memory, where zeros for reads lie, is nobody's to order.
        if matches!(memory, Memory::L1(core) if offset < self.layout.cores[core].semaphores.start) {
            return;
        }
        let me = actor_of(event.core, event.thread);
        let Actor { known, .. } = &self.actors[me];
        let access = Access { act, actor: me as u32, site: event.site, at, or, issued: known.now() };
        // Writes that go the same way do not overtake each other.
        let is_behind = |first: &Access| {
            (act == Act::WriteLands && first.at.component == at.component)
                || (act == Act::ReadLands && again == Some(first.at))
        };
        let is_before = |first: &Access| is_known(known, first) || is_behind(first);
        let met = match memory {
            Memory::L1(core) => self.l1[core].touch(offset, bytes, access, is_before),
            Memory::Dram(bank) => self.dram.touch(bank, (offset, bytes), access, is_before),
        };
        if let Some(met) = met {
            self.report(event, Later::Touch(act), (memory, met), raised);
        }
    }

    fn noc_read(&mut self, event: &Event, me: usize, raised: &mut Raises) {
        let What::NocRead { noc, from, to, bytes, trid, .. } = event.what else { return };
        self.actors[me].transfers.begin();
        let landing = self.moment(me, event.site, Kind { end: End::Read, noc, trid });
        match from {
            // A look at a flag of another core.
            NocPlace::L1(core, offset) if bytes <= FLAG_BYTES && self.is_word(core, offset) => {
                self.looks(core, me, offset, None);
            }
            NocPlace::L1(core, offset) => {
                self.unowned(event, core, offset, raised);
                self.touch(event, Act::ReadTakes, (Memory::L1(core), offset, bytes), [landing; 2], raised);
            }
            NocPlace::Dram { bank, address } => {
                self.touch(event, Act::ReadTakes, (Memory::Dram(bank), address, bytes), [landing; 2], raised);
            }
            NocPlace::Nowhere => {}
        }
        let before = self.reads[event.core].put(to, (from, bytes, landing));
        let again = before.filter(|before| (before.0, before.1) == (from, bytes)).map(|(.., ends)| ends);
        let place = (Memory::L1(event.core), to, bytes);
        self.touch_again(event, Act::ReadLands, place, ([landing; 2], again), raised);
    }

    fn noc_write(&mut self, event: &Event, me: usize, raised: &mut Raises) {
        let What::NocWrite { noc, from, to, bytes, posted, multicast, trid, is_same, .. } = event.what else { return };
        self.actors[me].transfers.begin();
        let (core, memory) = match to {
            NocPlace::L1(core, offset) => (Some(core), Some((Memory::L1(core), offset, bytes))),
            NocPlace::Dram { bank, address } => (None, Some((Memory::Dram(bank), address, bytes))),
            NocPlace::Nowhere => (None, None),
        };
        let source = self.moment(me, event.site, Kind { end: End::Source { posted }, noc, trid });
        let landing = self.moment(me, event.site, Kind { end: End::Landing { posted, multicast, core }, noc, trid });
        let there = if multicast { self.anywhere(event, me, Kind { end: End::Anywhere, noc, trid }) } else { landing };
        self.touch(event, Act::WriteTakes, (Memory::L1(event.core), from, bytes), [source, there], raised);
        // What a multicast brings back to the place that it was taken from changes nothing; nor do two writes of the same.
        let is_itself = memory.is_some_and(|(memory, offset, _)| (memory, offset) == (Memory::L1(event.core), from));
        if let Some(place) = memory.filter(|_| !is_itself && !is_same) {
            self.lands(event, (noc, multicast), place, landing, raised);
        }
    }

    /// When a multicast has come to any of its cores: its data have been taken by then. All of its writes have the number of the first.
    fn anywhere(&mut self, event: &Event, me: usize, kind: Kind) -> Moment {
        let moment = self.moment(me, event.site, kind);
        let last = &mut self.actors[me].multicast;
        let number = match *last {
            Some((site, cycle, first)) if (site, cycle) == (event.site, event.cycle) => first,
            _ => moment.number,
        };
        *last = Some((event.site, event.cycle, number));
        Moment { number, ..moment }
    }

    /// A write brings data, or a flag.
    fn lands(
        &mut self,
        event: &Event,
        (noc, multicast): (u8, bool),
        (memory, offset, bytes): (Memory, u32, u32),
        landing: Moment,
        raised: &mut Raises,
    ) {
        let me = actor_of(event.core, event.thread);
        let mut is_flag = false;
        if let Memory::L1(core) = memory
            && bytes <= FLAG_BYTES
        {
            is_flag = self.is_word(core, offset);
            if is_flag {
                self.swallows(event, me, (core, offset), true, raised);
            }
            let Actor { known, transfers, .. } = &mut self.actors[me];
            let mut told = known.hand_on();
            transfers.before_signal(noc, core, Signal::Write { multicast }).for_each(|moment| told.learn(moment));
            let by = Signalled { actor: me as u32, site: event.site, noc, adds: false };
            let value = match event.what {
                What::NocWrite { word, .. } => word,
                What::InlineWrite { value, .. } => Some(value),
                _ => None,
            };
            self.words.entry((core, offset)).or_default().set(value, told, by);
        }
        if !is_flag {
            self.touch(event, Act::WriteLands, (memory, offset, bytes), [landing; 2], raised);
        }
    }

    fn adds(&mut self, event: &Event, me: usize, noc: u8, (core, offset): (usize, u32), amount: u32, posted: bool) {
        self.actors[me].transfers.begin();
        let addition = self.moment(me, event.site, Kind { end: End::Addition { posted, core }, noc, trid: 0 });
        let Actor { known, transfers, .. } = &mut self.actors[me];
        let mut told = known.hand_on();
        transfers.before_signal(noc, core, Signal::Addition).for_each(|moment| told.learn(moment));
        told.learn(addition);
        let by = Signalled { actor: me as u32, site: event.site, noc, adds: true };
        self.words.entry((core, offset)).or_default().add(amount, told, by);
    }

    /// Whether threads are known to signal each other with a word.
    pub(super) fn is_word(&self, core: usize, offset: u32) -> bool {
        self.layout.cores[core].is_semaphore(offset) || self.words.contains_key(&(core, offset))
    }

    /// A thread sees a word of a core: what it asked for and what it saw.
    fn looks(&mut self, core: usize, me: usize, offset: u32, asked: Option<(u32, u32)>) {
        let Some(word) = self.words.get(&(core, offset)) else {
            // Set by a thread of the same core that nobody was known to wait for.
            let setter = self.l1[core].written(offset).filter(|(first, _)| first.act == Act::Store);
            if let Some((first, _)) = setter {
                self.sees(me, first.actor);
            }
            self.words.insert((core, offset), Word::default());
            return;
        };
        let Actor { known, told, .. } = &mut self.actors[me];
        // Nobody knows what a look by a pointer asks for: all that is there.
        let (asked, saw) = asked.unwrap_or((u32::MAX, u32::MAX));
        for signal in word.learn(asked, saw, known) {
            told.retain(|old| old.actor != signal.actor);
            told.push(signal);
        }
    }

    /// A thread sees what another of its core has stored for it to see.
    fn sees(&mut self, me: usize, setter: u32) {
        if setter as usize != me {
            let told = self.actors[setter as usize].known.hand_on();
            self.actors[me].known.join(&told);
        }
    }

    fn load(&mut self, event: &Event, me: usize, (offset, bytes): (u32, u32), raised: &mut Raises) {
        if bytes <= FLAG_BYTES && self.is_word(event.core, offset) {
            return self.looks(event.core, me, offset, None);
        }
        // A word that stands alone is a flag, which another thread of this core sets; more are data.
        let alone = self.l1[event.core].written(offset).filter(|(_, written)| *written <= FLAG_BYTES / 2);
        if let Some((first, _)) = alone.filter(|(first, _)| first.act == Act::Store && first.actor as usize != me) {
            self.sees(me, first.actor);
        }
        self.own(event, Act::Load, (offset, bytes), raised);
    }

    fn store(&mut self, event: &Event, me: usize, (offset, bytes): (u32, u32), raised: &mut Raises) {
        if bytes > FLAG_BYTES || !self.is_word(event.core, offset) {
            return self.own(event, Act::Store, (offset, bytes), raised);
        }
        // Flags are there to be set while others look; but not while they are being sent.
        let known = &self.actors[me].known;
        let met = self.l1[event.core]
            .meets(offset, bytes, true, &mut |first| first.act != Act::WriteTakes || is_known(known, first));
        if let Some(met) = met {
            self.report(event, Later::Touch(Act::Store), (Memory::L1(event.core), met), raised);
        }
        self.swallows(event, me, (event.core, offset), true, raised);
        let told = self.actors[me].known.hand_on();
        let by = Signalled { actor: me as u32, site: event.site, noc: 0, adds: false };
        let value = if let What::Store { value, .. } = event.what { value } else { None };
        self.words.entry((event.core, offset)).or_default().set(value, told, by);
    }

    fn report(&mut self, event: &Event, later: Later, (memory, met): (Memory, Met), raised: &mut Raises) {
        // A transfer that came too late for one comes too late for all that follow from it, and so do those before it.
        let Access { at, site, .. } = met.first;
        if self.late.get(&(at.component, site)).is_some_and(|told| at.number <= *told) {
            return;
        }
        if self.tell(event, later, memory, met, raised) && met.first.act.is_transfer() {
            self.late.insert((at.component, site), at.number);
        }
    }
}

/// Whether an access is over for whoever knows this.
fn is_known(known: &Known, first: &Access) -> bool {
    known.has(first.at) || known.has(first.or)
}

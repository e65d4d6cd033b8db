//! Records what each thread did when, and what it waited for: for pictures of a run.
//!
//! It must never raise anything. It keeps sites, which only the machine can turn into lines: after a launch [`Recorder::launch_timeline`]
//! asks for them. Start at [`Recorder`].

use std::collections::BTreeMap;

use tileproof_model::abi::{Site, barrier};
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::layout::{CoreLayout, MemoryLayout};
use tileproof_model::observe::{Carriage, Observer, Raises, Took};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::timeline::{
    Call, CallPlace, CoreTimeline, Doing, FarEnd, LaunchTimeline, Signal, Stuck, Total, Traffic, Transfer,
};

/// Calls and transfers of a launch that are kept one by one: of longer ones the beginning, and totals of all.
const KEPT: usize = 1 << 21;

/// What stands for no buffer, semaphore or tensor.
const NONE: u32 = u32::MAX;

/// What a call did, as its events tell it.
#[derive(Clone, Copy, Debug)]
struct Did {
    doing: Doing,
    of: u32,
    amount: u32,
}

/// What totals are kept of.
type TotalOf = (Thread, Doing, u32, u32);
/// The same of transfers: thread, NoC, direction, far end, tensor, circular buffer.
type TrafficOf = (Thread, u8, bool, FarEnd, u32, u32);

/// One core.
#[derive(Default, Debug)]
struct Core {
    layout: Option<CoreLayout>,
    /// By thread: when its last call was done, what the call in hand did so far, and how its transfer goes.
    ends: [u64; 5],
    did: [Option<Did>; 5],
    carriages: [Option<Carriage>; 5],
    /// When the last transfer of a thread lands.
    lands: [u64; 5],
    /// The number of each line, and the site of each number.
    numbers: BTreeMap<(Thread, Site), u32>,
    sites: Vec<(Thread, Site)>,
    calls: Vec<Call>,
    transfers: Vec<Transfer>,
    totals: BTreeMap<TotalOf, Total>,
    traffic: BTreeMap<TrafficOf, Traffic>,
    signals: Vec<Signal>,
}

/// The observer.
#[derive(Default, Debug)]
pub struct Recorder {
    layout: MemoryLayout,
    cores: Vec<Core>,
    kept: usize,
    dropped: u64,
}

impl Observer for Recorder {
    const ACTIVE: bool = true;
    const TIMES: bool = true;

    fn launch(&mut self, layout: &MemoryLayout) {
        // What a semaphore begins with is there before anybody sends it.
        let begins = |layout: &CoreLayout, (semaphore, value): (u32, u32)| {
            let from = (layout.coord, Thread::Brisc);
            (value != 0).then_some(Signal { at: 0, semaphore, adds: false, value, from })
        };
        let core = |layout: &CoreLayout| {
            let signals = layout.begins.iter().filter_map(|one| begins(layout, *one)).collect();
            Core { layout: Some(layout.clone()), signals, ..Core::default() }
        };
        *self =
            Recorder { layout: layout.clone(), cores: layout.cores.iter().map(core).collect(), kept: 0, dropped: 0 };
    }

    fn on(&mut self, event: &Event, _raised: &mut Raises) {
        let Event { core, thread, site, .. } = *event;
        self.signal(event);
        if let Some(mut did) = did(&event.what) {
            if did.doing == Doing::SemaphoreWait {
                did.of = semaphore(&self.layout.cores[core], did.of).unwrap_or(NONE);
            }
            // A call on two operands is two events, a multicast one for each core that it reaches.
            let of = &mut self.cores[core].did[thread as usize];
            match of {
                Some(Did { amount, doing, .. }) if *doing == did.doing => *amount = amount.saturating_add(did.amount),
                _ => *of = Some(did),
            }
        }
        // A multicast that its sender is among goes to others, too, which the next events tell.
        let is_own =
            matches!(event.what, What::NocWrite { to: NocPlace::L1(to, _), multicast: true, .. } if to == core);
        if !is_own && let Some(carriage) = self.cores[core].carriages[thread as usize].take() {
            self.transfer(core, thread, site, carriage, &event.what);
        }
    }

    fn carried_over(&mut self, core: usize, thread: Thread, carriage: Carriage) {
        self.cores[core].carriages[thread as usize] = Some(carriage);
        self.cores[core].lands[thread as usize] = carriage.lands;
    }

    fn took(&mut self, call: &Took) {
        let Took { core, thread, site, start, went_on, end } = *call;
        let of = &mut self.cores[core];
        of.carriages[thread as usize] = None;
        let place = of.number(thread, site);
        let before = std::mem::replace(&mut of.ends[thread as usize], end);
        let did = of.did[thread as usize].take().unwrap_or(Did { doing: Doing::Configure, of: NONE, amount: 0 });
        let waited = went_on.saturating_sub(start);
        if start > before {
            let own = Did { doing: Doing::Poll, of: NONE, amount: 0 };
            self.keep(core, (thread, place), own, (before, 0, start - before));
        }
        self.keep(core, (thread, place), did, (start, waited, (end - start).saturating_sub(waited)));
    }
}

impl Recorder {
    /// Keeps a call: its start, what it waited and what it took then.
    fn keep(&mut self, core: usize, (thread, place): (Thread, u32), did: Did, (start, waited, took): (u64, u64, u64)) {
        let Did { doing, of, amount } = did;
        let core = &mut self.cores[core];
        let none = Total { thread, doing, place, of, calls: 0, amount: 0, waited: 0, took: 0 };
        let total = core.totals.entry((thread, doing, place, of)).or_insert(none);
        total.calls += 1;
        total.amount += u64::from(amount);
        total.waited += waited;
        total.took += took;
        if self.kept >= KEPT {
            self.dropped += 1;
            return;
        }
        self.kept += 1;
        core.calls.push(Call { thread, doing, place, start, waited: short(waited), took: short(took), of, amount });
    }

    /// Keeps what is written to a semaphore.
    fn signal(&mut self, event: &Event) {
        let Event { core, thread, cycle, .. } = *event;
        let lands = self.cores[core].lands[thread as usize];
        let (to, offset, at, adds, value) = match event.what {
            What::SemaphoreInc { to: NocPlace::L1(to, offset), by, .. } => (to, offset, lands, true, by),
            What::InlineWrite { to: NocPlace::L1(to, offset), value, .. } => (to, offset, lands, false, value),
            What::NocWrite { to: NocPlace::L1(to, offset), word: Some(value), .. } => (to, offset, lands, false, value),
            What::Store { offset, value: Some(value), .. } => (core, offset, cycle, false, value),
            _ => return,
        };
        let from = (self.layout.cores[core].coord, thread);
        let Some(semaphore) = semaphore(&self.layout.cores[to], offset) else { return };
        if self.kept < KEPT {
            self.kept += 1;
            self.cores[to].signals.push(Signal { at, semaphore, adds, value, from });
        }
    }

    /// Keeps a transfer, by the first event that tells of it.
    fn transfer(&mut self, core: usize, thread: Thread, site: Site, carriage: Carriage, what: &What) {
        let Some((noc, is_read, far, bytes, near)) = ends(what) else { return };
        let (far, tensor) = match far {
            NocPlace::Dram { bank, address } => (FarEnd::Dram(bank), self.tensor(address)),
            NocPlace::L1(other, _) if other == core => (FarEnd::Own, NONE),
            NocPlace::L1(other, _) => (FarEnd::Core(self.layout.cores[other].coord), NONE),
            NocPlace::Nowhere => (FarEnd::Nowhere, NONE),
        };
        let cb = near.unwrap_or(NONE);
        let Carriage { start, port: (from, free), lands } = carriage;
        let core = &mut self.cores[core];
        let none = Traffic { thread, noc, is_read, far, tensor, cb, transfers: 0, bytes: 0, busy: 0, whole: 0 };
        let traffic = core.traffic.entry((thread, noc, is_read, far, tensor, cb)).or_insert(none);
        traffic.transfers += 1;
        traffic.bytes += u64::from(bytes);
        traffic.busy += free - from;
        traffic.whole += lands.saturating_sub(start);
        if self.kept >= KEPT {
            self.dropped += 1;
            return;
        }
        self.kept += 1;
        let place = core.number(thread, site);
        core.transfers.push(Transfer {
            thread,
            noc,
            is_read,
            place,
            start,
            queued: short(from - start),
            busy: short(free - from),
            whole: short(lands.saturating_sub(start)),
            bytes,
            far,
            tensor,
            cb,
        });
    }

    /// The number of the tensor that an address of a DRAM bank belongs to.
    fn tensor(&self, address: u32) -> u32 {
        let dram = &self.layout.dram;
        let found = dram.iter().position(|tensor| tensor.bytes.contains(&address));
        found.map_or(NONE, |number| number as u32)
    }

    /// What was recorded of the last launch, which took so many cycles; `place_of` and `stuck_on` know its lines and its end.
    pub fn launch_timeline(
        self,
        cycles: u64,
        place_of: impl Fn(usize, Thread, Site) -> CallPlace,
        stuck_on: impl Fn(usize) -> Vec<Stuck>,
    ) -> LaunchTimeline {
        let mut numbers: BTreeMap<CallPlace, u32> = BTreeMap::new();
        let mut places = Vec::new();
        let mut cores = Vec::new();
        for (index, core) in self.cores.into_iter().enumerate() {
            let stuck = stuck_on(index);
            let Some(layout) = core.layout.filter(|_| !core.calls.is_empty() || !stuck.is_empty()) else { continue };
            let mut number = |(thread, site): &(Thread, Site)| {
                let place = place_of(index, *thread, *site);
                *numbers.entry(place).or_insert_with_key(|place| {
                    places.push(place.clone());
                    places.len() as u32 - 1
                })
            };
            let lines: Vec<u32> = core.sites.iter().map(&mut number).collect();
            let line = |place: u32| lines[place as usize];
            let memory = std::iter::once((layout.semaphores.clone(), "semaphores".to_string()));
            cores.push(CoreTimeline {
                coord: layout.coord,
                memory: memory.chain(layout.tensors).collect(),
                buffers: layout.buffers,
                calls: core.calls.into_iter().map(|call| Call { place: line(call.place), ..call }).collect(),
                transfers: core.transfers.into_iter().map(|t| Transfer { place: line(t.place), ..t }).collect(),
                totals: core.totals.into_values().map(|total| Total { place: line(total.place), ..total }).collect(),
                traffic: core.traffic.into_values().collect(),
                signals: core.signals,
                stuck,
            });
        }
        let tensors = self.layout.dram.iter().map(|tensor| tensor.name.clone()).collect();
        LaunchTimeline { cycles, places, cores, tensors, dropped: self.dropped }
    }
}

impl Core {
    /// The number of a line of this core.
    fn number(&mut self, thread: Thread, site: Site) -> u32 {
        let Core { numbers, sites, .. } = self;
        *numbers.entry((thread, site)).or_insert_with(|| {
            sites.push((thread, site));
            sites.len() as u32 - 1
        })
    }
}

/// The number of the semaphore at an offset in L1.
fn semaphore(layout: &CoreLayout, offset: u32) -> Option<u32> {
    layout.is_semaphore(offset).then(|| (offset - layout.semaphores.start) / 16)
}

fn short(cycles: u64) -> u32 {
    u32::try_from(cycles).unwrap_or(u32::MAX)
}

/// What an event says that a call did; `None` of one that comes with another, or before the call.
fn did(what: &What) -> Option<Did> {
    let plain = |doing| Did { doing, of: NONE, amount: 0 };
    Some(match *what {
        What::Buffer { action, cb, pages, .. } => {
            let doing = match action {
                BufferAction::Wait => Doing::WaitFront,
                BufferAction::Reserve => Doing::ReserveBack,
                BufferAction::Push => Doing::Push,
                BufferAction::Pop => Doing::Pop,
            };
            Did { doing, of: cb, amount: pages }
        }
        What::Unpack { access } => Did { doing: Doing::Unpack, of: access.cb, amount: access.bytes },
        What::Math { .. } => Did { amount: 1, ..plain(Doing::Fpu) },
        What::Sfpu { .. } => Did { amount: 1, ..plain(Doing::Sfpu) },
        What::Pack { access, .. } => Did { doing: Doing::Pack, of: access.cb, amount: access.bytes },
        What::Acquire => plain(Doing::Acquire),
        What::Commit => plain(Doing::Commit),
        What::SectionWait => plain(Doing::SectionWait),
        What::Release { .. } => plain(Doing::Release),
        What::NocRead { noc, bytes, .. } => Did { doing: Doing::NocRead, of: noc.into(), amount: bytes },
        What::NocWrite { noc, bytes, .. } => Did { doing: Doing::NocWrite, of: noc.into(), amount: bytes },
        What::InlineWrite { noc, .. } => Did { doing: Doing::NocWrite, of: noc.into(), amount: 4 },
        What::SemaphoreInc { noc, by, .. } => Did { doing: Doing::SemaphoreInc, of: noc.into(), amount: by },
        What::NocBarrier { noc, kind, .. } => {
            let doing = match kind {
                barrier::READS => Doing::ReadBarrier,
                barrier::WRITES | barrier::WRITES_FLUSHED | barrier::POSTED_FLUSHED => Doing::WriteBarrier,
                _ => Doing::OtherBarrier,
            };
            Did { doing, of: noc.into(), amount: 0 }
        }
        What::SemaphoreWait { offset, asked, .. } => Did { doing: Doing::SemaphoreWait, of: offset, amount: asked },
        What::MailboxWrite { .. } | What::MailboxRead { .. } => plain(Doing::Mailbox),
        What::Load { bytes, .. } | What::Store { bytes, .. } => Did { amount: bytes, ..plain(Doing::L1) },
        What::Returned => plain(Doing::End),
        _ => return None,
    })
}

/// NoC, whether it brings data here, far end, bytes and the circular buffer at this end of a transfer.
fn ends(what: &What) -> Option<(u8, bool, NocPlace, u32, Option<u32>)> {
    Some(match *what {
        What::NocRead { noc, from, bytes, end, .. } => (noc, true, from, bytes, end.buffer.map(|(cb, _)| cb)),
        What::NocWrite { noc, to, bytes, end, .. } => (noc, false, to, bytes, end.buffer.map(|(cb, _)| cb)),
        What::InlineWrite { noc, to, .. } | What::SemaphoreInc { noc, to, .. } => (noc, false, to, 4, None),
        _ => return None,
    })
}

//! Cores on several host threads, on trial.
//!
//! Most programs give every core its own work, and no core ever sees another. So each core runs by itself, as if it were
//! alone, and what it touches of DRAM is claimed ([`crate::claims`]). If all complete and none met another, the order of
//! running cannot have mattered, and the outcomes are put together in the order of the cores: the record is that of one
//! host thread. Cores of a launch with semaphores meet where nobody observes: they run in epochs ([`crate::epochs`]), on one host
//! thread as on several. Otherwise everything is taken back, and the launch runs again with all cores on one host thread.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tileproof_model::arch::Arch;
use tileproof_model::finding::Finding;
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::Observer;
use tileproof_model::record::{Ledger, Status};
use tileproof_numerics::dst::Dst;

use crate::claims::{Before, Claimant, Claims};
use crate::core::Core;
use crate::dram::Dram;
use crate::engine::{Engine, LaunchOutcome};
use crate::epochs::{Idle, Posts, Running, Share};
use crate::machine::Machine;
use crate::meeting::Meeting;
use crate::noc::outbound::{Grid, Outbound};
use crate::standby::{Standby, Work};

/// A core on its way to a host thread or back.
struct Parcel<T>(T);

// SAFETY: what a core holds and must not change its host thread are fibers, and pointers into images of running kernels; on the
// way there no kernel has begun, on the way back all have ended.
unsafe impl<T> Send for Parcel<T> {}

/// A core as the launch found it.
struct Left {
    l1: Box<[u8]>,
    dst: Dst,
}

/// One core's part of a trial.
struct Part {
    core: Core,
    completed: bool,
    outcome: LaunchOutcome,
    /// What the observer found at the end.
    last: (Vec<Finding>, Vec<Finding>),
    left: Option<Left>,
    before: Vec<Before>,
}

/// A core that runs in a trial, as it was and as it is.
struct Begun<O: Observer> {
    running: Running<O>,
    left: Option<Left>,
}

/// Where a core, or what came of it, is put down and taken up; it bears its number.
type Place<T> = Mutex<Option<Parcel<(usize, T)>>>;

/// Cores on which nothing runs, each with its number in the launch.
type IdleCores = Vec<(usize, Idle)>;

/// The cores of a launch on trial, for any host thread to take one.
struct Trial<O> {
    arch: Arch,
    dram: Arc<Dram>,
    claims: Arc<Claims>,
    jobs: Vec<Place<Core>>,
    parts: Vec<Place<Part>>,
    next: AtomicUsize,
    layout: MemoryLayout,
    /// Where cores may meet.
    posts: Option<Posts>,
    idle: Mutex<Option<Parcel<IdleCores>>>,
    meeting: Meeting,
    guests: AtomicUsize,
    /// Each core makes its own.
    observer: PhantomData<fn() -> O>,
}

impl<O: Observer> Work for Trial<O> {
    fn work(&self) {
        match &self.posts {
            None => self.work_alone(),
            Some(posts) => self.work_in_epochs(posts),
        }
    }
}

impl<O: Observer> Trial<O> {
    fn take(&self, number: usize) -> Option<Begun<O>> {
        let Parcel((index, core)) = self.jobs.get(number)?.lock().expect("a core's place").take()?;
        Some(self.begin(number, index, core))
    }

    fn put(&self, begun: Begun<O>) {
        let (number, index) = (begun.running.number, begun.running.index);
        let part = self.end(begun);
        *self.parts[number].lock().expect("a core's place") = Some(Parcel((index, part)));
    }

    /// One core to its end, then the next.
    fn work_alone(&self) {
        while let Some(mut begun) = self.take(self.next.fetch_add(1, Ordering::Relaxed)) {
            if !self.claims.is_given_up() {
                begun.running.engine.go_on();
            }
            self.put(begun);
        }
    }

    /// All cores of this host thread in turn: those that have an equal part of the work, if each has the same.
    fn work_in_epochs(&self, posts: &Posts) {
        let guest = self.guests.fetch_add(1, Ordering::Relaxed);
        let idle = if guest == 0 { self.idle.lock().expect("idle cores").take() } else { None };
        let mut share = Share {
            running: Vec::new(),
            idle: idle.map_or_else(Vec::new, |Parcel(idle)| idle),
            posts,
            claims: &self.claims,
            guest: self.meeting.guest(),
        };
        let mut left = Vec::new();
        for number in (guest..self.jobs.len()).step_by(self.meeting.count()) {
            let Some(mut begun) = self.take(number) else { continue };
            if !self.claims.is_given_up() {
                begun.running.engine.go_on();
            }
            left.push(begun.left);
            share.running.push(begun.running);
        }
        share.run();
        for (running, left) in share.running.drain(..).zip(left) {
            self.put(Begun { running, left });
        }
        if guest == 0 {
            *self.idle.lock().expect("idle cores") = Some(Parcel(share.idle));
        }
    }

    /// A core on this host thread, where it has not gone on yet.
    fn begin(&self, number: usize, index: usize, core: Core) -> Begun<O> {
        let left = core.is_used.then(|| Left { l1: core.l1.copy(), dst: core.tensix.dst.clone() });
        let mut engine = Engine::<O>::new(self.arch, vec![core], self.dram.clone());
        engine.claimant = Some(Claimant::new(self.claims.clone(), index));
        engine.outbound = self.posts.as_ref().map(|posts| Outbound::new(posts.grid.clone(), index));
        engine.show_launch(&self.layout.of_core(index));
        Begun { running: Running { number, index, engine }, left }
    }

    /// What came of a core, on the host thread that it ran on.
    fn end(&self, begun: Begun<O>) -> Part {
        let Begun { running: Running { mut engine, .. }, left } = begun;
        let status = engine.status();
        engine.end_kernels();
        let completed = status == Status::Completed;
        if !completed {
            self.claims.give_up();
        }
        let outcome = engine.outcome(status);
        let last = engine.observe_end(status);
        let Engine { mut cores, claimant, .. } = *engine;
        let core = cores.pop().expect("the core that was put there");
        let before = claimant.map_or_else(Vec::new, |c| c.before);
        Part { core, completed, outcome, last, left, before }
    }
}

impl<O: Observer> Machine<O> {
    /// Runs every core that has kernels by itself, and lets them meet or not; `None` if that failed, and then memory is as it was
    /// before.
    pub(crate) fn trial(&mut self, layout: &MemoryLayout, meet: bool) -> Option<LaunchOutcome> {
        let busy = Core::has_kernels;
        let count = self.engine.cores.iter().filter(|core| busy(core)).count();
        if count < 2 {
            return None;
        }
        let defined = self.engine.dram.definedness();
        let claims = Arc::new(Claims::new(self.engine.dram.regions.iter().map(|region| region.pages())));
        let posts = meet.then(|| Posts::new(Grid::of(&self.engine.cores), count));
        let cores = std::mem::take(&mut self.engine.cores);
        let (waiting, idle): (Vec<_>, Vec<_>) = cores.into_iter().enumerate().partition(|(_, core)| busy(core));
        let idle = idle.into_iter().map(|(index, core)| (index, Idle { core, left: None })).collect();
        let helpers = self.standby.as_ref().map_or(self.threads - 1, Standby::count).min(count - 1);
        let trial = Arc::new(Trial::<O> {
            arch: self.engine.arch,
            dram: self.engine.dram.clone(),
            claims: claims.clone(),
            parts: waiting.iter().map(|_| Mutex::new(None)).collect(),
            jobs: waiting.into_iter().map(|(index, core)| Mutex::new(Some(Parcel((index, core))))).collect(),
            next: AtomicUsize::new(0),
            layout: layout.clone(),
            posts,
            idle: Mutex::new(Some(Parcel(idle))),
            meeting: Meeting::of(helpers + 1),
            guests: AtomicUsize::new(0),
            observer: PhantomData,
        });
        match &self.standby {
            Some(standby) => standby.all(&trial, helpers),
            None => std::thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|| trial.work());
                }
                trial.work();
            }),
        }
        let trial = Arc::into_inner(trial).expect("the helpers have handed it back");
        let parts: Vec<(usize, Part)> =
            trial.parts.into_iter().filter_map(|part| Some(part.into_inner().expect("a core's place")?.0)).collect();
        let Parcel(idle) = trial.idle.into_inner().expect("idle cores").expect("a host thread has put them back");
        drop(trial.dram);
        if parts.iter().all(|(_, part)| part.completed) && !claims.is_given_up() {
            Some(self.put_together(parts, idle))
        } else {
            self.take_back(parts, idle, defined);
            None
        }
    }

    fn return_cores(&mut self, mut cores: Vec<(usize, Core)>) {
        cores.sort_by_key(|(index, _)| *index);
        self.engine.cores = cores.into_iter().map(|(_, core)| core).collect();
        // In place: a core is large, and is not moved for a number.
        self.engine.cores.iter_mut().enumerate().for_each(|(index, core)| core.index = index);
    }

    /// The outcomes of all cores, in the order of the cores.
    fn put_together(&mut self, parts: Vec<(usize, Part)>, idle: IdleCores) -> LaunchOutcome {
        let mut whole = LaunchOutcome {
            status: Status::Completed,
            cycles: 0,
            findings: Vec::new(),
            notes: Vec::new(),
            prints: Vec::new(),
            ledger: Ledger::default(),
        };
        let mut cores: Vec<(usize, Core)> = idle.into_iter().map(|(index, idle)| (index, idle.core)).collect();
        let (mut last_findings, mut last_notes) = (Vec::new(), Vec::new());
        for (index, part) in parts {
            whole.cycles = whole.cycles.max(part.outcome.cycles);
            whole.findings.extend(part.outcome.findings);
            whole.notes.extend(part.outcome.notes);
            whole.prints.extend(part.outcome.prints);
            last_findings.extend(part.last.0);
            last_notes.extend(part.last.1);
            cores.push((index, part.core));
        }
        whole.findings.extend(last_findings);
        whole.notes.extend(last_notes);
        whole.prints.sort_by_key(|p| (p.cycle, p.place.core, p.place.thread));
        self.return_cores(cores);
        whole
    }

    /// Memory as it was before the trial.
    fn take_back(&mut self, parts: Vec<(usize, Part)>, idle: IdleCores, defined: Vec<crate::page_set::PageSet>) {
        let was = |(index, Idle { core, left }): (usize, Idle)| {
            if let Some(left) = left {
                core.l1.write(0, &left);
            }
            (index, core)
        };
        let mut cores: Vec<(usize, Core)> = idle.into_iter().map(was).collect();
        let mut before = Vec::new();
        for (index, part) in parts {
            let mut core = part.core;
            match part.left {
                Some(left) => {
                    core.l1.write(0, &left.l1);
                    core.tensix.dst = left.dst;
                }
                None => {
                    core.l1.discard();
                    core.tensix.dst = Dst::default();
                }
            }
            before.extend(part.before);
            cores.push((index, core));
        }
        self.return_cores(cores);
        self.dram().undo(defined, before.into_iter());
    }
}

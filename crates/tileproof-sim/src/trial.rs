//! Cores on several host threads, on trial.
//!
//! Most programs give every core its own work, and no core ever sees another. So each core runs by itself, as if it were
//! alone, and what it touches of DRAM is claimed ([`crate::claims`]). If all complete and none met another, the order of
//! running cannot have mattered, and the outcomes are put together in the order of the cores: the record is that of one
//! host thread. Otherwise everything is taken back, and the launch runs again with all cores on one host thread.

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
use crate::machine::Machine;
use crate::standby::Work;

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

/// Where a core, or what came of it, is put down and taken up; it bears its number.
type Place<T> = Mutex<Option<Parcel<(usize, T)>>>;

/// The cores of a launch on trial, for any host thread to take one.
struct Trial<O> {
    arch: Arch,
    dram: Arc<Dram>,
    claims: Arc<Claims>,
    jobs: Vec<Place<Core>>,
    parts: Vec<Place<Part>>,
    next: AtomicUsize,
    layout: MemoryLayout,
    /// Each core makes its own.
    observer: PhantomData<fn() -> O>,
}

impl<O: Observer> Work for Trial<O> {
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(number) else { break };
            let Some(Parcel((index, core))) = job.lock().expect("a core's place").take() else { break };
            let part = run_core::<O>(self.arch, &self.dram, &self.claims, index, core, &self.layout);
            *self.parts[number].lock().expect("a core's place") = Some(Parcel((index, part)));
        }
    }
}

impl<O: Observer> Machine<O> {
    /// Runs every core that has kernels by itself; `None` if that failed, and then memory is as it was before.
    pub(crate) fn trial(&mut self, layout: &MemoryLayout) -> Option<LaunchOutcome> {
        let busy = Core::has_kernels;
        let count = self.engine.cores.iter().filter(|core| busy(core)).count();
        if count < 2 {
            return None;
        }
        let defined = self.engine.dram.definedness();
        let claims = Arc::new(Claims::new(self.engine.dram.regions.iter().map(|region| region.pages())));
        let cores = std::mem::take(&mut self.engine.cores);
        let (waiting, idle): (Vec<_>, Vec<_>) = cores.into_iter().enumerate().partition(|(_, core)| busy(core));
        let trial = Arc::new(Trial::<O> {
            arch: self.engine.arch,
            dram: self.engine.dram.clone(),
            claims: claims.clone(),
            parts: waiting.iter().map(|_| Mutex::new(None)).collect(),
            jobs: waiting.into_iter().map(|(index, core)| Mutex::new(Some(Parcel((index, core))))).collect(),
            next: AtomicUsize::new(0),
            layout: layout.clone(),
            observer: PhantomData,
        });
        match &self.standby {
            Some(standby) => standby.all(&trial, count - 1),
            None => std::thread::scope(|scope| {
                for _ in 1..self.threads.min(count) {
                    scope.spawn(|| trial.work());
                }
                trial.work();
            }),
        }
        let trial = Arc::into_inner(trial).expect("the helpers have handed it back");
        let parts: Vec<(usize, Part)> =
            trial.parts.into_iter().filter_map(|part| Some(part.into_inner().expect("a core's place")?.0)).collect();
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
    fn put_together(&mut self, parts: Vec<(usize, Part)>, idle: Vec<(usize, Core)>) -> LaunchOutcome {
        let mut whole = LaunchOutcome {
            status: Status::Completed,
            cycles: 0,
            findings: Vec::new(),
            notes: Vec::new(),
            prints: Vec::new(),
            ledger: Ledger::default(),
        };
        let mut cores = idle;
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
    fn take_back(&mut self, parts: Vec<(usize, Part)>, idle: Vec<(usize, Core)>, defined: Vec<crate::dram::PageSet>) {
        let mut cores = idle;
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

/// Runs one core to its end, on this host thread.
fn run_core<O: Observer>(
    arch: Arch,
    dram: &Arc<Dram>,
    claims: &Arc<Claims>,
    index: usize,
    core: Core,
    layout: &MemoryLayout,
) -> Part {
    let left = core.is_used.then(|| Left { l1: core.l1.copy(), dst: core.tensix.dst.clone() });
    let mut engine = Engine::<O>::new(arch, vec![core], dram.clone());
    engine.claimant = Some(Claimant { claims: claims.clone(), core: index, before: Vec::new() });
    engine.show_launch(&layout.of_core(index));
    let status = if claims.is_given_up() { Status::Stopped } else { engine.run() };
    engine.end_kernels();
    let completed = status == Status::Completed;
    if !completed {
        claims.give_up();
    }
    let outcome = engine.outcome(status);
    let last = engine.observe_end(status);
    let Engine { mut cores, claimant, .. } = *engine;
    let core = cores.pop().expect("the core that was put there");
    let before = claimant.map_or_else(Vec::new, |c| c.before);
    Part { core, completed, outcome, last, left, before }
}

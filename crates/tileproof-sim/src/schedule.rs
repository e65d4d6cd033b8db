//! Who runs next.
//!
//! A thread runs until it has to wait; then the earliest thread of the core goes on, ties in the order of the
//! threads. A core goes on as long as one of its threads can; one that polls gives way to cores that are not as far as it.
//! Waits end at the moment that what they waited for came to be, whoever ran first, so the
//! order of running does not show in cycles. Start at [`Visit`].

#![allow(unsafe_code)]

use tileproof_model::abi::Site;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::kernel::{KernelArgs, SharedKernel};
use tileproof_model::observe::Observer;
use tileproof_model::record::{Ledger, Status};
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::doors::{Current, Step, calls_made, set_current};
use crate::explore::TURNS_BEFORE_LANDING;
use crate::fiber::{Command, End, Fiber};
use crate::hart::State;
use crate::liveness;
use crate::machine::{Engine, LaunchOutcome};

/// Turns in a row that may pass without any thread's making a call that changes something. A kernel gives a turn every 512
/// basic blocks of its own, so this is 67 million of them, as many looks at a circular buffer, or eight times as many looks of
/// other kinds. Kernels that give up after some thousands of looks end before.
const IDLE_TURNS: u32 = 1 << 17;

/// Fewer are enough on trial, where a core is alone: whoever polls may be waiting for another.
const IDLE_TURNS_ON_TRIAL: u32 = 1 << 13;

/// The core whose threads run now.
#[derive(Clone, Copy, Default)]
pub(crate) struct Visit {
    pub(crate) core: usize,
    /// It gave a turn, and another core is not as far.
    is_over: bool,
}

impl Visit {
    /// Who runs next by default.
    pub(crate) fn next(&mut self, cores: &mut [Core]) -> Option<(usize, Thread)> {
        let (from, count) = (self.core + usize::from(self.is_over), cores.len());
        for core in (0..count).map(|step| (from + step) % count) {
            if let Some(thread) = cores[core].next_thread() {
                *self = Visit { core, is_over: false };
                return Some((core, thread));
            }
        }
        None
    }

    /// A thread gave a turn: what it looks for may have to come from a core that is not as far.
    fn gave_turn(&mut self, cores: &[Core], core: usize, thread: Thread) {
        let Some(now) = cores[core].can_go_on(thread) else { return };
        let behind = |other: &Core| Thread::ALL.into_iter().any(|t| other.can_go_on(t).is_some_and(|at| at < now));
        self.is_over = cores.iter().enumerate().any(|(index, other)| index != core && behind(other));
    }
}

/// A fiber that runs `kernel` on `thread` with (compile-time, runtime, common) arguments.
fn kernel_fiber<O: Observer>(kernel: SharedKernel, thread: Thread, arguments: [Vec<u32>; 3]) -> std::io::Result<Fiber> {
    Fiber::new(move |suspender| {
        crate::doors::adopt::<O>(suspender);
        let [compile_time, runtime, common] = &arguments;
        kernel.run(Engine::<O>::ABI, &KernelArgs { thread, compile_time, runtime, common });
        crate::doors::finish::<O>();
    })
}

impl<O: Observer> Engine<O> {
    /// Runs all threads until nothing can run. Kernels that wait then are left as they are.
    pub(crate) fn run(&mut self) -> Status {
        let engine: *mut Engine<O> = self;
        // SAFETY: `engine` is `self`, which is not used until the end of this block. References made from it here end
        // before a fiber is resumed, and the fiber's end before it suspends, so at any time there is one at most.
        unsafe {
            (*engine).stopped = false;
            (*engine).has_crashed = false;
            let (mut visit, mut idle, mut calls) = (Visit::default(), 0u32, calls_made());
            while !(*engine).stopped {
                let next = match &(*engine).explorer {
                    None => visit.next(&mut (*engine).cores),
                    Some(_) => (&mut *engine).next_explored(),
                };
                let Some((core, thread)) = next else {
                    // What is under way lands at the latest when nothing else can happen.
                    if (&mut *engine).land_all() {
                        continue;
                    }
                    break;
                };
                resume(engine, core, thread);
                (&mut *engine).gave_turn(&mut visit, core, thread);
                idle = if calls_made() == calls { idle + 1 } else { 0 };
                calls = calls_made();
                (&mut *engine).after_turn(core, thread, idle);
            }
        }
        let stuck = self.cores.iter().any(|c| c.is_busy());
        let status = match (self.has_crashed, self.stopped, stuck) {
            (true, ..) => Status::Crashed,
            (_, true, _) => Status::Stopped,
            (_, _, true) => Status::Deadlock,
            _ => Status::Completed,
        };
        if status == Status::Deadlock {
            liveness::explain(self);
        }
        status
    }

    /// What the run came to; observers may have more to say.
    pub(crate) fn outcome(&mut self, status: Status) -> LaunchOutcome {
        LaunchOutcome {
            status,
            cycles: self.cores.iter().map(|c| c.clock()).max().unwrap_or(0),
            findings: std::mem::take(&mut self.sink).findings,
            notes: std::mem::take(&mut self.notes),
            prints: std::mem::take(&mut self.prints),
            ledger: Ledger::default(),
        }
    }

    /// Unwinds the kernels that can never go on. It must run where they ran.
    pub(crate) fn end_kernels(&mut self) {
        let engine: *mut Engine<O> = self;
        // SAFETY: as in `run`; destructors of a kernel's frames may call into the engine while it is unwound.
        unsafe {
            for core in 0..(*engine).cores.len() {
                for thread in Thread::ALL {
                    let fiber =
                        (&mut (*engine).cores)[core].harts[thread as usize].as_mut().and_then(|h| h.fiber.take());
                    if let Some(fiber) = fiber {
                        let outer = set_current(Current { engine: engine.cast(), core, thread });
                        drop(fiber);
                        set_current(outer);
                    }
                }
            }
        }
    }
}

/// Runs one thread until it waits or ends.
///
/// # Safety
/// `engine` is valid, and no reference into it is alive.
unsafe fn resume<O: Observer>(engine: *mut Engine<O>, core: usize, thread: Thread) {
    // SAFETY: the caller's promise; the fiber is taken out so that no reference is alive while it runs.
    unsafe {
        let hart = (&mut (*engine).cores)[core].hart(thread);
        let fiber = match hart.arguments.take() {
            Some(arguments) => kernel_fiber::<O>(hart.kernel.clone(), thread, arguments).map(Some),
            None => Ok(hart.fiber.take()),
        };
        let mut fiber = match fiber {
            Ok(Some(fiber)) => fiber,
            Ok(None) => return,
            Err(error) => {
                (*engine).host_error = Some(error);
                (*engine).stopped = true;
                return;
            }
        };
        let outer = set_current(Current { engine: engine.cast(), core, thread });
        let end = fiber.resume(Command::Go);
        set_current(outer);
        let hart = (&mut (*engine).cores)[core].hart(thread);
        match end {
            None => hart.fiber = Some(fiber),
            Some(End::Returned | End::Killed) => hart.state = State::Finished,
            Some(End::Faulted(fault)) => {
                hart.state = State::Finished;
                // The instruction's own line, when it is the kernel's; else that of the last call.
                let site = if hart.kernel.contains(fault.pc) { Site(fault.pc + 1) } else { hart.site };
                (*engine).crashed(core, thread, site, fault.describe(), fault.reached());
                (*engine).stopped = true;
            }
            Some(End::Panicked { message, file, line }) => {
                let site = hart.site;
                hart.state = State::Finished;
                let text = if file.is_empty() { message } else { format!("{message} ({file}:{line})") };
                (*engine).crashed(core, thread, site, text, None);
                (*engine).stopped = true;
            }
        }
    }
}

impl<O: Observer> Engine<O> {
    fn gave_turn(&mut self, visit: &mut Visit, core: usize, thread: Thread) {
        let Engine { cores, explorer, .. } = self;
        if matches!(cores[core].hart(thread).state, State::Ready) {
            let visit = explorer.as_mut().map_or(visit, |explorer| &mut explorer.visit);
            visit.gave_turn(cores, core, thread);
        }
    }

    /// After a turn of a thread, the `idle`th in a row that has changed nothing.
    fn after_turn(&mut self, core: usize, thread: Thread, idle: u32) {
        if let Some(turns) = &mut self.turns {
            *turns = turns.saturating_sub(1);
            self.stopped |= *turns == 0;
        }
        if let Some(claimant) = &self.claimant {
            if idle == IDLE_TURNS_ON_TRIAL {
                claimant.claims.give_up();
            }
            self.stopped |= claimant.claims.is_given_up();
        }
        if idle == TURNS_BEFORE_LANDING {
            self.land_all();
        }
        if idle == IDLE_TURNS {
            self.does_not_end(core, thread, idle);
        }
    }

    /// A thread goes round and round, and nobody else does anything about it.
    fn does_not_end(&mut self, core: usize, thread: Thread, turns: u32) {
        let site = self.cores[core].hart(thread).site;
        let mut finding = self.cores[core].finding(
            Code::STEP_LIMIT,
            thread,
            site,
            format!("kernel on {thread} does not end: it goes round here, and no thread changes anything any more"),
        );
        finding.primary_text = "goes round here".into();
        finding.facts.insert("turns".into(), turns.to_string());
        if let Some(offset) = self.cores[core].hart(thread).looked_at {
            let core = &self.cores[core];
            let (name, value) = (core.word_name(offset), core.l1.read_word(offset));
            finding.notes.push(format!("it looks at {name}, which is {value:#x}"));
        }
        self.tell_others(core, thread, &mut finding);
        finding.help = Some("wait with cb_wait_front or noc_semaphore_wait: then the report says for what".into());
        self.sink.raise(site, finding);
        self.stopped = true;
    }

    /// What the other threads do meanwhile: those of the core by their places, those of other cores by their number.
    fn tell_others(&self, core: usize, thread: Thread, finding: &mut Finding) {
        let (mut wait, mut go_round) = (0, 0);
        for (index, other) in self.cores.iter().enumerate() {
            for (who, hart) in Thread::ALL.into_iter().zip(&other.harts) {
                let Some(hart) = hart.as_ref().filter(|_| (index, who) != (core, thread)) else { continue };
                let what = match hart.state {
                    State::Finished => continue,
                    State::Blocked(wait) => other.describe(wait),
                    State::Ready => "goes round here, too".into(),
                };
                if index == core {
                    finding.labels.push(other.label(who, hart.site, format!("{who} {what}")));
                } else {
                    wait += u32::from(matches!(hart.state, State::Blocked(_)));
                    go_round += u32::from(matches!(hart.state, State::Ready));
                }
            }
        }
        if self.cores.len() > 1 {
            finding.notes.push(match (wait, go_round) {
                (0, 0) => "the kernels of all other cores have ended".into(),
                (wait, 0) => format!("of the threads of other cores {wait} wait, the rest have ended"),
                (0, round) => format!("of the threads of other cores {round} go round too, the rest have ended"),
                (wait, round) => format!("of the threads of other cores {wait} wait and {round} go round too"),
            });
        }
    }

    /// A thread may end only once the matrix unit has begun with all that UNPACK handed over.
    pub(crate) fn finish(&mut self, core: usize, thread: Thread) -> Step {
        let step = if thread == Thread::Unpack { self.cores[core].sources_taken() } else { Step::Done };
        if self.explorer.is_some() && matches!(step, Step::Done) {
            self.land_all_of(core, thread);
        }
        step
    }
}

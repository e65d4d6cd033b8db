//! Who runs next.
//!
//! A thread runs until it has to wait; then the earliest thread of the core goes on, ties in the order of the
//! threads. A core goes on as long as one of its threads can; then the next core. Waits end at the moment that what they
//! waited for came to be, whoever ran first, so the order of running does not show in cycles.

#![allow(unsafe_code)]

use tileproof_model::abi::Site;
use tileproof_model::finding::Code;
use tileproof_model::kernel::{KernelArgs, SharedKernel};
use tileproof_model::observe::Observer;
use tileproof_model::record::{Ledger, Status};
use tileproof_model::thread::Thread;

use crate::doors::{Current, Step, calls_made, set_current};
use crate::explore::TURNS_BEFORE_LANDING;
use crate::fiber::{Command, End, Fiber};
use crate::hart::State;
use crate::liveness;
use crate::machine::{Engine, LaunchOutcome};

/// Turns in a row that may pass without any thread's making a call that does something. A kernel gives a turn every 512
/// basic blocks of its own, so this is 67 million of them, or as many looks at a circular buffer.
const IDLE_TURNS: u32 = 1 << 17;

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
            let cores = (*engine).cores.len();
            if (*engine).explorer.is_some() {
                run_explored(engine);
            }
            let mut idle = 0u32;
            let mut calls = calls_made();
            while (*engine).explorer.is_none() {
                let mut moved = false;
                for core in 0..cores {
                    while !(*engine).stopped {
                        let Some(thread) = (&mut (*engine).cores)[core].next_thread() else { break };
                        resume(engine, core, thread);
                        moved = true;
                        if let Some(turns) = &mut (*engine).turns {
                            *turns = turns.saturating_sub(1);
                            (*engine).stopped |= *turns == 0;
                        }
                        idle = if calls_made() == calls { idle + 1 } else { 0 };
                        calls = calls_made();
                        if idle == IDLE_TURNS {
                            (*engine).does_not_end(core, thread);
                        }
                        let claimant = &(*engine).claimant;
                        if claimant.as_ref().is_some_and(|c| c.claims.is_given_up()) {
                            (*engine).stopped = true;
                        }
                    }
                }
                if !moved || (*engine).stopped {
                    break;
                }
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

/// As the default order, with the departures of a schedule.
///
/// # Safety
/// As for [`resume`].
unsafe fn run_explored<O: Observer>(engine: *mut Engine<O>) {
    // SAFETY: the caller's promise; references made here end before a fiber is resumed.
    unsafe {
        let mut idle = 0u32;
        let mut calls = calls_made();
        while !(*engine).stopped {
            let Some((core, thread)) = (&mut *engine).next_explored() else {
                // What is under way lands at the latest when nothing else can happen.
                if (&mut *engine).land_all() {
                    continue;
                }
                break;
            };
            resume(engine, core, thread);
            idle = if calls_made() == calls { idle + 1 } else { 0 };
            calls = calls_made();
            if idle == TURNS_BEFORE_LANDING {
                (&mut *engine).land_all();
            }
            if idle == IDLE_TURNS {
                (&mut *engine).does_not_end(core, thread);
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
    /// A thread goes round and round, and nobody else can do anything about it.
    fn does_not_end(&mut self, core: usize, thread: Thread) {
        let site = self.cores[core].hart(thread).site;
        let mut finding = self.cores[core].finding(
            Code::STEP_LIMIT,
            thread,
            site,
            format!("kernel on {thread} does not end: it goes round here, and no other thread can change what it sees"),
        );
        finding.primary_text = "goes round here".into();
        finding.facts.insert("turns".into(), IDLE_TURNS.to_string());
        if let Some(offset) = self.cores[core].hart(thread).looked_at {
            let core = &self.cores[core];
            let (name, value) = (core.word_name(offset), core.l1.read_word(offset));
            finding.notes.push(format!("it looks at {name}, which is {value:#x}"));
        }
        finding.help = Some("wait with cb_wait_front or noc_semaphore_wait: then the report says for what".into());
        self.sink.raise(site, finding);
        self.stopped = true;
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

//! The run of a launch: a thread goes on until it has to wait, then another.
//!
//! Waits end at the moment that what they waited for came to be, whoever ran first, so the order of running does not show in
//! cycles. Who goes on is said in `order.rs`. Start at [`Engine::run`].

#![allow(unsafe_code)]

use std::sync::Arc;

use tileproof_model::abi::Abi;
use tileproof_model::kernel::{KernelArgs, SharedKernel};
use tileproof_model::observe::Observer;
use tileproof_model::record::Status;
use tileproof_model::thread::Thread;

use crate::black_box;
use crate::core::Core;
use crate::endless;
use crate::engine::Engine;
use crate::fault::site_of;
use crate::fiber::{Command, Fiber};
use crate::hart::State;
use crate::liveness;
use crate::looked_for::LookedFor;
use crate::step::{Caller, Step};
use crate::trap::{self, End};
use crate::turns::{Current, adopt, calls_made, finish, set_current};

/// Turns in a row that may pass without any thread's making a call that changes something. A kernel gives a turn every 512
/// basic blocks of its own, so this is 67 million of them, as many looks at a circular buffer, or eight times as many looks of
/// other kinds. Kernels that give up after some thousands of looks end before.
const IDLE_TURNS: u32 = 1 << 17;

/// Fewer are enough on trial, where a core is alone: whoever polls may be waiting for another.
const IDLE_TURNS_ON_TRIAL: u32 = 1 << 13;

/// Lines that a kernel prints count as so many to a turn: they take the host longer than what a loop does otherwise.
const LINES_A_TURN: u32 = 8;

/// So do so many loads and stores of its own: a loop of them alone ends after 33 million, each of which observers have looked at.
const ACCESSES_A_TURN: u32 = 512;

/// Turns without a call after which transfers that are held back land: whoever polls may be waiting for them.
const TURNS_BEFORE_LANDING: u32 = 1 << 12;

/// Turns that threads of a core which runs apart may give before its visit is over, whatever they do: they may look at DRAM.
const TURNS_A_VISIT: u32 = 256;

/// The clock of a thread that has given a turn, and neither waits nor has ended.
fn gives_turn(core: &Core, thread: Thread) -> Option<u64> {
    let hart = core.harts[thread as usize].as_ref()?;
    matches!(hart.state, State::Ready).then_some(hart.clock)
}

/// A fiber that runs `kernel` on `thread` with (compile-time, runtime, common) arguments.
fn kernel_fiber<O: Observer>(
    kernel: SharedKernel,
    thread: Thread,
    abi: &'static Abi,
    arguments: [Vec<u32>; 3],
) -> std::io::Result<Fiber> {
    Fiber::new(move |suspender| {
        adopt::<O>(suspender);
        let [compile_time, runtime, common] = &arguments;
        kernel.run(abi, &KernelArgs { thread, compile_time, runtime, common });
        finish::<O>();
    })
}

impl<O: Observer> Engine<O> {
    /// Runs all threads until nothing can run. Kernels that wait then are left as they are.
    pub(crate) fn run(&mut self) -> Status {
        self.stopped = false;
        self.has_crashed = false;
        self.idle = 0;
        self.go_on();
        let status = self.status();
        if status == Status::Deadlock {
            liveness::explain(self);
        }
        status
    }

    /// Lets the threads go on until none can, until the run is stopped, or, where the core runs apart from others that it may reach,
    /// until its visit is over.
    pub(crate) fn go_on(&mut self) {
        let engine: *mut Engine<O> = self;
        // SAFETY: `engine` is `self`, which is not used until the end of this block. References made from it here end
        // before a fiber is resumed, and the fiber's end before it suspends, so at any time there is one at most.
        unsafe {
            let (mut idle, mut calls, mut turns) = ((*engine).idle, calls_made(), 0u32);
            while !(*engine).stopped {
                let Engine { order, cores, .. } = &mut *engine;
                let next = order.next(cores);
                let Some((core, thread)) = next else {
                    // What is under way lands at the latest when nothing else can happen.
                    if (&mut *engine).land_all() {
                        continue;
                    }
                    break;
                };
                resume(engine, core, thread);
                let Engine { order, cores, .. } = &mut *engine;
                order.gave_turn(cores, core, thread);
                let lines = std::mem::take(&mut (*engine).printed) / LINES_A_TURN;
                let accesses = std::mem::take(&mut (*engine).accesses) / ACCESSES_A_TURN;
                let before = idle;
                idle = if calls_made() == calls { idle + 1 + lines + accesses } else { 0 };
                calls = calls_made();
                (&mut *engine).after_turn(core, thread, [before, idle]);
                if let Some(outbound) = &(*engine).outbound
                    && let Some(now) = gives_turn(&(&(*engine).cores)[core], thread)
                {
                    turns += 1;
                    let may_wait = idle > 0 && (now > outbound.others_at || !outbound.sendings.is_empty());
                    if may_wait || turns >= TURNS_A_VISIT {
                        break;
                    }
                }
            }
            (*engine).idle = idle;
        }
    }

    /// What the run has come to.
    pub(crate) fn status(&self) -> Status {
        let stuck = self.cores.iter().any(|c| c.is_busy());
        match (self.has_crashed, self.stopped, stuck) {
            (true, ..) => Status::Crashed,
            (_, true, _) => Status::Stopped,
            (_, _, true) => Status::Deadlock,
            _ => Status::Completed,
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
        let mut fiber = match hart.fiber.take() {
            Some(fiber) => fiber,
            None => {
                let Some(arguments) = hart.arguments.take() else { return };
                // Asked of the type first: observed runs are none of those.
                let is_mutant = !O::ACTIVE && (*engine).mutation.is_some();
                let abi = if is_mutant { Engine::<O>::MUTANT_ABI } else { Engine::<O>::ABI };
                match kernel_fiber::<O>(hart.kernel.clone(), thread, abi, arguments) {
                    Ok(fiber) => Box::new(fiber),
                    Err(error) => {
                        (*engine).host_error = Some(error);
                        (*engine).stopped = true;
                        return;
                    }
                }
            }
        };
        let on = &mut (&mut (*engine).cores)[core];
        let coord = on.coord;
        let hart = on.hart(thread);
        black_box::begins_turn(coord, thread, hart.site);
        trap::has_turn(Some((&raw const hart.site, Arc::as_ptr(&hart.kernel))));
        let outer = set_current(Current { engine: engine.cast(), core, thread });
        let end = fiber.resume(Command::Go);
        set_current(outer);
        trap::has_turn(None);
        black_box::ends_turn();
        let hart = (&mut (*engine).cores)[core].hart(thread);
        let site = hart.site;
        if std::mem::take(&mut fiber.changed_floats) {
            let text =
                "it changed how floating-point numbers are rounded, which on this host is a state of the machine's too";
            (*engine).crashed(Caller { core, thread, site }, text.into(), None);
            (*engine).stopped = true;
        }
        let hart = (&mut (*engine).cores)[core].hart(thread);
        match end {
            None => hart.fiber = Some(fiber),
            Some(End::Returned | End::Killed) => hart.state = State::Finished,
            Some(End::Faulted(fault)) => {
                hart.state = State::Finished;
                let own = site_of(&*hart.kernel, fault.pc, [black_box::block(), hart.site], &trap::words_of_stack());
                let site = own.unwrap_or(hart.site);
                let by = Caller { core, thread, site };
                if fault.is_refusal() {
                    (*engine).reached_out(by, fault.describe());
                } else {
                    (*engine).crashed(by, fault.describe(), fault.reached());
                }
                (*engine).stopped = true;
            }
            Some(End::Panicked { message, file, line }) => {
                let site = hart.site;
                hart.state = State::Finished;
                let text = if file.is_empty() { message } else { format!("{message} ({file}:{line})") };
                (*engine).crashed(Caller { core, thread, site }, text, None);
                (*engine).stopped = true;
            }
        }
    }
}

impl<O: Observer> Engine<O> {
    /// After a turn of a thread, which made `idle` of the turns in a row that have changed nothing, where there were `before`.
    fn after_turn(&mut self, core: usize, thread: Thread, [before, idle]: [u32; 2]) {
        if let Some(turns) = &mut self.turns {
            *turns = turns.saturating_sub(1);
            self.stopped |= *turns == 0;
        }
        if let Some(seconds) = black_box::is_asked_to_end() {
            // On trial the run is repeated, and says it then.
            match &self.claimant {
                Some(claimant) => claimant.claims.give_up(),
                None => endless::over_limit(self, core, thread, seconds),
            }
            self.stopped = true;
        }
        if let Some(claimant) = &self.claimant {
            if idle >= IDLE_TURNS_ON_TRIAL {
                claimant.claims.give_up();
            }
            self.stopped |= claimant.claims.is_given_up();
        }
        if before < TURNS_BEFORE_LANDING && idle >= TURNS_BEFORE_LANDING {
            self.land_all();
        }
        if idle >= IDLE_TURNS {
            endless::explain(self, core, thread, idle);
            self.stopped = true;
        }
    }

    /// A thread may end only once the matrix unit has begun with all that UNPACK handed over.
    pub(crate) fn finish(&mut self, core: usize, thread: Thread) -> Step {
        if thread == Thread::Unpack {
            self.cores[core].sources_taken()?;
        }
        self.land_all_of(core, thread);
        // The image is another run's from here on.
        self.cores[core].hart(thread).looked_for = LookedFor::default();
        Ok(())
    }
}

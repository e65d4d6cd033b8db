//! A random program while it is put together: its parts come one after the other on each thread, each with places, semaphores and pages
//! of its own, so that parts that are right make a program that is.
//!
//! Start at [`random`].

use tileproof_model::arch::Arch;

use super::calls::{Barrier, Call, Grid, PAGE, PLACES, Step, Steps, WORDS, WORDS_BYTES};
use super::{between_cores, on_a_core};

/// Numbers of a row, the same each time.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// One of `from..=to`.
    pub(crate) fn one(&mut self, from: u32, to: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (self.0 >> 33) as u32 % (to - from + 1)
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.one(0, 1) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.one(0, choices.len() as u32 - 1) as usize]
    }
}

/// A circular buffer, and how many pages it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) cb: u32,
    pub(crate) pages: u32,
}

/// What the compute kernels do: copy so many tiles from a buffer to another, some at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copies {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) blocks: u32,
    pub(crate) block: u32,
}

/// A program, as far as it is.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) grid: Grid,
    pub(crate) steps: Steps,
    /// Of each tensor.
    pub(crate) pages: u32,
    pub(crate) semaphores: u32,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) copies: Option<Copies>,
    /// Which parts it has.
    pub(crate) parts: Vec<&'static str>,
    places: u32,
    lines: u32,
}

impl Program {
    /// A thread of a core goes on with these calls, over a NoC.
    pub(crate) fn then(&mut self, core: u32, thread: usize, noc: u32, calls: &[Call]) {
        for call in calls {
            self.lines += 1;
            self.steps[core as usize][thread].push(Step { noc, call: *call, line: self.lines });
        }
    }

    /// The first of so many semaphores that are nobody else's.
    pub(crate) fn semaphores(&mut self, count: u32) -> u32 {
        self.semaphores += count;
        self.semaphores - count
    }

    /// The first of so many places.
    pub(crate) fn places(&mut self, count: u32) -> u32 {
        self.places += count;
        self.places - count
    }

    /// The first of so many pages of each tensor.
    pub(crate) fn pages(&mut self, count: u32) -> u32 {
        self.pages += count;
        self.pages - count
    }

    /// The buffers, and those that are memory alone.
    pub(crate) fn all_buffers(&self) -> impl Iterator<Item = Buffer> {
        let memory = [(PLACES, self.places * PAGE), (WORDS, self.semaphores * WORDS_BYTES)];
        let memory = memory.map(|(cb, bytes)| Buffer { cb, pages: bytes.div_ceil(PAGE).max(1) });
        self.buffers.clone().into_iter().chain(memory)
    }

    pub(crate) fn buffer(&mut self, pages: u32) -> u32 {
        let cb = self.buffers.len() as u32;
        self.buffers.push(Buffer { cb, pages });
        cb
    }
}

/// A program of which nothing is said yet, with so many semaphores.
pub(crate) fn empty(arch: Arch, columns: u32, cores: u32, semaphores: u32) -> Program {
    Program {
        grid: Grid { arch, columns, cores },
        steps: (0..cores).map(|_| [Vec::new(), Vec::new()]).collect(),
        pages: 0,
        semaphores,
        buffers: Vec::new(),
        copies: None,
        parts: Vec::new(),
        places: 0,
        lines: 0,
    }
}

type Part = fn(&mut Numbers, &mut Program) -> &'static str;

/// A program of one to three parts, on 1 to 8 cores of either chip.
pub(crate) fn random(numbers: &mut Numbers) -> Program {
    let arch = numbers.of(&Arch::ALL);
    let cores = numbers.one(1, 8);
    let columns = if cores.is_multiple_of(2) && cores > 2 && numbers.coin() { cores / 2 } else { cores.min(6) };
    // A whole rectangle: all of its cores are multicast to.
    let cores = cores / columns * columns;
    let mut program = empty(arch, columns, cores, 0);
    let own: [Part; 4] =
        [on_a_core::through_a_buffer, on_a_core::through_compute, on_a_core::by_hand, on_a_core::by_pointer];
    let shared: [Part; 7] = [
        between_cores::line,
        between_cores::star,
        between_cores::gather,
        between_cores::pull,
        between_cores::through_dram,
        between_cores::exchange,
        between_cores::all_meet,
    ];
    for _ in 0..numbers.one(1, 3) {
        let part = if cores == 1 || numbers.one(0, 2) == 0 { numbers.of(&own) } else { numbers.of(&shared) };
        let name = part(numbers, &mut program);
        program.parts.push(name);
    }
    for core in 0..cores {
        for thread in 0..2 {
            for noc in 0..2 {
                let over = |step: &&Step| step.noc == noc;
                let used = program.steps[core as usize][thread].iter().filter(over).map(|step| step.call);
                let ends = endings(used.collect());
                program.then(core, thread, noc, &ends);
            }
        }
    }
    program
}

/// What a kernel waits for at its end, of the calls that it has made over a NoC.
fn endings(calls: Vec<Call>) -> Vec<Call> {
    let writes = |call: &Call| {
        matches!(
            call,
            Call::Write(..)
                | Call::Send(..)
                | Call::Multicast(_)
                | Call::MulticastToAll(..)
                | Call::SetInline(..)
                | Call::SetBySending(..)
                | Call::SetByMulticast(..)
                | Call::Drain(..)
        )
    };
    let mut ends = Vec::new();
    ends.extend(calls.iter().any(writes).then_some(Call::Wait(Barrier::Writes)));
    ends.extend(calls.iter().any(|call| matches!(call, Call::Post(..))).then_some(Call::Wait(Barrier::PostedFlushed)));
    ends.extend(calls.iter().any(|call| matches!(call, Call::Raise(..))).then_some(Call::Wait(Barrier::Atomics)));
    ends
}

//! Parts of random programs in which cores meet: pages go from core to core, with flags and credits of several kinds.
//!
//! Each must be right by construction, whatever the numbers: a flag comes behind its data where both go the same way, or where the
//! data were waited for; a place is used again when whoever had it has said so. Start at any.

use super::calls::{Barrier, Call, Tensor};
use super::program::{Numbers, Program};

/// How a core tells another that a page is there.
#[derive(Clone, Copy, Debug)]
enum Tells {
    Raises,
    Inline,
    Sends,
}

impl Tells {
    const ALL: [Tells; 3] = [Tells::Raises, Tells::Inline, Tells::Sends];

    fn call(self, core: u32, id: u32, value: u32) -> Call {
        match self {
            Tells::Raises => Call::Raise(core, id),
            Tells::Inline => Call::SetInline(core, id, value),
            Tells::Sends => Call::SetBySending(core, id, value),
        }
    }
}

/// How a core waits for a count.
#[derive(Clone, Copy, Debug)]
enum Looks {
    Waits,
    Polls,
}

impl Looks {
    fn drawn(numbers: &mut Numbers) -> Looks {
        numbers.of(&[Looks::Waits, Looks::Polls])
    }

    fn call(self, id: u32, value: u32) -> Call {
        match self {
            Looks::Waits => Call::AtLeast(id, value),
            Looks::Polls => Call::Poll(id, value),
        }
    }
}

/// What stands between a write and the flag behind it.
fn between(numbers: &mut Numbers, is_one_noc: bool) -> Call {
    // What has left comes behind nothing but what goes the same way.
    Call::Wait(match is_one_noc {
        true => numbers.of(&[Barrier::Flushed, Barrier::Writes, Barrier::Full]),
        false => numbers.of(&[Barrier::Writes, Barrier::Full]),
    })
}

/// Pages from the first core to the last, by way of all others.
pub(super) fn line(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (cores, places, pages) = (program.grid.cores, numbers.one(1, 3), numbers.one(1, 4));
    let (at, first, there, free) =
        (program.places(places), program.pages(pages), program.semaphores(1), program.semaphores(1));
    let (data, flags, credits) = (numbers.one(0, 1), numbers.one(0, 1), numbers.one(0, 1));
    let (tells, answers) = (numbers.of(&Tells::ALL), numbers.of(&Tells::ALL));
    let (looks, looks_back) = (Looks::drawn(numbers), Looks::drawn(numbers));
    let is_one_noc = data == flags;
    let posted = is_one_noc && numbers.one(0, 3) == 0;
    // A write and a flag that is one as well need nothing in between.
    let bare = is_one_noc && !posted && !matches!(tells, Tells::Raises) && numbers.coin();
    let landed = if posted { Call::Wait(Barrier::PostedFlushed) } else { between(numbers, is_one_noc) };
    let equal = places == 1 && numbers.coin();
    let thread = numbers.one(0, 1) as usize;
    for core in 0..cores {
        for page in 0..pages {
            let place = at + page % places;
            let then = |program: &mut Program, noc, calls: &[Call]| program.then(core, thread, noc, calls);
            let credit = (core + 1 < cores && page >= places).then(|| looks_back.call(free, page + 1 - places));
            // The first core fills its place anew: whatever was in it has been taken by the next one.
            if core == 0 {
                program.then(core, thread, flags, credit.as_slice());
                then(program, data, &[Call::Read(Tensor::In, first + page, place), Call::Wait(Barrier::Reads)]);
            } else {
                let wait = if equal { Call::Equals(there, page + 1) } else { looks.call(there, page + 1) };
                then(program, flags, &[wait]);
            }
            if core + 1 == cores {
                then(program, data, &[Call::Write(Tensor::Out, first + page, place), Call::Wait(Barrier::Flushed)]);
            } else {
                if core > 0 {
                    program.then(core, thread, flags, credit.as_slice());
                }
                let send = if posted { Call::Post(core + 1, place, place) } else { Call::Send(core + 1, place, place) };
                then(program, data, &[send]);
                if !bare {
                    then(program, data, &[landed]);
                }
                then(program, flags, &[tells.call(core + 1, there, page + 1)]);
                // Whoever gives its place back must have sent what is in it.
                if bare && core > 0 {
                    then(program, data, &[Call::Wait(Barrier::Flushed)]);
                }
            }
            if core > 0 {
                then(program, credits, &[answers.call(core - 1, free, page + 1)]);
            }
        }
    }
    "line"
}

/// Pages from one core to all others at once; each is written out by one of them.
pub(super) fn star(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (cores, places, pages) = (program.grid.cores, numbers.one(1, 3), numbers.one(1, 4));
    let (at, first, go, done) =
        (program.places(2 * places), program.pages(pages), program.semaphores(1), program.semaphores(1));
    let (hub, noc, credits) = (numbers.one(0, cores - 1), numbers.one(0, 1), numbers.one(0, 1));
    let (flushes, to_all, looks) = (numbers.coin(), numbers.coin(), Looks::drawn(numbers));
    let barrier = between(numbers, true);
    for page in 0..pages {
        let (place, copy) = (at + page % places, at + places + page % places);
        let there = if to_all { copy } else { place };
        // All answers to all pages: fewer may be one core's answers to several.
        if page >= places {
            program.then(hub, 0, credits, &[Call::AtLeast(done, page * (cores - 1))]);
        }
        program.then(hub, 0, noc, &[Call::Read(Tensor::In, first + page, place), Call::Wait(Barrier::Reads)]);
        let send = if to_all { Call::MulticastToAll(place, copy) } else { Call::Multicast(place) };
        program.then(hub, 0, noc, &[send]);
        if flushes {
            program.then(hub, 0, noc, &[barrier]);
        }
        program.then(hub, 0, noc, &[Call::SetByMulticast(go, page + 1)]);
        let writes = [Call::Write(Tensor::Out, first + page, there), Call::Wait(Barrier::Flushed)];
        let hub_writes = to_all && page % cores == hub;
        if hub_writes {
            // Its own copy has no flag.
            program.then(hub, 0, noc, &[Call::Wait(Barrier::Writes)]);
            program.then(hub, 0, noc, &writes);
        }
        let who = if page % cores == hub { (hub + 1) % cores } else { page % cores };
        for core in (0..cores).filter(|core| *core != hub) {
            program.then(core, 0, noc, &[looks.call(go, page + 1)]);
            if core == who && !hub_writes {
                program.then(core, 0, noc, &writes);
            }
            program.then(core, 0, credits, &[Call::Raise(hub, done)]);
        }
    }
    "star"
}

/// Pages from all cores to one, each to a place of its own there.
pub(super) fn gather(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (cores, rounds) = (program.grid.cores, numbers.one(1, 3));
    let others = cores - 1;
    let (own, slots, first) = (program.places(1), program.places(others), program.pages(rounds * others));
    let (there, free) = (program.semaphores(1), program.semaphores(1));
    let (data, flags, hub) = (numbers.one(0, 1), numbers.one(0, 1), numbers.one(0, cores - 1));
    let (looks, landed) = (Looks::drawn(numbers), between(numbers, data == flags));
    let (by_multicast, thread) = (numbers.coin(), numbers.one(0, 1) as usize);
    let over = numbers.of(&[Barrier::Flushed, Barrier::Writes]);
    let senders: Vec<u32> = (0..cores).filter(|core| *core != hub).collect();
    for round in 0..rounds {
        for (slot, core) in (0..).zip(&senders) {
            let page = first + round * others + slot;
            program.then(*core, thread, data, &[Call::Read(Tensor::In, page, own), Call::Wait(Barrier::Reads)]);
            if round > 0 {
                program.then(*core, thread, flags, &[looks.call(free, round)]);
            }
            program.then(*core, thread, data, &[Call::Send(hub, own, slots + slot), landed]);
            program.then(*core, thread, flags, &[Call::Raise(hub, there)]);
        }
        program.then(hub, thread, data, &[looks.call(there, (round + 1) * others)]);
        for slot in 0..others {
            let page = first + round * others + slot;
            program.then(hub, thread, data, &[Call::Write(Tensor::Out, page, slots + slot)]);
        }
        program.then(hub, thread, data, &[Call::Wait(over)]);
        if by_multicast {
            program.then(hub, thread, flags, &[Call::SetByMulticast(free, round + 1)]);
        } else {
            for core in &senders {
                program.then(hub, thread, flags, &[Call::Raise(*core, free)]);
            }
        }
    }
    "gather"
}

/// One core reads pages, and the others fetch them from its L1.
pub(super) fn pull(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (cores, pages) = (program.grid.cores, numbers.one(1, 4));
    let (held, own, first) = (program.places(1), program.places(1), program.pages(pages));
    let (there, done) = (program.semaphores(1), program.semaphores(1));
    let (data, flags, hub) = (numbers.one(0, 1), numbers.one(0, 1), numbers.one(0, cores - 1));
    let (looks, tells, barrier) =
        (Looks::drawn(numbers), numbers.of(&Tells::ALL), numbers.of(&[Barrier::Reads, Barrier::Full]));
    let others: Vec<u32> = (0..cores).filter(|core| *core != hub).collect();
    for page in 0..pages {
        if page > 0 {
            program.then(hub, 1, flags, &[looks.call(done, page * (cores - 1))]);
        }
        program.then(hub, 1, data, &[Call::Read(Tensor::In, first + page, held), Call::Wait(Barrier::Reads)]);
        for core in &others {
            program.then(hub, 1, flags, &[tells.call(*core, there, page + 1)]);
            program.then(*core, 1, flags, &[looks.call(there, page + 1)]);
            program.then(*core, 1, data, &[Call::Get(hub, held, own), Call::Wait(barrier)]);
            if others[page as usize % others.len()] == *core {
                let write = [Call::Write(Tensor::Out, first + page, own), Call::Wait(Barrier::Flushed)];
                program.then(*core, 1, data, &write);
            }
            program.then(*core, 1, flags, &[Call::Raise(hub, done)]);
        }
    }
    "pull"
}

/// A core writes pages to DRAM that another reads there; one page of it, or one for each.
pub(super) fn through_dram(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (cores, pages, again) = (program.grid.cores, numbers.one(1, 4), numbers.coin());
    let (place, first) = (program.places(1), program.pages(pages));
    let (there, done) = (program.semaphores(1), program.semaphores(1));
    let giver = numbers.one(0, cores - 1);
    let taker = (giver + numbers.one(1, cores - 1)) % cores;
    let (data, flags, looks) = (numbers.one(0, 1), numbers.one(0, 1), Looks::drawn(numbers));
    let (tells, landed) = (numbers.of(&Tells::ALL), numbers.of(&[Barrier::Writes, Barrier::Full]));
    for page in 0..pages {
        let mid = if again { first } else { first + page };
        program.then(giver, 0, data, &[Call::Read(Tensor::In, first + page, place), Call::Wait(Barrier::Reads)]);
        if again && page > 0 {
            program.then(giver, 0, flags, &[looks.call(done, page)]);
        }
        program.then(giver, 0, data, &[Call::Write(Tensor::Mid, mid, place), Call::Wait(landed)]);
        program.then(giver, 0, flags, &[tells.call(taker, there, page + 1)]);
        program.then(taker, 0, flags, &[looks.call(there, page + 1)]);
        program.then(taker, 0, data, &[Call::Read(Tensor::Mid, mid, place), Call::Wait(Barrier::Reads)]);
        if again {
            program.then(taker, 0, flags, &[Call::Raise(giver, done)]);
        }
        let write = [Call::Write(Tensor::Out, first + page, place), Call::Wait(Barrier::Flushed)];
        program.then(taker, 0, data, &write);
    }
    "through DRAM"
}

/// Pairs of cores exchange pages: each sends when the other is ready, and writes out what came.
pub(super) fn exchange(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (pairs, rounds, data, flags) =
        (program.grid.cores / 2, numbers.one(1, 3), numbers.one(0, 1), numbers.one(0, 1));
    let (own, came) = (program.places(1), program.places(1));
    let (there, ready) = (program.semaphores(1), program.semaphores(1));
    let (looks, tells, landed) = (Looks::drawn(numbers), numbers.of(&Tells::ALL), between(numbers, data == flags));
    for pair in 0..pairs {
        let first = program.pages(2 * rounds);
        for core in [2 * pair, 2 * pair + 1] {
            let other = core ^ 1;
            for round in 0..rounds {
                let (mine, its) = (first + 2 * round + core % 2, first + 2 * round + other % 2);
                program.then(core, 1, data, &[Call::Read(Tensor::In, mine, own), Call::Wait(Barrier::Reads)]);
                program.then(core, 1, flags, &[Call::Raise(other, ready), looks.call(ready, round + 1)]);
                program.then(core, 1, data, &[Call::Send(other, own, came), landed]);
                program.then(core, 1, flags, &[tells.call(other, there, round + 1), looks.call(there, round + 1)]);
                let write = [Call::Write(Tensor::Out, its, came), Call::Wait(Barrier::Flushed)];
                program.then(core, 1, data, &write);
            }
        }
    }
    "exchange"
}

/// All cores write, meet, and read what another has written.
pub(super) fn all_meet(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (cores, rounds) = (program.grid.cores, numbers.one(1, 2));
    let place = program.places(1);
    let (came, go) = (program.semaphores(1), program.semaphores(1));
    let (data, flags, looks) = (numbers.one(0, 1), numbers.one(0, 1), Looks::drawn(numbers));
    let (by_multicast, landed) = (numbers.coin(), numbers.of(&[Barrier::Writes, Barrier::Full]));
    // The count goes on, or is set back before anybody is told that it may be counted up again.
    let sets_back = numbers.coin();
    for round in 0..rounds {
        let first = program.pages(cores);
        for core in 0..cores {
            let page = first + core;
            program.then(core, 0, data, &[Call::Read(Tensor::In, page, place), Call::Wait(Barrier::Reads)]);
            program.then(core, 0, data, &[Call::Write(Tensor::Mid, page, place), Call::Wait(landed)]);
            if core > 0 {
                program.then(core, 0, flags, &[Call::Raise(0, came), looks.call(go, round + 1)]);
            } else {
                let all = if sets_back { cores - 1 } else { (round + 1) * (cores - 1) };
                program.then(core, 0, flags, &[looks.call(came, all)]);
                program.then(core, 0, flags, sets_back.then_some(Call::Set(came, 0)).as_slice());
                if by_multicast {
                    program.then(core, 0, flags, &[Call::SetByMulticast(go, round + 1)]);
                } else {
                    let raises: Vec<Call> = (1..cores).map(|core| Call::Raise(core, go)).collect();
                    program.then(core, 0, flags, &raises);
                }
            }
            let page = first + (core + 1) % cores;
            program.then(core, 0, data, &[Call::Read(Tensor::Mid, page, place), Call::Wait(Barrier::Reads)]);
            program.then(core, 0, data, &[Call::Write(Tensor::Out, page, place), Call::Wait(Barrier::Flushed)]);
        }
    }
    "all meet"
}

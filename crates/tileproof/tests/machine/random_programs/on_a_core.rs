//! Parts of random programs in which no core meets another: pages from the thread that reads to the one that writes.
//!
//! Each must be right by construction, whatever the numbers. Start at any.

use super::calls::{Barrier, Call, Tensor};
use super::program::{Copies, Numbers, Program};

/// By way of a circular buffer: page by page, in blocks, or the next page on its way while one is handed over.
pub(super) fn through_a_buffer(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (pages, nocs) = (numbers.one(1, 5), [numbers.one(0, 1), numbers.one(0, 1)]);
    let block = numbers.one(1, 2);
    let cb = program.buffer(block * numbers.one(1, 2));
    let (ahead, writer) = (numbers.coin(), numbers.one(0, 2));
    let barrier = numbers.of(&[Barrier::Reads, Barrier::Full]);
    for core in 0..program.grid.cores {
        let first = program.pages(pages * block);
        if ahead {
            // A consumer that waits for a block must get it while the next page is reserved.
            let deep = program.buffers[cb as usize].pages > block;
            fills_ahead(program, (core, nocs[0]), cb, (first, pages * block), deep);
        } else {
            fills(program, (core, nocs[0]), cb, (first, pages, block), barrier);
        }
        drains(program, (core, nocs[1]), cb, (first, pages, block), writer);
    }
    "through a buffer"
}

/// The reader's side, block by block.
fn fills(
    program: &mut Program,
    (core, noc): (u32, u32),
    cb: u32,
    (first, times, block): (u32, u32, u32),
    over: Barrier,
) {
    let ring = program.buffers[cb as usize].pages;
    for at in 0..times {
        let mut calls = vec![Call::Reserve(cb, block)];
        let pages = at * block..(at + 1) * block;
        calls.extend(pages.map(|page| Call::Fill(cb, page % ring, first + page)));
        calls.extend([Call::Wait(over), Call::Push(cb, block)]);
        program.then(core, 0, noc, &calls);
    }
}

/// Two reads under way, each with a transaction id of its own.
fn fills_ahead(program: &mut Program, (core, noc): (u32, u32), cb: u32, (first, pages): (u32, u32), deep: bool) {
    let id = |at: u32| 1 + at % 2;
    let ring = program.buffers[cb as usize].pages;
    let fill = |at: u32| [Call::IdOfReads(id(at)), Call::Fill(cb, at % ring, first + at)];
    let mut calls = vec![Call::Reserve(cb, 1)];
    calls.extend(fill(0));
    for at in 0..pages {
        if at + 1 < pages && deep {
            calls.push(Call::Reserve(cb, 2));
            calls.extend(fill(at + 1));
        }
        calls.extend([Call::Wait(Barrier::ReadsOf(id(at))), Call::Push(cb, 1)]);
        if at + 1 < pages && !deep {
            calls.push(Call::Reserve(cb, 1));
            calls.extend(fill(at + 1));
        }
    }
    calls.push(Call::IdOfReads(0));
    program.then(core, 0, noc, &calls);
}

/// The writer's side: `how` it knows that pages have left.
fn drains(program: &mut Program, (core, noc): (u32, u32), cb: u32, (first, times, block): (u32, u32, u32), how: u32) {
    let over = [Barrier::Flushed, Barrier::Writes, Barrier::WritesOf(3)][how as usize];
    let ring = program.buffers[cb as usize].pages;
    let mut calls = Vec::new();
    calls.extend((how == 2).then_some(Call::IdOfWrites(3)));
    for at in 0..times {
        calls.push(Call::Front(cb, block));
        let pages = at * block..(at + 1) * block;
        calls.extend(pages.map(|page| Call::Drain(cb, page % ring, first + page)));
        calls.extend([Call::Wait(over), Call::Pop(cb, block)]);
    }
    calls.extend((how == 2).then_some(Call::IdOfWrites(0)));
    program.then(core, 1, noc, &calls);
}

/// By way of two buffers, with a compute kernel in between.
pub(super) fn through_compute(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    if program.copies.is_some() {
        return through_a_buffer(numbers, program);
    }
    let (blocks, block) = (numbers.one(1, 4), numbers.one(1, 2));
    let depth = block * numbers.one(1, 2);
    let (from, to) = (program.buffer(depth), program.buffer(depth));
    program.copies = Some(Copies { from, to, blocks, block });
    let (nocs, writer) = ([numbers.one(0, 1), numbers.one(0, 1)], numbers.one(0, 2));
    for core in 0..program.grid.cores {
        let first = program.pages(blocks * block);
        fills(program, (core, nocs[0]), from, (first, blocks, block), Barrier::Reads);
        drains(program, (core, nocs[1]), to, (first, blocks, block), writer);
    }
    "through compute"
}

/// By way of one or two places and two semaphores, which are set and looked at by calls or by pointers.
pub(super) fn by_hand(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (pages, places) = (numbers.one(1, 5), numbers.one(1, 2));
    let (full, empty) = (program.semaphores(1), program.semaphores(1));
    let (at, nocs) = (program.places(places), [numbers.one(0, 1), numbers.one(0, 1)]);
    let scratch = numbers.coin().then(|| program.places(1));
    let over = numbers.of(&[Barrier::Flushed, Barrier::Writes, Barrier::Full]);
    let by_pointer = [numbers.coin(), numbers.coin(), numbers.coin(), numbers.coin()];
    let set = |by_pointer: bool, id, value| if by_pointer { Call::Store(id, value) } else { Call::Set(id, value) };
    let look = |by_pointer: bool, id, value| if by_pointer { Call::Poll(id, value) } else { Call::AtLeast(id, value) };
    for core in 0..program.grid.cores {
        let first = program.pages(pages);
        for page in 0..pages {
            let place = at + page % places;
            let mut calls = Vec::new();
            calls.extend((page >= places).then(|| look(by_pointer[0], empty, page + 1 - places)));
            calls.push(Call::Read(Tensor::In, first + page, scratch.unwrap_or(place)));
            calls.push(Call::Wait(Barrier::Reads));
            calls.extend(scratch.map(|scratch| Call::Copy(scratch, place)));
            calls.push(set(by_pointer[1], full, page + 1));
            program.then(core, 0, nocs[0], &calls);
            let calls = [
                look(by_pointer[2], full, page + 1),
                Call::Write(Tensor::Out, first + page, place),
                Call::Wait(over),
                set(by_pointer[3], empty, page + 1),
            ];
            program.then(core, 1, nocs[1], &calls);
        }
    }
    "by hand"
}

/// One thread reads, copies by pointer and writes, with two places in turn or one.
pub(super) fn by_pointer(numbers: &mut Numbers, program: &mut Program) -> &'static str {
    let (pages, places, thread) = (numbers.one(1, 5), numbers.one(1, 2), numbers.one(0, 1) as usize);
    let (from, to) = (program.places(places), program.places(places));
    let nocs = [numbers.one(0, 1), numbers.one(0, 1)];
    let over = numbers.of(&[Barrier::Flushed, Barrier::Writes]);
    for core in 0..program.grid.cores {
        let first = program.pages(pages);
        for page in 0..pages {
            let at = page % places;
            let read = [Call::Read(Tensor::In, first + page, from + at), Call::Wait(Barrier::Reads)];
            program.then(core, thread, nocs[0], &read);
            if page >= places {
                program.then(core, thread, nocs[1], &[Call::Wait(over)]);
            }
            let write = [Call::Copy(from + at, to + at), Call::Write(Tensor::Out, first + page, to + at)];
            program.then(core, thread, nocs[1], &write);
        }
    }
    "by pointer"
}

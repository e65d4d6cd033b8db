//! NoC transfers that are not waited for, in pairs: the kernel that breaks the rule is reported though its results are right,
//! and the nearest right kernel is not.

use crate::support::adding::{self, Kernels, OUT, TILES};
use crate::support::checked::{inputs, output, run};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof_kernel::{Compute, DataMovement};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::record::RunRecord;
use tileproof_model::thread::Thread;

fn reader(kernel: fn(&DataMovement<'_>)) -> RunRecord {
    run(Kernels { reader: kernel, ..Kernels::default() })
}

fn writer(kernel: fn(&DataMovement<'_>)) -> RunRecord {
    run(Kernels { writer: kernel, ..Kernels::default() })
}

// Reads.

fn pushes_before_the_barrier(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb)); // read
            dm.cb_push_back(*cb, 1); // pushed too early
            dm.noc_async_read_barrier();
        }
    }
}

fn never_waits(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
            dm.cb_push_back(*cb, 1); // never waited
        }
    }
}

/// A barrier for the pages that are pushed; others stay in flight.
fn waits_once_for_two(dm: &DataMovement<'_>) {
    let tensors = inputs(dm);
    for tile in 0..TILES {
        for (cb, tensor) in &tensors {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
        }
        dm.noc_async_read_barrier();
        for (cb, _) in &tensors {
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn loads_before_the_barrier(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            let at = dm.get_write_ptr(*cb);
            dm.noc_async_read_page(tile, tensor, at); // read and loaded
            let mut word = [0];
            dm.l1_load(at + 64, &mut word); // loaded too early
            dm.noc_async_read_barrier();
            dm.l1_load(at + 64, &mut word);
            dm.l1_store(at + 64, &word);
            dm.cb_push_back(*cb, 1);
        }
    }
}

#[test]
fn a_push_before_the_read_barrier_is_reported_with_the_read() {
    let found = reader(pushes_before_the_barrier);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!((line_of(finding), finding.certainty), (marked("pushed too early"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("read")]);
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
    assert_eq!(line_of(only(&reader(never_waits), Code::READ_IN_FLIGHT)), marked("never waited"));
    silent(&reader(waits_once_for_two));
}

#[test]
fn a_load_before_the_read_barrier_is_reported_and_one_after_it_is_not() {
    let found = reader(loads_before_the_barrier);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("loaded too early"), vec![marked("read and loaded")]));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

/// Hands a page over and fills it only then: who reads it is too early, though the push was not.
fn reads_behind_the_push(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            let at = dm.get_write_ptr(*cb);
            dm.cb_push_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, at); // read behind the push
        }
    }
    dm.noc_async_read_barrier();
}

#[test]
fn a_tile_that_is_unpacked_while_it_is_read_is_reported_at_the_unpack() {
    let found = reader(reads_behind_the_push);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!((finding.primary.kernel.as_str(), finding.primary.thread), ("compute", Thread::Unpack));
    assert_eq!((labelled(finding), finding.facts["cb"].as_str()), (vec![marked("read behind the push")], "c_0"));
}

/// Somewhere in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;

/// Reads the inputs, and does something with each page: once while it is in flight, and once when it is there.
fn with_each_page(dm: &DataMovement<'_>, too_early: impl Fn(u32), in_time: impl Fn(u32)) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            let at = dm.get_write_ptr(*cb);
            dm.noc_async_read_page(tile, tensor, at); // in flight
            too_early(at);
            dm.noc_async_read_barrier();
            in_time(at);
            dm.noc_async_write_barrier();
            dm.noc_async_read_barrier();
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn here(dm: &DataMovement<'_>, offset: u32) -> u64 {
    dm.get_noc_addr(dm.my_coordinates(), offset)
}

fn sends_what_is_in_flight(dm: &DataMovement<'_>) {
    with_each_page(dm, |at| dm.noc_async_write(at, here(dm, DATA), 2048), |_| {}); // sent too early
}

fn sends_what_is_there(dm: &DataMovement<'_>) {
    with_each_page(dm, |_| {}, |at| dm.noc_async_write(at, here(dm, DATA), 2048));
}

fn copies_what_is_in_flight(dm: &DataMovement<'_>) {
    with_each_page(dm, |at| dm.noc_async_read(here(dm, at), DATA, 2048), |_| {}); // copied too early
}

fn copies_what_is_there(dm: &DataMovement<'_>) {
    with_each_page(dm, |_| {}, |at| dm.noc_async_read(here(dm, at), DATA, 2048));
}

#[test]
fn what_is_in_flight_must_not_go_on_over_the_noc() {
    for (wrong, mark, right) in [
        (
            sends_what_is_in_flight as fn(&DataMovement<'_>),
            "sent too early",
            sends_what_is_there as fn(&DataMovement<'_>),
        ),
        (copies_what_is_in_flight, "copied too early", copies_what_is_there),
    ] {
        let found = reader(wrong);
        let finding = only(&found, Code::READ_IN_FLIGHT);
        assert_eq!((line_of(finding), labelled(finding)), (marked(mark), vec![marked("in flight")]));
        assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
        silent(&reader(right));
    }
}

fn waits_for_the_other_noc(dm: &DataMovement<'_>) {
    with_each_page(
        dm,
        |at| {
            dm.on_noc(1).noc_async_read_barrier(); // another NoC
            dm.l1_load(at, &mut [0]); // loaded behind the other barrier
        },
        |_| {},
    );
}

#[test]
fn a_barrier_on_the_other_noc_is_shown_with_the_read() {
    let found = reader(waits_for_the_other_noc);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!(line_of(finding), marked("loaded behind the other barrier"));
    assert_eq!(labelled(finding), [marked("in flight"), marked("another NoC")]);
    assert_eq!(finding.labels[1].text, "this barrier waits for NoC 1 alone");
}

// Writes.

fn pops_before_the_barrier(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // written
        dm.cb_pop_front(OUT, 1); // popped too early
        dm.noc_async_write_barrier();
    }
}

fn flushes_before_the_pop(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
        dm.noc_async_writes_flushed();
        dm.cb_pop_front(OUT, 1);
    }
    dm.noc_async_write_barrier();
}

fn stores_to_what_is_sent(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // sent
        dm.l1_store(dm.get_read_ptr(OUT), &[0]); // changed while it is sent
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

fn ends_with_a_write(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // the last of these
        if tile < TILES - 1 {
            dm.noc_async_write_barrier();
            dm.cb_pop_front(OUT, 1);
        }
    }
}

#[test]
fn a_pop_before_the_write_has_left_is_reported_with_the_write() {
    let found = writer(pops_before_the_barrier);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), finding.certainty), (marked("popped too early"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("written")]);
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
    silent(&writer(flushes_before_the_pop));
}

#[test]
fn a_store_to_the_source_of_a_write_is_reported() {
    let found = writer(stores_to_what_is_sent);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("changed while it is sent"), vec![marked("sent")]));
}

#[test]
fn a_kernel_that_ends_with_a_write_outstanding_is_reported_at_the_write() {
    let found = writer(ends_with_a_write);
    assert_eq!(line_of(only(&found, Code::WRITE_AT_END)), marked("the last of these"));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

/// Sends a page that PACK has yet to pack, and waits for it behind the pack.
fn sends_before_the_pack(dm: &DataMovement<'_>) {
    let out = output(dm);
    dm.noc_async_write_page(0, &out, dm.get_read_ptr(OUT)); // sent before the pack
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_barrier();
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

fn reads_over_what_is_sent(dm: &DataMovement<'_>) {
    let ([_, (_, in1)], out) = (inputs(dm), DATA + 4096);
    dm.noc_async_read_page(0, &in1, DATA);
    dm.noc_async_read_barrier();
    dm.noc_async_write(DATA, here(dm, out), 2048); // sent before the read
    dm.noc_async_read_page(1, &in1, DATA); // read over it
    dm.noc_async_read_barrier();
    dm.noc_async_write_barrier();
    adding::reader(dm);
}

fn reads_over_what_was_flushed(dm: &DataMovement<'_>) {
    let ([_, (_, in1)], out) = (inputs(dm), DATA + 4096);
    dm.noc_async_read_page(0, &in1, DATA);
    dm.noc_async_read_barrier();
    dm.noc_async_write(DATA, here(dm, out), 2048);
    dm.noc_async_writes_flushed();
    dm.noc_async_read_page(1, &in1, DATA);
    dm.noc_async_read_barrier();
    dm.noc_async_write_barrier();
    adding::reader(dm);
}

#[test]
fn a_pack_or_a_read_over_the_source_of_a_write_is_reported() {
    let found = writer(sends_before_the_pack);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((finding.primary.kernel.as_str(), finding.primary.thread), ("compute", Thread::Pack));
    assert_eq!(labelled(finding), [marked("sent before the pack")]);
    let found = reader(reads_over_what_is_sent);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("read over it"), vec![marked("sent before the read")]));
    silent(&reader(reads_over_what_was_flushed));
}

/// Pushes pages that it also sends, and fills them anew when they come back: `waits` for the sends before that, or not.
fn sends_what_it_pushes(dm: &DataMovement<'_>, waits: impl Fn()) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            waits();
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb)); // fills it anew
            dm.noc_async_read_barrier();
            dm.noc_async_write(dm.get_write_ptr(*cb), here(dm, DATA), 2048); // sent and pushed
            dm.cb_push_back(*cb, 1);
        }
    }
    dm.noc_async_write_barrier();
}

fn waits_when_pages_come_back(dm: &DataMovement<'_>) {
    sends_what_it_pushes(dm, || dm.noc_async_writes_flushed());
}

fn never_waits_for_pages(dm: &DataMovement<'_>) {
    sends_what_it_pushes(dm, || {});
}

#[test]
fn a_page_that_comes_back_to_its_sender_is_in_use_until_the_sender_fills_it() {
    let found = reader(never_waits_for_pages);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("fills it anew"), vec![marked("sent and pushed")]));
    silent(&reader(waits_when_pages_come_back));
}

/// Sends each page, posted or not, and pops it when `flush` says that it has left.
fn flushes(dm: &DataMovement<'_>, posted: bool, flush: impl Fn()) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        let to = out.get_noc_addr(dm, tile, 0);
        if posted {
            dm.noc_async_write_posted(dm.get_read_ptr(OUT), to, 2048); // posted
        } else {
            dm.noc_async_write(dm.get_read_ptr(OUT), to, 2048); // not posted
        }
        flush();
        dm.cb_pop_front(OUT, 1); // popped behind the flush
    }
    dm.noc_async_write_barrier();
    dm.noc_async_posted_writes_flushed();
}

fn flushes_posted_ones(dm: &DataMovement<'_>) {
    flushes(dm, false, || dm.noc_async_posted_writes_flushed()); // flush of posted ones
}

fn flushes_others(dm: &DataMovement<'_>) {
    flushes(dm, true, || dm.noc_async_writes_flushed()); // flush of others
}

fn flushes_the_other_noc(dm: &DataMovement<'_>) {
    flushes(dm, false, || dm.on_noc(0).noc_async_writes_flushed()); // flush of the other NoC
}

fn flushes_what_it_posted(dm: &DataMovement<'_>) {
    flushes(dm, true, || dm.noc_async_posted_writes_flushed());
}

#[test]
fn a_flush_of_another_kind_or_noc_is_reported_with_the_write() {
    for (kernel, write, flush, says) in [
        (flushes_posted_ones as fn(&DataMovement<'_>), "not posted", "flush of posted ones", "posted writes alone"),
        (flushes_others, "posted", "flush of others", "does not wait for posted writes"),
        (flushes_the_other_noc, "not posted", "flush of the other NoC", "NoC 0 alone"),
    ] {
        let found = writer(kernel);
        let finding = only(&found, Code::WRITE_IN_FLIGHT);
        assert_eq!(line_of(finding), marked("popped behind the flush"));
        assert_eq!(labelled(finding), [marked(write), marked(flush)]);
        assert!(finding.labels[1].text.contains(says), "{}", finding.labels[1].text);
    }
    silent(&writer(flushes_what_it_posted));
}

fn computes_nothing(_: &Compute<'_>) {}

fn writes_nothing(_: &DataMovement<'_>) {}

fn posts_and_waits_for_others(dm: &DataMovement<'_>) {
    dm.noc_async_write_posted(DATA, here(dm, DATA + 8192), 8192);
    dm.noc_async_write_barrier();
}

fn posts_and_waits_for_it(dm: &DataMovement<'_>) {
    dm.noc_async_write_posted(DATA, here(dm, DATA + 8192), 8192);
    dm.noc_async_posted_writes_flushed();
}

#[test]
fn a_posted_write_is_waited_for_by_its_own_flush_alone() {
    let alone = |reader| {
        run(Kernels { reader, compute: computes_nothing, writer: writes_nothing, output: false, ..Kernels::default() })
    };
    let (others, own) = (alone(posts_and_waits_for_others), alone(posts_and_waits_for_it));
    // 8192 bytes leave at no more than 32 a cycle (ISA documentation, `NoC/README.md`).
    assert!(own.cycles >= others.cycles + 8192 / 32 - 64, "{} and {} cycles", own.cycles, others.cycles);
    only(&others, Code::WRITE_AT_END);
    silent(&own);
}

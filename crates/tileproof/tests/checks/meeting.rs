//! Cores that hand data to each other and say so, in pairs: the kernel that breaks the rule is reported though its results are
//! right, and the nearest right kernel is not.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES};
use crate::support::checked::output;
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof::check::Checks;
use tileproof_kernel::{Compute, DataMovement};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::record::RunRecord;
use tileproof_model::thread::CoreCoord;

fn does_nothing(_: &DataMovement<'_>) {}

fn computes_nothing(_: &Compute<'_>) {}

/// A program of two cores on which only the writers run.
fn pair(writer: fn(&DataMovement<'_>)) -> RunRecord {
    let kernels = Kernels {
        reader: does_nothing,
        compute: computes_nothing,
        writer,
        cores: 2,
        semaphores: 2,
        output: false,
        ..Kernels::default()
    };
    let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
    assert_eq!(off.0.cycles, on.0.cycles, "checks change the run");
    on.0
}

/// The column of this core, and the NoC coordinates of the other one.
fn place(dm: &DataMovement<'_>) -> (u32, (u32, u32)) {
    // The origin of Wormhole's compute grid on the NoC is column 18.
    let (x, y) = dm.my_coordinates();
    (x - 18, (19 + 18 - x, y))
}

// Data and its semaphore.

/// Somewhere in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;

/// The first of two cores hands a page to the second, and says so on one of the NoCs.
fn hands_over(dm: &DataMovement<'_>, waits: impl Fn(&DataMovement<'_>), noc: u32) {
    let out = output(dm);
    let (column, there) = place(dm);
    let flag = dm.get_semaphore(0);
    if column == 0 {
        dm.l1_store(DATA, &[0x4040_4040; 512]);
        dm.noc_async_write(DATA, dm.get_noc_addr(there, DATA), 2048); // data
        waits(dm);
        dm.on_noc(noc).noc_semaphore_inc(dm.get_noc_addr(there, flag), 1); // credit
        dm.on_noc(noc).noc_async_atomic_barrier();
    } else {
        dm.noc_semaphore_wait(flag, 1);
        for page in 0..TILES {
            dm.noc_async_write_page(page, &out, DATA); // uses the data
        }
    }
    dm.noc_async_write_barrier();
}

// A writer's own NoC is NoC 1.

fn announces_at_once(dm: &DataMovement<'_>) {
    hands_over(dm, |_| {}, 1);
}

fn announces_when_it_is_there(dm: &DataMovement<'_>) {
    hands_over(dm, |dm| dm.noc_async_write_barrier(), 1);
}

fn announces_when_it_has_left(dm: &DataMovement<'_>) {
    hands_over(dm, |dm| dm.noc_async_writes_flushed(), 1);
}

fn announces_another_way_when_it_has_left(dm: &DataMovement<'_>) {
    hands_over(dm, |dm| dm.noc_async_writes_flushed(), 0);
}

fn announces_another_way_when_it_is_there(dm: &DataMovement<'_>) {
    hands_over(dm, |dm| dm.noc_async_write_barrier(), 0);
}

fn announces_behind_a_posted_flush(dm: &DataMovement<'_>) {
    hands_over(dm, |dm| dm.noc_async_posted_writes_flushed(), 1);
}

#[test]
fn a_semaphore_before_its_data_is_reported_with_the_write() {
    for kernel in [announces_at_once, announces_another_way_when_it_has_left, announces_behind_a_posted_flush] {
        let found = pair(kernel);
        let finding = only(&found, Code::CREDIT_BEFORE_DATA);
        assert_eq!((line_of(finding), finding.certainty), (marked("credit"), Certainty::CanHappen));
        assert_eq!(labelled(finding), [marked("data"), marked("uses the data")]);
    }
    for kernel in [announces_when_it_is_there, announces_when_it_has_left, announces_another_way_when_it_is_there] {
        silent(&pair(kernel));
    }
    let found = pair(announces_another_way_when_it_has_left);
    let notes = &only(&found, Code::CREDIT_BEFORE_DATA).notes;
    assert!(notes[0].contains("flushed on NoC 1 and the semaphore goes over NoC 0"), "{notes:?}");
}

// A flag that is set by a word in its request.

/// As [`hands_over`], but by a flag of two rounds that is set inline.
fn sets_inline(dm: &DataMovement<'_>, flag: u32, noc: u32, multicast: bool) {
    let (out, seen) = (output(dm), dm.get_semaphore(1));
    let (column, there) = place(dm);
    for round in 1..=2 {
        if column == 0 {
            dm.l1_store(DATA, &[0x4040_4040 + round; 512]); // made anew
            if multicast {
                dm.noc_async_write_multicast(DATA, dm.get_noc_multicast_addr(there, there, DATA), 2048, 1); // by multicast
            } else {
                dm.noc_async_write(DATA, dm.get_noc_addr(there, DATA), 2048); // alone
            }
            dm.on_noc(noc).noc_inline_dw_write(dm.get_noc_addr(there, flag), round); // set inline
            dm.noc_semaphore_wait_min(seen, round);
        } else {
            dm.noc_semaphore_wait(flag, round);
            dm.noc_async_write_page(round, &out, DATA); // uses what was announced inline
            dm.noc_async_write_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr(there, seen), 1);
        }
    }
    dm.noc_async_write_barrier();
    dm.on_noc(0).noc_async_write_barrier();
    dm.noc_async_atomic_barrier();
}

// A writer's own NoC is NoC 1.

fn sets_inline_the_same_way(dm: &DataMovement<'_>) {
    sets_inline(dm, dm.get_semaphore(0), 1, false);
}

fn sets_inline_another_way(dm: &DataMovement<'_>) {
    sets_inline(dm, dm.get_semaphore(0), 0, false);
}

fn sets_inline_behind_a_multicast(dm: &DataMovement<'_>) {
    sets_inline(dm, dm.get_semaphore(0), 1, true);
}

/// No semaphore, but a word that the other core has waited for.
fn sets_a_word_another_way(dm: &DataMovement<'_>) {
    sets_inline(dm, DATA + 8192, 0, false);
}

/// A word that nobody waits for may be data like the rest.
fn writes_data_another_way(dm: &DataMovement<'_>) {
    let (column, there) = place(dm);
    if column == 0 {
        for _ in 0..2 {
            dm.noc_async_write(DATA, dm.get_noc_addr(there, DATA), 2048);
            dm.on_noc(0).noc_inline_dw_write(dm.get_noc_addr(there, DATA + 8192), 7);
        }
    }
    dm.noc_async_write_barrier();
    dm.on_noc(0).noc_async_write_barrier();
}

#[test]
fn a_flag_that_is_set_inline_is_reported_unless_it_goes_the_way_of_the_data() {
    for (kernel, data) in [
        (sets_inline_another_way as fn(&DataMovement<'_>), "alone"),
        (sets_inline_behind_a_multicast, "by multicast"),
        (sets_a_word_another_way, "alone"),
    ] {
        let found = pair(kernel);
        let finding = only(&found, Code::CREDIT_BEFORE_DATA);
        let labels = vec![marked(data), marked("uses what was announced inline")];
        assert_eq!((line_of(finding), labelled(finding)), (marked("set inline"), labels));
    }
    // Then the answer tells the sender that its data have left, too.
    silent(&pair(sets_inline_the_same_way));
    silent(&pair(writes_data_another_way));
}

// A read of what another core is still reading.

fn passes_on(dm: &DataMovement<'_>, waits: impl Fn(&DataMovement<'_>)) {
    let (out, flag, done) = (output(dm), dm.get_semaphore(0), dm.get_semaphore(1));
    let (column, there) = place(dm);
    if column == 0 {
        dm.noc_async_read(out.get_noc_addr(dm, 0, 0), DATA, 2048); // started over there
        waits(dm);
        dm.noc_semaphore_inc(dm.get_noc_addr(there, flag), 1);
        dm.noc_semaphore_wait(done, 1);
        dm.noc_async_atomic_barrier();
        dm.noc_async_read_barrier();
    } else {
        dm.noc_semaphore_wait(flag, 1);
        dm.noc_async_read(dm.get_noc_addr(there, DATA), DATA, 2048); // fetched too early
        dm.noc_async_read_barrier();
        dm.noc_semaphore_inc(dm.get_noc_addr(there, done), 1);
        dm.noc_async_atomic_barrier();
    }
}

fn passes_on_at_once(dm: &DataMovement<'_>) {
    passes_on(dm, |_| {});
}

fn passes_on_what_is_there(dm: &DataMovement<'_>) {
    passes_on(dm, |dm| dm.noc_async_read_barrier());
}

#[test]
fn a_read_of_what_another_core_is_still_reading_is_reported_with_the_read_over_there() {
    let found = pair(passes_on_at_once);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("fetched too early"), vec![marked("started over there")])
    );
    let places = (finding.primary.core, finding.labels[0].place.core);
    assert_eq!(places, (CoreCoord { x: 1, y: 0 }, CoreCoord { x: 0, y: 0 }));
    silent(&pair(passes_on_what_is_there));
}

// Rounds of multicasts without a barrier.

const ROUNDS: u32 = 3;

/// The first core sends a page in each round, and its semaphore behind it. The other answers when it has `seen` it, or
/// before; the first waits for the answer and makes the next page in the same place.
fn rounds(dm: &DataMovement<'_>, answers_first: bool, waits: impl Fn(&DataMovement<'_>)) {
    let (sent, answered) = (dm.get_semaphore(0), dm.get_semaphore(1));
    let (column, there) = place(dm);
    for round in 1..=ROUNDS {
        if column == 0 {
            dm.l1_store(DATA, &[round; 512]); // the next page
            dm.noc_async_write_multicast(DATA, dm.get_noc_multicast_addr(there, there, DATA), 2048, 1); // multicast
            // A word of its own for each round: the last one may still be on its way.
            let word = DATA + 4096 + 16 * round;
            dm.l1_store(word, &[round]);
            dm.noc_semaphore_set_multicast(word, dm.get_noc_multicast_addr(there, there, sent), 1);
            waits(dm);
            dm.noc_semaphore_wait_min(answered, round);
        } else {
            let answer = || dm.noc_semaphore_inc(dm.get_noc_addr(there, answered), 1);
            if answers_first {
                answer();
            }
            dm.noc_semaphore_wait_min(sent, round);
            if !answers_first {
                answer();
            }
        }
    }
    dm.noc_async_atomic_barrier();
    dm.noc_async_write_barrier();
}

fn is_answered(dm: &DataMovement<'_>) {
    rounds(dm, false, |_| {});
}

fn is_answered_before_it_is_seen(dm: &DataMovement<'_>) {
    rounds(dm, true, |_| {});
}

fn flushes_each_round(dm: &DataMovement<'_>) {
    rounds(dm, true, |dm| dm.noc_async_writes_flushed());
}

#[test]
fn a_multicast_is_over_when_its_receivers_have_said_so() {
    let found = pair(is_answered);
    silent(&found);
    // On this chip a flag does not overtake the data before it.
    assert!(found.notes.iter().all(|note| note.code != Code::FLAG_BEHIND_DATA), "{:#?}", found.notes);
    silent(&pair(flushes_each_round));
    let found = pair(is_answered_before_it_is_seen);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("the next page"), vec![marked("multicast")]));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

/// The answer to a first page says nothing of a second one that is on its way by then.
fn announces_what_nobody_has_answered(dm: &DataMovement<'_>, waits: impl Fn(&DataMovement<'_>)) {
    let (sent, answered) = (dm.get_semaphore(0), dm.get_semaphore(1));
    let (column, there) = place(dm);
    let to = |offset| dm.get_noc_multicast_addr(there, there, offset);
    if column == 0 {
        dm.l1_store(DATA, &[1; 1024]);
        dm.noc_async_write_multicast(DATA, to(DATA), 2048, 1);
        dm.l1_store(DATA + 4096, &[1]);
        dm.noc_semaphore_set_multicast(DATA + 4096, to(sent), 1);
        dm.noc_async_write_multicast(DATA + 2048, to(DATA + 2048), 2048, 1); // second page
        dm.noc_semaphore_wait_min(answered, 1);
        waits(dm);
        dm.noc_semaphore_inc(dm.get_noc_addr(there, sent), 1); // announces it
        dm.noc_async_atomic_barrier();
        dm.noc_async_write_barrier();
    } else {
        dm.noc_semaphore_wait_min(sent, 1);
        dm.noc_semaphore_inc(dm.get_noc_addr(there, answered), 1);
        dm.noc_semaphore_wait_min(sent, 2);
        dm.l1_load(DATA + 2048, &mut [0]); // looks at the second page
        dm.noc_async_atomic_barrier();
    }
}

fn announces_unanswered(dm: &DataMovement<'_>) {
    announces_what_nobody_has_answered(dm, |_| {});
}

fn announces_behind_a_barrier(dm: &DataMovement<'_>) {
    announces_what_nobody_has_answered(dm, |dm| dm.noc_async_write_barrier());
}

#[test]
fn an_answer_tells_of_nothing_that_was_sent_behind_its_semaphore() {
    let found = pair(announces_unanswered);
    let finding = only(&found, Code::CREDIT_BEFORE_DATA);
    let labels = vec![marked("second page"), marked("looks at the second page")];
    assert_eq!((line_of(finding), labelled(finding)), (marked("announces it"), labels));
    silent(&pair(announces_behind_a_barrier));
}

/// The answer comes from the core's other data-movement thread, which knows by the page that it was handed.
fn sends_to_two_threads(dm: &DataMovement<'_>) {
    let (sent, answered) = (dm.get_semaphore(0), dm.get_semaphore(1));
    let (column, there) = place(dm);
    for round in 1..=ROUNDS {
        if column == 0 {
            dm.l1_store(DATA, &[round; 512]);
            dm.noc_async_write_multicast(DATA, dm.get_noc_multicast_addr(there, there, DATA), 2048, 1);
            let word = DATA + 4096 + 16 * round;
            dm.l1_store(word, &[round]);
            dm.noc_semaphore_set_multicast(word, dm.get_noc_multicast_addr(there, there, sent), 1);
            dm.noc_semaphore_wait_min(answered, round);
        } else {
            dm.noc_semaphore_wait_min(sent, round);
            dm.cb_reserve_back(IN0, 1);
            dm.cb_push_back(IN0, 1);
        }
    }
    dm.noc_async_write_barrier();
}

fn answers_for_the_other_thread(dm: &DataMovement<'_>) {
    let (column, there) = place(dm);
    for _ in 0..ROUNDS {
        if column == 1 {
            dm.cb_wait_front(IN0, 1);
            dm.noc_semaphore_inc(dm.get_noc_addr(there, dm.get_semaphore(1)), 1);
            dm.cb_pop_front(IN0, 1);
        }
    }
    dm.noc_async_atomic_barrier();
}

#[test]
fn a_page_hands_on_that_a_multicast_has_been_seen() {
    let kernels = Kernels {
        reader: sends_to_two_threads,
        compute: computes_nothing,
        writer: answers_for_the_other_thread,
        cores: 2,
        semaphores: 2,
        output: false,
        ..Kernels::default()
    };
    silent(&kernels.run_observed::<Checks>().0);
}

/// As [`sends_to_two_threads`], for a receiver that pushes its first page before it waits.
fn pushes_a_page_ahead(dm: &DataMovement<'_>) {
    let (sent, answered) = (dm.get_semaphore(0), dm.get_semaphore(1));
    let (column, there) = place(dm);
    if column == 0 {
        dm.l1_store(DATA, &[1; 512]);
        dm.noc_async_write_multicast(DATA, dm.get_noc_multicast_addr(there, there, DATA), 2048, 1); // sent once
        dm.l1_store(DATA + 4096, &[1]);
        dm.noc_semaphore_set_multicast(DATA + 4096, dm.get_noc_multicast_addr(there, there, sent), 1);
        dm.noc_semaphore_wait_min(answered, 1);
        dm.l1_store(DATA, &[2; 512]); // made again
    } else {
        for page in 0..2 {
            dm.cb_reserve_back(IN0, 1);
            if page == 1 {
                dm.noc_semaphore_wait_min(sent, 1);
            }
            dm.cb_push_back(IN0, 1);
        }
    }
    dm.noc_async_write_barrier();
}

/// Answers for the reader when it has `pages`, at a time when both are there.
fn answers_behind(dm: &DataMovement<'_>, pages: u32) {
    let (column, there) = place(dm);
    if column == 1 {
        dm.spend(100_000);
        dm.cb_wait_front(IN0, pages);
        dm.noc_semaphore_inc(dm.get_noc_addr(there, dm.get_semaphore(1)), 1);
        dm.cb_pop_front(IN0, 2);
    }
    dm.noc_async_atomic_barrier();
}

fn answers_behind_the_first(dm: &DataMovement<'_>) {
    answers_behind(dm, 1);
}

fn answers_behind_both(dm: &DataMovement<'_>) {
    answers_behind(dm, 2);
}

#[test]
fn a_page_says_nothing_that_a_later_one_does() {
    let answered = |writer| {
        let kernels = Kernels {
            reader: pushes_a_page_ahead,
            compute: computes_nothing,
            writer,
            cores: 2,
            semaphores: 2,
            output: false,
            ..Kernels::default()
        };
        kernels.run_observed::<Checks>().0
    };
    let found = answered(answers_behind_the_first);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("made again"), vec![marked("sent once")]));
    assert!(answered(answers_behind_both).findings.iter().all(|finding| finding.code != Code::WRITE_IN_FLIGHT));
}

/// The receiver sets its semaphore back before it answers, and waits for the sender `first`, or for a word of its own after that.
fn sets_back(dm: &DataMovement<'_>, waits_first: bool) {
    let (sent, answered) = (dm.get_semaphore(0), dm.get_semaphore(1));
    let (column, there) = place(dm);
    if column == 0 {
        dm.l1_store(DATA, &[1; 512]);
        dm.noc_async_write_multicast(DATA, dm.get_noc_multicast_addr(there, there, DATA), 2048, 1); // sent before
        dm.l1_store(DATA + 4096, &[1]);
        dm.noc_semaphore_set_multicast(DATA + 4096, dm.get_noc_multicast_addr(there, there, sent), 1);
        dm.noc_semaphore_wait_min(answered, 1);
        dm.l1_store(DATA, &[2; 512]); // made after
    } else {
        dm.spend(100_000);
        if waits_first {
            dm.noc_semaphore_wait(sent, 1);
        }
        dm.noc_semaphore_set(sent, 0);
        dm.noc_semaphore_set(sent, 2);
        dm.noc_semaphore_wait(sent, 2);
        dm.noc_semaphore_inc(dm.get_noc_addr(there, answered), 1);
    }
    dm.noc_async_atomic_barrier();
    dm.noc_async_write_barrier();
}

fn sets_back_what_it_has_not_seen(dm: &DataMovement<'_>) {
    sets_back(dm, false);
}

fn sets_back_what_it_has_seen(dm: &DataMovement<'_>) {
    sets_back(dm, true);
}

#[test]
fn a_semaphore_that_was_set_back_says_nothing_of_those_before() {
    let found = pair(sets_back_what_it_has_not_seen);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("made after"), vec![marked("sent before")]));
    silent(&pair(sets_back_what_it_has_seen));
}

// What a multicast writes.

/// The second of two cores sends a page to the buffers of both, or of the other alone; both push a page.
fn sends_to(dm: &DataMovement<'_>, itself_too: bool) {
    let (column, _) = place(dm);
    let flag = dm.get_semaphore(0);
    let (first, last) = ((18, 18), (19, 18));
    dm.cb_reserve_back(IN0, 1);
    if column == 1 {
        dm.l1_store(DATA, &[0x4040_4040; 512]);
        let pages = dm.get_noc_multicast_addr(first, last, dm.get_write_ptr(IN0));
        if itself_too {
            dm.noc_async_write_multicast_loopback_src(DATA, pages, 2048, 2);
        } else {
            dm.noc_async_write_multicast(DATA, pages, 2048, 1);
        }
        dm.noc_async_write_barrier();
        dm.noc_semaphore_set(flag, 1);
        dm.noc_semaphore_set_multicast(flag, dm.get_noc_multicast_addr(first, last, flag), 1);
        dm.noc_async_write_barrier();
    } else {
        dm.noc_semaphore_wait(flag, 1);
    }
    dm.cb_push_back(IN0, 1); // pushed on both
}

fn sends_to_the_other(dm: &DataMovement<'_>) {
    sends_to(dm, false);
}

fn sends_to_both(dm: &DataMovement<'_>) {
    sends_to(dm, true);
}

fn copies_one(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.copy_init(IN0);
    k.cb_wait_front(IN0, 1);
    k.tile_regs_acquire();
    k.copy_tile(IN0, 0, 0); // reads what came
    k.tile_regs_commit();
    k.cb_pop_front(IN0, 1);
    k.cb_reserve_back(OUT, 1);
    k.tile_regs_wait();
    k.pack_tile(0, OUT);
    k.tile_regs_release();
    k.cb_push_back(OUT, 1);
}

fn writes_one(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 1);
    dm.noc_async_write_page(place(dm).0, &output(dm), dm.get_read_ptr(OUT)); // sent on
    dm.noc_async_write_barrier();
    dm.cb_pop_front(OUT, 1);
}

#[test]
fn a_multicast_without_its_sender_leaves_the_page_of_the_sender_empty() {
    let both = |reader| {
        let kernels = Kernels {
            reader,
            compute: copies_one,
            writer: writes_one,
            cores: 2,
            semaphores: 1,
            output: false,
            ..Kernels::default()
        };
        kernels.run_observed::<Checks>().0
    };
    let found = both(sends_to_the_other);
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("reads what came"), vec![marked("pushed on both"), marked("sent on")])
    );
    assert_eq!((finding.primary.core, finding.also_on.len()), (CoreCoord { x: 1, y: 0 }, 0));
    silent(&both(sends_to_both));
}

//! What findings say, in pairs: the sentence that is right, and the nearest case in which it would be wrong.

use crate::support::adding::{self, IN0, IN1, Kernels, OUT};
use crate::support::checked::{inputs, output};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof::check::Checks;
use tileproof_kernel::{Compute, DataMovement, Pool, ReduceDim};
use tileproof_model::finding::{Code, Finding};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::thread::Thread;

fn nothing(_: &DataMovement<'_>) {}
fn no_compute(_: &Compute<'_>) {}

fn observed(kernels: Kernels) -> RunRecord {
    kernels.run_observed::<Checks>().0
}

// Barriers of another thread.

/// Hands the pages over as soon as they are asked for, and tells the writer.
fn reads_and_tells(dm: &DataMovement<'_>) {
    let (cb, tensor) = &inputs(dm)[0];
    dm.cb_reserve_back(*cb, 1);
    dm.noc_async_read_page(0, tensor, dm.get_write_ptr(*cb)); // the reader's read
    dm.noc_semaphore_set(dm.get_semaphore(0), 1);
    dm.noc_semaphore_wait(dm.get_semaphore(1), 1);
    dm.noc_async_read_barrier();
}

fn waits_itself_and_loads(dm: &DataMovement<'_>) {
    dm.noc_semaphore_wait(dm.get_semaphore(0), 1);
    dm.noc_async_read_barrier(); // the writer's barrier
    dm.l1_load(dm.get_write_ptr(IN0), &mut [0]); // loads what the reader reads
    dm.noc_semaphore_set(dm.get_semaphore(1), 1);
}

fn loads_without_a_barrier(dm: &DataMovement<'_>) {
    dm.noc_semaphore_wait(dm.get_semaphore(0), 1);
    dm.l1_load(dm.get_write_ptr(IN0), &mut [0]);
    dm.noc_semaphore_set(dm.get_semaphore(1), 1);
}

fn read_by_two(writer: fn(&DataMovement<'_>)) -> RunRecord {
    observed(Kernels {
        reader: reads_and_tells,
        compute: no_compute,
        writer,
        semaphores: 2,
        output: false,
        ..Kernels::default()
    })
}

#[test]
fn a_barrier_of_the_thread_that_uses_the_data_is_shown_and_not_denied() {
    let run = read_by_two(waits_itself_and_loads);
    let finding = only(&run, Code::READ_IN_FLIGHT);
    assert_eq!(line_of(finding), marked("loads what the reader reads"));
    assert_eq!(labelled(finding), [marked("the reader's read"), marked("the writer's barrier")]);
    assert_eq!(finding.labels[1].place.thread, Thread::Brisc);
    assert_eq!(finding.labels[1].text, "this barrier waits for what BRISC started, not for what NCRISC did");
    assert!(
        finding.message.ends_with("no noc_async_read_barrier that waits for it came between"),
        "{}",
        finding.message
    );
    // Where none is, none is spoken of.
    let run = read_by_two(loads_without_a_barrier);
    let finding = only(&run, Code::READ_IN_FLIGHT);
    assert!(finding.message.ends_with(": no noc_async_read_barrier came between"), "{}", finding.message);
    assert_eq!(finding.labels.len(), 1);
}

// Counts that were taken away, and deadlocks that follow.

/// The logical column of this core, and the NoC coordinates of the core in a column.
fn column(dm: &DataMovement<'_>) -> (u32, impl Fn(u32) -> (u32, u32)) {
    let (x, y) = dm.my_coordinates();
    // The origin of Wormhole's compute grid on the NoC.
    (x - 18, move |column| (18 + column, y))
}

fn raise(dm: &DataMovement<'_>, column_of: u32, id: u32, by: u32) {
    let (_, core) = column(dm);
    dm.noc_semaphore_inc(dm.get_noc_addr(core(column_of), dm.get_semaphore(id)), by);
    dm.noc_async_atomic_barrier();
}

/// Two counts come before the wait for one; the reset swallows the other.
fn swallows(dm: &DataMovement<'_>) {
    let count = dm.get_semaphore(0);
    if column(dm).0 == 1 {
        raise(dm, 0, 0, 1);
        raise(dm, 0, 0, 1);
        raise(dm, 0, 1, 1);
        return;
    }
    dm.noc_semaphore_wait_min(dm.get_semaphore(1), 1);
    dm.noc_semaphore_wait_min(count, 1);
    dm.noc_semaphore_set(count, 0); // takes two
    dm.noc_semaphore_wait_min(count, 1); // waits for the second
}

/// Two are waited for and taken, and the next count never comes.
fn takes_both(dm: &DataMovement<'_>) {
    let count = dm.get_semaphore(0);
    if column(dm).0 == 1 {
        raise(dm, 0, 0, 1);
        raise(dm, 0, 0, 1);
        return;
    }
    dm.noc_semaphore_wait_min(count, 2);
    dm.noc_semaphore_set(count, 0);
    dm.noc_semaphore_wait_min(count, 1);
}

/// What was waited for is taken, and the next count never comes.
fn comes_once(dm: &DataMovement<'_>) {
    let count = dm.get_semaphore(0);
    if column(dm).0 == 1 {
        raise(dm, 0, 0, 1);
        return;
    }
    dm.noc_semaphore_wait_min(count, 1);
    dm.noc_semaphore_set(count, 0);
    dm.noc_semaphore_wait_min(count, 1);
}

/// Counted down over the NoC: minus one is an increment too.
fn counts_down(dm: &DataMovement<'_>) {
    if column(dm).0 == 1 {
        raise(dm, 0, 0, 2);
        raise(dm, 0, 0, u32::MAX);
        return;
    }
    dm.noc_semaphore_wait_min(dm.get_semaphore(0), 3);
}

/// Nobody takes anything away.
fn too_few(dm: &DataMovement<'_>) {
    if column(dm).0 == 1 {
        return raise(dm, 0, 0, 1);
    }
    dm.noc_semaphore_wait_min(dm.get_semaphore(0), 2);
}

fn row(cores: u32, writer: fn(&DataMovement<'_>)) -> RunRecord {
    let kernels = Kernels { reader: nothing, compute: no_compute, writer, cores, semaphores: 2, ..Kernels::default() };
    let run = observed(kernels);
    assert_eq!(run.status, Status::Deadlock);
    run
}

fn help(finding: &Finding) -> &str {
    finding.help.as_deref().unwrap_or_default()
}

#[test]
fn a_wait_for_what_was_taken_away_names_the_taker_and_does_not_ask_for_one_more() {
    let run = row(2, swallows);
    let finding = only(&run, Code::DEADLOCK);
    assert_eq!(line_of(finding), marked("waits for the second"));
    assert!(labelled(finding).contains(&marked("takes two")), "{finding:#?}");
    assert!(finding.message.contains("BRISC has set it from 2 to 0, more than was waited for"), "{}", finding.message);
    assert!(!help(finding).contains("more, or wait for"), "{finding:#?}");
    for writer in [takes_both, comes_once, counts_down] {
        let run = row(2, writer);
        let finding = only(&run, Code::DEADLOCK);
        assert!(!help(finding).contains("more, or wait for"), "{finding:#?}");
        assert!(!finding.message.contains("more than was waited for"), "{}", finding.message);
    }
    let run = row(2, too_few);
    assert_eq!(help(only(&run, Code::DEADLOCK)), "count it up by 1 more, or wait for 1");
}

/// Each core waits for the one to its right; the last one waits for a page that nobody pushes.
fn each_waits_for_the_next(dm: &DataMovement<'_>) {
    let (column, _) = column(dm);
    match column {
        2 => dm.cb_wait_front(OUT, 1), // nobody pushes
        _ => dm.noc_semaphore_wait_min(dm.get_semaphore(0), 3),
    }
    raise(dm, column - 1, 0, 1);
}

/// The same, after the neighbour on the right has counted once.
fn each_has_counted_once(dm: &DataMovement<'_>) {
    let (column, _) = column(dm);
    if column > 0 {
        raise(dm, column - 1, 0, 1);
    }
    each_waits_for_the_next(dm);
}

fn alone_in_two_places(dm: &DataMovement<'_>) {
    match column(dm).0 {
        0 => dm.cb_wait_front(OUT, 1),
        _ => dm.cb_wait_front(IN0, 1),
    }
}

#[test]
fn a_deadlock_that_follows_from_another_says_so_and_stands_behind_it() {
    let run = row(3, each_has_counted_once);
    let notes: Vec<String> = run.findings.iter().map(|finding| finding.notes.join("\n")).collect();
    assert_eq!(line_of(&run.findings[0]), marked("nobody pushes"));
    assert!(!notes[0].contains("follow"), "{notes:?}");
    assert_eq!(run.findings.len(), 2, "both others stand at one line: {:#?}", run.findings);
    assert!(notes[1].contains("follows from"), "{notes:?}");
    assert_eq!(help(&run.findings[1]), "mend the deadlock of core (2,0) first");
    // Two that have nothing to do with each other.
    let run = row(2, alone_in_two_places);
    assert_eq!(run.findings.len(), 2);
    assert!(run.findings.iter().all(|finding| !finding.notes.concat().contains("follow")), "{:#?}", run.findings);
}

// Circular buffers that are not there.

fn reads_to_no_buffer(dm: &DataMovement<'_>) {
    let (_, tensor) = &inputs(dm)[0];
    dm.noc_async_read_page(0, tensor, dm.get_write_ptr(9)); // reads to c_9
}

fn stores_to_no_buffer(dm: &DataMovement<'_>) {
    dm.l1_store(dm.get_write_ptr(9) + 64, &[1]); // stores to c_9
}

fn sends_from_no_buffer(dm: &DataMovement<'_>) {
    dm.noc_async_write_page(0, &output(dm), dm.get_read_ptr(9)); // sends from c_9
}

/// Optional buffers are often asked for their address and left alone.
fn asks_and_reads_as_it_should(dm: &DataMovement<'_>) {
    let _unused = dm.get_write_ptr(9);
    adding::reader(dm);
}

#[test]
fn an_address_of_a_buffer_that_is_not_there_is_reported_where_it_is_used() {
    for (kernel, mark) in [
        (reads_to_no_buffer as fn(&DataMovement<'_>), "reads to c_9"),
        (stores_to_no_buffer, "stores to c_9"),
        (sends_from_no_buffer, "sends from c_9"),
    ] {
        let run = observed(Kernels { reader: kernel, ..Kernels::default() });
        let finding = only(&run, Code::NO_SUCH_BUFFER);
        assert_eq!((line_of(finding), finding.facts["cb"].as_str()), (marked(mark), "c_9"));
        assert_eq!(run.findings.len(), 1, "{:#?}", run.findings);
    }
    silent(&observed(Kernels { reader: asks_and_reads_as_it_should, ..Kernels::default() }));
}

// Pools.

fn sum_after_the_init_of_a_maximum(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.reduce_init(Pool::Max, ReduceDim::Row, IN0, IN1, OUT);
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN1, 1);
    k.tile_regs_acquire();
    k.reduce_tile(Pool::Sum, ReduceDim::Row, IN0, IN1, 0, 0, 0); // sum
    k.tile_regs_commit();
}

#[test]
fn a_sum_after_the_init_of_a_maximum_is_not_called_a_wrong_scaler() {
    let run = observed(Kernels { compute: sum_after_the_init_of_a_maximum, ..Kernels::default() });
    let at_the_sum: Vec<&Finding> = run.findings.iter().filter(|f| line_of(f) == marked("sum")).collect();
    assert!(at_the_sum.iter().any(|finding| finding.code == Code::WRONG_INIT), "{:#?}", run.findings);
    assert!(run.findings.iter().all(|finding| !finding.message.contains("scaler other than")), "{:#?}", run.findings);
}

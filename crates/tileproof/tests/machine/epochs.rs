//! Cores that meet where nobody observes: they run apart, in epochs, on one host thread as on several.

use std::collections::BTreeMap;

use crate::support::adding::{Kernels, TILES};
use tileproof::device::Device;
use tileproof_check::Checks;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::observe::Unobserved;
use tileproof_model::program::{Argument, Program};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::thread::{CoreCoord, CoreRange};

fn nothing(_: &DataMovement<'_>) {}
fn no_compute(_: &Compute<'_>) {}

const CORES: u32 = 4;
/// Places in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;
const OTHER: u32 = 0x0010_2000;
const PAGE: usize = 512;

/// The logical column of this core, and the NoC coordinates of one some columns along the row.
fn place(dm: &DataMovement<'_>) -> (u32, impl Fn(u32) -> (u32, u32)) {
    let (x, y) = dm.my_coordinates();
    // The origin of Wormhole's compute grid on the NoC.
    (x - 18, move |column| (18 + column % CORES, y))
}

fn out<'a>(dm: &DataMovement<'a>) -> TensorAccessor {
    TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048)
}

/// Writes `OTHER` as the page of this core.
fn write_own_page(dm: &DataMovement<'_>) {
    let (column, _) = place(dm);
    dm.noc_async_write_page(column, &out(dm), OTHER);
    dm.noc_async_write_barrier();
}

fn row(cores: u32, writer: fn(&DataMovement<'_>)) -> Kernels {
    let kernels = Kernels { reader: nothing, compute: no_compute, writer, ..Kernels::default() };
    Kernels { cores, semaphores: 1, ..kernels }
}

/// The record, the first word of each page of `out`, and how many launches ran with their cores apart.
fn run_on(threads: usize, program: &Program) -> (RunRecord, Vec<u32>, u32) {
    let mut device = Device::<Unobserved>::new(program, threads).expect("device");
    device.write("out", &[0.0; TILES as usize * 1024]).expect("out");
    let record = device.run(program).expect("run");
    // Two bf16 to a word, the first in its lower half.
    let values = device.read("out").expect("out");
    let word = |page: &[f32]| page[0].to_bits() >> 16 | page[1].to_bits();
    let words = values.chunks(1024).map(word).collect();
    (record, words, device.machine().launches_apart())
}

/// Every number of host threads gives what the first does: its words, and whether its launches ran apart.
fn on_any_number_of_threads(program: &Program) -> (RunRecord, Vec<u32>, u32) {
    let first = run_on(1, program);
    for threads in [2, 3] {
        let other = run_on(threads, program);
        assert_eq!(format!("{:#?}", first.0), format!("{:#?}", other.0), "{threads} threads");
        assert_eq!((&first.1, first.2), (&other.1, other.2), "{threads} threads");
    }
    first
}

/// A word that is a number of a core and nothing special as two bf16.
fn word_of(column: u32) -> u32 {
    0x3f80_4000 + column
}

/// Tells the core before it that its page is there, and reads that of the core behind it; then waits for it.
fn reads_from_the_next(dm: &DataMovement<'_>, waits: impl Fn()) {
    let (column, at) = place(dm);
    let ready = dm.get_semaphore(0);
    dm.l1_store(DATA, &[word_of(column); PAGE]);
    dm.noc_semaphore_inc(dm.get_noc_addr(at(column + CORES - 1), ready), 1);
    dm.noc_semaphore_wait(ready, 1);
    dm.noc_async_read(dm.get_noc_addr(at(column + 1), DATA), OTHER, 2048);
    waits();
    write_own_page(dm);
}

fn by_a_barrier(dm: &DataMovement<'_>) {
    reads_from_the_next(dm, || dm.noc_async_read_barrier());
}

fn by_polls(dm: &DataMovement<'_>) {
    reads_from_the_next(dm, || while !dm.ncrisc_noc_read_with_transaction_id_flushed(0) {});
}

fn by_polls_when_it_should_be_there(dm: &DataMovement<'_>) {
    reads_from_the_next(dm, || {
        dm.spend(10_000);
        while !dm.ncrisc_noc_read_with_transaction_id_flushed(0) {}
    });
}

#[test]
fn a_core_reads_what_another_has_made_ready() {
    for writer in [by_a_barrier, by_polls, by_polls_when_it_should_be_there] {
        let (record, words, apart) = on_any_number_of_threads(&row(CORES, writer).program());
        assert_eq!((record.status, apart), (Status::Completed, 1));
        assert_eq!(words, [1, 2, 3, 0].map(word_of));
    }
    let (apart, together) = (row(CORES, by_a_barrier).run().0, row(CORES, by_a_barrier).run_observed::<Checks>().0);
    assert_eq!(apart.cycles, together.cycles);
}

/// More than a core may have under way at the end of an epoch.
const SENT: u32 = 3000;

/// The first core sends page after page to the others and waits for none; the last of them counts.
fn sends_much(dm: &DataMovement<'_>) {
    let (column, at) = place(dm);
    let sent = dm.get_semaphore(0);
    if column == 0 {
        for page in 0..SENT {
            dm.l1_store(DATA, &[page; PAGE]);
            for other in 1..CORES {
                dm.noc_async_write(DATA, dm.get_noc_addr(at(other), OTHER), 2048);
            }
            dm.noc_async_writes_flushed();
        }
        dm.l1_store(OTHER, &[SENT; PAGE]);
        (1..CORES).for_each(|other| dm.noc_semaphore_inc(dm.get_noc_addr(at(other), sent), 1));
        dm.noc_async_write_barrier();
    } else {
        dm.noc_semaphore_wait(sent, 1);
    }
    write_own_page(dm);
}

#[test]
fn what_is_sent_lands_in_the_order_of_its_calls_however_much_it_is() {
    let (record, words, apart) = on_any_number_of_threads(&row(CORES, sends_much).program());
    assert_eq!((record.status, apart), (Status::Completed, 1));
    assert_eq!(words, [SENT, SENT - 1, SENT - 1, SENT - 1]);
}

/// One core after the other adds one to the first page of `out`, once the core before it has counted it up.
fn adds_to_one_page_in_turn(dm: &DataMovement<'_>) {
    let (column, at) = place(dm);
    let turn = dm.get_semaphore(0);
    if column > 0 {
        dm.noc_semaphore_wait(turn, 1);
    }
    dm.noc_async_read_page(0, &out(dm), DATA);
    dm.noc_async_read_barrier();
    let mut words = [0; PAGE];
    dm.l1_load(DATA, &mut words);
    dm.l1_store(DATA, &words.map(|word| word + 1));
    dm.noc_async_write_page(0, &out(dm), DATA);
    dm.noc_async_write_barrier();
    if column + 1 < CORES {
        dm.noc_semaphore_inc(dm.get_noc_addr(at(column + 1), turn), 1);
        dm.noc_async_atomic_barrier();
    }
}

#[test]
fn a_page_of_dram_goes_from_core_to_core_where_a_semaphore_orders_them() {
    let (record, words, apart) = on_any_number_of_threads(&row(CORES, adds_to_one_page_in_turn).program());
    assert_eq!((record.status, apart), (Status::Completed, 1));
    assert_eq!(words[0], CORES);
}

fn waits_for_one_more(dm: &DataMovement<'_>) {
    let (column, at) = place(dm);
    let count = dm.get_semaphore(0);
    dm.noc_semaphore_inc(dm.get_noc_addr(at(0), count), 1);
    dm.noc_async_atomic_barrier();
    if column == 0 {
        dm.noc_semaphore_wait(count, CORES + 1);
    }
}

#[test]
fn a_hang_of_cores_that_meet_is_told_as_where_they_run_together() {
    let (record, _, apart) = on_any_number_of_threads(&row(CORES, waits_for_one_more).program());
    assert_eq!((record.status, apart), (Status::Deadlock, 0));
    let (together, _) = row(CORES, waits_for_one_more).run_observed::<Checks>();
    assert_eq!(format!("{:#?}", record.findings), format!("{:#?}", together.findings));
}

/// By argument 1: keeps 7 in a word; or adds 5 to that of the last core, and, by argument 2, to the first page of `out`, which all
/// do that run; or writes the word as its page.
fn by_step(dm: &DataMovement<'_>) {
    let (_, at) = place(dm);
    match dm.get_arg_val(1) {
        0 => dm.l1_store(OTHER, &[7; PAGE]),
        1 => {
            dm.noc_semaphore_inc(dm.get_noc_addr(at(CORES - 1), OTHER), 5);
            dm.noc_async_atomic_barrier();
            if dm.get_arg_val(2) != 0 {
                dm.noc_async_write_page(0, &out(dm), DATA);
                dm.noc_async_write_barrier();
            }
        }
        _ => write_own_page(dm),
    }
}

/// Three launches; in the second, of two cores, others are idle, and the two may write one page.
fn in_three_steps(writes_one_page: bool) -> Program {
    let mut program = row(CORES, by_step).program();
    let step = |step: u32, cores: u32| {
        let mut launch = program.launches[0].clone();
        let words = [step, u32::from(writes_one_page)].map(Argument::Word);
        let arguments: Vec<Argument> = [Argument::Address("out".into())].into_iter().chain(words).collect();
        let range = CoreRange { start: CoreCoord { x: 0, y: 0 }, end: CoreCoord { x: cores - 1, y: 0 } };
        for kernel in &mut launch.kernels {
            kernel.core_ranges = vec![range];
            let of = |x| (CoreCoord { x, y: 0 }, arguments.clone());
            kernel.runtime_args = (0..cores).map(of).collect::<BTreeMap<_, _>>();
        }
        launch
    };
    program.launches = vec![step(0, CORES), step(1, 2), step(2, CORES)];
    program
}

#[test]
fn a_core_that_is_idle_gets_what_is_sent_to_it_once_even_where_the_trial_fails() {
    for writes_one_page in [false, true] {
        let (record, words, apart) = on_any_number_of_threads(&in_three_steps(writes_one_page));
        assert_eq!((record.status, apart), (Status::Completed, if writes_one_page { 2 } else { 3 }));
        assert_eq!(words, [7, 7, 7, 17], "two cores have added 5");
    }
}

//! Cores that meet: semaphores, writes to other cores, multicast with and without the sender.

use crate::support::adding::{self, Kernels};
use crate::support::raw;
use tileproof::device::Device;
use tileproof_check::Checks;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::abi::{Abi, Site, barrier};
use tileproof_model::finding::Code;
use tileproof_model::kernel::KernelArgs;
use tileproof_model::record::{RunRecord, Status};

fn nothing(_: &DataMovement<'_>) {}
fn no_compute(_: &Compute<'_>) {}

/// A program of `cores` cores in a row, on which only the writer runs.
fn row(cores: u32, writer: fn(&DataMovement<'_>)) -> Kernels {
    Kernels { reader: nothing, compute: no_compute, writer, cores, semaphores: 1, ..Kernels::default() }
}

fn codes(record: &RunRecord) -> Vec<Code> {
    record.findings.iter().map(|f| f.code).collect()
}

/// Somewhere in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;
const CORES: u32 = 4;

/// The logical column of this core, and the NoC coordinates of the first core of the row.
fn place(dm: &DataMovement<'_>) -> (u32, (u32, u32)) {
    // The origin of Wormhole's compute grid on the NoC.
    let (x, y) = dm.my_coordinates();
    (x - 18, (18, y))
}

/// The first core hands a page to all others; each writes it as its page of `out`. A writer is on NoC 1, where a rectangle
/// runs from its high corner down.
fn spread(dm: &DataMovement<'_>, count: u32, loopback: bool) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    let (column, (x, y)) = place(dm);
    let flag = dm.get_semaphore(0);
    if column == 0 {
        dm.l1_store(DATA, &[0x4040_4040; 512]);
        let data = dm.get_noc_multicast_addr((x + CORES - 1, y), (x, y), DATA);
        if loopback {
            dm.noc_async_write_multicast_loopback_src(DATA, data, 2048, count);
        } else {
            dm.noc_async_write_multicast(DATA, data, 2048, count);
        }
        dm.noc_async_write_barrier();
        dm.noc_semaphore_set(flag, 1);
        let flags = dm.get_noc_multicast_addr((x + CORES - 1, y), (x, y), flag);
        dm.noc_semaphore_set_multicast(flag, flags, CORES - 1);
        dm.noc_async_write_barrier();
    } else {
        dm.noc_semaphore_wait(flag, 1);
    }
    dm.noc_async_write_page(column, &out, DATA);
    dm.noc_async_write_barrier();
}

fn spreads(dm: &DataMovement<'_>) {
    spread(dm, CORES - 1, false);
}

fn spreads_to_itself_too(dm: &DataMovement<'_>) {
    spread(dm, CORES, true);
}

fn counts_itself(dm: &DataMovement<'_>) {
    spread(dm, CORES, false);
}

#[test]
fn a_multicast_reaches_every_core_of_its_rectangle() {
    for writer in [spreads, spreads_to_itself_too] {
        let (record, out) = row(CORES, writer).run_observed::<Checks>();
        assert_eq!((record.status, codes(&record)), (Status::Completed, vec![]));
        // Bits 0x4040 of bf16.
        assert!(out.expect("completed").iter().all(|value| *value == 3.0));
    }
}

/// The first core hands a page to all, to itself half a page further on: what arrives there lies where it came from.
fn spreads_onto_its_source(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    let (column, (x, y)) = place(dm);
    let (flag, to) = (dm.get_semaphore(0), DATA + 1024);
    if column == 0 {
        dm.l1_store(DATA, &[0x4040_4040; 256]);
        dm.l1_store(to, &[0x4000_4000; 256]);
        let data = dm.get_noc_multicast_addr((x + CORES - 1, y), (x, y), to);
        dm.noc_async_write_multicast_loopback_src(DATA, data, 2048, CORES);
        dm.noc_async_write_barrier();
        dm.noc_semaphore_set(flag, 1);
        let flags = dm.get_noc_multicast_addr((x + CORES - 1, y), (x, y), flag);
        dm.noc_semaphore_set_multicast(flag, flags, CORES - 1);
        dm.noc_async_write_barrier();
    } else {
        dm.noc_semaphore_wait(flag, 1);
    }
    dm.noc_async_write_page(column, &out, to);
    dm.noc_async_write_barrier();
}

#[test]
fn a_multicast_onto_its_own_source_gives_every_core_what_was_there_before() {
    let (record, out) = row(CORES, spreads_onto_its_source).run();
    assert_eq!(record.status, Status::Completed);
    let out = out.expect("completed");
    // Bits 0x4040 and 0x4000 of bf16, half a page each.
    let count = |wanted: f32| out.iter().filter(|value| **value == wanted).count();
    assert_eq!((count(3.0), count(2.0)), (out.len() / 2, out.len() / 2));
}

#[test]
fn a_multicast_that_counts_its_sender_is_reported_where_it_is_made() {
    let (record, _) = row(CORES, counts_itself).run_observed::<Checks>();
    assert_eq!(codes(&record), [Code::MULTICAST_COUNT]);
    let finding = &record.findings[0];
    assert_eq!(finding.facts["reached"], "3");
    assert_eq!(finding.facts["num_dests"], "4");
    let line = include_str!("many_cores.rs").lines().position(|l| l.contains("(DATA, data, 2048, count);"));
    // The second such line is the call without the sender.
    let first = line.expect("the call") as u32 + 1;
    assert_eq!(finding.primary.location.as_ref().map(|l| l.line), Some(first + 2));
}

/// Two cores count each other up.
fn ping_pong(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    let (column, (x, y)) = place(dm);
    let flag = dm.get_semaphore(0);
    let other = dm.get_noc_addr((x + 1 - column, y), flag);
    // Pages 2 and 3 of the output too.
    for page in [column, column + 2] {
        dm.noc_async_write_page(page, &out, DATA);
    }
    for round in 0..10 {
        if column == 0 {
            dm.noc_semaphore_inc(other, 1);
            dm.noc_semaphore_wait_min(flag, round + 1);
        } else {
            dm.noc_semaphore_wait_min(flag, round + 1);
            dm.noc_semaphore_inc(other, 1);
        }
    }
    dm.noc_async_atomic_barrier();
    dm.noc_async_write_barrier();
}

fn never_answers(dm: &DataMovement<'_>) {
    let (column, _) = place(dm);
    if column == 0 {
        dm.noc_semaphore_wait_min(dm.get_semaphore(0), 1);
    }
}

#[test]
fn each_round_between_two_cores_takes_the_time_of_two_messages() {
    let (record, _) = row(2, ping_pong).run();
    assert_eq!((record.status, codes(&record)), (Status::Completed, vec![]));
    // A write of few bytes is acknowledged after 293 cycles (tt-metal's `noc_latencies.yaml`), of which a barrier is 7; its poll takes some more.
    assert!((10 * 2 * 286..10 * 2 * 330).contains(&record.cycles), "{} cycles", record.cycles);
}

#[test]
fn a_semaphore_that_nobody_counts_up_is_a_deadlock_on_one_core() {
    let (record, _) = row(2, never_answers).run_observed::<Checks>();
    assert_eq!(record.status, Status::Deadlock);
    assert_eq!(codes(&record), [Code::DEADLOCK]);
    assert!(record.findings[0].message.contains("semaphore 0 is >= 1; it is 0"), "{}", record.findings[0].message);
}

/// All cores but the first count up a semaphore of the first, each as often as `times` says, wait until that is acknowledged,
/// and end. The first waits until the semaphore is `awaited`.
fn gather(dm: &DataMovement<'_>, times: [u32; CORES as usize], awaited: u32) {
    let (column, (x, y)) = place(dm);
    let counter = dm.get_semaphore(0);
    if column == 0 {
        dm.noc_semaphore_wait(counter, awaited);
        return;
    }
    for _ in 0..times[column as usize] {
        dm.noc_semaphore_inc(dm.get_noc_addr((x, y), counter), 1);
    }
    dm.noc_async_atomic_barrier();
}

fn one_forgets(dm: &DataMovement<'_>) {
    gather(dm, [0, 1, 0, 1], CORES - 1);
}

fn one_counts_less_often(dm: &DataMovement<'_>) {
    gather(dm, [0, 2, 2, 1], 2 * (CORES - 1));
}

fn the_first_counts_itself_too(dm: &DataMovement<'_>) {
    gather(dm, [0, 1, 1, 1], CORES);
}

fn two_are_missing_where_one_forgets(dm: &DataMovement<'_>) {
    gather(dm, [0, 1, 0, 1], CORES);
}

fn all_count_past_the_value(dm: &DataMovement<'_>) {
    gather(dm, [0, 2, 2, 2], CORES - 1);
}

/// A kernel, how its deadlock is explained, and who is said to be missing.
type Gathering = (fn(&DataMovement<'_>), &'static str, Option<&'static str>);

#[test]
fn who_did_not_count_up_a_semaphore_is_named_where_the_sums_tell() {
    let cases: [Gathering; 5] = [
        (
            one_forgets,
            "2 cores have counted it up; core (2,0), which runs the same kernel, has not",
            Some("core (2,0)"),
        ),
        (
            one_counts_less_often,
            "2 cores have counted it up; core (3,0), which runs the same kernel, has not as often",
            Some("core (3,0)"),
        ),
        // Nobody is blamed where no core explains what is missing.
        (the_first_counts_itself_too, "it is 3, and 3 cores have counted it up, all that do", None),
        (two_are_missing_where_one_forgets, "it is 2, and 2 cores have counted it up, all that do", None),
        (all_count_past_the_value, "it is 6, and it has gone past that", None),
    ];
    for (writer, words, missing) in cases {
        let (record, _) = row(CORES, writer).run_observed::<Checks>();
        let [finding] = record.findings.as_slice() else { panic!("{words}: {:#?}", record.findings) };
        assert_eq!((record.status, finding.code), (Status::Deadlock, Code::DEADLOCK));
        assert!(finding.message.ends_with(words), "{}", finding.message);
        assert_eq!(finding.facts.get("missing").map(String::as_str), missing, "{words}");
        // Where the others counted.
        let line = include_str!("many_cores.rs").lines().position(|l| l.contains("dm.noc_semaphore_inc(dm.get_noc"));
        let line = line.expect("the call") as u32 + 1;
        let label = finding.labels.iter().find(|l| l.place.location.as_ref().is_some_and(|at| at.line == line));
        assert!(label.is_some(), "{:#?}", finding.labels);
    }
}

/// The first of two cores waits for a word that is no semaphore; the other sets it to something else, if it does, before
/// that or behind it.
fn sets_a_word(dm: &DataMovement<'_>, late: Option<u32>) {
    let (column, (x, y)) = place(dm);
    if column == 0 {
        dm.spend(50_000);
        dm.noc_semaphore_wait(DATA, 2);
    } else if let Some(cycles) = late {
        dm.spend(cycles);
        dm.l1_store(DATA + 16, &[1]);
        dm.noc_async_write(DATA + 16, dm.get_noc_addr((x, y), DATA), 4);
        dm.noc_async_write_barrier();
    }
}

#[test]
fn a_word_that_another_core_has_set_is_not_said_to_be_unwritten() {
    let never = |dm: &DataMovement<'_>| sets_a_word(dm, None);
    let before = |dm: &DataMovement<'_>| sets_a_word(dm, Some(0));
    let behind = |dm: &DataMovement<'_>| sets_a_word(dm, Some(100_000));
    for (writer, words) in [
        (never as fn(&DataMovement<'_>), "no other core has written it"),
        (before, "nothing that still runs writes it"),
        (behind, "nothing that still runs writes it"),
    ] {
        let (record, _) = row(2, writer).run();
        assert_eq!(record.status, Status::Deadlock, "{:#?}", record.findings);
        assert!(record.findings[0].message.ends_with(words), "{}", record.findings[0].message);
    }
}

/// The cycles of two cores that run a kernel.
fn cycles_of(kernel: fn(&'static Abi, &KernelArgs<'_>)) -> u64 {
    let mut program = Kernels { output: false, ..row(2, nothing) }.program();
    program.launches[0].kernels[2].source = raw::source(kernel);
    let mut device = Device::<Checks>::new(&program, 1).expect("device");
    let (in0, in1) = adding::inputs();
    device.write("in0", &in0).expect("in0");
    device.write("in1", &in1).expect("in1");
    let record = device.run(&program).expect("launch");
    assert_eq!(record.status, Status::Completed, "{:#?}", record.findings);
    record.cycles
}

const HERE: Site = Site(0);
const TRID: u32 = 5;

/// Sets an id for the writes of NoC 0, and sends something to the other core; then waits.
fn sends_with_id(abi: &'static Abi, sends: impl Fn(u64), waits: impl Fn()) {
    let (x, y) = ((abi.my_coordinates)(0) & 0xffff, (abi.my_coordinates)(0) >> 16);
    let other = u64::from(y) << 42 | u64::from(19 + 18 - x) << 36;
    if x == 18 {
        (abi.noc_set_trid)(HERE, 0, 1, TRID);
        sends(other);
        waits();
    }
}

fn multicasts(abi: &'static Abi, waits: impl Fn()) {
    let to = |other: u64| other << 12 | other | u64::from(DATA);
    sends_with_id(abi, |other| (abi.noc_multicast)(HERE, 0, DATA, to(other), 2048, 1, 0), waits);
}

fn multicasts_and_waits_for_its_id(abi: &'static Abi, _: &KernelArgs<'_>) {
    multicasts(abi, || (abi.noc_trid_barrier)(HERE, 0, barrier::WRITES, TRID));
}

fn multicasts_and_waits_for_all(abi: &'static Abi, _: &KernelArgs<'_>) {
    multicasts(abi, || (abi.noc_barrier)(HERE, 0, barrier::WRITES));
}

fn multicasts_and_waits_for_another_id(abi: &'static Abi, _: &KernelArgs<'_>) {
    multicasts(abi, || (abi.noc_trid_barrier)(HERE, 0, barrier::WRITES, TRID - 1));
}

fn counts(abi: &'static Abi, waits: impl Fn()) {
    sends_with_id(abi, |other| (abi.noc_semaphore_inc)(HERE, 0, other | u64::from(DATA), 1), waits);
}

fn counts_and_waits_for_id_0(abi: &'static Abi, _: &KernelArgs<'_>) {
    counts(abi, || (abi.noc_trid_barrier)(HERE, 0, barrier::WRITES, 0));
}

fn counts_and_waits_for_all(abi: &'static Abi, _: &KernelArgs<'_>) {
    counts(abi, || (abi.noc_barrier)(HERE, 0, barrier::ATOMICS));
}

fn counts_and_waits_for_the_id_of_writes(abi: &'static Abi, _: &KernelArgs<'_>) {
    counts(abi, || (abi.noc_trid_barrier)(HERE, 0, barrier::WRITES, TRID));
}

#[test]
fn a_barrier_on_an_id_waits_for_the_multicasts_that_carry_it_and_for_no_additions() {
    let all = cycles_of(multicasts_and_waits_for_all);
    assert_eq!(cycles_of(multicasts_and_waits_for_its_id), all);
    assert!(cycles_of(multicasts_and_waits_for_another_id) < all);
    // Atomics go out by another command buffer, whose id is 0.
    let all = cycles_of(counts_and_waits_for_all);
    assert_eq!(cycles_of(counts_and_waits_for_id_0), all);
    assert!(cycles_of(counts_and_waits_for_the_id_of_writes) < all);
}

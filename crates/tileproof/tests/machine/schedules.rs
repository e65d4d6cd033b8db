//! Other schedules than the default: kernels that are right by luck of the order fail on some, their right twins on none.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::found::marked;
use crate::support::{folder, root};
use tileproof::device::Device;
use tileproof::ops::layernorm_bw::{self, Arguments, PathChoice, Tensors};
use tileproof::run_file::grid::Verdict;
use tileproof::run_file::{BuildKernels, ChosenChecks, RunOptions, RunResult, run_program_file, run_program_file_with};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_kernel::{Compute, DataMovement, TensorAccessor, compute_kernel, data_movement_kernel};
use tileproof_model::arch::Arch;
use tileproof_model::finding::Code;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::schedule::Schedule;

type Body = fn(&DataMovement<'_>);

/// Kernels in Rust for the files `brisc.cpp`, `ncrisc.cpp` and `compute.cpp`.
struct Kernels(Body, Body);

impl BuildKernels for Kernels {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        let kernel = |request: &CompileRequest| match request.source.file_stem().and_then(|stem| stem.to_str()) {
            Some("brisc") => data_movement_kernel("brisc", self.0),
            Some("ncrisc") => data_movement_kernel("ncrisc", self.1),
            _ => compute_kernel("compute", add),
        };
        Ok(requests.iter().map(kernel).collect())
    }
}

/// A program of `cores` cores, each with a kernel on BRISC and one on NCRISC, and what else `more` says.
fn program(name: &str, cores: u32, more: &str) -> PathBuf {
    let folder = folder(&format!("schedules-{name}"));
    for file in ["brisc.cpp", "ncrisc.cpp", "compute.cpp"] {
        fs::write(folder.join(file), "").unwrap();
    }
    let ranges = format!("core_ranges = [[[0, 0], [{}, 0]]]\n", cores - 1);
    let tensor = |name: &str, rest: &str| {
        let fields = "shape = [4, 32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"";
        format!("[[tensor]]\nname = \"{name}\"\n{fields}\n{rest}\n")
    };
    let cb = |index: u32| {
        let format = format!("{{ buffer_index = {index}, data_format = \"bfloat16\", page_size = 2048 }}");
        format!("[[cb]]\ntotal_size = 4096\n{ranges}format_descriptors = [{format}]\n")
    };
    let kernel = |file: &str, config: &str| {
        let args = "{ address = \"in\" }, { address = \"mid\" }, { address = \"out\" }";
        let args: Vec<String> = (0..cores).map(|x| format!("{{ core = [{x}, 0], args = [{args}] }}")).collect();
        format!(
            "[[kernel]]\nkernel_source = \"{file}.cpp\"\n{ranges}config = \"{config}\"\n\
             compile_time_args = [{{ tensor_accessor = \"in\" }}, {{ tensor_accessor = \"mid\" }}, \
             {{ tensor_accessor = \"out\" }}]\nruntime_args = [{}]\n",
            args.join(", ")
        )
    };
    let text = [
        tensor("in", "fill = \"ramp:1,2\""),
        tensor("mid", ""),
        tensor("out", "output = true\nscratch = true"),
        cb(0),
        cb(1),
        cb(16),
        format!("[[semaphore]]\nid = 0\n{ranges}"),
        kernel("brisc", "writer"),
        kernel("ncrisc", "reader"),
        more.to_string(),
    ];
    let path = folder.join("program.toml");
    fs::write(&path, text.concat()).unwrap();
    path
}

fn explored(path: &Path, kernels: &Kernels, checks: ChosenChecks) -> RunResult {
    let options = RunOptions { checks, explore: 200, ..RunOptions::default() };
    run_program_file_with(path, &options, kernels).unwrap()
}

/// The schedule on which a program fails that passes by default; it gives the same again, on any number of threads.
fn fails_on(path: &Path, kernels: &Kernels, checks: ChosenChecks) -> (RunResult, String) {
    let result = explored(path, kernels, checks.clone());
    let explored = result.explored.clone().unwrap();
    assert!(explored.default_passes && explored.schedules <= 200, "{explored:?}");
    let schedule = explored.failed.expect("a schedule fails");
    assert_eq!((&schedule, result.pass()), (&result.schedule, false));
    for threads in [1, 4] {
        let options = RunOptions {
            checks: checks.clone(),
            schedule: schedule.clone(),
            threads: Some(threads),
            ..RunOptions::default()
        };
        let again = run_program_file_with(path, &options, kernels).unwrap();
        assert_eq!(format!("{:?}", again.record), format!("{:?}", result.record));
    }
    (result, schedule.to_string())
}

fn passes_on_all(path: &Path, kernels: &Kernels, checks: ChosenChecks) {
    let result = explored(path, kernels, checks);
    let explored = result.explored.clone().unwrap();
    assert!(explored.schedules == 200 || explored.are_all, "{explored:?}");
    assert_eq!(explored.failed, None, "{:#?}", result.record.findings);
    assert!(result.pass() && result.schedule.is_default(), "{:#?}", result.record.findings);
}

// A semaphore that one side resets and the other raises.

fn resets_and_waits(dm: &DataMovement<'_>) {
    let semaphore = dm.get_semaphore(0);
    dm.noc_semaphore_set(semaphore, 0);
    dm.noc_semaphore_wait(semaphore, 1); // waits for what it has reset
}

fn waits(dm: &DataMovement<'_>) {
    dm.noc_semaphore_wait(dm.get_semaphore(0), 1);
}

fn raises(dm: &DataMovement<'_>) {
    dm.noc_semaphore_inc(dm.get_noc_addr(dm.my_coordinates(), dm.get_semaphore(0)), 1);
    dm.noc_async_atomic_barrier();
}

#[test]
fn a_raise_that_a_reset_takes_back_hangs_on_another_order() {
    let path = program("reset", 1, "");
    // The order of events shows it on the first run.
    assert!(is_a_race(&path, &Kernels(resets_and_waits, raises)));
    let (result, token) = fails_on(&path, &Kernels(resets_and_waits, raises), but_order());
    assert_eq!((result.record.status, result.verdict()), (Status::Deadlock, Verdict::Hang));
    let hang = result.record.findings.iter().find(|finding| finding.code == Code::DEADLOCK).unwrap();
    assert_eq!(hang.primary.location.as_ref().unwrap().line, marked("waits for what it has reset"));
    // One thread goes before or behind the other: nothing else is needed.
    assert!(["tp1:lBRISC", "tp1:fNCRISC", "tp1:g1-0-0-NCRISC"].contains(&token.as_str()), "{token}");
    passes_on_all(&path, &Kernels(waits, raises), ChosenChecks::All);
}

fn polls(dm: &DataMovement<'_>) {
    let mut word = [0];
    while word == [0] {
        dm.l1_load(dm.get_semaphore(0), &mut word);
    }
}

fn raises_after_much_work(dm: &DataMovement<'_>) {
    for _ in 0..100 {
        copy(dm, 1, 0, 1);
    }
    raises(dm);
}

#[test]
fn a_poll_that_goes_first_gives_way_as_often_as_by_default() {
    let path = program("poll", 1, "");
    let cycles = ["tp1:0", "tp1:fBRISC"].map(|token| {
        let options = RunOptions { schedule: token.parse().unwrap(), ..RunOptions::default() };
        let result = run_program_file_with(&path, &options, &Kernels(polls, raises_after_much_work)).unwrap();
        assert_eq!(result.record.status, Status::Completed, "{token}: {:#?}", result.record.findings);
        result.record.cycles
    });
    assert!(cycles[1] < 2 * cycles[0], "{cycles:?}");
}

// Two kernels that meet in DRAM.

fn tensor(dm: &DataMovement<'_>, index: usize) -> TensorAccessor {
    TensorAccessor::new(dm, index, dm.get_arg_val(index), 2048)
}

fn copy(dm: &DataMovement<'_>, cb: u32, from: usize, to: usize) {
    let at = dm.get_write_ptr(cb);
    dm.cb_reserve_back(cb, 1);
    dm.noc_async_read_page(0, &tensor(dm, from), at);
    dm.noc_async_read_barrier();
    dm.noc_async_write_page(0, &tensor(dm, to), at);
    dm.noc_async_write_barrier();
}

fn writes_mid(dm: &DataMovement<'_>) {
    copy(dm, 0, 0, 1);
}

fn reads_mid(dm: &DataMovement<'_>) {
    copy(dm, 1, 1, 2);
}

fn writes_mid_and_tells(dm: &DataMovement<'_>) {
    writes_mid(dm);
    raises(dm);
}

fn reads_mid_when_told(dm: &DataMovement<'_>) {
    waits(dm);
    reads_mid(dm);
}

/// Checks that leave to the schedules what nothing orders.
fn but_order() -> ChosenChecks {
    ChosenChecks::parse("buffers,memory,liveness,compute,numerics").unwrap()
}

/// Whether the default run finds two accesses that nothing orders.
fn is_a_race(path: &Path, kernels: &Kernels) -> bool {
    let result = run_program_file_with(path, &RunOptions::default(), kernels).unwrap();
    result.record.findings.iter().any(|finding| finding.code == Code::UNORDERED)
}

#[test]
fn kernels_that_meet_in_dram_without_a_semaphore_give_another_output() {
    let path = program("meet", 1, "");
    let (result, _) = fails_on(&path, &Kernels(writes_mid, reads_mid), but_order());
    let finding = result.record.findings.iter().find(|finding| finding.code == Code::ORDER_SHOWS).unwrap();
    assert_eq!(finding.facts["tensor"], "out");
    let text = fs::read_to_string(&path).unwrap();
    let table = text[..text.find("name = \"out\"").unwrap()].lines().count() as u32;
    assert_eq!(finding.primary.location.as_ref().unwrap().line, table);
    passes_on_all(&path, &Kernels(writes_mid_and_tells, reads_mid_when_told), ChosenChecks::All);
    // The order of events shows it on the first run.
    assert!(is_a_race(&path, &Kernels(writes_mid, reads_mid)));
}

// Two threads that count in one word: the one must lose the other's turn, which no order of whole threads brings about.

fn counts(dm: &DataMovement<'_>, word: u32) {
    let at = dm.get_write_ptr(0) + 4 * word;
    for _ in 0..4 {
        let mut count = [0];
        dm.l1_load(at, &mut count);
        dm.l1_store(at, &[count[0] + 1]);
    }
}

fn begins_counts_and_writes(dm: &DataMovement<'_>) {
    let at = dm.get_write_ptr(0);
    dm.l1_store(at, &[0; 512]);
    raises(dm);
    counts(dm, 0);
    dm.noc_semaphore_wait_min(dm.get_semaphore(0), 2);
    dm.noc_async_write_page(0, &tensor(dm, 2), at);
    dm.noc_async_write_barrier();
}

fn counts_in_the_same(dm: &DataMovement<'_>) {
    waits(dm);
    counts(dm, 0);
    raises(dm);
}

fn counts_in_another(dm: &DataMovement<'_>) {
    waits(dm);
    counts(dm, 1);
    raises(dm);
}

#[test]
fn a_lost_count_needs_a_thread_that_falls_behind_in_between() {
    let path = program("count", 1, "");
    let (result, token) = fails_on(&path, &Kernels(begins_counts_and_writes, counts_in_the_same), but_order());
    assert!(token.starts_with("tp1:g") && !token.contains('.'), "{token}");
    assert!(result.record.findings.iter().any(|finding| finding.code == Code::ORDER_SHOWS));
    passes_on_all(&path, &Kernels(begins_counts_and_writes, counts_in_another), ChosenChecks::All);
}

// A source that changes before the write has left. Observed, the rule speaks by default already (TP0502).

fn stores_behind_the_write(dm: &DataMovement<'_>) {
    sends(dm, false);
}

fn stores_behind_the_flush(dm: &DataMovement<'_>) {
    sends(dm, true);
}

fn sends(dm: &DataMovement<'_>, flushes: bool) {
    let at = dm.get_write_ptr(0);
    dm.l1_store(at, &[0x3f80_3f80; 512]);
    dm.noc_async_write_page(0, &tensor(dm, 2), at);
    if flushes {
        dm.noc_async_writes_flushed();
    }
    dm.l1_store(at, &[0x4000_4000; 512]);
    dm.noc_async_write_barrier();
}

fn nothing(_: &DataMovement<'_>) {}

#[test]
fn a_source_that_changes_before_the_flush_is_sent_as_it_is_then() {
    let path = program("source", 1, "");
    let (_, token) = fails_on(&path, &Kernels(stores_behind_the_write, nothing), ChosenChecks::None);
    assert_eq!(token, "tp1:w");
    passes_on_all(&path, &Kernels(stores_behind_the_flush, nothing), ChosenChecks::None);
}

// The same between cores: the word of a semaphore goes out, and is reset behind it.

fn signals(dm: &DataMovement<'_>, flushes: bool) {
    let (x, y) = dm.my_coordinates();
    let semaphore = dm.get_semaphore(0);
    if x % 2 == 0 {
        dm.noc_semaphore_set(semaphore, 1);
        dm.noc_async_write(semaphore, dm.get_noc_addr((x + 1, y), semaphore), 4);
        if flushes {
            dm.noc_async_writes_flushed();
        }
        dm.noc_semaphore_set(semaphore, 0);
        dm.noc_async_write_barrier();
    } else {
        dm.noc_semaphore_wait(semaphore, 1);
    }
}

fn resets_behind_the_write(dm: &DataMovement<'_>) {
    signals(dm, false);
}

fn resets_behind_the_flush(dm: &DataMovement<'_>) {
    signals(dm, true);
}

#[test]
fn a_flag_that_is_reset_before_the_flush_may_never_arrive() {
    let path = program("flag", 2, "");
    let (result, token) = fails_on(&path, &Kernels(resets_behind_the_write, nothing), ChosenChecks::None);
    assert_eq!((result.record.status, token.as_str()), (Status::Deadlock, "tp1:w"));
    passes_on_all(&path, &Kernels(resets_behind_the_flush, nothing), ChosenChecks::None);
}

// A page goes to three cores at once, and is stored to behind that.

/// Column of logical core 0 among the coordinates that kernels see.
fn column(dm: &DataMovement<'_>) -> u32 {
    dm.my_coordinates().0 - Arch::Wormhole.constants().noc.tensix_origin.0
}

fn spreads(dm: &DataMovement<'_>, flushes: bool) {
    let (x, y) = dm.my_coordinates();
    let (at, semaphore) = (dm.get_write_ptr(0), dm.get_semaphore(0));
    if column(dm) > 0 {
        dm.noc_semaphore_wait(semaphore, 1);
        dm.noc_async_write_page(column(dm), &tensor(dm, 2), at);
        return dm.noc_async_write_barrier();
    }
    // A writer is on NoC 1, where a rectangle runs from its high corner down.
    let to = |offset| dm.get_noc_multicast_addr((x + 3, y), (x + 1, y), offset);
    dm.l1_store(at, &[0x3f80_3f80; 512]);
    dm.noc_semaphore_set(semaphore, 1);
    dm.noc_async_write_multicast(at, to(at), 2048, 3);
    dm.noc_semaphore_set_multicast(semaphore, to(semaphore), 3);
    if flushes {
        dm.noc_async_writes_flushed();
    }
    dm.l1_store(at, &[0x4000_4000; 512]);
    dm.noc_async_write_barrier();
}

fn stores_behind_the_multicast(dm: &DataMovement<'_>) {
    spreads(dm, false);
}

fn stores_behind_its_flush(dm: &DataMovement<'_>) {
    spreads(dm, true);
}

#[test]
fn a_multicast_takes_what_its_source_holds_before_the_flush() {
    let path = program("multicast", 4, "");
    let (result, token) = fails_on(&path, &Kernels(stores_behind_the_multicast, nothing), ChosenChecks::None);
    assert_eq!(token, "tp1:w");
    assert_eq!(result.record.findings[0].facts["differing"], (3 * 1024).to_string());
    passes_on_all(&path, &Kernels(stores_behind_its_flush, nothing), ChosenChecks::None);
}

// Right kernels with all five threads.

const TILES: u32 = 4;

fn add(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(0, 1, 16);
    k.add_init(0, 1);
    for _ in 0..TILES {
        k.cb_wait_front(0, 1);
        k.cb_wait_front(1, 1);
        k.tile_regs_acquire();
        k.add_tiles(0, 1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(0, 1);
        k.cb_pop_front(1, 1);
        k.cb_reserve_back(16, 1);
        k.tile_regs_wait();
        k.pack_tile(0, 16);
        k.tile_regs_release();
        k.cb_push_back(16, 1);
    }
}

fn reads(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for cb in [0, 1] {
            dm.cb_reserve_back(cb, 1);
            dm.noc_async_read_page(tile, &tensor(dm, 0), dm.get_write_ptr(cb));
            dm.noc_async_read_barrier();
            dm.cb_push_back(cb, 1);
        }
    }
}

fn writes(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        dm.cb_wait_front(16, 1);
        dm.noc_async_write_page(tile, &tensor(dm, 2), dm.get_read_ptr(16));
        dm.noc_async_writes_flushed();
        dm.cb_pop_front(16, 1);
    }
    dm.noc_async_write_barrier();
}

const ADD: &str = "[[kernel]]\nkernel_source = \"compute.cpp\"\ncore_ranges = [[[0, 0], [0, 0]]]\n\
                   config = { compute = {} }\n";

#[test]
fn the_default_followed_is_the_default_and_a_right_program_passes_on_all() {
    let path = program("add", 1, ADD);
    let kernels = Kernels(writes, reads);
    passes_on_all(&path, &kernels, ChosenChecks::All);
    let plain = run_program_file_with(&path, &RunOptions::default(), &kernels).unwrap();
    let options = RunOptions { explore: 1, ..RunOptions::default() };
    let followed = run_program_file_with(&path, &options, &kernels).unwrap();
    assert_eq!(format!("{:?}", plain.record), format!("{:?}", followed.record));
    // Latencies show in the cycles, so that other schedules are other runs.
    let schedule = Schedule::parse("tp1:t5").unwrap();
    let other = RunOptions { schedule, ..RunOptions::default() };
    assert_ne!(run_program_file_with(&path, &other, &kernels).unwrap().record.cycles, plain.record.cycles);
}

/// LayerNorm backward, two programs one after the other, on a schedule.
fn backward(path: PathChoice, schedule: Option<&str>) -> (RunRecord, Vec<Vec<u32>>) {
    let arguments = Arguments { path, ..Arguments::new(&[1, 1, 64, 100], DataFormat::Float16_b) };
    let program = layernorm_bw::program(&layernorm_bw::plan(&arguments).expect("plan"));
    let mut device = Device::<tileproof::check::Checks>::new(&program, 1).expect("device");
    for (name, values) in [(Tensors::X, 6400), (Tensors::DY, 6400), (Tensors::GAMMA, 100)] {
        device.write(name, &(0..values).map(|i| (i % 37) as f32 / 8.0 - 2.0).collect::<Vec<_>>()).expect(name);
    }
    for (name, value) in [(Tensors::MEAN, 0.25), (Tensors::RSTD, 0.75)] {
        device.write(name, &[value; 64]).expect(name);
    }
    if let Some(token) = schedule {
        device.follow(Schedule::parse(token).expect("token"));
    }
    let record = device.run(&program).expect("run");
    let bits = |name| device.read(name).expect(name).into_iter().map(f32::to_bits).collect();
    (record, [Tensors::DX, Tensors::DGAMMA, Tensors::DBETA].map(bits).to_vec())
}

#[test]
fn the_shipped_kernels_give_the_same_bits_on_every_schedule() {
    for path in [PathChoice::L1, PathChoice::Block] {
        let (record, outputs) = backward(path, None);
        assert_eq!(format!("{:?}", backward(path, Some("tp1:0")).0), format!("{record:?}"));
        let tokens = ["tp1:r.w", "tp1:lNCRISC.t9", "tp1:fMATH.lPACK.r", "tp1:lUNPACK.fBRISC.w", "tp1:l1-0.r"];
        let drawn = (1..8).map(|seed| format!("tp1:p{seed}.y{}.y{}.r.w.t{seed}", 100 * seed, 700 * seed));
        for token in tokens.into_iter().map(String::from).chain(drawn) {
            let (other, same) = backward(path, Some(&token));
            assert_eq!((other.status, &same), (Status::Completed, &outputs), "{token}");
            assert!(other.findings.is_empty(), "{token}: {:#?}", other.findings);
        }
    }
}

// Loads through pointers.

const LOADS: &str = r#"
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<2>();
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), 2048);
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(2), 2048);
    noc_async_read_page(0, in, get_write_ptr(0));
#if WAITS
    noc_async_read_barrier();
#endif
    auto from = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    auto to = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(1));
    for (uint32_t word = 0; word < 512; word++) {
        to[word] = from[word];
    }
    noc_async_read_barrier();
    noc_async_write_page(0, out, get_write_ptr(1));
    noc_async_write_barrier();
}
"#;

#[test]
fn a_load_through_a_pointer_before_the_barrier_is_found_by_a_late_read() {
    let run = |waits: u32| {
        let path = program("pointer", 1, "");
        let folder = path.parent().unwrap();
        fs::write(folder.join("ncrisc.cpp"), LOADS).unwrap();
        fs::write(folder.join("brisc.cpp"), "void kernel_main() {}\n").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let at = text.rfind("[[kernel]]").unwrap();
        fs::write(&path, format!("{}{}defines = [[\"WAITS\", \"{waits}\"]]\n", &text[..at], &text[at..])).unwrap();
        let options = RunOptions { explore: 20, ..RunOptions::default() };
        run_program_file(&path, &options).unwrap()
    };
    let result = run(0);
    assert_eq!(result.explored.as_ref().unwrap().failed, Some(Schedule::parse("tp1:r").unwrap()));
    assert!(result.record.findings.iter().any(|finding| finding.code == Code::ORDER_SHOWS));
    // By rule it is found on every schedule.
    assert!(result.record.findings.iter().any(|finding| finding.code == Code::READ_IN_FLIGHT));
    let result = run(1);
    assert!(result.pass() && result.explored.unwrap().failed.is_none());
}

#[test]
fn what_is_saved_is_what_the_failing_schedule_gave() {
    let path = program("save", 1, "");
    let kernels = Kernels(writes_mid, reads_mid);
    let saved = |name: &str, explore: usize, schedule: Schedule| {
        let folder = path.with_file_name(name);
        let options = RunOptions { explore, schedule, save: Some(folder.clone()), ..RunOptions::default() };
        let result = run_program_file_with(&path, &options, &kernels).unwrap();
        (result.schedule, fs::read(folder.join("out.npy")).unwrap())
    };
    let (schedule, out) = saved("explored", 200, Schedule::default());
    assert!(!schedule.is_default());
    assert!(out == saved("replayed", 0, schedule).1);
    assert!(out != saved("default", 0, Schedule::default()).1);
}

#[test]
fn that_the_order_shows_is_found_whatever_the_checks_and_the_report_says_so() {
    let path = program("families", 1, "");
    let (result, _) = fails_on(&path, &Kernels(writes_mid, reads_mid), ChosenChecks::parse("buffers").unwrap());
    assert_eq!(result.record.findings[0].code, Code::ORDER_SHOWS);
    let but = result.record.not_checked.iter().find(|what| what.starts_with("families")).unwrap();
    assert!(but.ends_with("but for outputs that depend on the order"), "{but}");
}

/// `out = a + b` of large numbers that all but cancel; the reader copies `a` before it has come.
const COPIES: &str = r#"
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 4096);
    const auto b = TensorAccessor(accessor_args, get_arg_val<uint32_t>(1), 4096);
    auto* from = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(2));
    cb_reserve_back(0, 1);
    cb_reserve_back(1, 1);
    noc_async_read_page(0, a, get_write_ptr(2));
    noc_async_read_page(0, b, get_write_ptr(1));
    auto* to = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    for (uint32_t word = 0; word < 1024; word++) {
        to[word] = from[word] == 0xffffffff ? 0x3f800000 : from[word];
    }
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_push_back(1, 1);
}
"#;

#[test]
fn what_right_runs_do_too_is_no_reason_for_what_another_order_gives() {
    let folder = folder("schedules-reason");
    fs::write(folder.join("copies.cpp"), COPIES).unwrap();
    let add = root().join("examples/programs/add");
    let ranges = "core_ranges = [[[0, 0], [0, 0]]]";
    let tensor = |name: &str, rest: &str| {
        format!("[[tensor]]\nname = \"{name}\"\nshape = [32, 32]\ndtype = \"float32\"\nlayout = \"tile\"\n{rest}\n")
    };
    let cb = |index: u32| {
        let format = format!("{{ buffer_index = {index}, data_format = \"float32\", page_size = 4096 }}");
        format!("[[cb]]\ntotal_size = 4096\n{ranges}\nformat_descriptors = [{format}]\n")
    };
    let kernel =
        |source: &Path, rest: &str| format!("[[kernel]]\nkernel_source = \"{}\"\n{ranges}\n{rest}\n", source.display());
    let mover = |role: &str, tensor: &str, args: &str| {
        format!(
            "config = \"{role}\"\ncompile_time_args = [{{ tensor_accessor = \"{tensor}\" }}]\n\
             runtime_args = [{{ core = [0, 0], args = [{args}] }}]"
        )
    };
    let text = [
        tensor("a", "fill = \"constant:1024\""),
        tensor("b", "fill = \"constant:-1023\""),
        tensor("out", "output = true"),
        cb(0),
        cb(1),
        cb(2),
        cb(16),
        kernel(&folder.join("copies.cpp"), &mover("reader", "a", "{ address = \"a\" }, { address = \"b\" }")),
        kernel(&add.join("add.cpp"), "config = { compute = { fp32_dest_acc_en = true } }\ncompile_time_args = [1]"),
        kernel(&add.join("writer.cpp"), &mover("writer", "out", "{ address = \"out\" }, 1")),
        "[[expect]]\ntensor = \"out\"\nfill = \"constant:1\"\natol = 0.01\n".into(),
    ];
    let path = folder.join("program.toml");
    fs::write(&path, text.concat()).unwrap();
    // By rule the early load would be found on the default schedule too.
    let checks = but_order();
    let result = run_program_file(&path, &RunOptions { explore: 20, checks, ..RunOptions::default() }).unwrap();
    assert!(result.explored.as_ref().is_some_and(|explored| explored.default_passes && explored.failed.is_some()));
    assert!(!result.outputs[0].pass);
    let codes: Vec<u16> = result.record.findings.iter().map(|finding| finding.code.number()).collect();
    assert!(codes.iter().all(|code| code / 100 != 8), "{:#?}", result.record.findings);
}

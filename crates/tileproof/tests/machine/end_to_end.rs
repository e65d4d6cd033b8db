//! The machine end to end, with Rust kernels: right ones give right results, wrong ones a finding on the line to blame.

use std::time::Instant;

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES, inputs};
use crate::support::found::{line_of, marked};
use tileproof_kernel::{Broadcast, Compute, DataMovement, Pool, ReduceDim, TensorAccessor};
use tileproof_model::finding::{Code, Finding};
use tileproof_model::record::Status;
use tileproof_model::thread::Thread;

/// The one finding of a run that ended with `status`.
fn only_finding(kernels: Kernels, status: Status) -> Finding {
    let (run, _) = kernels.run();
    assert_eq!(run.status, status, "{:?}", run.findings);
    assert_eq!(run.findings.len(), 1, "{:?}", run.findings);
    run.findings[0].clone()
}

#[test]
fn a_right_program_adds_and_finds_nothing() {
    let (in0, in1) = inputs();
    let sums: Vec<f32> = in0.iter().zip(&in1).map(|(a, b)| a + b).collect();
    for kernels in [Kernels::default(), Kernels { full_sync: true, ..Kernels::default() }] {
        let (run, out) = kernels.run();
        assert_eq!(run.status, Status::Completed);
        assert!(run.findings.is_empty(), "{:?}", run.findings);
        assert_eq!(out.unwrap(), sums);
    }
}

#[test]
fn half_sync_is_faster_than_full_sync_and_both_repeat_to_the_cycle() {
    let cycles = |full_sync| Kernels { full_sync, ..Kernels::default() }.run().0.cycles;
    let half = cycles(false);
    assert!(half <= cycles(true));
    assert_eq!(half, cycles(false));
}

fn reader_without_last_push(dm: &DataMovement<'_>) {
    let tensors =
        [TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048), TensorAccessor::new(dm, 1, dm.get_arg_val(1), 2048)];
    for tile in 0..TILES {
        for (cb, tensor) in [(IN0, &tensors[0]), (IN1, &tensors[1])] {
            dm.cb_reserve_back(cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(cb));
            dm.noc_async_read_barrier();
            if tile < TILES - 1 || cb == IN0 {
                dm.cb_push_back(cb, 1); // push
            }
        }
    }
}

#[test]
fn a_forgotten_push_is_a_deadlock_that_names_both_ends_and_the_counts() {
    let finding = only_finding(Kernels { reader: reader_without_last_push, ..Kernels::default() }, Status::Deadlock);
    assert_eq!(finding.code, Code::DEADLOCK);
    assert_eq!(finding.primary.thread, Thread::Unpack);
    assert!(finding.message.contains("1 page in c_1"), "{}", finding.message);
    assert!(finding.message.contains("NCRISC has ended after pushing 3 pages"), "{}", finding.message);
    assert_eq!(finding.facts["pushed"], "3");
    let push = finding.labels.iter().find(|l| l.place.thread == Thread::Ncrisc).expect("the reader's end");
    assert_eq!(push.place.location.as_ref().unwrap().line, marked("push"));
    let others: Vec<Thread> = finding.labels.iter().map(|l| l.place.thread).collect();
    assert!(others.contains(&Thread::Math) && others.contains(&Thread::Pack) && others.contains(&Thread::Brisc));
}

fn compute_waiting_for_five(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for _ in 0..TILES + 1 {
        k.cb_wait_front(IN0, 1); // fifth
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_wait_for_more_pages_than_come_is_a_deadlock_at_the_wait() {
    let finding = only_finding(Kernels { compute: compute_waiting_for_five, ..Kernels::default() }, Status::Deadlock);
    assert_eq!((finding.code, line_of(&finding)), (Code::DEADLOCK, marked("fifth")));
    assert!(finding.message.contains("NCRISC has ended after pushing 4 pages"), "{}", finding.message);
}

fn compute_waiting_beyond_capacity(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.cb_wait_front(IN0, 3); // beyond
}

#[test]
fn a_wait_beyond_the_capacity_says_that_it_can_never_end() {
    let finding =
        only_finding(Kernels { compute: compute_waiting_beyond_capacity, ..Kernels::default() }, Status::Deadlock);
    assert_eq!(line_of(&finding), marked("beyond"));
    assert!(finding.help.unwrap().contains("can never hold 3 pages: it has 2"));
}

fn compute_without_commit(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait(); // never committed
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_forgotten_commit_is_a_deadlock_of_pack_and_says_that_math_committed_nothing() {
    let finding = only_finding(Kernels { compute: compute_without_commit, ..Kernels::default() }, Status::Deadlock);
    assert_eq!((finding.code, line_of(&finding)), (Code::DEADLOCK, marked("never committed")));
    assert_eq!(finding.primary.thread, Thread::Pack);
    assert!(finding.message.contains("MATH has ended after 0 tile_regs_commit calls"), "{}", finding.message);
}

fn compute_without_release(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire(); // third
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_forgotten_release_stops_math_at_the_third_acquire() {
    let finding = only_finding(Kernels { compute: compute_without_release, ..Kernels::default() }, Status::Deadlock);
    assert_eq!((finding.code, line_of(&finding)), (Code::DEADLOCK, marked("third")));
    assert!(finding.message.contains("2 of 2 in use"), "{}", finding.message);
}

fn reader_that_runs_ahead_on_one_input(dm: &DataMovement<'_>) {
    // One page of each, then more of c_0 than it holds before the next of c_1.
    for cb in [IN0, IN1, IN0, IN0, IN0, IN1] {
        dm.cb_reserve_back(cb, 1); // third page of c_0
        dm.cb_push_back(cb, 1);
    }
}

#[test]
fn a_circle_of_waits_is_named_as_one() {
    // The reader needs a free page of c_0, which compute gives back only once it has the next page of c_1.
    let kernels = Kernels { reader: reader_that_runs_ahead_on_one_input, ..Kernels::default() };
    let finding = only_finding(kernels, Status::Deadlock);
    let circle = "deadlock: UNPACK waits for NCRISC waits for UNPACK; UNPACK waits in cb_wait_front for 1 page in c_1";
    assert!(finding.message.starts_with(circle), "{}", finding.message);
    let reader = finding.labels.iter().filter(|l| l.place.thread == Thread::Ncrisc);
    let lines: Vec<u32> = reader.map(|l| l.place.location.as_ref().unwrap().line).collect();
    assert!(lines.contains(&marked("third page of c_0")), "{lines:?}");
}

#[test]
fn the_same_hang_on_eight_cores_is_one_finding() {
    let (run, _) = Kernels { reader: reader_without_last_push, cores: 8, ..Kernels::default() }.run();
    assert_eq!(run.status, Status::Deadlock);
    assert_eq!(run.findings.len(), 1);
    assert_eq!(run.findings[0].also_on.len(), 7);
}

#[test]
fn a_hang_is_explained_within_a_tenth_of_a_second() {
    // The whole run with its set-up, which is longer than what follows the moment nothing can run. The best of some runs,
    // because another process may have the processor in any one.
    let run = || {
        let begin = Instant::now();
        let (run, _) = Kernels { reader: reader_without_last_push, cores: 8, ..Kernels::default() }.run();
        assert_eq!(run.status, Status::Deadlock);
        begin.elapsed().as_secs_f64()
    };
    let best = (0..10).map(|_| run()).fold(f64::INFINITY, f64::min);
    assert!(best < 0.1, "{best} s");
}

fn compute_without_startup(k: &Compute<'_>) {
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN1, 1);
    k.add_init(IN0, IN1); // no start-up
    k.tile_regs_acquire();
    k.add_tiles(IN0, IN1, 0, 0, 0); // runs all the same
}

#[test]
fn a_compute_call_before_the_startup_is_reported_at_the_call() {
    let finding = only_finding(Kernels { compute: compute_without_startup, ..Kernels::default() }, Status::Stopped);
    assert_eq!((finding.code, line_of(&finding)), (Code::NOT_STARTED, marked("no start-up")));
    let label = finding.labels[0].place.location.as_ref().map(|l| l.line);
    assert_eq!(label, Some(marked("runs all the same")));
}

fn compute_with_wrong_init(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.sub_init(IN0, IN1); // wrong init
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0); // runs a subtract
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_call_runs_what_was_programmed_and_says_so() {
    let (run, out) = Kernels { compute: compute_with_wrong_init, ..Kernels::default() }.run();
    let (in0, in1) = inputs();
    let differences: Vec<f32> = in0.iter().zip(&in1).map(|(a, b)| a - b).collect();
    assert_eq!(out.unwrap(), differences);
    assert_eq!(run.findings.len(), 1, "{:?}", run.findings);
    let finding = &run.findings[0];
    assert_eq!((finding.code, line_of(finding)), (Code::WRONG_INIT, marked("runs a subtract")));
    assert_eq!(finding.labels[0].place.location.as_ref().unwrap().line, marked("wrong init"));
}

fn compute_with_wrong_format(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(2, IN1, OUT); // for fp32
    k.add_init(IN0, IN1);
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN1, 1);
    k.tile_regs_acquire();
    k.add_tiles(IN0, IN1, 0, 0, 0); // reads bf16
    k.tile_regs_commit();
}

#[test]
fn a_buffer_of_another_format_than_programmed_is_reported_with_both_places() {
    let (run, _) = Kernels { compute: compute_with_wrong_format, ..Kernels::default() }.run();
    let finding = run.findings.iter().find(|f| f.code == Code::WRONG_FORMAT).expect("format finding");
    assert_eq!(line_of(finding), marked("reads bf16"));
    assert_eq!(finding.labels[0].place.location.as_ref().unwrap().line, marked("for fp32"));
    assert!(finding.message.contains("c_0 holds Float16_b, but SrcA is programmed for Float32"), "{}", finding.message);
}

fn compute_of_a_maximum(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.reduce_init(Pool::Max, ReduceDim::Row, IN0, IN1, OUT);
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN1, 1);
    k.tile_regs_acquire();
    k.reduce_tile(Pool::Max, ReduceDim::Row, IN0, IN1, 0, 0, 0); // scaler of -3 to 3
    k.tile_regs_commit();
}

#[test]
fn a_maximum_with_a_scaler_that_is_not_one_is_not_guessed() {
    let finding = only_finding(Kernels { compute: compute_of_a_maximum, ..Kernels::default() }, Status::Stopped);
    assert_eq!((finding.code, line_of(&finding)), (Code::UNIMPLEMENTED, marked("scaler of -3 to 3")));
}

fn compute_with_dst_8(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.fill_tile_init();
    k.tile_regs_acquire();
    k.fill_tile(7, 1.0);
    k.fill_tile(8, 1.0); // one too far
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.tile_regs_release();
}

#[test]
fn the_last_dst_index_is_silent_and_the_next_is_a_finding() {
    let (run, _) = Kernels { compute: compute_with_dst_8, ..Kernels::default() }.run();
    let found: Vec<&Finding> = run.findings.iter().filter(|f| f.code == Code::DST_INDEX).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(line_of(found[0]), marked("one too far"));
    let (run, _) = Kernels { compute: compute_with_dst_8, full_sync: true, ..Kernels::default() }.run();
    assert!(run.findings.iter().all(|f| f.code != Code::DST_INDEX), "full sync holds 16 tiles");
}

fn compute_with_dst_8_to_10(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.fill_tile_init();
    k.tile_regs_acquire();
    (0..2).for_each(|_| (6..11).for_each(|tile| k.fill_tile(tile, 1.0))); // three too far
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.tile_regs_release();
}

#[test]
fn a_loop_over_dst_indices_that_do_not_exist_is_one_finding_that_counts_them() {
    let (run, _) = Kernels { compute: compute_with_dst_8_to_10, ..Kernels::default() }.run();
    let found: Vec<&Finding> = run.findings.iter().filter(|f| f.code == Code::DST_INDEX).collect();
    let [finding] = found[..] else { panic!("{found:#?}") };
    assert_eq!((line_of(finding), finding.facts["dst"].as_str()), (marked("three too far"), "8"));
    assert_eq!(finding.notes, ["found here 2 times more, with other numbers"]);
}

fn compute_rows_into_dst_3(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN0, OUT);
    k.unary_bcast_init(Broadcast::Row, IN0);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.unary_bcast(Broadcast::Row, IN0, 0, 3);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(1, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

/// MOVB2D writes 16-bit rows, two of which are one of a 32-bit Dst (ISA documentation, `TensixCoprocessor/Dst.md`): Dst
/// index 3 is the lower half of tile 1, where eight rows of each face follow one another, and nothing reaches the upper
/// half, which every release leaves undefined (measured: ttsim 1.10.0).
#[test]
fn a_row_broadcast_into_a_32_bit_dst_fills_half_a_tile_at_half_the_index() {
    let (in0, _) = inputs();
    let (run, out) = Kernels { compute: compute_rows_into_dst_3, fp32_dest: true, ..Kernels::default() }.run();
    assert_eq!(run.status, Status::Completed, "{:?}", run.findings);
    let out = out.unwrap();
    for (at, &value) in out.iter().enumerate() {
        let (tile, row, column) = (at / 1024, at / 32 % 32, at % 32);
        let face = usize::from(row % 16 >= 8);
        let expected = if row < 16 { 0.0 } else { in0[1024 * tile + 16 * face + column % 16] };
        assert_eq!(value, expected, "tile {tile}, row {row}, column {column}");
    }
}

fn compute_of_a_broadcast_word(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(2, 2, 2);
    for _ in 0..TILES {
        for cb in [IN0, IN1] {
            k.cb_wait_front(cb, 1);
            k.cb_pop_front(cb, 1);
        }
        k.fill_tile_init();
        k.tile_regs_acquire();
        k.fill_tile(0, 1.0 + 1.0 / 1_048_576.0);
        k.tile_regs_commit();
        k.cb_reserve_back(2, 1);
        k.tile_regs_wait();
        k.pack_tile(0, 2);
        k.tile_regs_release();
        k.cb_push_back(2, 1);

        k.cb_wait_front(2, 1);
        k.unary_bcast_init(Broadcast::Row, 2);
        k.tile_regs_acquire();
        k.unary_bcast(Broadcast::Row, 2, 0, 0);
        k.fill_tile_init();
        k.fill_tile(1, 1.0);
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
        k.tile_regs_commit();
        k.cb_pop_front(2, 1);
        k.pack_reconfig_data_format(OUT);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
        k.pack_reconfig_data_format(2);
    }
}

/// Words of 32 bits are broadcast in halves (LLK `llk_math_eltwise_unary_datacopy.h`), so that the least bit arrives.
#[test]
fn a_broadcast_of_a_buffer_that_is_unpacked_to_dst_keeps_all_bits() {
    let kernels = Kernels { compute: compute_of_a_broadcast_word, fp32_dest: true, ..Kernels::default() };
    let (run, out) = kernels.run();
    assert_eq!(run.status, Status::Completed, "{:?}", run.findings);
    assert!(out.unwrap().iter().all(|v| *v == 1.0 / 1_048_576.0));
}

fn reader_that_panics(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(IN0, 1);
    dm.get_arg_val(99);
}

#[test]
fn a_panic_in_a_kernel_is_a_finding_and_not_a_dead_tool() {
    let finding = only_finding(Kernels { reader: reader_that_panics, ..Kernels::default() }, Status::Crashed);
    assert_eq!(finding.code, Code::KERNEL_CRASHED);
    assert!(finding.message.contains("runtime argument 99 was asked for, the program gives 2"), "{}", finding.message);
}

fn reader_beyond_dram(dm: &DataMovement<'_>) {
    let tensor = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    dm.cb_reserve_back(IN0, 1);
    dm.noc_async_read_page(1_000_000, &tensor, dm.get_write_ptr(IN0)); // far page
}

#[test]
fn a_read_outside_every_tensor_is_reported_at_the_read() {
    let finding = only_finding(Kernels { reader: reader_beyond_dram, ..Kernels::default() }, Status::Stopped);
    assert_eq!((finding.code, line_of(&finding)), (Code::L1_BOUNDS, marked("far page")));
}

fn reader_of_no_buffer(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(9, 1); // no c_9
}

#[test]
fn a_buffer_that_was_not_configured_is_reported() {
    let finding = only_finding(Kernels { reader: reader_of_no_buffer, ..Kernels::default() }, Status::Stopped);
    assert_eq!((finding.code, line_of(&finding)), (Code::NO_SUCH_BUFFER, marked("no c_9")));
}

#[test]
fn a_second_run_after_a_hang_is_as_the_first() {
    let hang = Kernels { reader: reader_without_last_push, ..Kernels::default() };
    let first = hang.run().0;
    let (run, out) = Kernels::default().run();
    assert!(run.findings.is_empty() && out.is_some());
    let second = hang.run().0;
    assert_eq!(first.findings, second.findings);
    assert_eq!(first.cycles, second.cycles);
}

fn writer_of_three(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        if tile < TILES - 1 {
            dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
            dm.noc_async_write_barrier();
        }
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn an_output_page_that_a_program_of_the_library_does_not_write_is_found() {
    let finding = only_finding(Kernels { writer: writer_of_three, ..Kernels::default() }, Status::Completed);
    assert_eq!((finding.code, finding.facts["first"].as_str()), (Code::OUTPUT_NOT_WRITTEN, "3"));
    assert_eq!(finding.primary.location, None);
    // The near miss: a tensor that is no output may stay unwritten.
    let (run, _) = Kernels { writer: writer_of_three, output: false, ..Kernels::default() }.run();
    assert!(run.findings.is_empty(), "{:?}", run.findings);
}

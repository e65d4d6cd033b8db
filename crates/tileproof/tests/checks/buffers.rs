//! The checks of circular buffers, in pairs: a kernel that does what a check is about is reported on the line that does it,
//! and the nearest right kernel is not.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES};
use crate::support::found::{labelled, line_of, marked, only, silent};
use crate::support::steps::{add_one, pack_one, start};
use tileproof::check::Checks;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::Code;
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::thread::Thread;

fn run(kernels: Kernels) -> RunRecord {
    kernels.run_observed::<Checks>().0
}

/// Runs a compute kernel with the right reader and writer.
fn compute(kernel: fn(&Compute<'_>)) -> RunRecord {
    run(Kernels { compute: kernel, ..Kernels::default() })
}

#[test]
fn checks_change_neither_outputs_nor_cycles() {
    for full_sync in [false, true] {
        let kernels = Kernels { full_sync, cores: 2, ..Kernels::default() };
        let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
        silent(&on.0);
        assert!(on.0.notes.is_empty(), "{:#?}", on.0.notes);
        assert_eq!((off.0.cycles, off.1), (on.0.cycles, on.1));
        assert_eq!(off.0.ledgers, on.0.ledgers);
    }
    // Nor where something is found.
    let kernels = Kernels { compute: reserves_after_packing, ..Kernels::default() };
    let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
    assert!(off.0.findings.is_empty() && !on.0.findings.is_empty());
    assert_eq!((off.0.cycles, off.1), (on.0.cycles, on.1));
}

#[test]
fn a_finding_on_many_cores_is_one() {
    let found = run(Kernels { compute: pops_two, cores: 4, ..Kernels::default() });
    assert_eq!(only(&found, Code::POP_UNWAITED).also_on.len(), 3);
}

// Pages pushed and popped.

fn reserves_nothing(dm: &DataMovement<'_>) {
    let tensor = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    dm.noc_async_read_page(0, &tensor, dm.get_write_ptr(IN0));
    dm.noc_async_read_barrier();
    dm.cb_push_back(IN0, 1); // push of nothing
}

fn reserves_one_twice(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(IN0, 1);
    dm.cb_reserve_back(IN0, 1); // reserves do not add up
    dm.cb_push_back(IN0, 2); // push of two
}

fn reserves_two_pushes_singly(dm: &DataMovement<'_>) {
    for _ in 0..3 {
        dm.cb_reserve_back(IN0, 2);
        dm.cb_push_back(IN0, 1);
        dm.cb_push_back(IN0, 1);
    }
}

fn consumes_pairs(k: &Compute<'_>) {
    for _ in 0..3 {
        k.cb_wait_front(IN0, 2);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN0, 1);
    }
}

fn consumes_nothing(_: &Compute<'_>) {}

fn writes_nothing(_: &DataMovement<'_>) {}

/// A program in which only the reader does something.
fn reader(kernel: fn(&DataMovement<'_>), compute: fn(&Compute<'_>)) -> RunRecord {
    run(Kernels { reader: kernel, compute, writer: writes_nothing, output: false, ..Kernels::default() })
}

#[test]
fn a_push_without_a_reserve_is_reported_at_the_push() {
    let found = reader(reserves_nothing, consumes_nothing);
    let finding = only(&found, Code::PUSH_UNRESERVED);
    assert_eq!((line_of(finding), finding.primary.thread), (marked("push of nothing"), Thread::Ncrisc));
    assert!(finding.message.contains("pushes 1 page to c_0 without a cb_reserve_back"), "{}", finding.message);
    assert!(finding.labels.is_empty());
}

#[test]
fn a_push_of_more_than_was_reserved_names_the_reserve() {
    let found = reader(reserves_one_twice, consumes_nothing);
    let finding = only(&found, Code::PUSH_UNRESERVED);
    assert_eq!(line_of(finding), marked("push of two"));
    assert!(finding.message.contains("only 1 is reserved"), "{}", finding.message);
    assert_eq!(labelled(finding)[0], marked("reserves do not add up"));
}

#[test]
fn a_reserve_of_two_covers_two_pushes_of_one() {
    silent(&reader(reserves_two_pushes_singly, consumes_pairs));
}

fn pops_two(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 1); // wait for one
        k.cb_pop_front(IN0, 2);
        k.cb_pop_front(IN1, 2); // pop of two
    }
}

fn pops_unwaited(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 1);
    k.cb_pop_front(IN1, 1); // pop of what nobody waited for
}

#[test]
fn a_pop_of_more_than_was_waited_for_names_the_wait() {
    let found = run(Kernels { compute: pops_two, writer: writes_nothing, ..Kernels::default() });
    let finding = only(&found, Code::POP_UNWAITED);
    assert_eq!((line_of(finding), finding.primary.thread), (marked("pop of two"), Thread::Unpack));
    assert_eq!(labelled(finding)[0], marked("wait for one"));
    assert_eq!(finding.facts["cb"], "c_1");
}

#[test]
fn a_pop_without_a_wait_is_reported() {
    let found = compute(pops_unwaited);
    assert_eq!(line_of(only(&found, Code::POP_UNWAITED)), marked("pop of what nobody waited for"));
}

fn fills_and_empties(k: &DataMovement<'_>) {
    for _ in 0..2 {
        k.cb_reserve_back(IN0, 1);
        k.cb_push_back(IN0, 1);
        k.cb_pop_front(IN0, 1);
    }
}

fn empties_more_than_it_fills(k: &DataMovement<'_>) {
    k.cb_reserve_back(IN0, 1);
    k.cb_push_back(IN0, 1);
    k.cb_pop_front(IN0, 2); // pop of more than it pushed
}

fn empties_what_compute_has_taken(k: &DataMovement<'_>) {
    k.cb_reserve_back(IN0, 1);
    k.cb_push_back(IN0, 1);
    // There is room for all of them once compute has popped the first.
    k.cb_reserve_back(IN0, 2);
    k.cb_pop_front(IN0, 1); // pop of what compute has taken
}

fn takes_one(k: &Compute<'_>) {
    k.cb_wait_front(IN0, 1);
    k.cb_pop_front(IN0, 1);
}

fn empties_more_than_there_can_be(k: &DataMovement<'_>) {
    k.cb_reserve_back(IN0, 1);
    k.cb_push_back(IN0, 1);
    k.cb_push_back(IN0, u32::MAX); // push beyond 32 bits
}

#[test]
fn a_pop_of_a_page_that_another_thread_has_popped_is_reported() {
    let found = reader(empties_what_compute_has_taken, takes_one);
    assert_eq!(line_of(only(&found, Code::POP_UNWAITED)), marked("pop of what compute has taken"));
}

#[test]
fn pushes_that_add_up_to_more_than_32_bits_are_reported_as_others() {
    let found = reader(empties_more_than_there_can_be, consumes_nothing);
    assert_eq!(line_of(only(&found, Code::PUSH_UNRESERVED)), marked("push beyond 32 bits"));
}

#[test]
fn who_pushes_pages_itself_may_pop_them_without_a_wait() {
    silent(&reader(fills_and_empties, consumes_nothing));
}

#[test]
fn a_pop_of_more_than_the_thread_pushed_itself_is_reported() {
    let found = reader(empties_more_than_it_fills, consumes_nothing);
    assert_eq!(line_of(only(&found, Code::POP_UNWAITED)), marked("pop of more than it pushed"));
}

fn adds(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES {
        add_one(k);
        pack_one(k);
    }
}

#[test]
fn the_right_kernel_is_silent() {
    silent(&compute(adds));
}

// Capacity, ends, sides.

fn waits_for_three(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 3); // three of two
}

fn reserves_three(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(IN1, 3); // three free of two
}

#[test]
fn a_wait_beyond_the_capacity_is_reported_beside_the_deadlock() {
    let found = compute(waits_for_three);
    assert_eq!(found.status, Status::Deadlock);
    assert_eq!(line_of(only(&found, Code::BEYOND_CAPACITY)), marked("three of two"));
    assert_eq!(line_of(only(&found, Code::DEADLOCK)), marked("three of two"));
    let found = reader(reserves_three, consumes_nothing);
    assert_eq!(line_of(only(&found, Code::BEYOND_CAPACITY)), marked("three free of two"));
}

fn pushes_one_then_two(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(IN0, 1);
    dm.cb_push_back(IN0, 1);
    dm.cb_reserve_back(IN0, 2);
    dm.cb_push_back(IN0, 2); // across the end
}

fn pops_singly(k: &Compute<'_>) {
    for _ in 0..3 {
        k.cb_wait_front(IN0, 1);
        k.cb_pop_front(IN0, 1);
    }
}

#[test]
fn a_push_that_passes_the_end_is_reported() {
    let found = reader(pushes_one_then_two, pops_singly);
    let finding = only(&found, Code::PAST_THE_END);
    assert_eq!((line_of(finding), finding.facts["page"].as_str()), (marked("across the end"), "1"));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

fn slides_a_window(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES - 1 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 1, 0, 0); // behind the end
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        pack_one(k);
    }
}

#[test]
fn a_window_that_slides_over_the_end_is_reported_at_the_read() {
    let found = compute(slides_a_window);
    assert_eq!(line_of(only(&found, Code::PAST_THE_END)), marked("behind the end"));
}

fn also_pushes(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, IN0);
    k.cb_wait_front(IN0, 1);
    k.cb_pop_front(IN0, 1);
    k.cb_reserve_back(IN0, 1);
    k.cb_push_back(IN0, 1); // second producer
    k.cb_wait_front(IN0, 1);
    k.cb_pop_front(IN0, 1);
}

fn pushes_one(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(IN0, 1);
    dm.cb_push_back(IN0, 1); // first producer
}

fn pushes_a_lap(dm: &DataMovement<'_>) {
    dm.cb_reserve_back(IN0, 2);
    dm.cb_push_back(IN0, 2);
}

fn goes_on_after_the_lap(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, IN0);
    k.cb_wait_front(IN0, 2);
    k.cb_pop_front(IN0, 2);
    k.cb_reserve_back(IN0, 2);
    k.cb_push_back(IN0, 2);
    k.cb_wait_front(IN0, 2);
    k.cb_pop_front(IN0, 2);
}

fn also_pops(dm: &DataMovement<'_>) {
    dm.cb_wait_front(IN0, 1);
    dm.cb_pop_front(IN0, 1); // one of two consumers
}

fn pops_one(k: &Compute<'_>) {
    k.cb_wait_front(IN0, 1);
    k.cb_pop_front(IN0, 1); // one of two consumers too
}

#[test]
fn a_second_producer_whose_pointer_is_elsewhere_is_reported_with_the_first() {
    let found = reader(pushes_one, also_pushes);
    let finding = only(&found, Code::TWO_THREADS);
    assert_eq!((line_of(finding), finding.primary.thread), (marked("second producer"), Thread::Pack));
    assert_eq!(labelled(finding)[0], marked("first producer"));
    // After a whole lap both pointers are at the same page.
    silent(&reader(pushes_a_lap, goes_on_after_the_lap));
}

#[test]
fn a_second_consumer_is_reported() {
    let found = run(Kernels { reader: pushes_a_lap, compute: pops_one, writer: also_pops, ..Kernels::default() });
    let finding = only(&found, Code::TWO_THREADS);
    let lines = [marked("one of two consumers"), marked("one of two consumers too")];
    assert!(lines.contains(&line_of(finding)));
    assert!(lines.contains(&labelled(finding)[0]));
}

// Tiles read and packed.

fn reads_the_second_of_one(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 1); // only one
    k.cb_wait_front(IN1, 2);
    k.tile_regs_acquire();
    k.add_tiles(IN0, IN1, 1, 1, 0); // second of one
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.tile_regs_release();
}

fn reads_without_waiting(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 1);
    k.tile_regs_acquire();
    k.add_tiles(IN0, IN1, 0, 0, 0); // c_1 was not waited for
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.tile_regs_release();
}

fn reads_after_a_cumulative_wait(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN0, 2);
    k.cb_wait_front(IN1, 2);
    for tile in [1, 0] {
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, tile, 1, 0);
        k.tile_regs_commit();
        pack_one(k);
    }
    // What is left of a wait after a pop is still waited for.
    k.cb_pop_front(IN0, 1);
    k.cb_pop_front(IN1, 1);
    k.tile_regs_acquire();
    k.add_tiles(IN0, IN1, 0, 0, 0);
    k.tile_regs_commit();
    pack_one(k);
    k.cb_pop_front(IN0, 1);
    k.cb_pop_front(IN1, 1);
    for _ in 0..2 {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
    }
    k.tile_regs_acquire();
    k.fill_tile_init();
    k.fill_tile(0, 1.0);
    k.tile_regs_commit();
    pack_one(k);
}

#[test]
fn a_tile_beyond_the_wait_is_reported_and_one_within_it_is_not() {
    let found = run(Kernels { compute: reads_the_second_of_one, writer: writes_nothing, ..Kernels::default() });
    let finding = only(&found, Code::READ_UNWAITED);
    assert_eq!((line_of(finding), finding.facts["cb"].as_str()), (marked("second of one"), "c_0"));
    assert_eq!(labelled(finding)[0], marked("only one"));
    silent(&compute(reads_after_a_cumulative_wait));
}

#[test]
fn a_tile_without_a_wait_is_reported() {
    let found = run(Kernels { compute: reads_without_waiting, writer: writes_nothing, ..Kernels::default() });
    let finding = only(&found, Code::READ_UNWAITED);
    assert_eq!(line_of(finding), marked("c_1 was not waited for"));
    assert!(finding.message.contains("c_1 without a cb_wait_front"), "{}", finding.message);
}

fn reserves_after_packing(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES {
        add_one(k);
        k.tile_regs_wait();
        k.pack_tile(0, OUT); // reserved too late
        k.tile_regs_release();
        k.cb_reserve_back(OUT, 1);
        k.cb_push_back(OUT, 1);
    }
}

fn packs_two_to_one(k: &Compute<'_>) {
    start(k);
    add_one(k);
    k.cb_reserve_back(OUT, 1);
    k.tile_regs_wait();
    k.pack_tile(0, OUT);
    k.pack_tile(0, OUT); // second page
    k.tile_regs_release();
    k.cb_push_back(OUT, 1);
}

fn packs_twice_to_the_same_page(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES {
        add_one(k);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile_out_of_order(0, OUT, 0);
        k.pack_tile_out_of_order(0, OUT, 0);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_pack_before_the_reserve_or_beyond_it_is_reported() {
    let found = compute(reserves_after_packing);
    let finding = only(&found, Code::PACK_UNRESERVED);
    assert_eq!((line_of(finding), finding.primary.thread), (marked("reserved too late"), Thread::Pack));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
    let found = compute(packs_two_to_one);
    assert_eq!(line_of(only(&found, Code::PACK_UNRESERVED)), marked("second page"));
    silent(&compute(packs_twice_to_the_same_page));
}

// The end.

fn never_pops(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 2);
    k.cb_wait_front(IN1, 2);
    for tile in [0, 1, 0, 1] {
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, tile, tile, 0);
        k.tile_regs_commit();
        pack_one(k);
    }
}

fn reads_two(dm: &DataMovement<'_>) {
    let tensors =
        [TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048), TensorAccessor::new(dm, 1, dm.get_arg_val(1), 2048)];
    for (cb, tensor) in [(IN0, &tensors[0]), (IN1, &tensors[1])] {
        dm.cb_reserve_back(cb, 2);
        for tile in 0..2 {
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(cb) + 2048 * tile);
        }
        dm.noc_async_read_barrier();
        dm.cb_push_back(cb, 2); // left behind
    }
}

#[test]
fn pages_that_are_left_are_a_note_at_the_last_push_and_no_finding() {
    let found = run(Kernels { reader: reads_two, compute: never_pops, ..Kernels::default() });
    silent(&found);
    assert_eq!(found.notes.len(), 2, "{:#?}", found.notes);
    for note in &found.notes {
        assert_eq!((note.code, line_of(note)), (Code::PAGES_LEFT, marked("left behind")));
    }
}

fn pops_the_second_input_unused(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN0, OUT);
    k.copy_init(IN0);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.copy_tile(IN0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1); // pops unread
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn an_input_that_is_popped_and_never_unpacked_is_reported_where_it_is_popped() {
    let found = run(Kernels { compute: pops_the_second_input_unused, cores: 2, ..Kernels::default() });
    let finding = only(&found, Code::PAGES_UNREAD);
    assert_eq!(line_of(finding), marked("pops unread"));
    assert_eq!(finding.facts["pages"], TILES.to_string());
    assert_eq!(finding.also_on.len(), 1);
    assert_eq!(finding.labels.len(), 1);
}

/// Clears the pages of the second input, as for a scaler, and reads the first.
fn clears_the_second(dm: &DataMovement<'_>) {
    const ZEROS: u32 = 16384;
    let in0 = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    dm.l1_store(ZEROS, &[0; 512]);
    for tile in 0..TILES {
        dm.cb_reserve_back(IN0, 1);
        dm.cb_reserve_back(IN1, 1);
        dm.noc_async_read_page(tile, &in0, dm.get_write_ptr(IN0));
        dm.noc_async_read(dm.get_noc_addr(dm.my_coordinates(), ZEROS), dm.get_write_ptr(IN1), 2048);
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN0, 1);
        dm.cb_push_back(IN1, 1);
    }
}

#[test]
fn pages_that_were_only_cleared_may_be_popped_unread() {
    let kernels = Kernels { reader: clears_the_second, compute: pops_the_second_input_unused, ..Kernels::default() };
    silent(&run(kernels));
}

/// Takes the second input of the first tile only.
fn uses_one_of_four(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        if tile == 0 {
            k.add_init(IN0, IN1);
            k.add_tiles(IN0, IN1, 0, 0, 0);
        } else {
            k.copy_init(IN0);
            k.copy_tile(IN0, 0, 0);
        }
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
fn an_input_of_which_one_tile_is_used_is_not_reported() {
    silent(&compute(uses_one_of_four));
}

/// Takes pages for their count, and fills its output.
fn fills(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.fill_tile_init();
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.fill_tile(0, 1.0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        pack_one(k);
    }
}

#[test]
fn a_kernel_that_unpacks_nothing_may_pop_what_it_likes() {
    silent(&compute(fills));
}

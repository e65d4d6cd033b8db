//! The checks of Dst, its windows and its tiles, in pairs: a kernel that does what a check is about is reported on the line
//! that does it, and the nearest right kernel is not.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES};
use crate::support::checked::run;
use crate::support::found::{labelled, line_of, marked, only, silent};
use crate::support::steps::{add_one, pack_one, start};
use tileproof_kernel::{Compute, DataMovement, Pool, ReduceDim, TensorAccessor};
use tileproof_model::finding::{Certainty, Code, Finding};
use tileproof_model::record::RunRecord;

/// Runs a compute kernel with the right reader and writer.
fn compute(kernel: fn(&Compute<'_>)) -> RunRecord {
    run(Kernels { compute: kernel, ..Kernels::default() })
}

// Windows.

fn acquires_twice(k: &Compute<'_>) {
    start(k);
    k.tile_regs_acquire(); // outer
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire(); // inner
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit(); // inner commit
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        pack_one(k);
    }
    k.fill_tile_init();
    k.fill_tile(0, 1.0); // after the inner window
    k.tile_regs_commit(); // outer commit
}

#[test]
fn a_window_in_a_window_is_reported_with_both_acquires() {
    let found = compute(acquires_twice);
    let finding = only(&found, Code::DST_NESTED);
    assert_eq!(line_of(finding), marked("inner"));
    assert_eq!(labelled(finding)[0], marked("outer"));
    // What comes after the inner commit is outside any window; the outer commit has its acquire.
    let outside = only(&found, Code::DST_NOT_ACQUIRED);
    assert_eq!(line_of(outside), marked("after the inner window"));
    assert_eq!(labelled(outside)[0], marked("inner commit"));
    assert!(found.findings.iter().all(|f| f.code != Code::DST_COMMIT), "{:#?}", found.findings);
}

fn commits_twice(k: &Compute<'_>) {
    start(k);
    add_one(k);
    k.tile_regs_commit(); // second commit
    pack_one(k);
    k.tile_regs_wait();
    k.tile_regs_release();
}

#[test]
fn a_commit_without_an_acquire_is_reported() {
    let found = compute(commits_twice);
    assert_eq!(line_of(only(&found, Code::DST_COMMIT)), marked("second commit"));
}

fn never_acquires(k: &Compute<'_>) {
    start(k);
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN1, 1);
    k.add_tiles(IN0, IN1, 0, 0, 0); // no acquire
    k.cb_pop_front(IN0, 1);
    k.cb_pop_front(IN1, 1);
}

#[test]
fn a_matrix_operation_without_a_window_is_reported() {
    let found = compute(never_acquires);
    assert_eq!(line_of(only(&found, Code::DST_NOT_ACQUIRED)), marked("no acquire"));
}

fn packs_without_waiting(k: &Compute<'_>) {
    start(k);
    for tile in 0..TILES {
        add_one(k);
        k.cb_reserve_back(OUT, 1);
        if tile == 0 {
            k.tile_regs_wait();
        }
        k.pack_tile(0, OUT); // not waited
        k.tile_regs_release(); // released all the same
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_pack_and_a_release_without_a_wait_are_reported() {
    let found = compute(packs_without_waiting);
    let lines: Vec<u32> = found.findings.iter().filter(|f| f.code == Code::DST_NOT_WAITED).map(line_of).collect();
    assert_eq!(lines, [marked("not waited"), marked("released all the same")], "{:#?}", found.findings);
}

// What is in the tiles.

/// Runs `body` in a window for each tile, with both inputs there, and packs tile 0.
fn in_windows(k: &Compute<'_>, body: impl Fn(&Compute<'_>)) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        body(k);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        pack_one(k);
    }
}

fn copy(k: &Compute<'_>, cb: u32, dst: u32) {
    k.copy_init(cb);
    k.copy_tile(cb, 0, dst);
}

fn adds_an_unwritten_tile(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0); // tile 1 is nobody's
    });
}

fn adds_a_tile_of_zeros(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        copy(k, IN1, 2);
        k.fill_tile_init();
        k.fill_tile(1, 0.0);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
        k.add_binary_tile(0, 2, 0);
    });
}

fn packs_an_unwritten_tile(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES {
        add_one(k);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(1, OUT); // nothing wrote tile 1
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn a_tile_that_nothing_wrote_is_reported_where_it_is_read() {
    let found = compute(adds_an_unwritten_tile);
    let finding = only(&found, Code::DST_UNWRITTEN);
    assert_eq!(line_of(finding), marked("tile 1 is nobody's"));
    let found = compute(packs_an_unwritten_tile);
    let finding = only(&found, Code::DST_UNWRITTEN);
    assert_eq!((line_of(finding), finding.facts["dst"].as_str()), (marked("nothing wrote tile 1"), "1"));
    silent(&compute(adds_a_tile_of_zeros));
}

/// The second window's section is the other half, which nothing has released; the fourth's is the second's, released.
fn packs_an_unwritten_tile_in_window(k: &Compute<'_>, window: u32) {
    start(k);
    for tile in 0..TILES {
        add_one(k);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(u32::from(tile == window), OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

#[test]
fn zeros_are_promised_only_to_the_packer_and_of_a_section_that_was_released() {
    let says = |found: &RunRecord| only(found, Code::DST_UNWRITTEN).message.clone();
    let lay_there = "the device gives what lay there";
    let message = says(&compute(adds_an_unwritten_tile));
    assert!(message.ends_with(lay_there), "the vector unit does not look at the flags: {message}");
    let message = says(&compute(|k| packs_an_unwritten_tile_in_window(k, 1)));
    assert!(message.contains("in this launch") && message.ends_with(lay_there), "{message}");
    let message = says(&compute(|k| packs_an_unwritten_tile_in_window(k, 3)));
    assert!(message.contains("since its section was released") && message.ends_with("it reads as 0"), "{message}");
}

/// Whole blocks of two: the second tile is spare.
fn packs_a_spare_tile(k: &Compute<'_>) {
    start(k);
    for _ in 0..TILES {
        add_one(k);
        k.cb_reserve_back(OUT, 2);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.pack_tile(1, OUT); // a spare tile
        k.tile_regs_release();
        k.cb_push_back(OUT, 2);
    }
}

/// Takes blocks of two pages and writes the first of each.
fn writes_one_of_two(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 2);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 2);
    }
}

#[test]
fn a_spare_tile_that_is_packed_for_nobody_is_a_note() {
    let found = run(Kernels { compute: packs_a_spare_tile, writer: writes_one_of_two, ..Kernels::default() });
    silent(&found);
    let notes: Vec<&Finding> = found.notes.iter().filter(|n| n.code == Code::DST_UNWRITTEN).collect();
    assert_eq!(notes.len(), 1, "{:#?}", found.notes);
    assert_eq!(line_of(notes[0]), marked("a spare tile"));
}

/// The shape of a public bug: the mean is subtracted, and is still there when the next term is multiplied onto it.
fn multiplies_onto_the_mean(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        k.copy_init(IN1);
        k.copy_tile(IN1, 0, 1); // the mean
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0); // used
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 1); // onto the mean
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
    });
}

fn clears_before_the_product(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        copy(k, IN1, 1);
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
        k.fill_tile_init();
        k.fill_tile(1, 0.0);
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 1);
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
    });
}

fn multiplies_twice_with_a_use_between(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 1);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 1); // onto a used product
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
    });
}

fn matmul_onto_a_used_tile(k: &Compute<'_>) {
    in_windows(k, |k| {
        k.fill_tile_init();
        k.fill_tile(1, 2.0);
        copy(k, IN0, 0);
        k.mul_binary_tile_init();
        k.mul_binary_tile(0, 1, 0);
        k.reconfig_data_format(IN1, IN0);
        k.matmul_init(IN0, IN1, false);
        k.matmul_tiles(IN0, IN1, 0, 0, 1, false); // matmul onto the factor
    });
}

#[test]
fn a_product_onto_a_value_that_was_used_is_suspected() {
    let found = compute(multiplies_onto_the_mean);
    let finding = only(&found, Code::DST_ACCUMULATES);
    assert_eq!((line_of(finding), finding.certainty), (marked("onto the mean"), Certainty::Suspect));
    assert_eq!(labelled(finding), [marked("the mean"), marked("used")]);
    let found = compute(multiplies_twice_with_a_use_between);
    assert_eq!(line_of(only(&found, Code::DST_ACCUMULATES)), marked("onto a used product"));
    let found = compute(matmul_onto_a_used_tile);
    assert_eq!(line_of(only(&found, Code::DST_ACCUMULATES)), marked("matmul onto the factor"));
    let found = compute(reduces_onto_a_used_tile);
    assert_eq!(line_of(only(&found, Code::DST_ACCUMULATES)), marked("reduce onto the subtrahend"));
    silent(&compute(clears_before_the_product));
}

/// Runs `body` in a window for two tiles of each input, and packs tile 0 twice.
fn in_pairs(k: &Compute<'_>, body: impl Fn(&Compute<'_>)) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 2);
        k.tile_regs_acquire();
        body(k);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 2);
        k.cb_pop_front(IN1, 2);
        k.cb_reserve_back(OUT, 2);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 2);
    }
}

fn sums_products(k: &Compute<'_>) {
    in_pairs(k, |k| {
        k.mul_init(IN0, IN1);
        for tile in 0..2 {
            k.mul_tiles(IN0, IN1, tile, tile, 0);
        }
    });
}

fn sums_over_k(k: &Compute<'_>) {
    in_pairs(k, |k| {
        k.matmul_init(IN0, IN1, false);
        for tile in 0..2 {
            k.matmul_tiles(IN0, IN1, tile, tile, 0, false);
        }
    });
}

fn sums_by_reduce(k: &Compute<'_>) {
    in_pairs(k, |k| {
        k.reduce_init(Pool::Sum, ReduceDim::Col, IN0, IN1, OUT);
        for tile in 0..2 {
            k.reduce_tile(Pool::Sum, ReduceDim::Col, IN0, IN1, tile, 0, 0);
        }
        k.reduce_uninit();
    });
}

/// One product a window: the page at the front is another one each time.
fn pops_between_products(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.mul_init(IN0, IN1);
    k.tile_regs_acquire();
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.mul_tiles(IN0, IN1, 0, 0, 0);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
    }
    k.tile_regs_commit();
    k.tile_regs_wait();
    for _ in 0..TILES {
        k.cb_reserve_back(OUT, 1);
        k.pack_tile(0, OUT);
        k.cb_push_back(OUT, 1);
    }
    k.tile_regs_release();
}

fn multiplies_the_same_pair_twice(k: &Compute<'_>) {
    in_windows(k, |k| {
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 0); // once
        k.mul_tiles(IN0, IN1, 0, 0, 0); // twice
    });
}

/// Each element by its partner, and by the first row of the other: two products of the same pages.
fn multiplies_the_same_pair_in_two_ways(k: &Compute<'_>) {
    in_windows(k, |k| {
        k.reconfig_data_format(IN0, IN1);
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 0);
        k.mul_bcast_rows_init(IN0, IN1);
        k.mul_tiles_bcast_rows(IN0, IN1, 0, 0, 0);
    });
}

#[test]
fn the_same_product_added_twice_is_suspected() {
    let found = compute(multiplies_the_same_pair_twice);
    let finding = only(&found, Code::DST_ACCUMULATES);
    assert_eq!((line_of(finding), finding.certainty), (marked("twice"), Certainty::Suspect));
    assert_eq!(labelled(finding)[0], marked("once"));
    silent(&compute(multiplies_the_same_pair_in_two_ways));
}

fn recips_a_row(k: &Compute<'_>, init: impl Fn(&Compute<'_>)) {
    in_windows(k, |k| {
        init(k);
        k.reduce_init(Pool::Sum, ReduceDim::Col, IN0, IN1, OUT);
        k.reduce_tile(Pool::Sum, ReduceDim::Col, IN0, IN1, 0, 0, 0);
        k.fill_tile_init();
        k.fill_tile(1, 1.0);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0); // rows of a column sum
    });
}

fn adds_to_a_row(k: &Compute<'_>) {
    recips_a_row(k, |_| {});
}

fn adds_to_a_whole_tile(k: &Compute<'_>) {
    recips_a_row(k, |k| {
        k.fill_tile_init();
        k.fill_tile(0, 0.0);
    });
}

#[test]
fn rows_that_nothing_wrote_are_a_note_where_the_vector_unit_reads_them() {
    let found = compute(adds_to_a_row);
    silent(&found);
    let [note] = found.notes.as_slice() else { panic!("{:#?}", found.notes) };
    assert_eq!((note.code, line_of(note)), (Code::DST_ROWS, marked("rows of a column sum")));
    assert!(compute(adds_to_a_whole_tile).notes.is_empty());
}

fn reduces_onto_a_used_tile(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        copy(k, IN1, 1);
        k.sub_binary_tile_init();
        k.sub_binary_tile(0, 1, 0);
        k.reduce_init(Pool::Sum, ReduceDim::Col, IN0, IN1, OUT);
        k.reduce_tile(Pool::Sum, ReduceDim::Col, IN0, IN1, 0, 0, 1); // reduce onto the subtrahend
        k.reduce_uninit();
    });
}

fn adds_a_bias(k: &Compute<'_>) {
    in_windows(k, |k| {
        copy(k, IN0, 0);
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 0);
    });
}

#[test]
fn sums_that_are_meant_are_silent() {
    for kernel in [sums_products, sums_over_k, sums_by_reduce, pops_between_products, adds_a_bias] {
        silent(&compute(kernel));
    }
}

//! State that stays in the packer, in pairs: the kernel that leaves it is reported at the pack that suffers, with the call
//! that left it, and the nearest right kernel is not.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES, inputs};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof::check::Checks;
use tileproof_kernel::{Compute, DataMovement, Pool, ReduceDim};
use tileproof_model::arch::Arch;
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::record::RunRecord;

fn compute(kernel: fn(&Compute<'_>)) -> RunRecord {
    Kernels { compute: kernel, ..Kernels::default() }.run_observed::<Checks>().0
}

/// Runs `math` and `pack` in a window for each tile, with both inputs there.
fn windows(k: &Compute<'_>, math: impl Fn(u32), pack: impl Fn(u32)) {
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        math(tile);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        pack(tile);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

fn reduces(k: &Compute<'_>, tile: u32, then: impl Fn(&Compute<'_>)) {
    if tile.is_multiple_of(2) {
        k.reduce_init(Pool::Sum, ReduceDim::Col, IN0, IN1, OUT); // leaves its mask
        k.reduce_tile(Pool::Sum, ReduceDim::Col, IN0, IN1, 0, 0, 0);
    } else {
        then(k);
        k.add_init(IN0, IN1);
        k.add_tiles(IN0, IN1, 0, 0, 0);
    }
}

fn forgets_reduce_uninit(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    windows(k, |tile| reduces(k, tile, |_| {}), |_| k.pack_tile(0, OUT)); // masked
}

fn calls_reduce_uninit(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    windows(
        k,
        |tile| reduces(k, tile, |_| {}),
        |tile| {
            k.pack_tile(0, OUT);
            if tile.is_multiple_of(2) {
                k.reduce_uninit();
            }
        },
    );
}

/// What is computed further from a reduced tile may be packed through the mask, and with another one beside it.
fn packs_what_comes_from_a_reduce(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    let math = |_| {
        k.reduce_init(Pool::Sum, ReduceDim::Col, IN0, IN1, OUT);
        k.reduce_tile(Pool::Sum, ReduceDim::Col, IN0, IN1, 0, 0, 0);
        k.fill_tile_init();
        k.fill_tile(1, 0.5);
        k.mul_binary_tile_init();
        k.mul_binary_tile(0, 1, 0);
    };
    windows(k, math, |_| k.pack_tile(0, OUT));
}

#[test]
fn a_pack_through_a_mask_that_a_reduce_left_is_reported_with_the_reduce() {
    let found = compute(forgets_reduce_uninit);
    let finding = only(&found, Code::PACK_MASKED);
    assert_eq!((line_of(finding), finding.certainty), (marked("masked"), Certainty::Happened));
    assert_eq!(labelled(finding), [marked("leaves its mask")]);
    assert!(finding.message.contains("row 0"), "{}", finding.message);
    silent(&compute(calls_reduce_uninit));
    silent(&compute(packs_what_comes_from_a_reduce));
}

/// Rows 0 and 16 are the first of the faces (recorded: `pack_after_reduce_MAX_COL_no_uninit` on Blackhole).
#[test]
fn where_one_packer_takes_all_faces_the_mask_keeps_the_first_row_of_each() {
    let kernels = Kernels { arch: Arch::Blackhole, compute: forgets_reduce_uninit, ..Kernels::default() };
    let (found, out) = kernels.run_observed::<Checks>();
    let finding = only(&found, Code::PACK_MASKED);
    assert!(finding.message.contains("keeps row 0 of each face"), "{}", finding.message);
    let (in0, in1) = inputs();
    let (tile, out) = (1024..2048, out.expect("an output"));
    let sums = tile.clone().map(|at| if at / 32 % 16 == 0 { in0[at] + in1[at] } else { 0.0 });
    assert_eq!(out[tile], sums.collect::<Vec<f32>>());
}

/// Sums the rows of each tile into a buffer of its own, `then` calls what comes between, and combines both.
fn combines(k: &Compute<'_>, then: impl Fn(), combine: impl Fn()) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format(IN0, IN1);
        k.reduce_init(Pool::Sum, ReduceDim::Row, IN0, IN1, SIDE); // keeps column 0
        k.reduce_tile(Pool::Sum, ReduceDim::Row, IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_reserve_back(SIDE, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(SIDE);
        k.pack_tile(0, SIDE);
        then();
        k.tile_regs_release();
        k.cb_push_back(SIDE, 1);
        k.cb_wait_front(SIDE, 1);
        k.tile_regs_acquire();
        combine();
        k.tile_regs_commit();
        k.cb_pop_front(SIDE, 1);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(OUT);
        k.pack_tile(0, OUT); // column 0 of a whole tile
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

/// The sum is broadcast over the columns: the difference fills the tile.
fn subtracts_the_sum_of_each_row(k: &Compute<'_>) {
    k.reconfig_data_format(IN0, SIDE);
    k.sub_bcast_cols_init(IN0, SIDE);
    k.sub_tiles_bcast_cols(IN0, SIDE, 0, 0, 0);
}

/// A number is subtracted from the sums: column 0 is all that counts.
fn subtracts_from_the_sums(k: &Compute<'_>) {
    k.reconfig_data_format(SIDE, IN1);
    k.sub_bcast_scalar_init(SIDE, IN1);
    k.sub_tiles_bcast_scalar(SIDE, IN1, 0, 0, 0);
}

fn centres_through_the_mask(k: &Compute<'_>) {
    combines(k, || {}, || subtracts_the_sum_of_each_row(k));
}

fn centres(k: &Compute<'_>) {
    combines(k, || k.reduce_uninit(), || subtracts_the_sum_of_each_row(k));
}

fn shifts_the_sums_through_the_mask(k: &Compute<'_>) {
    combines(k, || {}, || subtracts_from_the_sums(k));
}

#[test]
fn a_sum_that_is_broadcast_fills_the_tile_and_must_not_go_through_its_mask() {
    let found = compute(centres_through_the_mask);
    let finding = only(&found, Code::PACK_MASKED);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("column 0 of a whole tile"), vec![marked("keeps column 0")])
    );
    silent(&compute(centres));
    silent(&compute(shifts_the_sums_through_the_mask));
}

/// Adds two tiles and packs the sum to a buffer of its own too, which the next window reads.
fn with_a_side_buffer(k: &Compute<'_>, before: impl Fn(), between: impl Fn()) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    let math = |_| {
        k.add_init(IN0, IN1);
        k.add_tiles(IN0, IN1, 0, 0, 0);
    };
    windows(k, math, |_| {
        before();
        k.pack_tile(0, OUT); // first through it
        between();
        k.cb_reserve_back(SIDE, 1);
        k.pack_reconfig_data_format(SIDE);
        k.pack_tile(0, SIDE); // second buffer
        k.pack_reconfig_data_format(OUT);
        k.cb_push_back(SIDE, 1);
        k.cb_wait_front(SIDE, 1);
        k.cb_pop_front(SIDE, 1);
    });
}

/// The support program has a spare fp32 buffer.
const SIDE: u32 = 2;

fn leaves_relu_on(k: &Compute<'_>) {
    with_a_side_buffer(k, || k.pack_relu_config(1), || {}); // set
}

fn takes_relu_off(k: &Compute<'_>) {
    with_a_side_buffer(k, || k.pack_relu_config(1), || k.pack_relu_config(0));
}

fn clips_both(k: &Compute<'_>) {
    with_a_side_buffer(k, || k.pack_relu_config(1), || k.pack_relu_config(1));
}

#[test]
fn a_relu_that_reaches_a_second_buffer_is_suspected() {
    let found = compute(leaves_relu_on);
    let finding = only(&found, Code::PACK_RELU);
    assert_eq!((line_of(finding), finding.certainty), (marked("second buffer"), Certainty::Suspect));
    assert_eq!(labelled(finding), [marked("set"), marked("first through it")]);
    for kernel in [takes_relu_off, clips_both] {
        // The side buffer's pages are read by nobody, which is said too.
        assert!(compute(kernel).findings.iter().all(|f| f.code == Code::WORK_LOST));
    }
}

fn accumulates_all_packs(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    windows(
        k,
        |_| k.add_tiles(IN0, IN1, 0, 0, 0),
        |tile| {
            if tile == 2 {
                k.pack_reconfig_l1_acc(true); // on
            }
            k.pack_tile(0, OUT); // onto a page that was written out
        },
    );
}

fn accumulates_first(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    k.pack_reconfig_l1_acc(true);
    windows(
        k,
        |_| k.add_tiles(IN0, IN1, 0, 0, 0),
        |_| {
            k.pack_tile(0, OUT); // onto nothing
            k.pack_reconfig_l1_acc(false);
        },
    );
}

fn accumulates_one_sum(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    windows(
        k,
        |_| k.add_tiles(IN0, IN1, 0, 0, 0),
        |_| {
            k.pack_reconfig_l1_acc(false);
            k.pack_tile_out_of_order(0, OUT, 0);
            k.pack_reconfig_l1_acc(true);
            k.pack_tile_out_of_order(0, OUT, 0);
            k.pack_tile_out_of_order(0, OUT, 0);
        },
    );
}

/// Partial sums go round a buffer that is popped unread, until the last.
fn turns_the_pointers_round(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, SIDE);
    for tile in 0..TILES {
        k.reconfig_data_format_srca(IN0);
        k.add_init(IN0, IN1);
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(SIDE, 2);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(SIDE);
        k.pack_reconfig_l1_acc(tile % 2 == 1);
        k.pack_tile(0, SIDE);
        k.pack_tile(0, SIDE);
        k.tile_regs_release();
        k.cb_push_back(SIDE, 2);
        k.cb_wait_front(SIDE, 2);
        if tile % 2 == 1 {
            for page in 0..2 {
                k.tile_regs_acquire();
                k.reconfig_data_format_srca(SIDE);
                k.copy_init(SIDE);
                k.copy_tile(SIDE, page, 0);
                k.tile_regs_commit();
                k.cb_reserve_back(OUT, 1);
                k.tile_regs_wait();
                k.pack_reconfig_l1_acc(false);
                k.pack_reconfig_data_format(OUT);
                k.pack_tile(0, OUT);
                k.tile_regs_release();
                k.cb_push_back(OUT, 1);
            }
        }
        k.cb_pop_front(SIDE, 2);
    }
}

#[test]
fn a_pack_that_adds_to_a_page_that_was_used_or_holds_nothing_is_reported() {
    let found = compute(accumulates_all_packs);
    let finding = only(&found, Code::PACK_ACCUMULATES);
    assert_eq!((line_of(finding), finding.certainty), (marked("onto a page that was written out"), Certainty::Suspect));
    assert_eq!(
        (labelled(finding)[0], labelled(finding)[2]),
        (marked("onto a page that was written out"), marked("on"))
    );
    assert_eq!(finding.labels[1].place.kernel, "writer");
    let found = compute(accumulates_first);
    let finding = only(&found, Code::PACK_ACCUMULATES);
    assert_eq!((line_of(finding), finding.certainty), (marked("onto nothing"), Certainty::Happened));
    silent(&compute(accumulates_one_sum));
    silent(&compute(turns_the_pointers_round));
}

#[test]
fn these_checks_change_neither_outputs_nor_cycles() {
    for kernel in [forgets_reduce_uninit, leaves_relu_on, accumulates_all_packs] {
        let kernels = Kernels { compute: kernel, ..Kernels::default() };
        let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
        assert_eq!((off.0.cycles, off.1), (on.0.cycles, on.1));
    }
}

// What the units are programmed for, in both directions.

fn unpacks_another_format(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(SIDE, IN1, OUT); // for fp32
    k.add_init(IN0, IN1);
    windows(k, |_| k.add_tiles(IN0, IN1, 0, 0, 0), |_| k.pack_tile(0, OUT)); // bf16 read as fp32
}

fn packs_another_format(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, SIDE); // packs fp32
    k.add_init(IN0, IN1);
    windows(k, |_| k.add_tiles(IN0, IN1, 0, 0, 0), |_| k.pack_tile(0, OUT)); // fp32 to bf16 pages
}

#[test]
fn a_format_that_another_buffer_left_is_reported_on_both_sides() {
    let found = compute(unpacks_another_format);
    let finding = only(&found, Code::WRONG_FORMAT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("bf16 read as fp32"), vec![marked("for fp32")]));
    let found = compute(packs_another_format);
    let finding = only(&found, Code::WRONG_FORMAT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("fp32 to bf16 pages"), vec![marked("packs fp32")]));
}

fn untilizes(k: &Compute<'_>, then: impl Fn(&Compute<'_>)) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    windows(
        k,
        |_| k.add_tiles(IN0, IN1, 0, 0, 0),
        |tile| {
            if tile == 0 {
                k.pack_untilize_dest_init(1, 1, OUT); // packs rows
                k.pack_untilize_dest(1, 1, OUT, 0);
                then(k);
            } else {
                k.pack_tile(0, OUT); // needs tiles
            }
        },
    );
}

fn leaves_untilize_on(k: &Compute<'_>) {
    untilizes(k, |_| {});
}

fn uninits_untilize(k: &Compute<'_>) {
    untilizes(k, |k| k.pack_untilize_uninit(OUT));
}

#[test]
fn a_pack_through_what_pack_untilize_left_is_reported_with_its_init() {
    let found = compute(leaves_untilize_on);
    let finding = only(&found, Code::WRONG_INIT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("needs tiles"), vec![marked("packs rows")]));
    silent(&compute(uninits_untilize));
}

// Page counts that do not divide the buffer.

fn pushes_three_of_four(dm: &DataMovement<'_>) {
    for _ in 0..2 {
        dm.cb_reserve_back(IN0, 1);
        dm.cb_push_back(IN0, 1);
        dm.cb_reserve_back(IN0, 2);
        dm.cb_push_back(IN0, 2); // uneven lap
    }
}

fn pops_three(k: &Compute<'_>) {
    for _ in 0..6 {
        k.cb_wait_front(IN0, 1);
        k.cb_pop_front(IN0, 1);
    }
}

fn writes_nothing(_: &DataMovement<'_>) {}

#[test]
fn page_counts_that_do_not_divide_the_buffer_are_reported_where_the_pointer_passes_the_end() {
    let kernels =
        Kernels { reader: pushes_three_of_four, compute: pops_three, writer: writes_nothing, ..Kernels::default() };
    let found = kernels.run_observed::<Checks>().0;
    assert_eq!(line_of(only(&found, Code::PAST_THE_END)), marked("uneven lap"));
}

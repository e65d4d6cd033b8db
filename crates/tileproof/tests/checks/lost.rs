//! Work that reaches no output, in pairs: the line whose results are lost is reported, and the nearest right kernel is not.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof::check::Checks;
use tileproof_kernel::Compute;
use tileproof_model::finding::Code;
use tileproof_model::record::RunRecord;

/// The support program has a spare fp32 buffer.
const SIDE: u32 = 2;

fn compute(kernel: fn(&Compute<'_>)) -> RunRecord {
    let kernels = Kernels { compute: kernel, ..Kernels::default() };
    let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
    assert_eq!((off.0.cycles, off.1), (on.0.cycles, on.1));
    on.0
}

fn pack_all(k: &Compute<'_>, dst: u32) {
    for _ in 0..TILES {
        k.cb_reserve_back(OUT, 1);
        k.pack_tile(dst, OUT);
        k.cb_push_back(OUT, 1);
    }
}

/// A sum over all tiles of the inputs in one window; `body` adds a pair.
fn sums(k: &Compute<'_>, body: impl Fn(&Compute<'_>)) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.tile_regs_acquire();
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        body(k);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
    }
    k.tile_regs_commit();
    k.tile_regs_wait();
    pack_all(k, 0);
    k.tile_regs_release();
}

fn overwrites_the_sum(k: &Compute<'_>) {
    sums(k, |k| {
        k.sub_init(IN0, IN1);
        k.sub_tiles(IN0, IN1, 0, 0, 0); // only the last
    });
}

fn adds_to_the_sum(k: &Compute<'_>) {
    sums(k, |k| {
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 0);
    });
}

fn adds_on_the_vector_unit(k: &Compute<'_>) {
    sums(k, |k| {
        k.sub_init(IN0, IN1);
        k.sub_tiles(IN0, IN1, 0, 0, 1);
        k.add_binary_tile_init();
        k.fill_tile_init();
        k.fill_tile(2, 0.0);
        k.add_binary_tile(1, 2, 0); // sums nothing up
    });
}

#[test]
fn a_sum_that_overwrites_is_reported_with_how_much_is_lost() {
    let found = compute(overwrites_the_sum);
    let finding = only(&found, Code::WORK_LOST);
    assert_eq!(line_of(finding), marked("only the last"));
    assert!(finding.message.starts_with("results of \"subtract\" are overwritten"), "{}", finding.message);
    assert_eq!((finding.facts["lost"].as_str(), finding.facts["results"].as_str()), ("3", "4"));
    let found = compute(adds_on_the_vector_unit);
    let finding = only(&found, Code::WORK_LOST);
    assert_eq!((line_of(finding), finding.facts["lost"].as_str()), (marked("sums nothing up"), "3"));
    silent(&compute(adds_to_the_sum));
}

/// Both inputs in a window a tile; `body` computes, tile 0 is packed.
fn windows(k: &Compute<'_>, body: impl Fn(&Compute<'_>, u32)) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        body(k, tile);
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

fn packs_one_of_two(k: &Compute<'_>) {
    windows(k, |k, _| {
        k.add_init(IN0, IN1);
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 1); // s2 is lost
    });
}

/// A block of two results a window, of which the last window needs one; and scratch that is used up.
fn makes_some_to_spare(k: &Compute<'_>) {
    windows(k, |k, tile| {
        for dst in [1, 2] {
            k.mul_init(IN0, IN1);
            k.mul_tiles(IN0, IN1, 0, 0, dst);
        }
        k.copy_init(IN0);
        k.copy_tile(IN0, 0, 0);
        k.copy_tile(IN0, 0, 3);
        k.add_binary_tile_init();
        k.add_binary_tile(0, 1, 0);
        if tile < TILES - 1 {
            k.add_binary_tile(0, 2, 0);
        }
    });
}

#[test]
fn a_result_that_is_never_packed_is_reported_and_one_to_spare_is_not() {
    let found = compute(packs_one_of_two);
    let finding = only(&found, Code::WORK_LOST);
    assert_eq!(line_of(finding), marked("s2 is lost"));
    assert!(finding.message.contains("released"), "{}", finding.message);
    silent(&compute(makes_some_to_spare));
}

fn sums_across_inner_windows(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES / 2 {
        k.tile_regs_acquire();
        for _ in 0..2 {
            k.cb_wait_front(IN0, 1);
            k.cb_wait_front(IN1, 1);
            k.mul_init(IN0, IN1);
            k.mul_tiles(IN0, IN1, 0, 0, 3); // the outer sum
            k.tile_regs_acquire();
            k.add_init(IN0, IN1);
            k.add_tiles(IN0, IN1, 0, 0, 0);
            k.tile_regs_commit();
            k.cb_pop_front(IN0, 1);
            k.cb_pop_front(IN1, 1);
            k.cb_reserve_back(OUT, 1);
            k.tile_regs_wait();
            k.pack_tile(0, OUT);
            k.tile_regs_release(); // the inner release
            k.cb_push_back(OUT, 1);
        }
        k.tile_regs_commit();
        k.tile_regs_wait();
        k.tile_regs_release();
    }
}

#[test]
fn a_sum_that_an_inner_window_clears_is_reported_beside_the_window() {
    let found = compute(sums_across_inner_windows);
    let finding = only(&found, Code::WORK_LOST);
    assert_eq!((line_of(finding), labelled(finding)), (marked("the outer sum"), vec![marked("the inner release")]));
    assert!(found.findings.iter().any(|f| f.code == Code::DST_NESTED));
}

/// A page of a side buffer is packed in each window; `pages` says which of them are read back.
fn with_a_side_page(k: &Compute<'_>, reads_it: bool) {
    windows(k, |k, _| {
        k.reconfig_data_format_srca(IN0);
        k.add_init(IN0, IN1);
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_reserve_back(SIDE, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(SIDE);
        k.pack_tile(0, SIDE); // packed for nobody
        k.pack_reconfig_data_format(OUT);
        k.tile_regs_release();
        k.cb_push_back(SIDE, 1);
        k.cb_wait_front(SIDE, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
        if reads_it {
            k.reconfig_data_format_srca(SIDE);
            k.copy_init(SIDE);
            k.copy_tile(SIDE, 0, 1);
            k.add_binary_tile_init();
            k.add_binary_tile(0, 1, 0);
        }
        k.cb_pop_front(SIDE, 1);
    });
}

fn pops_unread(k: &Compute<'_>) {
    with_a_side_page(k, false);
}

fn reads_back(k: &Compute<'_>) {
    with_a_side_page(k, true);
}

#[test]
fn pages_that_are_popped_unread_are_reported_at_their_pack() {
    let found = compute(pops_unread);
    let finding = only(&found, Code::WORK_LOST);
    assert_eq!(line_of(finding), marked("packed for nobody"));
    assert!(finding.message.contains("c_2 are popped"), "{}", finding.message);
    silent(&compute(reads_back));
}

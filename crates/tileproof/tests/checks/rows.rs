//! Rows that are packed over a page, in pairs: the checks know what is left of the page, and what is not.

use crate::support::adding::{self, IN0, IN1, Kernels, OUT};
use crate::support::checked::run;
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof_kernel::Compute;
use tileproof_model::finding::Code;
use tileproof_model::record::RunRecord;

/// The support program has a spare fp32 buffer of two pages.
const SIDE: u32 = 2;
/// Rows of a tile, as `pack_rows` counts them.
const ALL: u32 = 64;

/// Runs a compute kernel beside the right other kernels.
fn beside(kernel: fn(&Compute<'_>)) -> RunRecord {
    run(Kernels { compute: kernel, ..Kernels::default() })
}

/// Dst tile 0 is one, 1 is two and 2 is nobody's.
fn pages_of(k: &Compute<'_>, pages: u32, pack: impl Fn()) {
    k.pack_reconfig_data_format(SIDE);
    k.fill_tile_init();
    k.cb_reserve_back(SIDE, pages);
    k.tile_regs_acquire();
    k.fill_tile(0, 1.0);
    k.fill_tile(1, 2.0);
    k.tile_regs_commit();
    k.tile_regs_wait();
    pack();
    k.tile_regs_release();
    k.cb_push_back(SIDE, pages);
    // UNPACK reads them.
    k.reconfig_data_format_srca(SIDE);
    k.copy_init(SIDE);
    k.cb_wait_front(SIDE, pages);
    k.tile_regs_acquire();
    (0..pages).for_each(|page| k.copy_tile(SIDE, page, page));
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.tile_regs_release();
    k.cb_pop_front(SIDE, pages);
}

fn ends(k: &Compute<'_>) {
    k.reconfig_data_format_srca(IN0);
    k.pack_reconfig_data_format(OUT);
    adding::compute(k);
}

/// The first rows of a Dst tile to the first page; tiles again after that.
fn rows(k: &Compute<'_>, count: u32, dst: u32) {
    k.pack_rows_init(count);
    k.pack_rows(count, dst, SIDE, 0);
    k.pack_untilize_uninit(SIDE);
}

fn over_zeros<const ROWS: u32>(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, SIDE);
    pages_of(k, 1, || {
        k.pack_tile(2, SIDE); // nobody's
        rows(k, ROWS, 0);
    });
    ends(k);
}

#[test]
fn rows_over_a_page_of_zeros_leave_the_other_zeros() {
    assert_eq!(line_of(only(&beside(over_zeros::<16>), Code::DST_UNWRITTEN)), marked("nobody's"));
    assert!(beside(over_zeros::<ALL>).findings.iter().all(|finding| finding.code != Code::DST_UNWRITTEN));
}

fn over_a_tile<const ROWS: u32>(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, SIDE);
    pages_of(k, 1, || {
        k.pack_tile(0, SIDE); // packed over
        rows(k, ROWS, 1);
    });
    ends(k);
}

#[test]
fn a_page_is_lost_when_rows_are_packed_over_all_of_it() {
    silent(&beside(over_a_tile::<16>));
    assert_eq!(line_of(only(&beside(over_a_tile::<ALL>), Code::WORK_LOST)), marked("packed over"));
}

fn onto_a_used_page<const ROWS: u32>(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, SIDE);
    pages_of(k, 2, || {
        k.pack_tile(0, SIDE); // of the last sum
        k.pack_tile(1, SIDE);
    });
    pages_of(k, 2, || {
        rows(k, ROWS, 0);
        k.pack_reconfig_l1_acc(true); // turned on
        k.pack_tile_out_of_order(1, SIDE, 0); // adds
        k.pack_reconfig_l1_acc(false);
        k.pack_tile_out_of_order(1, SIDE, 1);
    });
    ends(k);
}

#[test]
fn a_sum_onto_a_used_page_is_one_though_some_rows_of_it_are_new() {
    let found = beside(onto_a_used_page::<16>);
    let finding = only(&found, Code::PACK_ACCUMULATES);
    assert_eq!(line_of(finding), marked("adds"));
    assert!(labelled(finding).contains(&marked("of the last sum")), "{finding:#?}");
    assert!(beside(onto_a_used_page::<ALL>).findings.iter().all(|f| f.code != Code::PACK_ACCUMULATES));
}

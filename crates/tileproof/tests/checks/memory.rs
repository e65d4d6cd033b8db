//! Pages that hold nothing or not yet what is meant, in pairs: a kernel that reads or sends them, and the nearest right one.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES, writer_sends};
use crate::support::checked::{inputs, output, run};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof_kernel::{Compute, DataMovement};
use tileproof_model::finding::{Certainty, Code};

// Pages that hold nothing.

fn fills_all_but_the_first(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            if tile > 0 || *cb == IN1 {
                dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
                dm.noc_async_read_barrier();
            }
            dm.cb_push_back(*cb, 1); // empty at first
        }
    }
}

/// Pages that are pushed and popped to move the pointers, and stored to word by word.
fn fills_what_is_read(dm: &DataMovement<'_>) {
    for (cb, _) in &inputs(dm) {
        dm.cb_reserve_back(*cb, 1);
        dm.cb_push_back(*cb, 1);
    }
    for _ in 1..TILES {
        for (cb, _) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            for word in 0..512 {
                dm.l1_store(dm.get_write_ptr(*cb) + 4 * word, &[0xffff_ffff]);
            }
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn adds_all(k: &Compute<'_>) {
    adds_from(k, 0);
}

fn skips_the_first(k: &Compute<'_>) {
    adds_from(k, 1);
}

fn adds_from(k: &Compute<'_>, first: u32) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        if tile >= first {
            k.add_tiles(IN0, IN1, 0, 0, 0); // reads it
        } else {
            k.fill_tile_init();
            k.fill_tile(0, 1.0);
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
fn a_page_that_nothing_wrote_is_reported_where_it_is_read_with_its_push() {
    let found = run(Kernels { reader: fills_all_but_the_first, compute: adds_all, ..Kernels::default() });
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!((line_of(finding), finding.facts["cb"].as_str()), (marked("reads it"), "c_0"));
    assert_eq!(labelled(finding), [marked("empty at first"), writer_sends()]);
    silent(&run(Kernels { reader: fills_all_but_the_first, compute: skips_the_first, ..Kernels::default() }));
    silent(&run(Kernels { reader: fills_what_is_read, compute: skips_the_first, ..Kernels::default() }));
}

/// Adds tiles, but packs only those that `packs` says; all are pushed.
fn adds_and_packs(k: &Compute<'_>, packs: impl Fn(u32) -> bool) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        if packs(tile) {
            k.pack_tile(0, OUT);
        }
        k.tile_regs_release();
        k.cb_push_back(OUT, 1); // pushed, packed or not
    }
}

fn forgets_the_last_pack(k: &Compute<'_>) {
    adds_and_packs(k, |tile| tile < TILES - 1);
}

fn sends_all(dm: &DataMovement<'_>) {
    sends(dm, TILES);
}

fn sends_all_but_the_last(dm: &DataMovement<'_>) {
    sends(dm, TILES - 1);
}

fn sends(dm: &DataMovement<'_>, tiles: u32) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        if tile < tiles {
            dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // sends an old page
            dm.noc_async_write_barrier();
        }
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn a_page_that_was_pushed_without_a_pack_is_reported_where_it_is_sent() {
    // The page holds what was packed a lap before.
    let found = run(Kernels { compute: forgets_the_last_pack, writer: sends_all, ..Kernels::default() });
    let finding = only(&found, Code::PAGE_UNWRITTEN);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("sends an old page"), vec![marked("pushed, packed or not")])
    );
    let but_the_last = Kernels { compute: forgets_the_last_pack, writer: sends_all_but_the_last, ..Kernels::default() };
    silent(&run(Kernels { output: false, ..but_the_last }));
}

// PACK and UNPACK on one page.

/// Adds the tiles of one input to a page of the other, which is never handed over.
fn adds_in_place(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    k.cb_wait_front(IN0, 1);
    for _ in 0..TILES {
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0); // reads the page
        k.tile_regs_commit();
        k.cb_pop_front(IN1, 1);
        k.tile_regs_wait();
        k.pack_tile_out_of_order(0, IN0, 0); // packs the page
        k.tile_regs_release();
    }
}

/// Adds them to a page of another buffer, which goes round.
fn adds_round(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..TILES {
        let (from, to) = (if tile == 0 { IN0 } else { SUM }, if tile == TILES - 1 { OUT } else { SUM });
        k.cb_wait_front(from, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.reconfig_data_format_srca(from);
        k.add_init(from, IN1);
        k.add_tiles(from, IN1, 0, 0, 0);
        k.tile_regs_commit();
        k.cb_pop_front(from, 1);
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(to, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(to);
        k.pack_tile(0, to);
        k.tile_regs_release();
        k.cb_push_back(to, 1);
    }
}

/// The support program's spare fp32 buffer.
const SUM: u32 = 2;

fn reads_one_and_four(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in inputs(dm).iter().filter(|(cb, _)| *cb == IN1 || tile == 0) {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
            dm.noc_async_read_barrier();
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn does_nothing(_: &DataMovement<'_>) {}

fn writes_one(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 1);
    dm.noc_async_write_page(0, &output(dm), dm.get_read_ptr(OUT));
    dm.noc_async_write_barrier();
    dm.cb_pop_front(OUT, 1);
}

#[test]
fn a_page_that_is_packed_and_read_without_a_push_is_reported_at_the_read() {
    let found =
        run(Kernels { reader: reads_one_and_four, compute: adds_in_place, writer: does_nothing, ..Kernels::default() });
    let finding = only(&found, Code::UNPACK_UNORDERED);
    assert_eq!((line_of(finding), finding.certainty), (marked("reads the page"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("packs the page")]);
    let round = Kernels { reader: reads_one_and_four, compute: adds_round, writer: writes_one, ..Kernels::default() };
    silent(&run(Kernels { output: false, ..round }));
}

// Packs that reach over several pages.

/// Packs two tiles as rows that lie across two pages, and pushes the pages one by one.
fn untilizes_and_pushes_singly(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    k.pack_untilize_dest_init(2, 2, OUT);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 2);
        k.tile_regs_acquire();
        for tile in 0..2 {
            k.add_tiles(IN0, IN1, tile, tile, tile);
        }
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 2);
        k.cb_pop_front(IN1, 2);
        k.cb_reserve_back(OUT, 2);
        k.tile_regs_wait();
        k.pack_untilize_dest(2, 2, OUT, 0);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
        k.cb_push_back(OUT, 1);
    }
    k.pack_untilize_uninit(OUT);
}

#[test]
fn a_pack_that_reaches_over_two_pages_fills_both_however_they_are_pushed() {
    silent(&run(Kernels { compute: untilizes_and_pushes_singly, ..Kernels::default() }));
}

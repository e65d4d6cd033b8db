//! Sums that are added to before they have landed, taken back in part, or begun with a copy of an operand; in pairs with the
//! right kernels that look most like them.

use crate::support::adding::{self, IN0, IN1, Kernels, OUT, TILES};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof_kernel::{Compute, DataMovement};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::record::RunRecord;

/// The support program has a spare fp32 buffer of two pages.
const SIDE: u32 = 2;

fn compute(kernel: fn(&Compute<'_>)) -> RunRecord {
    Kernels { compute: kernel, ..Kernels::default() }.run_observed::<Checks>().0
}

/// A Dst window.
fn window(k: &Compute<'_>, math: impl Fn(), pack: impl Fn()) {
    k.tile_regs_acquire();
    math();
    k.tile_regs_commit();
    k.tile_regs_wait();
    pack();
    k.tile_regs_release();
}

/// Two tiles of output at a time, each the sum of two parts that the packer adds up in L1.
fn sums_in_l1(k: &Compute<'_>, pages: &[u32]) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 2);
        k.cb_reserve_back(OUT, 2);
        let mut written = [false; 2];
        for page in pages {
            k.pack_reconfig_l1_acc(written[*page as usize]); // turned on
            written[*page as usize] = true;
            window(k, || k.add_tiles(IN0, IN1, *page, *page, 0), || k.pack_tile_out_of_order(0, OUT, *page)); // adds
        }
        k.cb_push_back(OUT, 2);
        k.cb_pop_front(IN0, 2);
        k.cb_pop_front(IN1, 2);
    }
}

fn goes_round_twice(k: &Compute<'_>) {
    sums_in_l1(k, &[0, 1, 0, 1]);
}

/// As the row sums of an attention kernel: one page after the other.
fn finishes_each_page(k: &Compute<'_>) {
    sums_in_l1(k, &[0, 0, 1, 1]);
}

#[test]
fn a_sum_in_l1_that_goes_round_pages_without_a_push_is_a_note_and_one_page_in_a_row_is_not() {
    let found = compute(goes_round_twice);
    silent(&found);
    let notes = found.notes.iter().filter(|note| note.code == Code::SUM_UNDRAINED);
    let [finding] = notes.collect::<Vec<_>>()[..] else { panic!("{:#?}", found.notes) };
    assert_eq!((line_of(finding), finding.certainty), (marked("adds"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("turned on")]);
    assert!(compute(finishes_each_page).notes.iter().all(|note| note.code != Code::SUM_UNDRAINED));
    // In this run both sums are whole, and the checks change nothing.
    let kernels = |compute| Kernels { compute, ..Kernels::default() };
    let sums = kernels(finishes_each_page).run().1;
    assert_eq!(kernels(goes_round_twice).run_observed::<Checks>().1, sums);
}

/// Adds, and hands two pages of state from each window to the next, which takes back `back` of them.
fn carries(k: &Compute<'_>, back: u32) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        let math = || {
            k.add_init(IN0, IN1);
            k.add_tiles(IN0, IN1, 0, 0, 0);
        };
        window(k, math, || k.pack_tile(0, OUT));
        k.cb_push_back(OUT, 1);
        if tile > 0 && (tile == 1 || back == 2) {
            k.cb_wait_front(SIDE, back);
            k.reconfig_data_format_srca(SIDE);
            k.copy_init(SIDE);
            window(k, || (0..back).for_each(|page| k.copy_tile(SIDE, page, page)), || {});
            k.reconfig_data_format_srca(IN0);
            k.cb_pop_front(SIDE, back); // takes back
        }
        if tile == 0 || back == 2 {
            let math = || {
                k.add_init(IN0, IN1);
                k.add_tiles(IN0, IN1, 0, 0, 0);
                k.add_tiles(IN0, IN1, 0, 0, 1);
            };
            k.cb_reserve_back(SIDE, 2);
            k.pack_reconfig_data_format(SIDE);
            window(k, math, || (0..2).for_each(|page| k.pack_tile(page, SIDE)));
            k.pack_reconfig_data_format(OUT);
            k.cb_push_back(SIDE, 2); // together
        }
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
    }
}

fn takes_one_of_two(k: &Compute<'_>) {
    carries(k, 1);
}

/// The last state stays in the buffer, all of it.
fn takes_both(k: &Compute<'_>) {
    carries(k, 2);
}

#[test]
fn a_block_that_is_taken_back_in_part_is_reported_and_a_whole_one_that_is_left_is_not() {
    let found = compute(takes_one_of_two);
    let finding = only(&found, Code::BLOCK_PART_LEFT);
    assert_eq!((line_of(finding), finding.certainty), (marked("takes back"), Certainty::Suspect));
    assert_eq!(labelled(finding), [marked("together")]);
    silent(&compute(takes_both));
}

/// Beside the right writer, waits for the block that UNPACK takes back in part: what it loads is not seen.
fn waits_for_the_block(dm: &DataMovement<'_>) {
    dm.cb_wait_front(SIDE, 2);
    adding::writer(dm);
}

/// Sends a page of it, and lets a flag or the writer's own wait for another buffer say that it is there.
fn sends_the_block(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 2);
    dm.noc_async_write(dm.get_read_ptr(SIDE) + 4096, dm.get_noc_addr(dm.my_coordinates(), SCRATCH), 4096);
    adding::writer(dm);
}

/// Somewhere in L1 that no circular buffer covers.
const SCRATCH: u32 = 0x0010_1000;

#[test]
fn pages_that_another_thread_may_read_are_not_left_though_unpack_pops_some() {
    for writer in [waits_for_the_block, sends_the_block] {
        let kernels = Kernels { compute: takes_one_of_two, writer, ..Kernels::default() };
        let found = kernels.run_observed::<Checks>().0;
        assert!(!found.findings.iter().any(|f| f.code == Code::BLOCK_PART_LEFT), "{:#?}", found.findings);
    }
}

/// Two blocks of two pages; UNPACK reads as far as `read` pages before it pops three.
fn looks_ahead(k: &Compute<'_>, read: u32) {
    k.compute_kernel_hw_startup(IN0, IN1, SIDE);
    k.fill_tile_init();
    for _ in 0..2 {
        k.cb_reserve_back(SIDE, 2);
        window(
            k,
            || (0..2).for_each(|tile| k.fill_tile(tile, 1.0)),
            || (0..2).for_each(|tile| k.pack_tile(tile, SIDE)),
        );
        k.cb_push_back(SIDE, 2); // a block of two
    }
    k.reconfig_data_format_srca(SIDE);
    k.copy_init(SIDE);
    k.cb_wait_front(SIDE, 4);
    window(k, || (0..read).for_each(|page| k.copy_tile(SIDE, page, page)), || {});
    k.cb_pop_front(SIDE, 3); // one and a half
    k.reconfig_data_format_srca(IN0);
    k.pack_reconfig_data_format(OUT);
    adding::compute(k);
}

fn reads_four_of_four(k: &Compute<'_>) {
    looks_ahead(k, 4);
}

fn reads_three_of_four(k: &Compute<'_>) {
    looks_ahead(k, 3);
}

#[test]
fn pages_of_a_block_that_were_read_while_another_was_in_front_of_it_are_not_left() {
    let run = |compute| {
        let mut program = Kernels { compute, ..Kernels::default() }.program();
        program.launches[0].cbs[3].total_size *= 2;
        let mut device = Device::<Checks>::new(&program, 1).expect("device");
        let (in0, in1) = adding::inputs();
        device.write("in0", &in0).expect("in0");
        device.write("in1", &in1).expect("in1");
        device.run(&program).expect("launch")
    };
    let left = run(reads_three_of_four);
    let finding = only(&left, Code::BLOCK_PART_LEFT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("one and a half"), vec![marked("a block of two")]));
    let read = run(reads_four_of_four);
    assert!(!read.findings.iter().any(|f| f.code == Code::BLOCK_PART_LEFT), "{:#?}", read.findings);
}

fn onto_a_copy(k: &Compute<'_>, copied: u32, product: impl Fn()) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        let math = || {
            k.copy_init(copied);
            k.copy_tile(copied, 0, 0);
            product();
        };
        window(k, math, || k.pack_tile(0, OUT));
        k.cb_push_back(OUT, 1);
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1);
    }
}

fn multiplies_onto_its_operand(k: &Compute<'_>) {
    onto_a_copy(k, IN0, || {
        k.mul_init(IN0, IN1);
        k.mul_tiles(IN0, IN1, 0, 0, 0); // onto it
    });
}

fn multiplies_onto_a_bias(k: &Compute<'_>) {
    onto_a_copy(k, IN1, || {
        k.mul_init(IN0, IN0);
        k.mul_tiles(IN0, IN0, 0, 0, 0);
    });
}

#[test]
fn a_product_onto_a_copy_of_its_operand_is_a_note_and_one_onto_a_bias_is_none() {
    let found = compute(multiplies_onto_its_operand);
    silent(&found);
    let notes: Vec<_> = found.notes.iter().filter(|note| note.code == Code::DST_OWN_OPERAND).collect();
    assert_eq!(notes.iter().map(|note| line_of(note)).collect::<Vec<_>>(), [marked("onto it")]);
    let found = compute(multiplies_onto_a_bias);
    silent(&found);
    assert!(!found.notes.iter().any(|note| note.code == Code::DST_OWN_OPERAND), "{:#?}", found.notes);
}

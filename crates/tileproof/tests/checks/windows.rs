//! Transfers beside the pages that a thread was given, and behind the last circular buffer, in pairs: the kernel that breaks
//! the rule is reported, and the nearest right kernel is not.

use crate::support::adding::{self, IN0, IN1, Kernels, OUT, TILES};
use crate::support::checked::{inputs, run};
use crate::support::found::{line_of, marked, only, silent};
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::Code;
use tileproof_model::record::RunRecord;

/// The last buffer of the program, which no kernel of it needs: two pages of Float32.
const LAST: u32 = 2;

fn reader(kernel: fn(&DataMovement<'_>)) -> RunRecord {
    run(Kernels { reader: kernel, ..Kernels::default() })
}

fn writer(kernel: fn(&DataMovement<'_>)) -> RunRecord {
    run(Kernels { writer: kernel, ..Kernels::default() })
}

/// Two pages of each input at a time, of which `reserved` are reserved; those that are read into first come last.
fn reads_pairs(dm: &DataMovement<'_>, reserved: u32) {
    for pair in 0..TILES / 2 {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, reserved);
            let to = dm.get_write_ptr(*cb);
            dm.noc_async_read_page(2 * pair, tensor, to);
            dm.noc_async_read_page(2 * pair + 1, tensor, to + 2048); // beside what is reserved
            dm.noc_async_read_barrier();
            dm.cb_reserve_back(*cb, 2);
            dm.cb_push_back(*cb, 1);
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn reads_two_and_reserves_one(dm: &DataMovement<'_>) {
    reads_pairs(dm, 1);
}

fn reads_two_and_reserves_two(dm: &DataMovement<'_>) {
    reads_pairs(dm, 2);
}

fn uses_the_last_buffer_as_memory(dm: &DataMovement<'_>) {
    // Reserved once and never pushed: a piece of memory, all of it.
    dm.cb_reserve_back(LAST, 1);
    let memory = dm.get_write_ptr(LAST);
    let [(_, tensor), _] = inputs(dm);
    for page in 0..4 {
        dm.noc_async_read_page(page, &tensor, memory + 2048 * page);
    }
    dm.noc_async_read_barrier();
    adding::reader(dm);
}

#[test]
fn a_read_into_a_page_that_is_not_reserved_is_reported() {
    let finding = reader(reads_two_and_reserves_one);
    let finding = only(&finding, Code::BESIDE_WINDOW);
    assert_eq!(line_of(finding), marked("beside what is reserved"));
    silent(&reader(reads_two_and_reserves_two));
}

#[test]
fn memory_that_is_reserved_and_never_pushed_is_no_protocol() {
    silent(&reader(uses_the_last_buffer_as_memory));
}

/// Sends a page, before or after it is given back.
fn sends(dm: &DataMovement<'_>, late: bool) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        let from = dm.get_read_ptr(OUT);
        if late {
            dm.cb_pop_front(OUT, 1);
        }
        dm.noc_async_write_page(tile, &out, from); // sent
        dm.noc_async_write_barrier();
        if !late {
            dm.cb_pop_front(OUT, 1);
        }
    }
}

fn sends_too_late(dm: &DataMovement<'_>) {
    sends(dm, true);
}

fn sends_in_time(dm: &DataMovement<'_>) {
    sends(dm, false);
}

/// Waits for two, sends the second first, and asks again for one of them.
fn sends_backwards(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    for pair in 0..TILES / 2 {
        dm.cb_wait_front(OUT, 2);
        dm.cb_wait_front(OUT, 1);
        for page in [1, 0] {
            dm.noc_async_write_page(2 * pair + page, &out, dm.get_read_ptr(OUT) + 2048 * page);
        }
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 2);
    }
}

#[test]
fn a_write_out_of_a_page_that_was_given_back_is_reported() {
    let found = writer(sends_too_late);
    assert_eq!(line_of(only(&found, Code::BESIDE_WINDOW)), marked("sent"));
    silent(&writer(sends_in_time));
    silent(&writer(sends_backwards));
}

/// Clears the end of each page by a store, before its push or after it, when the page is the consumer's.
fn clears(dm: &DataMovement<'_>, late: bool) {
    for page in 0..TILES {
        for (cb, tensor) in inputs(dm) {
            dm.cb_reserve_back(cb, 1);
            let at = dm.get_write_ptr(cb);
            dm.noc_async_read_page(page, &tensor, at);
            dm.noc_async_read_barrier();
            if !late {
                dm.l1_store(at + 2044, &[0]);
            }
            dm.cb_push_back(cb, 1);
            if late && cb == IN0 {
                dm.l1_store(at + 2044, &[0]); // stored to
            }
        }
    }
}

fn clears_too_late(dm: &DataMovement<'_>) {
    clears(dm, true);
}

fn clears_in_time(dm: &DataMovement<'_>) {
    clears(dm, false);
}

/// Looks at a word of each page that it has sent, before it gives the page back or after.
fn looks(dm: &DataMovement<'_>, late: bool) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    for page in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        let at = dm.get_read_ptr(OUT);
        dm.noc_async_write_page(page, &out, at);
        dm.noc_async_write_barrier();
        if !late {
            dm.l1_load(at, &mut [0]);
        }
        dm.cb_pop_front(OUT, 1);
        if late {
            dm.l1_load(at, &mut [0]); // loaded
        }
    }
}

fn looks_too_late(dm: &DataMovement<'_>) {
    looks(dm, true);
}

fn looks_in_time(dm: &DataMovement<'_>) {
    looks(dm, false);
}

#[test]
fn loads_and_stores_of_pages_that_were_handed_on_are_reported() {
    let found = reader(clears_too_late);
    assert_eq!(line_of(only(&found, Code::BESIDE_WINDOW)), marked("stored to"));
    silent(&reader(clears_in_time));
    let found = writer(looks_too_late);
    assert_eq!(line_of(only(&found, Code::BESIDE_WINDOW)), marked("loaded"));
    silent(&writer(looks_in_time));
}

/// A page of the first input to L1 that nothing owns, by a thread that uses the last buffer or not.
fn reads_behind(dm: &DataMovement<'_>, uses: bool) {
    let [(_, tensor), _] = inputs(dm);
    if uses {
        dm.cb_reserve_back(LAST, 1);
    }
    dm.noc_async_read_page(0, &tensor, dm.get_write_ptr(LAST) + 2 * 4096); // behind the last buffer
    dm.noc_async_read_barrier();
    adding::reader(dm);
}

fn leaves_its_buffer(dm: &DataMovement<'_>) {
    reads_behind(dm, true);
}

fn has_memory_of_its_own(dm: &DataMovement<'_>) {
    reads_behind(dm, false);
}

/// Stores past the end of the last buffer, or up to it.
fn stores(dm: &DataMovement<'_>, words: usize) {
    dm.l1_store(dm.get_write_ptr(LAST), &vec![7; words]); // stored too much
    adding::reader(dm);
}

fn stores_too_much(dm: &DataMovement<'_>) {
    stores(dm, 2049);
}

fn stores_as_much_as_fits(dm: &DataMovement<'_>) {
    stores(dm, 2048);
}

#[test]
fn a_transfer_that_leaves_the_last_buffer_is_reported() {
    let found = reader(leaves_its_buffer);
    assert_eq!(line_of(only(&found, Code::FREE_L1)), marked("behind the last buffer"));
    silent(&reader(has_memory_of_its_own));
}

#[test]
fn stores_past_the_last_buffer_are_reported_where_they_are_made() {
    let found = reader(stores_too_much);
    assert_eq!(line_of(only(&found, Code::FREE_L1)), marked("stored too much"));
    silent(&reader(stores_as_much_as_fits));
}

/// Reads a page of which the second half lies behind the last buffer.
fn reads_past_the_end(dm: &DataMovement<'_>) {
    let [(_, tensor), _] = inputs(dm);
    dm.cb_reserve_back(LAST, 2);
    dm.noc_async_read_page(0, &tensor, dm.get_write_ptr(LAST) + 2 * 4096 - 1024); // past the end
    dm.noc_async_read_barrier();
    adding::reader(dm);
}

#[test]
fn a_read_that_runs_past_the_last_buffer_is_one_finding() {
    let found = reader(reads_past_the_end);
    assert_eq!(line_of(only(&found, Code::BUFFER_OVERRUN)), marked("past the end"));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

/// Copies `bytes` bytes of a page within L1, to 1024 bytes before the end of the last buffer.
fn copies(dm: &DataMovement<'_>, bytes: u32) {
    dm.l1_store(dm.get_write_ptr(IN0), &[7; 512]);
    let to = dm.get_noc_addr(dm.my_coordinates(), dm.get_write_ptr(LAST) + 2 * 4096 - 1024);
    dm.noc_async_write(dm.get_write_ptr(IN0), to, bytes); // copied past the end
    dm.noc_async_write_barrier();
    adding::reader(dm);
}

fn copies_too_much(dm: &DataMovement<'_>) {
    copies(dm, 2048);
}

fn copies_as_much_as_fits(dm: &DataMovement<'_>) {
    copies(dm, 1024);
}

#[test]
fn a_write_within_l1_that_runs_past_the_last_buffer_is_reported_where_it_is_made() {
    let found = reader(copies_too_much);
    assert_eq!(line_of(only(&found, Code::BUFFER_OVERRUN)), marked("copied past the end"));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
    silent(&reader(copies_as_much_as_fits));
}

/// Packs a tile behind the last buffer before it begins.
fn packs_past_the_end(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, LAST);
    k.fill_tile_init();
    k.tile_regs_acquire();
    k.fill_tile(0, 1.0);
    k.tile_regs_commit();
    k.cb_reserve_back(LAST, 2);
    k.tile_regs_wait();
    k.pack_tile_out_of_order(0, LAST, 2); // packed past the end
    k.tile_regs_release();
    k.pack_reconfig_data_format(OUT);
    adding::compute(k);
}

#[test]
fn a_pack_past_the_last_buffer_is_not_taken_for_a_store() {
    let found = run(Kernels { compute: packs_past_the_end, ..Kernels::default() });
    assert!(!found.findings.iter().any(|f| f.code == Code::FREE_L1), "{:#?}", found.findings);
    assert!(found.findings.iter().all(|f| line_of(f) == marked("packed past the end")), "{:#?}", found.findings);
    assert!(!found.findings.is_empty());
}

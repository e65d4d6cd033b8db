//! NoC transfers between buffers of two cores, and transfers that do not fit their place, in pairs: a kernel that does what a
//! check is about, and the nearest right one.

use crate::support::adding::{IN0, IN1, Kernels, OUT};
use crate::support::checked::{inputs, output, run};
use crate::support::found::{labelled, line_of, marked, only, silent};
use tileproof_kernel::{Compute, DataMovement};
use tileproof_model::finding::Code;
use tileproof_model::thread::CoreCoord;

// Pages from another core.

/// The second core gets its second input from the first, which pushes empty pages to itself for their count.
fn is_fed_by_the_first(dm: &DataMovement<'_>) {
    let [(_, in0), (_, in1)] = inputs(dm);
    let (x, y) = dm.my_coordinates();
    let flag = dm.get_semaphore(0);
    for tile in 0..2 {
        dm.cb_reserve_back(IN0, 1);
        dm.noc_async_read_page(tile, &in0, dm.get_write_ptr(IN0));
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN0, 1);
        dm.cb_reserve_back(IN1, 1);
        // The origin of Wormhole's compute grid on the NoC is column 18.
        if x == 18 {
            dm.noc_async_read_page(tile, &in1, DATA);
            dm.noc_async_read_barrier();
            dm.noc_async_write(DATA, dm.get_noc_addr((x + 1, y), dm.get_write_ptr(IN1)), 2048); // fed from here
            dm.noc_async_write_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr((x + 1, y), flag), 1);
            dm.noc_async_atomic_barrier();
        } else {
            dm.noc_semaphore_wait_min(flag, tile + 1);
        }
        dm.cb_push_back(IN1, 1);
    }
}

/// The first core takes the second input of the second from there; neither unpacks it.
fn is_read_by_the_first(dm: &DataMovement<'_>) {
    let [(_, in0), (_, in1)] = inputs(dm);
    let (x, y) = dm.my_coordinates();
    let (ready, taken) = (dm.get_semaphore(0), dm.get_semaphore(1));
    for tile in 0..2 {
        dm.cb_reserve_back(IN0, 1);
        dm.noc_async_read_page(tile, &in0, dm.get_write_ptr(IN0));
        dm.noc_async_read_barrier();
        dm.cb_push_back(IN0, 1);
        dm.cb_reserve_back(IN1, 1);
        if x == 18 {
            dm.noc_semaphore_wait_min(ready, tile + 1);
            dm.noc_async_read(dm.get_noc_addr((x + 1, y), dm.get_write_ptr(IN1)), DATA, 2048);
            dm.noc_async_read_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr((x + 1, y), taken), 1);
        } else {
            dm.noc_async_read_page(tile, &in1, dm.get_write_ptr(IN1));
            dm.noc_async_read_barrier();
            dm.noc_semaphore_inc(dm.get_noc_addr((x - 1, y), ready), 1);
            dm.noc_semaphore_wait_min(taken, tile + 1);
        }
        dm.cb_push_back(IN1, 1);
    }
    dm.noc_async_atomic_barrier();
}

/// Somewhere in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;

/// Copies two tiles of the first input and pops as many of the second.
fn copies_two(k: &Compute<'_>, looks: bool) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for tile in 0..2 {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.copy_init(IN0);
        k.copy_tile(IN0, 0, 0);
        if looks && tile == 0 {
            k.copy_init(IN1);
            k.copy_tile(IN1, 0, 0);
        }
        k.tile_regs_commit();
        k.cb_pop_front(IN0, 1);
        k.cb_pop_front(IN1, 1); // pops what another core sent
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(0, OUT);
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

fn never_looks(k: &Compute<'_>) {
    copies_two(k, false);
}

fn looks_once(k: &Compute<'_>) {
    copies_two(k, true);
}

fn sends_two(dm: &DataMovement<'_>) {
    for tile in 0..2 {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &output(dm), dm.get_read_ptr(OUT));
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn pages_that_another_core_filled_are_reported_when_nothing_reads_them() {
    let with = |reader, compute| {
        let kernels = Kernels {
            reader,
            compute,
            writer: sends_two,
            cores: 2,
            semaphores: 2,
            output: false,
            ..Kernels::default()
        };
        run(kernels)
    };
    let found = with(is_fed_by_the_first, never_looks);
    let finding = only(&found, Code::PAGES_UNREAD);
    assert_eq!(
        (line_of(finding), labelled(finding)),
        (marked("pops what another core sent"), vec![marked("fed from here")])
    );
    let places = (finding.primary.core, finding.labels[0].place.core);
    assert_eq!(places, (CoreCoord { x: 1, y: 0 }, CoreCoord { x: 0, y: 0 }));
    assert!(finding.also_on.is_empty());
    silent(&with(is_read_by_the_first, never_looks));
    assert!(with(is_fed_by_the_first, looks_once).findings.iter().all(|f| f.code != Code::PAGES_UNREAD));
}

// Transfers and their places.

/// Reads `bytes` bytes of this core's own L1 into the first buffer.
fn reads_into_the_buffer(dm: &DataMovement<'_>, bytes: u32) {
    dm.l1_store(DATA, &[1; 1028]);
    dm.cb_reserve_back(IN0, 2);
    dm.noc_async_read(dm.get_noc_addr(dm.my_coordinates(), DATA), dm.get_write_ptr(IN0), bytes); // as long as it is
    dm.noc_async_read_barrier();
}

fn fills_the_buffer(dm: &DataMovement<'_>) {
    reads_into_the_buffer(dm, 4096);
}

fn fills_more_than_the_buffer(dm: &DataMovement<'_>) {
    reads_into_the_buffer(dm, 4096 + 16);
}

/// Sends 32 bytes to DRAM from an offset in L1.
fn sends_from(dm: &DataMovement<'_>, offset: u32) {
    let out = output(dm);
    dm.noc_async_write(DATA + offset, out.get_noc_addr(dm, 0, 0), 32); // from an offset
    dm.noc_async_write_barrier();
}

fn sends_from_16(dm: &DataMovement<'_>) {
    sends_from(dm, 16);
}

fn sends_from_8(dm: &DataMovement<'_>) {
    sends_from(dm, 8);
}

/// Reads 32 bytes of DRAM to an offset in L1.
fn reads_to_16(dm: &DataMovement<'_>) {
    let [(_, in0), _] = inputs(dm);
    dm.noc_async_read(in0.get_noc_addr(dm, 0, 0), DATA + 16, 32); // to an offset
    dm.noc_async_read_barrier();
}

fn computes_nothing(_: &Compute<'_>) {}

#[test]
fn a_transfer_may_fill_its_buffer_and_no_more() {
    let with = |reader| {
        run(Kernels { reader, compute: computes_nothing, writer: does_nothing, output: false, ..Kernels::default() })
    };
    silent(&with(fills_the_buffer));
    let found = with(fills_more_than_the_buffer);
    let finding = only(&found, Code::BUFFER_OVERRUN);
    assert_eq!((line_of(finding), finding.facts["room"].as_str()), (marked("as long as it is"), "4096"));
}

/// On Wormhole reads of DRAM must lie alike modulo 32, and writes modulo 16 (tt-metal `noc_parameters.h`).
#[test]
fn a_write_to_dram_may_be_16_bytes_askew_and_a_read_may_not() {
    let with = |reader, writer| {
        run(Kernels { reader, compute: computes_nothing, writer, output: false, ..Kernels::default() })
    };
    silent(&with(does_nothing, sends_from_16));
    let found = with(does_nothing, sends_from_8);
    assert_eq!(line_of(only(&found, Code::NOC_ALIGNMENT)), marked("from an offset"));
    let found = with(reads_to_16, does_nothing);
    assert_eq!(line_of(only(&found, Code::NOC_ALIGNMENT)), marked("to an offset"));
}

fn does_nothing(_: &DataMovement<'_>) {}

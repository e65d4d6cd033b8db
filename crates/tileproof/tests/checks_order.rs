//! NoC transfers that are not waited for, and pages that hold nothing, in pairs: the kernel that breaks the rule is reported
//! though its results are right, and the nearest right kernel is not.

#[path = "support/found.rs"]
mod found;
mod support;

use found::{labelled, line_of, only, silent};
use support::{IN0, IN1, Kernels, OUT, TILES};
use tileproof::check::Checks;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::record::RunRecord;

fn marked(mark: &str) -> u32 {
    found::marked(include_str!("checks_order.rs"), mark)
}

fn reader(kernel: fn(&DataMovement<'_>)) -> RunRecord {
    run(Kernels { reader: kernel, ..Kernels::default() })
}

fn writer(kernel: fn(&DataMovement<'_>)) -> RunRecord {
    run(Kernels { writer: kernel, ..Kernels::default() })
}

/// Runs with checks; they must change neither outputs nor cycles.
fn run(kernels: Kernels) -> RunRecord {
    let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
    // Pages that nobody wrote are NaN, which is not equal to itself.
    let bits = |values: Option<Vec<f32>>| values.map(|v| v.into_iter().map(f32::to_bits).collect::<Vec<_>>());
    assert!(off.0.cycles == on.0.cycles && bits(off.1) == bits(on.1), "checks change the run");
    on.0
}

fn inputs(dm: &DataMovement<'_>) -> [(u32, TensorAccessor); 2] {
    [(IN0, 0), (IN1, 1)].map(|(cb, word)| (cb, TensorAccessor::new(dm, word, dm.get_arg_val(word), 2048)))
}

fn output(dm: &DataMovement<'_>) -> TensorAccessor {
    TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048)
}

// Reads.

fn pushes_before_the_barrier(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb)); // read
            dm.cb_push_back(*cb, 1); // pushed too early
            dm.noc_async_read_barrier();
        }
    }
}

fn never_waits(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
            dm.cb_push_back(*cb, 1); // never waited
        }
    }
}

/// A barrier for the pages that are pushed; others stay in flight.
fn waits_once_for_two(dm: &DataMovement<'_>) {
    let tensors = inputs(dm);
    for tile in 0..TILES {
        for (cb, tensor) in &tensors {
            dm.cb_reserve_back(*cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(*cb));
        }
        dm.noc_async_read_barrier();
        for (cb, _) in &tensors {
            dm.cb_push_back(*cb, 1);
        }
    }
}

fn loads_before_the_barrier(dm: &DataMovement<'_>) {
    for tile in 0..TILES {
        for (cb, tensor) in &inputs(dm) {
            dm.cb_reserve_back(*cb, 1);
            let at = dm.get_write_ptr(*cb);
            dm.noc_async_read_page(tile, tensor, at); // read and loaded
            let mut word = [0];
            dm.l1_load(at + 64, &mut word); // loaded too early
            dm.noc_async_read_barrier();
            dm.l1_load(at + 64, &mut word);
            dm.l1_store(at + 64, &word);
            dm.cb_push_back(*cb, 1);
        }
    }
}

#[test]
fn a_push_before_the_read_barrier_is_reported_with_the_read() {
    let found = reader(pushes_before_the_barrier);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!((line_of(finding), finding.certainty), (marked("pushed too early"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("read")]);
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
    assert_eq!(line_of(only(&reader(never_waits), Code::READ_IN_FLIGHT)), marked("never waited"));
    silent(&reader(waits_once_for_two));
}

#[test]
fn a_load_before_the_read_barrier_is_reported_and_one_after_it_is_not() {
    let found = reader(loads_before_the_barrier);
    let finding = only(&found, Code::READ_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("loaded too early"), vec![marked("read and loaded")]));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

// Writes.

fn pops_before_the_barrier(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // written
        dm.cb_pop_front(OUT, 1); // popped too early
        dm.noc_async_write_barrier();
    }
}

fn flushes_before_the_pop(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
        dm.noc_async_writes_flushed();
        dm.cb_pop_front(OUT, 1);
    }
    dm.noc_async_write_barrier();
}

fn stores_to_what_is_sent(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // sent
        dm.l1_store(dm.get_read_ptr(OUT), &[0]); // changed while it is sent
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

fn ends_with_a_write(dm: &DataMovement<'_>) {
    let out = output(dm);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // the last of these
        if tile < TILES - 1 {
            dm.noc_async_write_barrier();
            dm.cb_pop_front(OUT, 1);
        }
    }
}

#[test]
fn a_pop_before_the_write_has_left_is_reported_with_the_write() {
    let found = writer(pops_before_the_barrier);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), finding.certainty), (marked("popped too early"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("written")]);
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
    silent(&writer(flushes_before_the_pop));
}

#[test]
fn a_store_to_the_source_of_a_write_is_reported() {
    let found = writer(stores_to_what_is_sent);
    let finding = only(&found, Code::WRITE_IN_FLIGHT);
    assert_eq!((line_of(finding), labelled(finding)), (marked("changed while it is sent"), vec![marked("sent")]));
}

#[test]
fn a_kernel_that_ends_with_a_write_outstanding_is_reported_at_the_write() {
    let found = writer(ends_with_a_write);
    assert_eq!(line_of(only(&found, Code::WRITE_AT_END)), marked("the last of these"));
    assert_eq!(found.findings.len(), 1, "{:#?}", found.findings);
}

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
    assert_eq!(labelled(finding), [marked("empty at first")]);
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
    silent(&run(Kernels { compute: forgets_the_last_pack, writer: sends_all_but_the_last, ..Kernels::default() }));
}

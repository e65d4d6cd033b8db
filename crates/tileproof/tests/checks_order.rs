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

fn writes_nothing(_: &DataMovement<'_>) {}

fn writes_one(dm: &DataMovement<'_>) {
    dm.cb_wait_front(OUT, 1);
    dm.noc_async_write_page(0, &output(dm), dm.get_read_ptr(OUT));
    dm.noc_async_write_barrier();
    dm.cb_pop_front(OUT, 1);
}

#[test]
fn a_page_that_is_packed_and_read_without_a_push_is_reported_at_the_read() {
    let found = run(Kernels {
        reader: reads_one_and_four,
        compute: adds_in_place,
        writer: writes_nothing,
        ..Kernels::default()
    });
    let finding = only(&found, Code::UNPACK_UNORDERED);
    assert_eq!((line_of(finding), finding.certainty), (marked("reads the page"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("packs the page")]);
    let round = Kernels { reader: reads_one_and_four, compute: adds_round, writer: writes_one, ..Kernels::default() };
    silent(&run(Kernels { output: false, ..round }));
}

// Data and its semaphore.

/// Somewhere in L1 that no circular buffer covers.
const DATA: u32 = 0x0010_1000;

/// The first of two cores hands a page to the second, and says so.
fn hands_over(dm: &DataMovement<'_>, waits: impl Fn(&DataMovement<'_>)) {
    let out = output(dm);
    let (x, y) = dm.my_coordinates();
    let flag = dm.get_semaphore(0);
    // The origin of Wormhole's compute grid on the NoC is column 18.
    if x == 18 {
        dm.l1_store(DATA, &[0x4040_4040; 512]);
        dm.noc_async_write(DATA, dm.get_noc_addr((x + 1, y), DATA), 2048); // data
        waits(dm);
        dm.noc_semaphore_inc(dm.get_noc_addr((x + 1, y), flag), 1); // credit
        dm.noc_async_atomic_barrier();
    } else {
        dm.noc_semaphore_wait(flag, 1);
        for page in 0..TILES {
            dm.noc_async_write_page(page, &out, DATA);
        }
    }
    dm.noc_async_write_barrier();
}

fn announces_at_once(dm: &DataMovement<'_>) {
    hands_over(dm, |_| {});
}

fn announces_when_it_is_there(dm: &DataMovement<'_>) {
    hands_over(dm, |dm| dm.noc_async_write_barrier());
}

fn computes_nothing(_: &Compute<'_>) {}

#[test]
fn a_semaphore_before_its_data_is_reported_with_the_write() {
    let pair = |writer| {
        run(Kernels {
            reader: writes_nothing,
            compute: computes_nothing,
            writer,
            cores: 2,
            semaphores: 1,
            ..Kernels::default()
        })
    };
    let found = pair(announces_at_once);
    let finding = only(&found, Code::CREDIT_BEFORE_DATA);
    assert_eq!((line_of(finding), finding.certainty), (marked("credit"), Certainty::CanHappen));
    assert_eq!(labelled(finding), [marked("data")]);
    silent(&pair(announces_when_it_is_there));
}

//! Programs that run with one thing wrong: what comes out is what the change says, and nothing else changes.

use crate::support::adding::{IN0, IN1, Kernels, OUT, TILES, inputs};
use tileproof::device::Device;
use tileproof_kernel::{Broadcast, Compute, DataMovement, Pool, ReduceDim, TensorAccessor};
use tileproof_model::mutant::{Change, Mutant, Spot};
use tileproof_model::observe::Unobserved;
use tileproof_model::record::Status;

const TILE: usize = 1024;

/// The calls of the program that adds which a change can befall.
fn spots(kernels: &Kernels) -> Vec<Spot> {
    run(kernels, None).0
}

/// Runs the program that adds with a mutant, or counts its calls: the spots, and the output.
fn run(kernels: &Kernels, mutant: Option<Mutant>) -> (Vec<Spot>, Vec<f32>) {
    run_on(kernels, inputs(), mutant)
}

/// The same on other inputs.
fn run_on(kernels: &Kernels, (in0, in1): (Vec<f32>, Vec<f32>), mutant: Option<Mutant>) -> (Vec<Spot>, Vec<f32>) {
    let program = kernels.program();
    let mut device = Device::<Unobserved>::new(&program, 1).expect("device");
    device.write("in0", &in0).expect("in0");
    device.write("in1", &in1).expect("in1");
    device.mutate(mutant);
    let record = device.run(&program).expect("launch");
    assert_eq!(record.status, Status::Completed);
    (device.machine().spots().to_vec(), device.read("out").expect("out"))
}

/// The output with the change of the spot that is meant, which must be one.
fn with(change: Change, what: &str) -> Vec<f32> {
    with_in(&Kernels::default(), change, what)
}

/// The same of other kernels.
fn with_in(kernels: &Kernels, change: Change, what: &str) -> Vec<f32> {
    let mut meant = spots(kernels).into_iter().filter(|spot| spot.change == change && spot.what == what);
    let spot = meant.next().unwrap_or_else(|| panic!("{change:?} of {what}"));
    assert_eq!(meant.next(), None, "one spot of {change:?}");
    run(kernels, Some(Mutant::of(spot))).1
}

fn sums() -> Vec<f32> {
    let (in0, in1) = inputs();
    in0.iter().zip(&in1).map(|(a, b)| a + b).collect()
}

#[test]
fn counting_calls_changes_nothing_and_counts_them_by_core() {
    let (spots, out) = run(&Kernels::default(), None);
    assert_eq!(out, sums());
    let add = spots.iter().find(|spot| spot.change == Change::LeftOut).expect("the addition");
    assert_eq!((add.calls, add.what.as_str()), (u64::from(TILES), "add"));
    assert!(add.location.file.ends_with("adding.rs"), "{add:?}");
    // One core cannot be left out of one.
    assert!(!spots.iter().any(|spot| spot.change == Change::CoreLeftOut));
}

#[test]
fn an_addition_that_is_left_out_leaves_dst_as_it_was_cleared() {
    assert_eq!(with(Change::LeftOut, "add"), vec![0.0; TILES as usize * TILE]);
}

/// As the program that adds, with the second operand subtracted.
fn subtract(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.sub_init(IN0, IN1);
    each_tile(k, |k| k.sub_tiles(IN0, IN1, 0, 0, 0));
}

/// Two products of a window, which add up.
fn multiply_twice(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.mul_init(IN0, IN1);
    each_tile(k, |k| {
        for _ in 0..2 {
            k.mul_tiles(IN0, IN1, 0, 0, 0);
        }
    });
}

fn each_tile(k: &Compute<'_>, compute: impl Fn(&Compute<'_>)) {
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        compute(k);
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

/// What each pair of inputs gives.
fn of_each(value: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let (in0, in1) = inputs();
    in0.iter().zip(&in1).map(|(a, b)| value(*a, *b)).collect()
}

#[test]
fn operands_that_are_exchanged_turn_a_difference_round() {
    let kernels = Kernels { compute: subtract, ..Kernels::default() };
    assert_eq!(run(&kernels, None).1, of_each(|a, b| a - b));
    assert_eq!(with_in(&kernels, Change::OperandsExchanged, "two operands"), of_each(|a, b| b - a));
}

#[test]
fn a_sum_of_products_loses_one_or_is_written_over() {
    let kernels = Kernels { compute: multiply_twice, fp32_dest: true, ..Kernels::default() };
    let products = of_each(|a, b| a * b);
    // Up to 256 bf16 holds each product, and twice it.
    let is_as = |found: &[f32], first: usize, times: f32| {
        let all = found.iter().zip(&products[first..]).all(|(found, ab)| ab.abs() > 256.0 || *found == times * ab);
        assert!(all, "from element {first} on, {times} times the product");
    };
    is_as(&run(&kernels, None).1, 0, 2.0);
    // Calls that add to something: the first is in the first tile, the second in the second.
    let skipped = with_in(&kernels, Change::AccumulateSkipped, "multiply");
    is_as(&skipped[..TILE], 0, 2.0);
    is_as(&skipped[TILE..2 * TILE], TILE, 1.0);
    is_as(&skipped[2 * TILE..], 2 * TILE, 2.0);
    is_as(&with_in(&kernels, Change::AccumulateOverwrites, "multiply"), 0, 1.0);
}

#[test]
fn a_repeated_transfer_brings_the_page_before() {
    // Both inputs are read on one line: its second call is the first page of in1, which becomes the first of in0.
    let (in0, _) = inputs();
    let mut expected = sums();
    (0..TILE).for_each(|i| expected[i] = in0[i] + in0[i]);
    let found = with(Change::TileRepeated, "read");
    assert_eq!(found, expected);
}

#[test]
fn a_tile_that_is_dropped_leaves_what_its_page_held() {
    // The second page of a buffer that nobody has written yet: undefined memory, which no sum is.
    let found = with(Change::TileDropped, "pack to c_16");
    let expected = sums();
    assert_eq!((&found[..TILE], &found[2 * TILE..]), (&expected[..TILE], &expected[2 * TILE..]));
    assert!((TILE..2 * TILE).all(|i| found[i].is_nan()), "{:?}", &found[TILE..TILE + 4]);
}

#[test]
fn a_short_transfer_brings_the_first_half() {
    // The second page of the output: rows of the lower faces come last.
    let (found, expected) = (with(Change::TransferShort, "write"), sums());
    let differs: Vec<usize> = (0..found.len()).filter(|i| found[*i] != expected[*i] || found[*i].is_nan()).collect();
    assert_eq!((differs.len(), differs[0]), (TILE / 2, TILE + TILE / 2));
}

/// Of two cores each writes half of the pages.
fn half_writer(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    // The origin of Wormhole's compute grid on the NoC is (18,18).
    let core = dm.my_coordinates().0 - 18;
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        if tile / (TILES / 2) == core {
            dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
            dm.noc_async_write_barrier();
        }
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn one_core_of_several_can_be_left_out() {
    let kernels = Kernels { cores: 2, writer: half_writer, output: false, ..Kernels::default() };
    let left_out: Vec<Spot> = spots(&kernels).into_iter().filter(|spot| spot.change == Change::CoreLeftOut).collect();
    let mut names: Vec<&str> = left_out.iter().map(|spot| spot.what.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["writes of core (0,0)", "writes of core (1,0)"]);
    for spot in left_out {
        let half = if spot.what.ends_with("(0,0)") { 0..2 * TILE } else { 2 * TILE..4 * TILE };
        let out = run(&kernels, Some(Mutant::of(spot))).1;
        // Nobody has written there; the rest is as it was.
        let is_as_meant =
            |(i, (found, sum)): (usize, (&f32, &f32))| if half.contains(&i) { found.is_nan() } else { found == sum };
        assert!(out.iter().zip(&sums()).enumerate().all(is_as_meant), "{half:?}");
    }
}

/// A sum that is written over by the same.
fn add_twice(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    each_tile(k, |k| {
        for _ in 0..2 {
            k.add_tiles(IN0, IN1, 0, 0, 0);
        }
    });
}

#[test]
fn what_would_be_written_over_is_added_to() {
    let kernels = Kernels { compute: add_twice, fp32_dest: true, ..Kernels::default() };
    assert_eq!(run(&kernels, None).1, sums());
    let found = with_in(&kernels, Change::OverwriteAccumulates, "add");
    assert!(found == of_each(|a, b| 2.0 * (a + b)), "twice each sum");
}

/// Row 0 of the first operand to all rows.
fn spread_rows(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.unary_bcast_init(Broadcast::Row, IN0);
    each_tile(k, |k| k.unary_bcast(Broadcast::Row, IN0, 0, 0));
}

#[test]
fn a_row_that_is_broadcast_becomes_a_column() {
    let kernels = Kernels { compute: spread_rows, ..Kernels::default() };
    let (in0, _) = inputs();
    let of = |from: fn(usize, usize) -> usize| -> Vec<f32> {
        (0..TILES as usize * TILE).map(|i| in0[i / TILE * TILE + from(i % TILE / 32, i % 32)]).collect()
    };
    assert!(run(&kernels, None).1 == of(|_, column| column), "row 0");
    assert!(with_in(&kernels, Change::BroadcastAxis, "broadcast") == of(|row, _| 32 * row), "column 0");
}

fn sum_columns(k: &Compute<'_>) {
    sum(k, ReduceDim::Col);
}

fn sum_rows(k: &Compute<'_>) {
    sum(k, ReduceDim::Row);
}

fn sum(k: &Compute<'_>, dim: ReduceDim) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.reduce_init(Pool::Sum, dim, IN0, IN1, OUT);
    each_tile(k, |k| k.reduce_tile(Pool::Sum, dim, IN0, IN1, 0, 0, 0));
    k.reduce_uninit();
}

#[test]
fn a_scaler_is_cut_or_becomes_1_whichever_register_it_is_in() {
    for compute in [sum_columns as fn(&Compute<'_>), sum_rows] {
        let kernels = Kernels { compute, ..Kernels::default() };
        // 32 ones, times 1.0625: four bits of mantissa, of which three stay.
        let data = || (vec![1.0; TILES as usize * TILE], vec![1.0625; TILES as usize * TILE]);
        let (spots, out) = run_on(&kernels, data(), None);
        assert_eq!(out[0], 34.0);
        for change in [Change::ScalerTruncated, Change::ScalerStale] {
            let spot = spots.iter().find(|spot| spot.change == change).expect("a reduction").clone();
            assert_eq!(run_on(&kernels, data(), Some(Mutant::of(spot))).1[0], 32.0, "{change:?}");
        }
    }
}

#[test]
fn a_mutant_of_another_line_changes_nothing() {
    let kernels = Kernels::default();
    for spot in spots(&kernels) {
        let mut elsewhere = Mutant::of(spot);
        elsewhere.spot.location.line += 1000;
        assert_eq!(run(&kernels, Some(elsewhere)).1, sums());
    }
}

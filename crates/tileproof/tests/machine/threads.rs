//! The same record and the same memory with any number of host threads, whether cores meet or not.

use std::collections::BTreeMap;

use crate::support::adding::{self, IN0, IN1, Kernels, OUT, TILES};
use tileproof::device::Device;
use tileproof::ops::layernorm_bw::{self, Arguments, PathChoice, Tensors};
use tileproof_check::Checks;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::{Code, Finding};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{Argument, Program};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::thread::CoreCoord;

/// Everything of a record, as text.
fn text(record: &RunRecord) -> String {
    format!("{record:#?}")
}

fn backward(path: PathChoice, threads: usize) -> (RunRecord, Vec<Vec<f32>>, u32) {
    let plan = layernorm_bw::plan(&Arguments { path, ..Arguments::new(&[1, 1, 160, 100], DataFormat::Float16_b) })
        .expect("plan");
    let program = layernorm_bw::program(&plan);
    let mut device = Device::<Checks>::new(&program, threads).expect("device");
    for (name, values) in [(Tensors::X, 16_000), (Tensors::DY, 16_000), (Tensors::GAMMA, 100)] {
        device.write(name, &(0..values).map(|i| (i % 37) as f32 / 8.0 - 2.0).collect::<Vec<_>>()).expect(name);
    }
    for (name, value) in [(Tensors::MEAN, 0.25), (Tensors::RSTD, 0.75)] {
        device.write(name, &[value; 160]).expect(name);
    }
    let record = device.run(&program).expect("run");
    let outputs = [Tensors::DX, Tensors::DGAMMA, Tensors::DBETA].map(|name| device.read(name).expect(name));
    (record, outputs.to_vec(), device.machine().launches_apart())
}

#[test]
fn cores_that_share_no_page_run_apart_and_leave_the_record_of_one_thread() {
    for path in [PathChoice::L1, PathChoice::Block] {
        let (record, outputs, apart) = backward(path, 1);
        assert_eq!(apart, 0);
        assert_eq!(record.status, Status::Completed);
        let (other, same_outputs, apart) = backward(path, 3);
        assert_eq!(apart, 2, "both launches");
        assert_eq!(text(&record), text(&other));
        assert_eq!(outputs, same_outputs);
    }
}

#[test]
fn cores_that_write_one_page_run_together() {
    let program = Kernels { cores: 3, ..Kernels::default() }.program();
    let (in0, in1) = adding::inputs();
    let run = |threads| {
        let mut device = Device::<Checks>::new(&program, threads).expect("device");
        device.write("in0", &in0).expect("in0");
        device.write("in1", &in1).expect("in1");
        let record = device.run(&program).expect("run");
        (text(&record), device.read("out").expect("out"), device.machine().launches_apart())
    };
    assert_eq!(run(1), run(4), "neither runs apart");
    assert_eq!(run(4).2, 0);
}

fn pops_two(k: &Compute<'_>) {
    k.cb_wait_front(IN0, 1);
    k.cb_pop_front(IN0, 2);
    k.cb_wait_front(IN0, 2);
}

#[test]
fn a_deadlock_is_reported_alike() {
    let kernels = |threads| Kernels { compute: pops_two, cores: 5, threads, ..Kernels::default() };
    let (record, _) = kernels(1).run_observed::<Checks>();
    assert_eq!(record.status, Status::Deadlock);
    assert!(!record.findings.is_empty());
    assert_eq!(text(&record), text(&kernels(2).run_observed::<Checks>().0));
    assert_eq!(text(&kernels(1).run().0), text(&kernels(2).run().0));
}

/// Makes what is found only at the end, on each core something else: the first pops an input unread and leaves a page, the
/// second packs a tile of zeros for nobody and loses a result.
fn is_wrong_by_core(k: &Compute<'_>) {
    const SIDE: u32 = 2;
    let is_first = k.get_arg_val(0) == 0;
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        if is_first {
            k.copy_init(IN0);
            k.copy_tile(IN0, 0, 0);
        } else {
            k.add_init(IN0, IN1);
            k.add_tiles(IN0, IN1, 0, 0, 0);
            k.add_tiles(IN0, IN1, 0, 0, 1);
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
    k.cb_reserve_back(SIDE, 1);
    k.tile_regs_acquire();
    k.tile_regs_commit();
    k.tile_regs_wait();
    k.pack_reconfig_data_format(SIDE);
    if is_first {
        k.cb_push_back(SIDE, 1);
    } else {
        k.pack_tile(2, SIDE);
    }
    k.tile_regs_release();
}

fn pops_the_output(dm: &DataMovement<'_>) {
    for _ in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.l1_load(dm.get_read_ptr(OUT), &mut [0; 512]);
        dm.cb_pop_front(OUT, 1);
    }
}

#[test]
fn what_is_found_at_the_end_comes_in_the_order_of_the_cores() {
    let kernels =
        Kernels { compute: is_wrong_by_core, writer: pops_the_output, cores: 2, output: false, ..Kernels::default() };
    let mut program = kernels.program();
    program.launches[0].kernels[1].runtime_args =
        (0..2).map(|x| (CoreCoord { x, y: 0 }, vec![Argument::Word(x)])).collect();
    let run = |threads| {
        let mut device = Device::<Checks>::new(&program, threads).expect("device");
        let (in0, in1) = adding::inputs();
        device.write("in0", &in0).expect("in0");
        device.write("in1", &in1).expect("in1");
        let record = device.run(&program).expect("run");
        assert_eq!(device.machine().launches_apart(), u32::from(threads > 1));
        record
    };
    let record = run(1);
    let codes = |found: &[Finding]| found.iter().map(|f| f.code).collect::<Vec<_>>();
    assert_eq!(codes(&record.findings), [Code::PAGES_UNREAD, Code::WORK_LOST], "{:#?}", record.findings);
    assert_eq!(codes(&record.notes), [Code::PAGES_LEFT, Code::DST_UNWRITTEN], "{:#?}", record.notes);
    assert_eq!(text(&record), text(&run(2)));
}

/// An L1 word that no circular buffer covers.
const COUNTER: u32 = 0x0010_0000;

/// Counts its launches in L1, and adds the count to the words of its page of `out`; then reads the pages of all.
fn adds_and_looks_around(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    let mine = dm.get_arg_val(1);
    let is_first = dm.get_arg_val(2) == 0;
    let mut count = [0];
    if !is_first {
        dm.l1_load(COUNTER, &mut count);
    }
    count[0] += 1;
    dm.l1_store(COUNTER, &count);
    let at = dm.get_read_ptr(OUT);
    dm.noc_async_read_page(mine, &out, at);
    dm.noc_async_read_barrier();
    let mut words = [0; 512];
    dm.l1_load(at, &mut words);
    let words = words.map(|word| word + count[0]);
    dm.l1_store(at, &words);
    dm.noc_async_write_page(mine, &out, at);
    dm.noc_async_write_barrier();
    if dm.get_arg_val(3) != 0 {
        for page in 0..TILES {
            dm.noc_async_read_page(page, &out, at);
            dm.noc_async_read_barrier();
        }
    }
}

fn nothing(_: &DataMovement<'_>) {}
fn no_compute(_: &Compute<'_>) {}

/// Two launches of four cores, each with a page of `out`; the last looks at those of others if `meets`.
fn counting(meets: bool) -> Program {
    let kernels =
        Kernels { reader: nothing, compute: no_compute, writer: adds_and_looks_around, cores: 4, ..Kernels::default() };
    let mut program = kernels.program();
    let arguments = |launch: u32, looks: bool| -> BTreeMap<CoreCoord, Vec<Argument>> {
        let words = |x| [x, launch, u32::from(looks)].map(Argument::Word);
        let of = |x| [Argument::Address("out".into())].into_iter().chain(words(x)).collect();
        (0..4).map(|x| (CoreCoord { x, y: 0 }, of(x))).collect()
    };
    let mut second = program.launches[0].clone();
    program.launches[0].kernels[2].runtime_args = arguments(0, false);
    second.kernels[2].runtime_args = arguments(1, meets);
    program.launches.push(second);
    program
}

#[test]
fn a_trial_that_fails_leaves_no_trace_in_dram_l1_or_the_record() {
    for meets in [false, true] {
        let program = counting(meets);
        let run = |threads| {
            let mut device = Device::<Checks>::new(&program, threads).expect("device");
            device.write("out", &[0.0; TILES as usize * 1024]).expect("out");
            let record = device.run(&program).expect("run");
            let bits: Vec<u32> = device.read("out").expect("out").into_iter().map(f32::to_bits).collect();
            (text(&record), bits, device.machine().launches_apart())
        };
        let (record, bits, _) = run(1);
        let (other, other_bits, apart) = run(4);
        assert_eq!(apart, if meets { 1 } else { 2 });
        assert_eq!(record, other);
        assert_eq!(bits, other_bits);
        // 1 by the first launch, 2 by the second, which counts on from what the first left in L1. A word holds two bf16.
        assert_eq!(bits[..2], [3 << 16, 0]);
    }
}

/// Both data-movement threads write the same to the core's own page, and nothing orders the two.
fn writes_ones(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    let at = dm.get_write_ptr(if dm.get_arg_val(2) == 0 { IN0 } else { IN1 });
    dm.l1_store(at, &[0x3f80_3f80; 512]);
    dm.noc_async_write_page(dm.get_arg_val(1), &out, at);
    dm.noc_async_write_barrier();
}

#[test]
fn two_writes_of_the_same_are_no_race_on_any_number_of_threads() {
    let kernels =
        Kernels { reader: writes_ones, compute: no_compute, writer: writes_ones, cores: 3, ..Kernels::default() };
    let mut program = kernels.program();
    for (kernel, mover) in [(0, 0), (2, 1)] {
        let words = |x| [x, mover].map(Argument::Word);
        let of = |x| [Argument::Address("out".into())].into_iter().chain(words(x)).collect();
        program.launches[0].kernels[kernel].runtime_args = (0..3).map(|x| (CoreCoord { x, y: 0 }, of(x))).collect();
    }
    let run = |threads| {
        let mut device = Device::<Checks>::new(&program, threads).expect("device");
        let record = device.run(&program).expect("run");
        (record, device.machine().launches_apart())
    };
    let ((record, _), (other, apart)) = (run(1), run(3));
    assert_eq!(apart, 1);
    assert!(record.findings.iter().all(|finding| finding.code != Code::UNORDERED), "{:#?}", record.findings);
    assert_eq!(text(&record), text(&other));
}

//! What goes through the compute units is shown once a call, however many tiles the call writes.

use crate::support::adding::{IN0, IN1, Kernels, OUT};
use crate::support::raw;
use tileproof::device::Device;
use tileproof_kernel::{Compute, compute_kernel};
use tileproof_model::abi::{Abi, Site};
use tileproof_model::event::{DstTile, Event, Values, What};
use tileproof_model::finding::Code;
use tileproof_model::kernel::KernelArgs;
use tileproof_model::layout::MemoryLayout;
use tileproof_model::numerics::sfpu::SfpuOp;
use tileproof_model::observe::{Observer, Raised, Raises};
use tileproof_model::record::Status;
use tileproof_model::thread::Thread;

/// Says what the vector unit was shown to do: tiles written, and values.
#[derive(Default)]
struct Shown;

impl Observer for Shown {
    const ACTIVE: bool = true;
    const VALUES: bool = true;

    fn launch(&mut self, _layout: &MemoryLayout) {}

    fn on(&mut self, event: &Event, raised: &mut Raises) {
        if let What::Sfpu { op, output, .. } = event.what {
            raised.push(note(event, format!("{} writes {}", op.name(), name(output))));
        }
    }

    fn values(&mut self, event: &Event, _values: &Values<'_>, raised: &mut Raises) {
        if let What::Sfpu { op, output, .. } = event.what {
            raised.push(note(event, format!("{} gave {}", op.name(), name(output))));
        }
    }
}

/// Notes that differ in numbers alone are one.
fn name(tile: DstTile) -> &'static str {
    ["zero", "one", "two"][tile.index as usize]
}

fn note(event: &Event, message: String) -> Raised {
    let mut note = Raised::at(event, Code::DST_ROWS, message);
    note.is_note = true;
    note
}

fn starts(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.fill_tile_init();
    k.tile_regs_acquire();
    k.fill_tile(2, 1.0);
}

/// After that, what no Rust kernel has a name for.
fn saves_state(abi: &'static Abi, args: &KernelArgs<'_>) {
    compute_kernel("starts", starts).run(abi, args);
    if args.thread == Thread::Math {
        let site = Site::default();
        for op in [SfpuOp::WelfordClear, SfpuOp::WelfordSaveState] {
            (abi.sfpu_init)(site, u32::from(SfpuOp::WelfordUpdate.code()));
            (abi.sfpu)(site, u32::from(op.code()), 0, 0, 0, 0, &[0; 4]);
        }
    }
}

#[test]
fn a_call_that_writes_two_tiles_shows_its_values_once() {
    let idle = |_: &tileproof_kernel::DataMovement<'_>| {};
    let mut program = Kernels { reader: idle, writer: idle, output: false, ..Kernels::default() }.program();
    program.launches[0].kernels[1].source = raw::source(saves_state);
    let mut device = Device::<Shown>::new(&program, 1).expect("device");
    let run = device.run(&program).expect("launch");
    assert_eq!(run.status, Status::Completed, "{:#?}", run.findings);
    let shown: Vec<&str> = run.notes.iter().map(|note| note.message.as_str()).collect();
    let expected = [
        "fill_tile writes two",
        "fill_tile gave two",
        "welford_clear writes zero",
        "welford_clear gave zero",
        "welford_save_state writes zero",
        "welford_save_state gave zero",
        "welford_save_state writes one",
    ];
    assert_eq!(shown, expected);
}

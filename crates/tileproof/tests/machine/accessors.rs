//! Accessors of Rust kernels: pages where the chip puts them, and an end where they are of a kind that is not known.

use std::collections::BTreeMap;

use tileproof::device::Device;
use tileproof_kernel::{DataMovement, TensorAccessor, data_movement_kernel};
use tileproof_model::arch::Arch;
use tileproof_model::finding::Code;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, DataMovementConfig, KernelConfig, KernelDescriptor, KernelSource,
    Launch, Layout, MemoryConfig, Program, TensorDescriptor,
};
use tileproof_model::record::Status;
use tileproof_model::thread::{CoreCoord, CoreRange};

/// Sticks of 48 bf16 are 96 bytes: no multiple of 64. More of them than the chip has banks.
const STICKS: u32 = 40;
const BYTES: u32 = 96;

/// Stick by stick from `in` to `out`, the last to the first.
fn reverse(dm: &DataMovement<'_>) {
    let from = TensorAccessor::new(dm, 0, dm.get_arg_val(0), BYTES);
    let to = TensorAccessor::new(dm, 1, dm.get_arg_val(1), BYTES);
    dm.cb_reserve_back(0, 1);
    for stick in 0..STICKS {
        dm.noc_async_read_page(stick, &from, dm.get_write_ptr(0));
        dm.noc_async_read_barrier();
        dm.noc_async_write_page(STICKS - 1 - stick, &to, dm.get_write_ptr(0));
        dm.noc_async_write_barrier();
    }
}

fn program(arch: Arch, in_accessor: Argument) -> Program {
    let core = CoreCoord { x: 0, y: 0 };
    let tensor = |name: &str, output| TensorDescriptor {
        name: name.into(),
        shape: vec![STICKS, BYTES / 2],
        format: DataFormat::Float16_b,
        layout: Layout::RowMajor,
        memory: MemoryConfig::Dram,
        output,
    };
    let format = CbFormatDescriptor { buffer_index: 0, data_format: DataFormat::Float16_b, page_size: 128 };
    Program {
        arch,
        tensors: vec![tensor("in", false), tensor("out", true)],
        launches: vec![Launch {
            cbs: vec![CbDescriptor {
                total_size: 128,
                tensor: None,
                core_ranges: vec![CoreRange::single(core)],
                format_descriptors: vec![format],
            }],
            kernels: vec![KernelDescriptor {
                source: KernelSource::Native(data_movement_kernel("reverse", reverse)),
                core_ranges: vec![CoreRange::single(core)],
                config: KernelConfig::DataMovement(DataMovementConfig::READER),
                compile_time_args: vec![in_accessor, Argument::TensorAccessor("out".into())],
                named_compile_time_args: Vec::new(),
                defines: Vec::new(),
                include_dirs: Vec::new(),
                runtime_args: BTreeMap::from([(
                    core,
                    vec![Argument::Address("in".into()), Argument::Address("out".into())],
                )]),
                common_runtime_args: Vec::new(),
            }],
            semaphores: Vec::new(),
        }],
    }
}

#[test]
fn pages_of_dram_are_aligned_as_the_chip_aligns_them() {
    for arch in [Arch::Wormhole, Arch::Blackhole] {
        let program = program(arch, Argument::TensorAccessor("in".into()));
        let mut device = Device::<Unobserved>::new(&program, 1).expect("device");
        let values: Vec<f32> = (0..STICKS * BYTES / 2).map(|i| (i / 48 * 4 + i % 3) as f32).collect();
        device.write("in", &values).expect("in");
        let run = device.run(&program).expect("launch");
        assert_eq!(run.status, Status::Completed, "{:?}", run.findings);
        let expected: Vec<f32> = values.chunks(48).rev().flatten().copied().collect();
        assert_eq!(device.read("out").expect("out"), expected, "{arch:?}");
    }
}

#[test]
fn an_accessor_of_shards_ends_the_kernel_by_name() {
    // Bit 0 of the first word: sharded.
    let program = program(Arch::Wormhole, Argument::Word(1));
    let mut device = Device::<Unobserved>::new(&program, 1).expect("device");
    device.write("in", &vec![0.0; (STICKS * BYTES / 2) as usize]).expect("in");
    let run = device.run(&program).expect("launch");
    assert_eq!(run.status, Status::Stopped);
    let [finding] = run.findings.as_slice() else { panic!("{:?}", run.findings) };
    assert_eq!(finding.code, Code::UNIMPLEMENTED);
    assert!(finding.message.contains("configuration 0x1"), "{}", finding.message);
    assert!(
        finding.primary.location.as_ref().is_some_and(|l| l.file.ends_with("accessors.rs")),
        "{:?}",
        finding.primary
    );
}

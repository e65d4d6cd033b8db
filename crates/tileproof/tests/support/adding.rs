//! A one-core program of Rust kernels: `out = in0 + in1` over four bf16 tiles, with any of its kernels replaced.

use std::collections::BTreeMap;

use super::found::marked;
use tileproof::device::Device;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor, compute_kernel, data_movement_kernel};
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, Layout, MemoryConfig, Program, SemaphoreDescriptor, TensorDescriptor,
};
use tileproof_model::record::RunRecord;
use tileproof_model::thread::{CoreCoord, CoreRange};

pub(crate) const IN0: u32 = 0;
pub(crate) const IN1: u32 = 1;
pub(crate) const OUT: u32 = 16;
pub(crate) const TILES: u32 = 4;

pub(crate) type DataMovementBody = fn(&DataMovement<'_>);
pub(crate) type ComputeBody = fn(&Compute<'_>);

/// Reads both inputs, tile by tile.
pub(crate) fn reader(dm: &DataMovement<'_>) {
    let tensors =
        [TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048), TensorAccessor::new(dm, 1, dm.get_arg_val(1), 2048)];
    for tile in 0..TILES {
        for (cb, tensor) in [(IN0, &tensors[0]), (IN1, &tensors[1])] {
            dm.cb_reserve_back(cb, 1);
            dm.noc_async_read_page(tile, tensor, dm.get_write_ptr(cb));
            dm.noc_async_read_barrier();
            dm.cb_push_back(cb, 1);
        }
    }
}

/// Adds.
pub(crate) fn compute(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for _ in 0..TILES {
        k.cb_wait_front(IN0, 1);
        k.cb_wait_front(IN1, 1);
        k.tile_regs_acquire();
        k.add_tiles(IN0, IN1, 0, 0, 0);
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

/// Writes the output, tile by tile.
pub(crate) fn writer(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT)); // sends a tile out
        dm.noc_async_write_barrier();
        dm.cb_pop_front(OUT, 1);
    }
}

/// The line on which [`writer`] sends a tile.
pub(crate) fn writer_sends() -> u32 {
    marked("sends a tile out")
}

/// The kernels of a program, the right ones unless replaced.
#[derive(Clone, Copy)]
pub(crate) struct Kernels {
    pub(crate) arch: Arch,
    pub(crate) reader: DataMovementBody,
    pub(crate) compute: ComputeBody,
    pub(crate) writer: DataMovementBody,
    pub(crate) cores: u32,
    pub(crate) full_sync: bool,
    /// Whether Dst has 32 bits, and the spare buffer is unpacked to it.
    pub(crate) fp32_dest: bool,
    /// Host threads.
    pub(crate) threads: usize,
    /// Semaphores 0, 1, ... of every core, all zero at the start.
    pub(crate) semaphores: u32,
    /// Whether `out` is an output, all of whose pages must be written.
    pub(crate) output: bool,
}

impl Default for Kernels {
    fn default() -> Self {
        Kernels {
            arch: Arch::Wormhole,
            reader,
            compute,
            writer,
            cores: 1,
            full_sync: false,
            fp32_dest: false,
            threads: 1,
            semaphores: 0,
            output: true,
        }
    }
}

fn tensor(name: &str, output: bool) -> TensorDescriptor {
    TensorDescriptor {
        name: name.into(),
        shape: vec![TILES, 32, 32],
        format: DataFormat::Float16_b,
        layout: Layout::Tile,
        memory: MemoryConfig::Dram,
        output,
    }
}

impl Kernels {
    /// The program with these kernels.
    pub(crate) fn program(&self) -> Program {
        let ranges = [CoreRange { start: CoreCoord { x: 0, y: 0 }, end: CoreCoord { x: self.cores - 1, y: 0 } }];
        let cb = |index: u32, format: DataFormat, pages| CbDescriptor {
            total_size: format.tile_bytes() * pages,
            tensor: None,
            core_ranges: ranges.to_vec(),
            format_descriptors: vec![CbFormatDescriptor {
                buffer_index: index as u8,
                data_format: format,
                page_size: format.tile_bytes(),
            }],
        };
        let kernel = |source, config, tensors: &[&str]| KernelDescriptor {
            source: KernelSource::Native(source),
            core_ranges: ranges.to_vec(),
            config,
            compile_time_args: tensors.iter().map(|t| Argument::TensorAccessor((*t).into())).collect(),
            named_compile_time_args: Vec::new(),
            defines: Vec::new(),
            include_dirs: Vec::new(),
            runtime_args: (0..self.cores)
                .map(|x| (CoreCoord { x, y: 0 }, tensors.iter().map(|t| Argument::Address((*t).into())).collect()))
                .collect::<BTreeMap<_, _>>(),
            common_runtime_args: Vec::new(),
        };
        let config = ComputeConfig {
            dst_full_sync_en: self.full_sync,
            fp32_dest_acc_en: self.fp32_dest,
            unpack_to_dest_fp32: if self.fp32_dest { vec![2] } else { Vec::new() },
            ..ComputeConfig::default()
        };
        Program {
            arch: self.arch,
            tensors: vec![tensor("in0", false), tensor("in1", false), tensor("out", self.output)],
            launches: vec![Launch {
                cbs: vec![
                    cb(IN0, DataFormat::Float16_b, 2),
                    cb(IN1, DataFormat::Float16_b, 2),
                    cb(OUT, DataFormat::Float16_b, 2),
                    cb(2, DataFormat::Float32, 2),
                ],
                kernels: vec![
                    kernel(
                        data_movement_kernel("reader", self.reader),
                        KernelConfig::DataMovement(DataMovementConfig::READER),
                        &["in0", "in1"],
                    ),
                    kernel(compute_kernel("compute", self.compute), KernelConfig::Compute(config), &[]),
                    kernel(
                        data_movement_kernel("writer", self.writer),
                        KernelConfig::DataMovement(DataMovementConfig::WRITER),
                        &["out"],
                    ),
                ],
                semaphores: (0..self.semaphores)
                    .map(|id| SemaphoreDescriptor { id, core_ranges: ranges.to_vec(), initial_value: 0 })
                    .collect(),
            }],
        }
    }

    /// Runs the program on two ramps; the run and, when it completed, the output.
    pub(crate) fn run(&self) -> (RunRecord, Option<Vec<f32>>) {
        self.run_observed::<Unobserved>()
    }

    /// [`Kernels::run`] with an observer.
    pub(crate) fn run_observed<O: Observer>(&self) -> (RunRecord, Option<Vec<f32>>) {
        let program = self.program();
        let mut device = Device::<O>::new(&program, self.threads).expect("device");
        let (in0, in1) = inputs();
        device.write("in0", &in0).expect("in0");
        device.write("in1", &in1).expect("in1");
        let run = device.run(&program).expect("launch");
        let out = (run.status == tileproof_model::record::Status::Completed).then(|| device.read("out").expect("out"));
        (run, out)
    }
}

/// Whole numbers whose sums bf16 holds exactly.
pub(crate) fn inputs() -> (Vec<f32>, Vec<f32>) {
    let elements = 0..(TILES * 1024) as usize;
    (elements.clone().map(|i| (i % 101) as f32).collect(), elements.map(|i| (i % 7) as f32 - 3.0).collect())
}

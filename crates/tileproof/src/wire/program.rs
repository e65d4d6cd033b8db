//! What is run and what it came to, as bytes: programs whose tensors lie on an open device, and results without a timeline.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, Layout, MathFidelity, MemoryConfig, NocMode, Program, SemaphoreDescriptor, Sharding,
    TensorDescriptor,
};
use tileproof_model::schedule::Schedule;
use tileproof_model::thread::{CoreCoord, CoreRange};

use super::{Reader, Wire, lists, structures, words};
use crate::output::{Derived, Difference, OutputResult};
use crate::program_file::{Api, LaunchLines, ProgramFile, Standing, TensorData};
use crate::run_file::{Explored, RunResult};
use crate::where_wrong::{TileMap, WhereWrong};

lists!((String, String) (String, u32) u32 PathBuf Argument CoreRange CbDescriptor CbFormatDescriptor KernelDescriptor SemaphoreDescriptor TensorDescriptor Launch LaunchLines TensorData Standing OutputResult);

impl Wire for PathBuf {
    fn put(&self, to: &mut Vec<u8>) {
        self.as_os_str().as_bytes().to_vec().put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<PathBuf> {
        Vec::<u8>::take(from).map(|bytes| OsString::from_vec(bytes).into())
    }
}

impl<T: Wire> Wire for Arc<T> {
    fn put(&self, to: &mut Vec<u8>) {
        (**self).put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Arc<T>> {
        T::take(from).map(Arc::new)
    }
}

impl Wire for [u32; 2] {
    fn put(&self, to: &mut Vec<u8>) {
        (self[0], self[1]).put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<[u32; 2]> {
        <(u32, u32)>::take(from).map(<[u32; 2]>::from)
    }
}

impl Wire for MemoryConfig {
    fn put(&self, to: &mut Vec<u8>) {
        let (kind, sharding) = match self {
            MemoryConfig::Dram => (0u8, None),
            MemoryConfig::L1 => (1, None),
            MemoryConfig::Sharded(sharding) => (2, Some(sharding)),
        };
        kind.put(to);
        sharding.iter().for_each(|sharding| sharding.put(to));
    }

    fn take(from: &mut Reader<'_>) -> Option<MemoryConfig> {
        Some(match u8::take(from)? {
            0 => MemoryConfig::Dram,
            1 => MemoryConfig::L1,
            2 => MemoryConfig::Sharded(Wire::take(from)?),
            _ => return None,
        })
    }
}

/// A file: what is in this program's own code cannot be sent, and cannot be read then.
impl Wire for KernelSource {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            KernelSource::Cpp(path) => Some(path.clone()).put(to),
            KernelSource::Native(_) => None::<PathBuf>.put(to),
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<KernelSource> {
        <Option<PathBuf> as Wire>::take(from)?.map(KernelSource::Cpp)
    }
}

impl Wire for KernelConfig {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            KernelConfig::DataMovement(config) => {
                0u8.put(to);
                config.put(to);
            }
            KernelConfig::Compute(config) => {
                1u8.put(to);
                config.put(to);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<KernelConfig> {
        match u8::take(from)? {
            0 => Wire::take(from).map(KernelConfig::DataMovement),
            1 => Wire::take(from).map(KernelConfig::Compute),
            _ => None,
        }
    }
}

/// The kind, and the name, the number or the core that it is of.
impl Wire for Argument {
    fn put(&self, to: &mut Vec<u8>) {
        let (none, nowhere) = (String::new(), CoreCoord { x: 0, y: 0 });
        let (kind, name, number, core) = match self {
            Argument::Word(word) => (0u8, &none, *word, nowhere),
            Argument::Address(name) => (1, name, 0, nowhere),
            Argument::L1(word) => (2, &none, *word, nowhere),
            Argument::TensorAccessor(name) => (3, name, 0, nowhere),
            Argument::Semaphore(id) => (4, &none, *id, nowhere),
            Argument::NocX(core) => (5, &none, 0, *core),
            Argument::NocY(core) => (6, &none, 0, *core),
            Argument::Cb(index) => (7, &none, (*index).into(), nowhere),
        };
        kind.put(to);
        name.put(to);
        number.put(to);
        core.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Argument> {
        let (kind, name, number, core) = (u8::take(from)?, String::take(from)?, u32::take(from)?, Wire::take(from)?);
        Some(match kind {
            0 => Argument::Word(number),
            1 => Argument::Address(name),
            2 => Argument::L1(number),
            3 => Argument::TensorAccessor(name),
            4 => Argument::Semaphore(number),
            5 => Argument::NocX(core),
            6 => Argument::NocY(core),
            7 => Argument::Cb(number.try_into().ok()?),
            _ => return None,
        })
    }
}

impl Wire for Api {
    fn put(&self, to: &mut Vec<u8>) {
        self.day().put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Api> {
        u32::take(from).map(Api::of_day)
    }
}

/// As it is written in a finding.
impl Wire for Schedule {
    fn put(&self, to: &mut Vec<u8>) {
        self.to_string().put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Schedule> {
        Schedule::parse(&String::take(from)?).ok()
    }
}

/// One that stands on a device; fills are not sent.
impl Wire for TensorData {
    fn put(&self, to: &mut Vec<u8>) {
        self.standing.put(to);
        (self.output, self.scratch).put(to);
        self.line.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<TensorData> {
        let (standing, (output, scratch), line) = (Wire::take(from)?, Wire::take(from)?, Wire::take(from)?);
        let (address, undefined_pages) = (None, Vec::new());
        Some(TensorData {
            fill: None,
            rounded: None,
            standing,
            padding: None,
            address,
            undefined_pages,
            output,
            scratch,
            line,
        })
    }
}

/// One whose tensors stand on a device, of which nothing is expected.
impl Wire for ProgramFile {
    fn put(&self, to: &mut Vec<u8>) {
        self.path.put(to);
        self.program.put(to);
        self.api.put(to);
        self.tensors.put(to);
        self.launches.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<ProgramFile> {
        let (path, program, api) = (Wire::take(from)?, Wire::take(from)?, Wire::take(from)?);
        let (tensors, launches) = (Wire::take(from)?, Wire::take(from)?);
        Some(ProgramFile {
            path,
            program,
            seed: 0,
            api,
            tensors,
            launches,
            expects: Vec::new(),
            suppressions: Vec::new(),
        })
    }
}

/// One without a timeline, and so without pictures of errors.
impl Wire for RunResult {
    fn put(&self, to: &mut Vec<u8>) {
        self.record.put(to);
        self.outputs.put(to);
        self.schedule.put(to);
        self.explored.put(to);
        self.wall_s.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<RunResult> {
        let record = Wire::take(from)?;
        let (outputs, schedule, explored, wall_s) =
            (Wire::take(from)?, Wire::take(from)?, Wire::take(from)?, Wire::take(from)?);
        Some(RunResult { outputs, schedule, explored, wall_s, ..RunResult::of(record) })
    }
}

words! {
    Layout: [Layout::Tile, Layout::RowMajor];
    NocMode: [NocMode::Dedicated, NocMode::Dynamic];
    MathFidelity: MathFidelity::NAMED.map(|(_, fidelity)| fidelity);
}

structures! {
    Program { arch tensors launches }
    TensorDescriptor { name shape format layout memory output }
    Sharding { shard_shape cores }
    Launch { cbs kernels semaphores }
    CbDescriptor { total_size tensor core_ranges format_descriptors }
    CbFormatDescriptor { buffer_index data_format page_size }
    KernelDescriptor { source core_ranges config compile_time_args named_compile_time_args defines include_dirs runtime_args common_runtime_args }
    DataMovementConfig { processor noc noc_mode }
    ComputeConfig { math_fidelity fp32_dest_acc_en math_approx_mode dst_full_sync_en bfp8_pack_precise unpack_to_dest_fp32 }
    SemaphoreDescriptor { id core_ranges initial_value }
    CoreRange { start end }
    LaunchLines { cbs kernels semaphores }
    Standing { address pages defined }
    OutputResult { name format max_diff mean_diff max_ulp differing first most place needed_atol derived pass reason }
    Derived { largest_bound share }
    Difference { place value bits expected expected_bits }
    WhereWrong { words map cores }
    TileMap { columns first_row faces more_rows }
    Explored { schedules of runs are_all failed default_passes }
}

#[cfg(test)]
mod tests {
    use super::super::to_bytes;
    use super::*;
    use tileproof_model::arch::Arch;
    use tileproof_model::numerics::format::DataFormat;
    use tileproof_model::record::RunRecord;

    fn program() -> ProgramFile {
        let core = CoreCoord { x: 3, y: 4 };
        let arguments = vec![
            Argument::Word(7),
            Argument::Address("x".into()),
            Argument::L1(8),
            Argument::TensorAccessor("x".into()),
            Argument::Semaphore(1),
            Argument::NocX(core),
            Argument::NocY(core),
            Argument::Cb(31),
        ];
        let kernel = |config| KernelDescriptor {
            source: KernelSource::Cpp("reader.cpp".into()),
            core_ranges: vec![CoreRange { start: core, end: core }],
            config,
            compile_time_args: arguments.clone(),
            named_compile_time_args: vec![("n".into(), 3)],
            defines: vec![("A".into(), "1".into())],
            include_dirs: vec!["inc".into()],
            runtime_args: [(core, arguments.clone())].into(),
            common_runtime_args: Vec::new(),
        };
        let compute = ComputeConfig {
            math_fidelity: MathFidelity::HiFi2,
            unpack_to_dest_fp32: vec![3],
            bfp8_pack_precise: true,
            ..ComputeConfig::default()
        };
        let reader = DataMovementConfig { noc_mode: NocMode::Dynamic, ..DataMovementConfig::READER };
        let format = CbFormatDescriptor { buffer_index: 2, data_format: DataFormat::Float16_b, page_size: 2048 };
        let launch = Launch {
            cbs: vec![CbDescriptor {
                total_size: 4096,
                tensor: Some(("x".into(), 32)),
                core_ranges: Vec::new(),
                format_descriptors: vec![format],
            }],
            kernels: vec![kernel(KernelConfig::DataMovement(reader)), kernel(KernelConfig::Compute(compute))],
            semaphores: vec![SemaphoreDescriptor { id: 5, core_ranges: Vec::new(), initial_value: 6 }],
        };
        let tensor = TensorDescriptor {
            name: "x".into(),
            shape: vec![2, 32, 64],
            format: DataFormat::Float32,
            layout: Layout::RowMajor,
            memory: MemoryConfig::Sharded(Sharding { shard_shape: [32, 64], cores: vec![core] }),
            output: true,
        };
        let standing = Standing { address: 64, pages: vec![1, 2, 3], defined: Some(vec![5]) };
        ProgramFile {
            path: "generic_op".into(),
            seed: 0,
            api: Some(Api::V0_79),
            tensors: vec![TensorData {
                fill: None,
                rounded: None,
                standing: Some(Arc::new(standing)),
                padding: None,
                address: None,
                undefined_pages: Vec::new(),
                output: true,
                scratch: true,
                line: 9,
            }],
            launches: vec![LaunchLines::nowhere(&launch)],
            expects: Vec::new(),
            suppressions: Vec::new(),
            program: Program { arch: Arch::ALL[1], tensors: vec![tensor], launches: vec![launch] },
        }
    }

    fn result() -> RunResult {
        let difference = Difference { place: vec![1], value: f64::NAN, bits: 2, expected: -0.0, expected_bits: 4 };
        let tensor = program().program.tensors.remove(0);
        let output = OutputResult {
            max_diff: Some(0.5),
            differing: 3,
            first: Some(difference),
            place: WhereWrong {
                words: Some("row 3".into()),
                map: Some(TileMap { columns: 2, first_row: 1, faces: vec![1, 15], more_rows: 1 }),
                cores: Some("one core's share".into()),
            },
            derived: Some(Derived { largest_bound: 1.5, share: f64::INFINITY }),
            reason: Some("x".into()),
            ..OutputResult::of(&tensor, false)
        };
        let explored = Explored {
            schedules: 1,
            of: 2,
            runs: 3,
            are_all: true,
            failed: Some(Schedule::default()),
            default_passes: true,
        };
        RunResult {
            outputs: vec![output],
            explored: Some(explored),
            wall_s: 0.25,
            ..RunResult::of(RunRecord::default())
        }
    }

    #[test]
    fn a_program_and_a_result_come_back_as_they_were_and_what_was_written_over_is_no_panic() {
        let bytes = to_bytes(&program());
        let back: ProgramFile = Reader::whole(&bytes).expect("a program");
        assert_eq!(to_bytes(&back), bytes);
        assert_eq!(back.tensors, program().tensors);
        assert_eq!(back.program.tensors, program().program.tensors);
        let kernels = |file: &ProgramFile| {
            format!(
                "{:?}",
                file.program.launches[0]
                    .kernels
                    .iter()
                    .map(|k| (&k.config, &k.runtime_args, &k.compile_time_args, &k.defines, &k.include_dirs))
                    .collect::<Vec<_>>()
            )
        };
        assert_eq!(kernels(&back), kernels(&program()));
        let back: RunResult = Reader::whole(&to_bytes(&result())).expect("a result");
        assert_eq!(format!("{back:?}"), format!("{:?}", result()));
        for at in 0..bytes.len() {
            assert!(Reader::whole::<ProgramFile>(&bytes[..at]).is_none());
            let mut other = bytes.clone();
            other[at] ^= 0xff;
            let _ = Reader::whole::<ProgramFile>(&other);
        }
    }
}

//! A launch of a few small C++ kernels, and what comes of it: for tests of what single calls of the kernel API mean.
//! Start at `Case`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tileproof::check::Checks;
use tileproof_build::{Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, SemaphoreDescriptor,
};
use tileproof_model::record::Status;
use tileproof_model::thread::{CoreCoord, CoreRange};
use tileproof_sim::{LaunchOutcome, Machine};

pub(crate) const READER: KernelConfig = KernelConfig::DataMovement(DataMovementConfig::READER);
pub(crate) const WRITER: KernelConfig = KernelConfig::DataMovement(DataMovementConfig::WRITER);

pub(crate) fn compute() -> KernelConfig {
    KernelConfig::Compute(ComputeConfig::default())
}

/// A launch of some kernels on cores in a row, with circular buffers 0 and 16 of two bf16 tiles and semaphores 0 and 1.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) kernels: Vec<(&'static str, &'static str, KernelConfig)>,
    pub(crate) cores: u32,
    pub(crate) arguments: Vec<u32>,
    pub(crate) compile_time: Vec<u32>,
    pub(crate) named: Vec<(&'static str, u32)>,
    pub(crate) common: Vec<u32>,
    pub(crate) defines: Vec<(&'static str, &'static str)>,
    /// The data format, unless it is bf16; pages stay 2048 bytes.
    pub(crate) format: Option<DataFormat>,
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-cases");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn builder() -> &'static Builder {
    static BUILDER: OnceLock<Builder> = OnceLock::new();
    BUILDER.get_or_init(|| Builder::new(Some(folder().join("cache"))).unwrap())
}

impl Case {
    /// The bf16 number that fills a tile, of which UNPACK prints a word.
    pub(crate) fn printed_number(&self) -> f32 {
        let lines = self.prints();
        let [line] = lines.as_slice() else { panic!("{lines:?}") };
        let word: u32 = line.strip_prefix("UNPACK ").unwrap().parse().unwrap();
        f32::from_bits(word & 0xffff_0000)
    }

    pub(crate) fn run(&self) -> LaunchOutcome {
        let cbs = [0, 16].map(|buffer_index| CbFormatDescriptor {
            buffer_index,
            data_format: self.format.unwrap_or(DataFormat::Float16_b),
            page_size: 2048,
        });
        let range = CoreRange { start: CoreCoord { x: 0, y: 0 }, end: CoreCoord { x: self.cores.max(1) - 1, y: 0 } };
        let words = |words: &[u32]| words.iter().map(|word| Argument::Word(*word)).collect::<Vec<_>>();
        let named: Vec<(String, u32)> = self.named.iter().map(|(name, value)| ((*name).into(), *value)).collect();
        let defines: Vec<(String, String)> =
            self.defines.iter().map(|(name, to)| ((*name).into(), (*to).into())).collect();
        let mut requests = Vec::new();
        let mut kernels = Vec::new();
        for (name, text, config) in &self.kernels {
            let source = folder().join(format!("{name}.cpp"));
            if std::fs::read_to_string(&source).ok().as_deref() != Some(*text) {
                std::fs::write(&source, text).unwrap();
            }
            requests.push(CompileRequest {
                source: source.clone(),
                config: config.clone(),
                compile_time_args: self.compile_time.clone(),
                named_compile_time_args: named.clone(),
                defines: defines.clone(),
                include_dirs: vec![],
                circular_buffers: cbs
                    .iter()
                    .map(|cb| CircularBufferFormat {
                        index: cb.buffer_index,
                        format: cb.data_format,
                        page_size: cb.page_size,
                    })
                    .collect(),
                arch: Arch::Wormhole,
            });
            kernels.push(KernelDescriptor {
                source: KernelSource::Cpp(source),
                core_ranges: vec![range],
                config: config.clone(),
                compile_time_args: words(&self.compile_time),
                named_compile_time_args: named.clone(),
                defines: defines.clone(),
                include_dirs: vec![],
                runtime_args: range.cores().map(|core| (core, words(&self.arguments))).collect::<BTreeMap<_, _>>(),
                common_runtime_args: words(&self.common),
            });
        }
        let launch = Launch {
            cbs: cbs
                .map(|cb| CbDescriptor {
                    total_size: 4096,
                    tensor: None,
                    core_ranges: vec![range],
                    format_descriptors: vec![cb],
                })
                .into(),
            kernels,
            semaphores: [0, 1].map(|id| SemaphoreDescriptor { id, core_ranges: vec![range], initial_value: 0 }).into(),
        };
        let images = builder().build(&requests).unwrap_or_else(|e| panic!("{e}"));
        Machine::<Checks>::new(Arch::Wormhole).launch(&launch, &images).unwrap()
    }

    /// What the kernels print, each line behind its thread's name; nothing may be found.
    pub(crate) fn prints(&self) -> Vec<String> {
        let outcome = self.run();
        assert_eq!(outcome.status, Status::Completed, "{:#?}", outcome.findings);
        assert!(outcome.findings.is_empty(), "{:#?}", outcome.findings);
        let mut lines: Vec<String> = outcome.prints.iter().map(|p| format!("{} {}", p.place.thread, p.text)).collect();
        lines.sort();
        lines
    }

    /// The one thing that is found.
    pub(crate) fn finding(&self) -> Finding {
        let mut outcome = self.run();
        assert_eq!(outcome.findings.len(), 1, "{:#?}", outcome.findings);
        outcome.findings.remove(0)
    }

    /// The run stops because of something that is not modelled, on the line that ends in the comment `mark`.
    pub(crate) fn stops(&self, words: &str, mark: &str) {
        let finding = self.finding();
        assert_eq!(finding.code, Code::UNIMPLEMENTED, "{}", finding.message);
        assert!(finding.message.contains(words), "{}: {}", words, finding.message);
        let text = self.kernels[0].1;
        let line = text.lines().position(|l| l.trim_end().ends_with(&format!("// {mark}"))).expect("mark") as u32 + 1;
        assert_eq!(finding.primary.location.as_ref().map(|l| l.line), Some(line), "{}", finding.message);
    }
}

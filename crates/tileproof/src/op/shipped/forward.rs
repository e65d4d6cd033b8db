//! LayerNorm forward in the workbench.

use std::path::Path;

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;
use tileproof_ops::layernorm_fused_rm::public_layout::{self, OutPages};
use tileproof_ops::layernorm_fused_rm::{
    self, Argument, ArgumentError, Arguments, CPP_FILES, Kernels, Memory, PathChoice, Storage, Tensors, plan, program,
    program_with, reference,
};

use super::adapter::{
    Condition, PATHS, Planned, attribute, cb_rows, cores, kernels, memory_config, number, probe, program_file, refused,
    sources, tensor, values, word,
};
use crate::fill::Fill;
use crate::op::call::{Call, Refusal, Setting};
use crate::op::description::{Description, PathDescription, TensorDescription};
use crate::op::in_cpp::KERNELS;
use crate::op::{Data, Grid, InCpp, Input, Inputs, Op, Probe, References};
use crate::program_file::ProgramFile;

/// The op, and what no call says of it.
pub(crate) struct LayerNormForward {
    /// Chip.
    pub(crate) arch: Arch,
    /// Whether there is a gamma.
    pub(crate) gamma: bool,
    /// Whether there is a beta.
    pub(crate) beta: bool,
    /// What makes its programs.
    pub(crate) side: ForwardSide,
}

/// A host side, and kernels for it.
pub(crate) enum ForwardSide {
    /// The op's own.
    Own(Kernels),
    /// That of the public op.
    Public(Kernels, OutPages),
}

impl Default for LayerNormForward {
    fn default() -> LayerNormForward {
        let side = ForwardSide::Own(layernorm_fused_rm::kernels());
        LayerNormForward { arch: Arch::DEFAULT, gamma: true, beta: true, side }
    }
}

impl LayerNormForward {
    /// The call as the host sides take it.
    pub(crate) fn arguments(&self, call: &Call) -> Result<Arguments, Refusal> {
        call.check_attributes(layernorm_fused_rm::NAME, &["eps", "stats", "path", "cores", "memory_config"])?;
        let arguments = Arguments::new(&call.shape, call.dtype, call.layout);
        Ok(Arguments {
            gamma: arguments.gamma.filter(|_| self.gamma),
            beta: arguments.beta.filter(|_| self.beta),
            eps: number(call, "eps", 1e-5)?,
            statistics: word(call, "stats", &STATISTICS)?,
            path: word(call, "path", &PATHS)?,
            cores: cores(call)?,
            output_memory: memory_config(call)?,
            arch: self.arch,
            ..Arguments::new(&call.shape, call.dtype, call.layout)
        })
    }

    /// The program of a call.
    pub(crate) fn planned(&self, call: &Call) -> Result<Planned, Refusal> {
        let arguments = self.arguments(call)?;
        let refused = |error| refused(&CONDITIONS, &error);
        match &self.side {
            ForwardSide::Own(kernels) => {
                let plan = plan(&arguments).map_err(refused)?;
                let program = program_with(&plan, kernels);
                Ok(Planned { program, l1_path: plan.l1_path, cores: plan.rows.len() })
            }
            ForwardSide::Public(kernels, out_pages) => {
                let plan = public_layout::plan(&arguments, *out_pages).map_err(refused)?;
                // The public kernels keep the tiles of a row in L1.
                Ok(Planned { program: public_layout::program(&plan, kernels), l1_path: true, cores: 1 })
            }
        }
    }
}

/// Whether mean and rstd are outputs.
pub(crate) const STATISTICS: [(&str, bool); 2] = [("false", false), ("true", true)];

type Rule = Condition<Arguments, ArgumentError>;

const FREED: Storage = Storage::Device { id: 0, allocated: false };
const OTHER: Storage = Storage::Device { id: 1, allocated: true };

/// A change of gamma.
fn gamma(arguments: &mut Arguments, change: impl Fn(&mut Argument)) {
    if let Some(gamma) = &mut arguments.gamma {
        change(gamma);
    }
}

const NOTHING: fn(&mut Arguments) = |_| {};

/// Everything that the host side refuses, in its order.
const CONDITIONS: [Rule; 23] = [
    Rule {
        text: "tensors are on a device",
        inside: NOTHING,
        outside: |a| a.x.storage = Storage::Host,
        is: |e| matches!(e, ArgumentError::OnHost { .. }),
    },
    Rule {
        text: "tensors have their buffers",
        inside: NOTHING,
        outside: |a| gamma(a, |g| g.storage = FREED),
        is: |e| matches!(e, ArgumentError::NotAllocated { .. }),
    },
    Rule {
        text: "tensors are on one device",
        inside: NOTHING,
        outside: |a| gamma(a, |g| g.storage = OTHER),
        is: |e| matches!(e, ArgumentError::OtherDevice { .. }),
    },
    Rule {
        text: "tensors are interleaved",
        inside: |a| a.x.memory = Memory::InterleavedL1,
        outside: |a| a.x.memory = Memory::Sharded,
        is: |e| matches!(e, ArgumentError::Sharded { .. }),
    },
    Rule {
        text: "tensors have the layout of the form",
        inside: NOTHING,
        outside: |a| a.x.layout = Layout::Tile,
        is: |e| matches!(e, ArgumentError::WrongLayout { .. }),
    },
    Rule {
        text: "x has 1 to 8 dimensions",
        inside: |a| a.x.shape = vec![1, 2, 1, 1, 1, 3, 40, 100],
        outside: |a| a.x.shape = vec![1, 1, 2, 1, 1, 1, 3, 40, 100],
        is: |e| matches!(e, ArgumentError::Rank { .. }),
    },
    Rule {
        text: "every dimension is at least 1",
        inside: |a| a.x.shape = vec![1, 1, 100],
        outside: |a| a.x.shape = vec![1, 0, 100],
        is: |e| matches!(e, ArgumentError::ZeroDimension { .. }),
    },
    Rule {
        text: "a row has at most 1048576 features",
        inside: |a| wide(a, 1 << 20),
        outside: |a| wide(a, (1 << 20) + 1),
        is: |e| matches!(e, ArgumentError::TooWide { .. }),
    },
    Rule {
        text: "a tensor has at most 268435456 elements with padding",
        inside: |a| large(a, 1 << 14),
        outside: |a| large(a, (1 << 14) + 1),
        is: |e| matches!(e, ArgumentError::TooLarge { .. }),
    },
    Rule {
        text: "dtype is bfloat16 or float32",
        inside: |a| dtype(a, DataFormat::Float32),
        outside: |a| a.x.format = DataFormat::Bfp8_b,
        is: |e| matches!(e, ArgumentError::Format { .. }),
    },
    Rule {
        text: "gamma and beta have the dtype of x",
        inside: NOTHING,
        outside: |a| gamma(a, |g| g.format = DataFormat::Float32),
        is: |e| matches!(e, ArgumentError::OtherFormat { .. }),
    },
    Rule {
        text: "gamma and beta have 1 to 8 dimensions",
        inside: |a| gamma(a, |g| g.shape = vec![100]),
        outside: |a| gamma(a, |g| g.shape = vec![1, 1, 1, 1, 1, 1, 1, 1, 100]),
        is: |e| matches!(e, ArgumentError::RowRank { .. }),
    },
    Rule {
        text: "gamma and beta are one row",
        inside: NOTHING,
        outside: |a| gamma(a, |g| g.shape = vec![2, 100]),
        is: |e| matches!(e, ArgumentError::ManyRows { .. }),
    },
    Rule {
        text: "gamma and beta are as wide as x",
        inside: NOTHING,
        outside: |a| gamma(a, |g| g.shape = vec![101]),
        is: |e| matches!(e, ArgumentError::OtherWidth { .. }),
    },
    Rule {
        text: "eps is finite",
        inside: |a| a.eps = 1.0,
        outside: |a| a.eps = f64::NAN,
        is: |e| matches!(e, ArgumentError::EpsNotFinite { .. }),
    },
    Rule {
        text: "eps is 0 or above",
        inside: |a| a.eps = 0.0,
        outside: |a| a.eps = -1e-9,
        is: |e| matches!(e, ArgumentError::EpsNegative { .. }),
    },
    Rule {
        text: "y has the dtype of x",
        inside: NOTHING,
        outside: |a| a.output_format = DataFormat::Float32,
        is: |e| matches!(e, ArgumentError::OutputFormat { .. }),
    },
    Rule {
        text: "memory_config is interleaved: dram or l1",
        inside: |a| a.output_memory = Memory::InterleavedL1,
        outside: |a| a.output_memory = Memory::Sharded,
        is: |e| matches!(e, ArgumentError::ShardedOutput),
    },
    Rule {
        text: "Dst has 32 bits",
        inside: NOTHING,
        outside: |a| a.fp32_dest_acc_en = false,
        is: |e| matches!(e, ArgumentError::NarrowDst),
    },
    Rule {
        text: "at least 1 core",
        inside: |a| a.cores = Some(1),
        outside: |a| a.cores = Some(0),
        is: |e| matches!(e, ArgumentError::NoCores { .. }),
    },
    Rule {
        text: "at most the 64 cores of the grid",
        inside: |a| a.cores = Some(64),
        outside: |a| a.cores = Some(65),
        is: |e| matches!(e, ArgumentError::TooManyCores { .. }),
    },
    Rule {
        text: "on path l1 a row fits in L1",
        inside: |a| a.path = PathChoice::L1,
        outside: |a| {
            a.path = PathChoice::L1;
            wide(a, 65_536)
        },
        is: |e| matches!(e, ArgumentError::DoesNotFit { .. }),
    },
    Rule {
        text: "tensors in L1 leave room for the circular buffers",
        inside: |a| a.output_memory = Memory::InterleavedL1,
        outside: |a| {
            a.output_memory = Memory::InterleavedL1;
            large(a, 1 << 14)
        },
        is: |e| matches!(e, ArgumentError::NoRoom { .. }),
    },
];

fn wide(arguments: &mut Arguments, width: u32) {
    arguments.x.shape = vec![1, width];
    for row in [&mut arguments.gamma, &mut arguments.beta].into_iter().flatten() {
        row.shape = vec![width];
    }
}

fn large(arguments: &mut Arguments, rows: u32) {
    wide(arguments, 1 << 14);
    arguments.x.shape[0] = rows;
}

fn dtype(arguments: &mut Arguments, format: DataFormat) {
    *arguments = Arguments::new(&arguments.x.shape.clone(), format, arguments.layout);
}

impl Op for LayerNormForward {
    fn describe(&self) -> Description {
        let tensor = |name, shape| tensor(name, shape, &[Layout::RowMajor, Layout::Tile]);
        let example = Call::new(&[1, 1, 64, 2048], DataFormat::Float16_b, Layout::RowMajor);
        let planned = self.arguments(&example).ok().and_then(|arguments| plan(&arguments).ok());
        Description {
            name: layernorm_fused_rm::NAME.into(),
            summary: "LayerNorm forward over the last dimension, row-major sticks in and out, or tiles".into(),
            inputs: vec![
                tensor("x", "that of the call"),
                tensor("gamma", "one row as wide as x"),
                tensor("beta", "one row as wide as x"),
            ],
            outputs: vec![
                tensor("y", "that of x"),
                TensorDescription {
                    dtypes: vec!["float32".into()],
                    ..tensor("mean", "that of x, last dimension 1; with stats")
                },
                TensorDescription {
                    dtypes: vec!["float32".into()],
                    ..tensor("rstd", "that of x, last dimension 1; with stats")
                },
            ],
            attributes: vec![
                attribute("eps", "float", "1e-5", "from 0 on; epsilon is the same"),
                attribute("stats", "word", "false", "true or false: whether mean and rstd are outputs too"),
                attribute("path", "word", "auto", "auto, l1 or block"),
                attribute("cores", "integer", "all of the grid", "1 to 64"),
                attribute("memory_config", "word", "dram", "dram or l1, interleaved: where the outputs go"),
            ],
            conditions: CONDITIONS.iter().map(|condition| condition.text.into()).collect(),
            cbs: planned.as_ref().map_or(Vec::new(), |plan| cb_rows(&plan.cbs, None)),
            cbs_of: Some(example.to_string()),
            kernels: planned.as_ref().map_or(Vec::new(), |plan| kernels(&program(plan))),
            paths: vec![
                PathDescription { name: "l1".into(), when: "the tiles of a row fit in L1: x is read once".into() },
                PathDescription { name: "block".into(), when: "they do not: each of four passes reads x again".into() },
            ],
            reference: vec![
                "mean = mean(x)".into(),
                "rstd = rsqrt(mean((x - mean) * (x - mean)) + eps)".into(),
                "y = (x - mean) * rstd * gamma + beta".into(),
            ],
            calls: vec![
                "tileproof layernorm forward --shape 1,1,64,2048".into(),
                "tileproof op run layernorm_fused_rm --shape 1,1,64,2048 --layout row_major".into(),
                "tileproof::layernorm::forward(&ForwardRequest::new([1, 1, 64, 2048]))".into(),
                "tileproof op program layernorm_fused_rm --shape 1,1,64,2048 --into DIR".into(),
                "a program file with op = \"layernorm_fused_rm\" and shape = [1, 1, 64, 2048]".into(),
            ],
            files: sources(layernorm_fused_rm::NAME, &[], CPP_FILES),
        }
    }

    fn calls(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        let word = |word: &str| Setting::Word(word.into());
        for dtype in [DataFormat::Float16_b, DataFormat::Float32] {
            for layout in [Layout::RowMajor, Layout::Tile] {
                let of = |shape: &[u32], path: &str| Call::new(shape, dtype, layout).with("path", word(path));
                calls.push(of(&[13, 20], "l1").with("stats", word("true")));
                calls.push(of(&[2, 1, 40, 300], "block"));
                calls.push(of(&[1, 1, 64, 1024], "l1"));
                // Several tile rows on a core, any number of dimensions, and outputs in L1.
                let one_core = Setting::Number(1.0);
                calls.push(of(&[1, 5, 1, 32, 100], "l1").with("cores", one_core.clone()));
                calls.push(of(&[100], "block").with("cores", one_core).with("memory_config", word("l1")));
            }
        }
        calls
    }

    fn grid(&self) -> Grid {
        let shapes = vec![vec![13, 20], vec![2, 1, 40, 300], vec![1, 1, 64, 1024], vec![1, 5, 1, 32, 100], vec![100]];
        Grid { shapes, data: Data::ALL.to_vec(), rtol: 1e-2, atol: 1e-2 }
    }

    fn probes(&self) -> Vec<Probe> {
        let accepted = Arguments::new(&[2, 3, 40, 100], DataFormat::Float16_b, Layout::RowMajor);
        probe(&CONDITIONS, &accepted, |arguments| plan(arguments).map(|_| ()))
    }

    fn validate(&self, call: &Call) -> Result<(), Refusal> {
        self.planned(call).map(|_| ())
    }

    fn program(&self, call: &Call) -> Result<ProgramFile, Refusal> {
        Ok(program_file(layernorm_fused_rm::NAME, self.planned(call)?.program))
    }

    fn in_cpp(&self, call: &Call) -> Result<Option<InCpp>, Refusal> {
        let side = ForwardSide::Own(Kernels::in_cpp(Path::new(KERNELS)));
        let program = LayerNormForward { side, ..*self }.planned(call)?.program;
        Ok(Some(InCpp { files: CPP_FILES, program }))
    }

    fn inputs(&self, call: &Call, seed: u64, fills: &dyn Fn(&Input<'_>) -> Fill) -> Result<Inputs, String> {
        let arguments = self.arguments(call).map_err(|refusal| refusal.message)?;
        // The streams of x and gamma are those of backward: the same seed gives the pair the same data.
        let tensors = [(0, "x", Some(&arguments.x)), (1, "gamma", arguments.gamma.as_ref())];
        let tensors = tensors.into_iter().chain([(3, "beta", arguments.beta.as_ref())]);
        let filled = |(stream, name, argument): (u64, &'static str, Option<&Argument>)| {
            let Argument { shape, format, .. } = argument?;
            let input = Input { name, shape, format: *format, stream, fixed: None };
            Some(input.filled(seed, fills).map(|values| (name.to_string(), values)))
        };
        tensors.filter_map(filled).collect()
    }

    fn reference(&self, call: &Call, inputs: &Inputs) -> Result<References, String> {
        let arguments = self.arguments(call).map_err(|refusal| refusal.message)?;
        let of = |name: &str| values(inputs, name);
        let x = of("x").ok_or("x: no values")?;
        let width = call.shape.last().copied().unwrap_or(1) as usize;
        let normalised = reference::forward(x, width, of("gamma"), of("beta"), arguments.eps);
        let mut outputs = vec![(Tensors::Y.to_string(), normalised.y)];
        if arguments.statistics {
            outputs.push((Tensors::MEAN.into(), normalised.mean));
            outputs.push((Tensors::RSTD.into(), normalised.rstd));
        }
        Ok(outputs)
    }
}

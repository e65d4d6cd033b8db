//! LayerNorm backward in the workbench.

use std::path::Path;

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::host::{bf16_to_f32, f32_to_bf16};
use tileproof_model::program::Layout;
use tileproof_ops::Kernels;
use tileproof_ops::layernorm_bw::public_layout::{self, DBETA_COMPONENTS, DGAMMA_COMPONENTS};
use tileproof_ops::layernorm_bw::specimens::{self, Specimen};
use tileproof_ops::layernorm_bw::{
    self, ArgumentError, Arguments, CPP_FILES, Memory, OpKernels, PathChoice, Plan, Tensors, plan, program,
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
pub(crate) struct LayerNormBackward {
    /// Chip.
    pub(crate) arch: Arch,
    /// What makes its programs.
    pub(crate) side: BackwardSide,
}

/// A host side, and kernels for it. The programs of all but the first give dgamma and dbeta for each row.
pub(crate) enum BackwardSide {
    /// The op's own; the shipped kernels if there are none.
    Own(Option<OpKernels>),
    /// That of the public op.
    Public(Kernels),
    /// That of the specimens.
    Specimens(Specimen, Kernels),
}

impl Default for LayerNormBackward {
    fn default() -> LayerNormBackward {
        LayerNormBackward { arch: Arch::DEFAULT, side: BackwardSide::Own(None) }
    }
}

impl LayerNormBackward {
    /// The call as the host sides take it.
    pub(crate) fn arguments(&self, call: &Call) -> Result<Arguments, Refusal> {
        call.check_attributes(layernorm_bw::NAME, &["eps", "path", "cores", "memory_config"])?;
        Ok(Arguments {
            layout: call.layout,
            output_memory: memory_config(call)?,
            eps: number(call, "eps", 1e-6)?,
            path: word(call, "path", &PATHS)?,
            cores: cores(call)?,
            arch: self.arch,
            ..Arguments::new(&call.shape, call.dtype)
        })
    }

    /// The program of a call.
    pub(crate) fn planned(&self, call: &Call) -> Result<Planned, Refusal> {
        let arguments = self.arguments(call)?;
        let refused = |error| refused(&CONDITIONS, &error);
        match &self.side {
            BackwardSide::Own(kernels) => {
                let plan = plan(&arguments).map_err(refused)?;
                let program = kernels.as_ref().map_or_else(|| program(&plan), |kernels| program_with(&plan, kernels));
                Ok(Planned { program, l1_path: plan.l1_path, cores: plan.rows.len() })
            }
            BackwardSide::Public(kernels) => {
                let plan = public_layout::plan(&arguments).map_err(refused)?;
                let program = public_layout::program(&plan, kernels);
                Ok(Planned { program, l1_path: plan.l1_path, cores: plan.rows.len() })
            }
            BackwardSide::Specimens(specimen, kernels) => {
                let (program, cores) = specimens::program(&arguments, *specimen, kernels).map_err(refused)?;
                Ok(Planned { program, l1_path: false, cores })
            }
        }
    }

    /// A mean or rstd as kernels take it.
    fn rounded(&self, value: f32) -> f32 {
        if self.statistics() == DataFormat::Float16_b { bf16_to_f32(f32_to_bf16(value)) } else { value }
    }

    /// The format in which kernels take mean and rstd.
    fn statistics(&self) -> DataFormat {
        if matches!(self.side, BackwardSide::Public(_)) { DataFormat::Float16_b } else { DataFormat::Float32 }
    }
}

type Rule = Condition<Arguments, ArgumentError>;

/// Everything that the host side refuses, in its order.
const CONDITIONS: [Rule; 10] = [
    Rule {
        text: "x has 4 dimensions",
        inside: |_| {},
        outside: |a| a.shape = vec![32, 100],
        is: |e| matches!(e, ArgumentError::Rank { .. }),
    },
    Rule {
        text: "every dimension is at least 1",
        inside: |a| a.shape = vec![1, 1, 1, 1],
        outside: |a| a.shape = vec![1, 1, 0, 1],
        is: |e| matches!(e, ArgumentError::ZeroDimension { .. }),
    },
    Rule {
        text: "a row has at most 1048576 features",
        inside: |a| a.shape = vec![1, 1, 1, 1 << 20],
        outside: |a| a.shape = vec![1, 1, 1, (1 << 20) + 1],
        is: |e| matches!(e, ArgumentError::TooWide { .. }),
    },
    Rule {
        text: "a tensor has at most 268435456 elements with padding",
        inside: |a| a.shape = vec![1, 1, 1 << 14, 1 << 14],
        outside: |a| a.shape = vec![1, 1, (1 << 14) + 1, 1 << 14],
        is: |e| matches!(e, ArgumentError::TooLarge { .. }),
    },
    Rule {
        text: "dtype is bfloat16 or float32",
        inside: |a| a.format = DataFormat::Float32,
        outside: |a| a.format = DataFormat::Bfp8_b,
        is: |e| matches!(e, ArgumentError::Format { .. }),
    },
    Rule {
        text: "memory_config is interleaved: dram or l1",
        inside: |a| a.output_memory = Memory::InterleavedL1,
        outside: |a| a.output_memory = Memory::Sharded,
        is: |e| matches!(e, ArgumentError::Sharded),
    },
    Rule {
        text: "eps is a finite number, 0 or above",
        inside: |a| a.eps = 0.0,
        outside: |a| a.eps = -1e-9,
        is: |e| matches!(e, ArgumentError::Eps { .. }),
    },
    Rule {
        text: "1 to 64 cores",
        inside: |a| a.cores = Some(64),
        outside: |a| a.cores = Some(65),
        is: |e| matches!(e, ArgumentError::Cores { .. }),
    },
    Rule {
        text: "on path l1 a row fits in L1",
        inside: |a| a.path = PathChoice::L1,
        outside: |a| {
            a.path = PathChoice::L1;
            a.shape[3] = 8192
        },
        is: |e| matches!(e, ArgumentError::DoesNotFit { .. }),
    },
    Rule {
        text: "outputs in L1 leave room for the circular buffers",
        inside: |a| a.output_memory = Memory::InterleavedL1,
        outside: |a| {
            a.output_memory = Memory::InterleavedL1;
            a.shape = vec![1, 1, 1 << 14, 1 << 14]
        },
        is: |e| matches!(e, ArgumentError::NoRoom { .. }),
    },
];

impl Op for LayerNormBackward {
    fn describe(&self) -> Description {
        let tensor = |name, shape| tensor(name, shape, &[Layout::Tile, Layout::RowMajor]);
        let fp32 = |name, shape| TensorDescription { dtypes: vec!["float32".into()], ..tensor(name, shape) };
        let example = Call::new(&[1, 1, 64, 2048], DataFormat::Float16_b, Layout::Tile);
        let planned = self.arguments(&example).ok().and_then(|arguments| plan(&arguments).ok());
        let cbs = |plan: &Plan| [cb_rows(&plan.cbs, Some(0)), cb_rows(&plan.finish_cbs, Some(1))].concat();
        Description {
            name: layernorm_bw::NAME.into(),
            summary: "LayerNorm backward over the last dimension: dx, dgamma and dbeta, tiles or sticks".into(),
            inputs: vec![
                tensor("x", "that of the call, N,C,H,W"),
                tensor("gamma", "[1, 1, 1, W]"),
                fp32("mean", "[N, C, H, 1]; worked out from x where it has no fill"),
                fp32("rstd", "[N, C, H, 1]; worked out from x where it has no fill"),
                tensor("dy", "that of x"),
            ],
            outputs: vec![tensor("dx", "that of x"), tensor("dgamma", "[1, 1, 1, W]"), tensor("dbeta", "[1, 1, 1, W]")],
            attributes: vec![
                attribute("eps", "float", "1e-6", "from 0 on: the one that forward used; epsilon is the same"),
                attribute("path", "word", "auto", "auto, l1 or block"),
                attribute("cores", "integer", "all of the grid", "1 to 64"),
                attribute("memory_config", "word", "dram", "dram or l1, interleaved: where the outputs go"),
            ],
            conditions: CONDITIONS.iter().map(|condition| condition.text.into()).collect(),
            cbs: planned.as_ref().map_or(Vec::new(), cbs),
            cbs_of: Some(example.to_string()),
            kernels: planned.as_ref().map_or(Vec::new(), |plan| kernels(&program(plan))),
            paths: vec![
                PathDescription {
                    name: "l1".into(),
                    when: "a row of x, dy and gamma fits in L1: each is read once".into(),
                },
                PathDescription {
                    name: "block".into(),
                    when: "it does not: rows are streamed, x and dy are read twice".into(),
                },
            ],
            reference: vec![
                "x_hat = (x - mean) * rstd".into(),
                "dx = rstd * (dy * gamma - mean(dy * gamma) - x_hat * mean(dy * gamma * x_hat))".into(),
                "dgamma = the sum over rows of dy * x_hat".into(),
                "dbeta = the sum over rows of dy".into(),
            ],
            calls: vec![
                "tileproof layernorm backward --shape 1,1,64,2048".into(),
                "tileproof op run layernorm_bw --shape 1,1,64,2048".into(),
                "tileproof::layernorm::backward(&BackwardRequest::new([1, 1, 64, 2048]))".into(),
                "tileproof op program layernorm_bw --shape 1,1,64,2048 --into DIR".into(),
                "a program file with op = \"layernorm_bw\" and shape = [1, 1, 64, 2048]".into(),
            ],
            files: sources(layernorm_bw::NAME, &["given", "kernels/finish"], CPP_FILES),
        }
    }

    fn calls(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        let word = |word: &str| Setting::Word(word.into());
        for dtype in [DataFormat::Float16_b, DataFormat::Float32] {
            for layout in [Layout::Tile, Layout::RowMajor] {
                for path in ["l1", "block"] {
                    let of = |shape: [u32; 4]| Call::new(&shape, dtype, layout).with("path", word(path));
                    calls.extend([[1, 1, 13, 20], [2, 1, 40, 300], [1, 1, 64, 1024]].map(of));
                    // Several tile rows on a core, the last of them short; and outputs in L1.
                    let one_core = of([1, 1, 150, 100]).with("cores", Setting::Number(1.0));
                    calls.push(one_core.with("memory_config", word("l1")));
                }
            }
        }
        calls
    }

    fn grid(&self) -> Grid {
        let shapes = vec![vec![1, 1, 13, 20], vec![2, 1, 40, 300], vec![1, 1, 64, 1024], vec![1, 1, 150, 100]];
        Grid { shapes, data: Data::ALL.to_vec(), rtol: 1e-2, atol: 1e-2 }
    }

    fn probes(&self) -> Vec<Probe> {
        let accepted = Arguments::new(&[2, 3, 40, 100], DataFormat::Float16_b);
        probe(&CONDITIONS, &accepted, |arguments| plan(arguments).map(|_| ()))
    }

    fn summed_up_from(&self, output: &str) -> Option<&'static str> {
        match (&self.side, output) {
            (BackwardSide::Own(_), _) => None,
            (_, Tensors::DGAMMA) => Some(DGAMMA_COMPONENTS),
            (_, Tensors::DBETA) => Some(DBETA_COMPONENTS),
            _ => None,
        }
    }

    fn validate(&self, call: &Call) -> Result<(), Refusal> {
        self.planned(call).map(|_| ())
    }

    fn program(&self, call: &Call) -> Result<ProgramFile, Refusal> {
        Ok(program_file(layernorm_bw::NAME, self.planned(call)?.program))
    }

    fn in_cpp(&self, call: &Call) -> Result<Option<InCpp>, Refusal> {
        let side = BackwardSide::Own(Some(OpKernels::in_cpp(Path::new(KERNELS))));
        let Planned { program, .. } = LayerNormBackward { side, ..*self }.planned(call)?;
        if call.layout == Layout::RowMajor {
            let message = "layout row_major: the kernels in C++ are for tiles; use layout tile";
            return Err(Refusal::new("", message));
        }
        Ok(Some(InCpp { files: CPP_FILES, program }))
    }

    fn inputs(&self, call: &Call, seed: u64, fills: &dyn Fn(&Input<'_>) -> Fill) -> Result<Inputs, String> {
        let arguments = self.arguments(call).map_err(|refusal| refusal.message)?;
        let width = call.shape.last().copied().unwrap_or(1);
        let row = vec![1, 1, 1, width];
        let mut values = Inputs::new();
        for (stream, (name, shape)) in
            [("x", &call.shape), ("gamma", &row), ("dy", &call.shape)].into_iter().enumerate()
        {
            let input = Input { name, shape, format: call.dtype, stream: stream as u64, fixed: None };
            values.push((name.into(), input.filled(seed, fills)?));
        }
        // What forward would have left; a fill that is given takes its place.
        let (mean, rstd) = reference::statistics(&values[0].1, width as usize, arguments.eps);
        let mut per_row = call.shape.clone();
        *per_row.last_mut().ok_or("shape: has no dimensions")? = 1;
        for (stream, (name, statistic)) in [(3, ("mean", mean)), (4, ("rstd", rstd))] {
            let usual = Fill::Rounded(statistic.into_iter().map(|value| self.rounded(value)).collect());
            let input = Input { name, shape: &per_row, format: self.statistics(), stream, fixed: Some(&usual) };
            values.push((name.into(), input.filled(seed, fills)?));
        }
        Ok(values)
    }

    fn reference(&self, call: &Call, inputs: &Inputs) -> Result<References, String> {
        let of = |name: &str| values(inputs, name).unwrap_or_default();
        let gradients = reference::backward(&reference::Inputs {
            rows: of("mean").len(),
            width: call.shape.last().copied().unwrap_or(1) as usize,
            x: of("x"),
            gamma: of("gamma"),
            dy: of("dy"),
            mean: of("mean"),
            rstd: of("rstd"),
        });
        Ok(vec![
            (Tensors::DX.into(), gradients.dx),
            (Tensors::DGAMMA.into(), gradients.dgamma),
            (Tensors::DBETA.into(), gradients.dbeta),
        ])
    }
}

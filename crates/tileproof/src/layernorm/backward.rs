//! LayerNorm backward from arguments to verdict.

use std::path::PathBuf;
use std::time::Instant;

use tileproof_check::Checks;
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{Layout, Program};
use tileproof_model::record::{RunRecord, Status};
use tileproof_ops::layernorm_bw::{self, Arguments, Memory, OpKernels, PathChoice, Tensors, reference};

use super::{LayerNormError, LayerNormResult, check_tolerances, rounded_inputs, save, verdict};
use crate::cpp_kernels::{BuildKernels, Nobody};
use crate::device::{Device, host_threads};
use crate::fill::Fill;
use crate::npy::SaveAs;

/// What `layernorm backward` is asked to do.
#[derive(Clone, Debug)]
pub struct BackwardRequest {
    /// Shape of x.
    pub shape: Vec<u32>,
    /// Format of x, gamma, dy and the outputs.
    pub format: DataFormat,
    /// Layout of all tensors.
    pub layout: Layout,
    /// Memory of the outputs.
    pub memory_config: Memory,
    /// Fill of x.
    pub x: Fill,
    /// Fill of gamma.
    pub gamma: Fill,
    /// Fill of dy.
    pub dy: Fill,
    /// Fill of the mean of each row, in fp32 (for kernels that are given, bf16); worked out from x when left out.
    pub mean: Option<Fill>,
    /// Fill of 1 / sqrt(variance + eps) of each row, likewise; worked out from x when left out.
    pub rstd: Option<Fill>,
    /// Epsilon of the forward op.
    pub eps: f64,
    /// Path.
    pub path: PathChoice,
    /// Chip.
    pub arch: Arch,
    /// Cores at most.
    pub cores: Option<u32>,
    /// Seed of the fills.
    pub seed: u64,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// Where to save the outputs.
    pub save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as.
    pub save_as: SaveAs,
    /// Whether the checks watch the run; what the machine finds by itself is reported in any case.
    pub checks: bool,
    /// Host threads; all when left out. The result does not depend on it.
    pub threads: Option<usize>,
}

impl BackwardRequest {
    /// What the command line asks for when given a shape alone.
    pub fn new(shape: impl Into<Vec<u32>>) -> BackwardRequest {
        BackwardRequest {
            shape: shape.into(),
            format: DataFormat::Float16_b,
            layout: Layout::Tile,
            memory_config: Memory::InterleavedDram,
            x: Fill::Uniform { lo: -1.0, hi: 1.0 },
            gamma: Fill::Uniform { lo: 0.0, hi: 1.0 },
            dy: Fill::Uniform { lo: -1.0, hi: 1.0 },
            mean: None,
            rstd: None,
            eps: 1e-6,
            path: PathChoice::Auto,
            arch: Arch::Wormhole,
            cores: None,
            seed: 0,
            rtol: 1e-2,
            atol: 1e-2,
            save: None,
            save_as: SaveAs::default(),
            checks: true,
            threads: None,
        }
    }
}

/// Runs LayerNorm backward on the simulated device and compares it with float64.
///
/// # Errors
/// If the request is not one that can be carried out. What is wrong with the kernels is in the result.
pub fn backward(request: &BackwardRequest) -> Result<LayerNormResult, LayerNormError> {
    backward_op(request, &OpKernels::shipped(request.layout), &Nobody)
}

/// The same with other kernels for the op's own host side.
pub(super) fn backward_op(
    request: &BackwardRequest,
    kernels: &OpKernels,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    check_tolerances(request.rtol, request.atol)?;
    let plan = layernorm_bw::plan(&request.arguments())?;
    let data = Data::new(request, DataFormat::Float32)?;
    let run = Run {
        program: layernorm_bw::program_with(&plan, kernels),
        outputs: [Tensors::DX, Tensors::DGAMMA, Tensors::DBETA],
        builder,
    };
    let executed = run.execute(&data, request)?;
    conclude(request, &data, executed, plan.l1_path, plan.rows.len())
}

impl BackwardRequest {
    /// What the op is told.
    pub(super) fn arguments(&self) -> Arguments {
        Arguments {
            shape: self.shape.clone(),
            layout: self.layout,
            output_memory: self.memory_config,
            format: self.format,
            eps: self.eps,
            path: self.path,
            cores: self.cores,
            arch: self.arch,
        }
    }
}

/// Saves, compares with float64 and puts the result together.
pub(super) fn conclude(
    request: &BackwardRequest,
    data: &Data,
    executed: Executed,
    l1_path: bool,
    cores: usize,
) -> Result<LayerNormResult, LayerNormError> {
    let Executed { outputs, mut run, wall_s } = executed;
    run.notes
        .extend(rounded_inputs(request.format, &[("x", &request.x), ("gamma", &request.gamma), ("dy", &request.dy)]));
    let verdicts = if run.status == Status::Completed {
        let gradients = reference::backward(&data.inputs());
        let references = [&gradients.dx, &gradients.dgamma, &gradients.dbeta];
        let per_feature = [1, 1, 1, request.shape[3]];
        if let Some(folder) = &request.save {
            for (name, values) in &outputs {
                let shape: &[u32] = if *name == Tensors::DX { &request.shape } else { &per_feature };
                save((folder, request.save_as), name, shape, request.format, values)?;
            }
        }
        outputs
            .iter()
            .zip(references)
            .map(|((name, values), reference)| {
                let shape: &[u32] = if *name == Tensors::DX { &request.shape } else { &per_feature };
                verdict((name, shape), request.format, values, reference, (request.rtol, request.atol))
            })
            .collect()
    } else {
        Vec::new()
    };
    Ok(LayerNormResult {
        op: layernorm_bw::NAME,
        shape: request.shape.clone(),
        arch: request.arch,
        format: request.format,
        path: if l1_path { "l1" } else { "block" },
        cores: cores as u32,
        wall_s,
        outputs: verdicts,
        record: run,
    })
}

/// Inputs of a call, row-major, rounded to the format.
pub(super) struct Data {
    width: usize,
    x: Vec<f32>,
    gamma: Vec<f32>,
    dy: Vec<f32>,
    /// mean and rstd in fp32, unless the kernels take bf16.
    pub(super) mean: Vec<f32>,
    pub(super) rstd: Vec<f32>,
}

impl Data {
    /// `statistics` is the format in which kernels take mean and rstd, and in which arrays give them.
    pub(super) fn new(request: &BackwardRequest, statistics: DataFormat) -> Result<Data, LayerNormError> {
        let width = *request.shape.last().unwrap_or(&1);
        let values = |tensor, fill: &Fill, shape: &[u32], stream| {
            fill.values(shape, request.format, request.seed, stream)
                .map_err(|source| LayerNormError::Fill { tensor, source })
        };
        let x = values("x", &request.x, &request.shape, 0)?;
        let gamma = values("gamma", &request.gamma, &[1, 1, 1, width], 1)?;
        let dy = values("dy", &request.dy, &request.shape, 2)?;
        let (mut mean, mut rstd) = reference::statistics(&x, width as usize, request.eps);
        let mut per_row = request.shape.clone();
        per_row[3] = 1;
        for (tensor, statistic, fill, stream) in
            [("mean", &mut mean, &request.mean, 3), ("rstd", &mut rstd, &request.rstd, 4)]
        {
            if let Some(fill) = fill {
                *statistic = fill
                    .values(&per_row, statistics, request.seed, stream)
                    .map_err(|source| LayerNormError::Fill { tensor, source })?;
            }
        }
        Ok(Data { width: width as usize, x, gamma, dy, mean, rstd })
    }

    fn inputs(&self) -> reference::Inputs<'_> {
        reference::Inputs {
            rows: self.mean.len(),
            width: self.width,
            x: &self.x,
            gamma: &self.gamma,
            dy: &self.dy,
            mean: &self.mean,
            rstd: &self.rstd,
        }
    }
}

/// Values of the outputs, by name.
type Outputs = Vec<(&'static str, Vec<f32>)>;

pub(super) struct Executed {
    /// Empty when the run did not complete.
    pub(super) outputs: Outputs,
    pub(super) run: RunRecord,
    wall_s: f64,
}

/// A program for the tensors of the op.
pub(super) struct Run<'a> {
    pub(super) program: Program,
    /// What is read back.
    pub(super) outputs: [&'static str; 3],
    /// For kernels in C++.
    pub(super) builder: &'a dyn BuildKernels,
}

impl Run<'_> {
    /// Runs the program on fresh tensors.
    pub(super) fn execute(&self, data: &Data, request: &BackwardRequest) -> Result<Executed, LayerNormError> {
        let threads = host_threads(request.threads);
        if request.checks {
            self.execute_observed::<Checks>(data, threads)
        } else {
            self.execute_observed::<Unobserved>(data, threads)
        }
    }

    fn execute_observed<O: Observer>(&self, data: &Data, threads: usize) -> Result<Executed, LayerNormError> {
        let begin = Instant::now();
        let mut device = Device::<O>::new(&self.program, threads)?;
        // The compiler's time is not the machine's.
        let compiler = Instant::now();
        let kernels = device.build(&self.program, self.builder)?;
        let compiler = compiler.elapsed();
        let inputs = [
            (Tensors::X, &data.x),
            (Tensors::GAMMA, &data.gamma),
            (Tensors::DY, &data.dy),
            (Tensors::MEAN, &data.mean),
            (Tensors::RSTD, &data.rstd),
        ];
        for (name, values) in inputs {
            device.write(name, values)?;
        }
        let run = device.run_built(&self.program, &kernels)?;
        let mut outputs = Vec::new();
        if run.status == Status::Completed {
            for name in self.outputs {
                outputs.push((name, device.read(name)?));
            }
        }
        let wall_s = (begin.elapsed() - compiler).as_secs_f64();
        Ok(Executed { outputs, run, wall_s })
    }
}

//! LayerNorm forward from arguments to verdict.

use std::path::PathBuf;
use std::time::Instant;

use tileproof_check::Checks;
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{Layout, Program};
use tileproof_model::record::{RunRecord, Status};
use tileproof_ops::layernorm_fused_rm::{
    self, Argument, Arguments, Kernels, Memory, PathChoice, Plan, Tensors, reference,
};

use super::{LayerNormError, LayerNormResult, check_tolerances, rounded_inputs, save, verdict};
use crate::cpp_kernels::{BuildKernels, Nobody};
use crate::device::{Device, host_threads};
use crate::fill::Fill;
use crate::npy::SaveAs;

/// What `layernorm forward` is asked to do.
#[derive(Clone, Debug)]
pub struct ForwardRequest {
    /// Shape of x, 1 to 8 dimensions.
    pub shape: Vec<u32>,
    /// Format of x, gamma, beta and y.
    pub format: DataFormat,
    /// Layout of all tensors: the row-major or the tile form of the op.
    pub layout: Layout,
    /// Memory of the outputs.
    pub memory_config: Memory,
    /// Fill of x.
    pub x: Fill,
    /// Fill of gamma; `None` for no gamma.
    pub gamma: Option<Fill>,
    /// Fill of beta; `None` for no beta.
    pub beta: Option<Fill>,
    /// Added to the variance.
    pub eps: f64,
    /// Whether mean and rstd are outputs too.
    pub statistics: bool,
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

impl ForwardRequest {
    /// What the command line asks for when given a shape alone.
    pub fn new(shape: impl Into<Vec<u32>>) -> ForwardRequest {
        ForwardRequest {
            shape: shape.into(),
            format: DataFormat::Float16_b,
            layout: Layout::RowMajor,
            memory_config: Memory::InterleavedDram,
            x: Fill::Uniform { lo: -1.0, hi: 1.0 },
            gamma: Some(Fill::Uniform { lo: 0.0, hi: 1.0 }),
            beta: Some(Fill::Constant(0.0)),
            eps: 1e-5,
            statistics: false,
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

/// Runs LayerNorm forward on the simulated device and compares it with float64.
///
/// # Errors
/// If the request is not one that can be carried out. What is wrong with the kernels is in the result.
pub fn forward(request: &ForwardRequest) -> Result<LayerNormResult, LayerNormError> {
    forward_with(request, layernorm_fused_rm::kernels(), &Nobody)
}

/// The same with other kernels for the op's host side.
///
/// # Errors
/// As [`forward`], or if a kernel cannot be built.
pub fn forward_with(
    request: &ForwardRequest,
    kernels: impl Into<Kernels>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    check_tolerances(request.rtol, request.atol)?;
    let plan = layernorm_fused_rm::plan(&arguments(request)).map_err(LayerNormError::ForwardArgument)?;
    let data = Data::new(request)?;
    let run = if request.checks { run_with::<Checks> } else { run_with::<Unobserved> };
    let program = layernorm_fused_rm::program_with(&plan, &kernels.into());
    let run = run(&plan, &program, &data.inputs(), host_threads(request.threads), builder)?;
    conclude(request, &data, run, plan.l1_path, plan.rows.len())
}

/// Compares what a run gave with float64, and saves it.
pub(super) fn conclude(
    request: &ForwardRequest,
    data: &Data,
    mut run: Run,
    l1_path: bool,
    cores: usize,
) -> Result<LayerNormResult, LayerNormError> {
    let rows = [("gamma", &request.gamma), ("beta", &request.beta)];
    let given = rows.into_iter().filter_map(|(name, fill)| Some((name, fill.as_ref()?)));
    let inputs: Vec<(&str, &Fill)> = std::iter::once(("x", &request.x)).chain(given).collect();
    run.record.notes.extend(rounded_inputs(request.format, &inputs));
    let mut verdicts = Vec::new();
    if run.record.status == Status::Completed {
        let inputs = data.inputs();
        let width = request.shape.last().map_or(1, |width| *width as usize);
        let normalised = reference::forward(&data.x, width, inputs.gamma, inputs.beta, request.eps);
        let mut per_row = request.shape.clone();
        *per_row.last_mut().expect("a valid shape has dimensions") = 1;
        for (name, values) in &run.outputs {
            let (reference, format, shape) = match *name {
                Tensors::Y => (&normalised.y, request.format, &request.shape),
                Tensors::MEAN => (&normalised.mean, DataFormat::Float32, &per_row),
                _ => (&normalised.rstd, DataFormat::Float32, &per_row),
            };
            if let Some(folder) = &request.save {
                save((folder, request.save_as), name, shape, format, values)?;
            }
            verdicts.push(verdict((name, shape), format, values, reference, (request.rtol, request.atol)));
        }
    }
    Ok(LayerNormResult {
        op: layernorm_fused_rm::NAME,
        shape: request.shape.clone(),
        arch: request.arch,
        format: request.format,
        path: if l1_path { "l1" } else { "block" },
        cores: cores as u32,
        wall_s: run.wall_s,
        outputs: verdicts,
        record: run.record,
    })
}

/// The call as the op's host side takes it.
pub(super) fn arguments(request: &ForwardRequest) -> Arguments {
    let row = [1, 1, 1, request.shape.last().copied().unwrap_or(1)];
    let row = |fill: &Option<Fill>| fill.as_ref().map(|_| Argument::new(&row, request.format, request.layout));
    Arguments {
        gamma: row(&request.gamma),
        beta: row(&request.beta),
        eps: request.eps,
        output_memory: request.memory_config,
        statistics: request.statistics,
        path: request.path,
        cores: request.cores,
        arch: request.arch,
        ..Arguments::new(&request.shape, request.format, request.layout)
    }
}

/// Inputs of a call, row-major, rounded to the format.
pub(super) struct Data {
    x: Vec<f32>,
    gamma: Option<Vec<f32>>,
    beta: Option<Vec<f32>>,
}

impl Data {
    pub(super) fn new(request: &ForwardRequest) -> Result<Data, LayerNormError> {
        let row = [1, 1, 1, request.shape.last().copied().unwrap_or(1)];
        let values = |tensor, fill: &Fill, shape: &[u32], stream| {
            fill.values(shape, request.format, request.seed, stream)
                .map_err(|source| LayerNormError::Fill { tensor, source })
        };
        // Streams of x and gamma are those of backward: the same seed gives the pair the same data.
        let x = values("x", &request.x, &request.shape, 0)?;
        let gamma = request.gamma.as_ref().map(|fill| values("gamma", fill, &row, 1)).transpose()?;
        let beta = request.beta.as_ref().map(|fill| values("beta", fill, &row, 3)).transpose()?;
        Ok(Data { x, gamma, beta })
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        Inputs { x: &self.x, gamma: self.gamma.as_deref(), beta: self.beta.as_deref() }
    }
}

/// Inputs of a run, row-major, in the format of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// x.
    pub x: &'a [f32],
    /// gamma, if the plan has one.
    pub gamma: Option<&'a [f32]>,
    /// beta, if the plan has one.
    pub beta: Option<&'a [f32]>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    /// Values by name: y, and mean and rstd if the plan has them. Empty when the run did not complete.
    pub outputs: Vec<(&'static str, Vec<f32>)>,
    /// The run.
    pub record: RunRecord,
    /// Host seconds from tensors in to tensors out.
    pub wall_s: f64,
}

/// Runs a planned call on a fresh device, with up to `threads` host threads.
///
/// # Errors
/// If the inputs are not those of the plan, or the host cannot run the machine.
pub fn run<O: Observer>(plan: &Plan, inputs: &Inputs<'_>, threads: usize) -> Result<Run, LayerNormError> {
    run_with::<O>(plan, &layernorm_fused_rm::program(plan), inputs, threads, &Nobody)
}

/// The same for a program with other kernels.
///
/// # Errors
/// As [`run`], or if a kernel cannot be built.
pub fn run_with<O: Observer>(
    plan: &Plan,
    program: &Program,
    inputs: &Inputs<'_>,
    threads: usize,
    builder: &dyn BuildKernels,
) -> Result<Run, LayerNormError> {
    execute::<O>(program, plan.arguments.statistics, inputs, threads, builder)
}

/// The same for any program with the op's tensors, `statistics` among its outputs or not.
pub(super) fn execute<O: Observer>(
    program: &Program,
    statistics: bool,
    inputs: &Inputs<'_>,
    threads: usize,
    builder: &dyn BuildKernels,
) -> Result<Run, LayerNormError> {
    let begin = Instant::now();
    let mut device = Device::<O>::new(program, threads)?;
    // The compiler's time is not the machine's.
    let compiler = Instant::now();
    let kernels = device.build(program, builder)?;
    let compiler = compiler.elapsed();
    device.write(Tensors::X, inputs.x)?;
    for (name, values) in [(Tensors::GAMMA, inputs.gamma), (Tensors::BETA, inputs.beta)] {
        if let Some(values) = values {
            device.write(name, values)?;
        }
    }
    let record = device.run_built(program, &kernels)?;
    let mut outputs = Vec::new();
    if record.status == Status::Completed {
        let statistics = if statistics { &[Tensors::MEAN, Tensors::RSTD][..] } else { &[] };
        for name in [Tensors::Y].iter().chain(statistics) {
            outputs.push((*name, device.read(name)?));
        }
    }
    Ok(Run { outputs, record, wall_s: (begin.elapsed() - compiler).as_secs_f64() })
}

//! Shipped ops on values that Python gives, their outputs as values.
//!
//! It must never round: what is given has been rounded to the format of the call. Start at [`run_op`].

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tileproof::build::Builder;
use tileproof::built_by;
use tileproof::fill::Fill;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::{CallTerms, GivenKernels, LayerNormResult, call_given};
use tileproof::model::program::Layout;
use tileproof::op::call_file::default_fill;
use tileproof::op::registry::shipped;
use tileproof::op::run::{Source, run_giving};
use tileproof::op::{Call, Setting};
use tileproof::run_file::{RunOptions, RunResult};

use crate::options::{Options, cannot};
use crate::report::Report;
use crate::tensor::format;
use crate::waiting;

/// A call, as Python describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Described {
    op: String,
    shape: Vec<u32>,
    dtype: String,
    row_major: bool,
    attributes: Vec<(String, String)>,
}

/// The name of an output, its shape, and its values.
type Output<'py> = (String, Vec<u32>, Bound<'py, PyArray1<f32>>);

impl Described {
    fn call(&self) -> PyResult<Call> {
        let layout = if self.row_major { Layout::RowMajor } else { Layout::Tile };
        let call = Call::new(&self.shape, format(&self.dtype)?, layout);
        Ok(self.attributes.iter().fold(call, |call, (name, text)| call.with(name, Setting::parse(text))))
    }
}

/// Values of inputs, by name.
type Inputs<'py> = Vec<(String, PyReadonlyArray1<'py, f32>)>;

fn fills(inputs: &Inputs<'_>) -> PyResult<Vec<(String, Fill)>> {
    let fill = |(name, values): &(String, PyReadonlyArray1<'_, f32>)| {
        let values =
            values.as_slice().map_err(|_| PyValueError::new_err("the values of an input lie one after the other"))?;
        Ok((name.clone(), Fill::Rounded(Arc::from(values))))
    };
    inputs.iter().map(fill).collect()
}

/// Runs a call of a shipped op with the kernels of a folder; their outputs are compared with float64, and saved in `into`.
#[pyfunction]
pub(crate) fn run_op_given(
    py: Python<'_>,
    call: Described,
    inputs: Inputs<'_>,
    given: (PathBuf, PathBuf),
    options: Options,
) -> PyResult<Report> {
    let (options, (kernels, into)) = (options.read()?, given);
    if !options.schedule.is_default() || options.explore > 0 {
        return Err(PyValueError::new_err(
            "kernels: those of a folder run on the default schedule; leave out schedule and explore",
        ));
    }
    let (described, fills) = (call.call()?, fills(&inputs)?);
    let folder = KernelFolder::find(&kernels).map_err(cannot)?;
    let builder = Builder::new(options.cache.clone()).map_err(cannot)?;
    let work = || {
        let grid = shipped(&call.op).ok_or_else(|| format!("op {}: there is none", call.op))?.grid();
        let RunOptions { checks, threads, .. } = options;
        let (tolerances, save) = ((grid.rtol, grid.atol), Some(into));
        let terms = CallTerms { fills: &fills, seed: 0, tolerances, checks, threads, save };
        let given = GivenKernels { folder, include_dirs: Vec::new() };
        let builder = built_by(builder, options.isolation);
        call_given(&call.op, &described, &terms, given, &*builder).map_err(|error| error.to_string())
    };
    let result = waiting::while_it_runs(py, work)?.map_err(cannot)?;
    let wall_s = result.wall_s();
    let LayerNormResult { record, outputs, .. } = result;
    Ok(Report::new(RunResult { outputs, wall_s, ..RunResult::of(record) }, None))
}

/// Runs a call of a shipped op, whose outputs are compared with float64.
#[pyfunction]
pub(crate) fn run_op<'py>(
    py: Python<'py>,
    call: Described,
    inputs: Inputs<'py>,
    options: Options,
) -> PyResult<(Report, Vec<Output<'py>>)> {
    let name = call.op.clone();
    let options = options.read()?;
    let (call, fills) = (call.call()?, fills(&inputs)?);
    let builder = Builder::new(options.cache.clone()).map_err(cannot)?;
    let work = || {
        let op = shipped(&name).ok_or_else(|| format!("op {name}: there is none"))?;
        let grid = op.grid();
        let builder = built_by(builder, options.isolation);
        let source = Source { seed: 0, fills: &|input| default_fill(&fills, input) };
        run_giving(op.as_ref(), &call, &source, (grid.rtol, grid.atol), &options, &*builder).map_err(|e| e.to_string())
    };
    let (result, outputs) = waiting::while_it_runs(py, work)?.map_err(cannot)?;
    let output =
        |(tensor, values): tileproof::device::Output| (tensor.name, tensor.shape, PyArray1::from_vec(py, values));
    Ok((Report::new(result, None), outputs.into_iter().map(output).collect()))
}

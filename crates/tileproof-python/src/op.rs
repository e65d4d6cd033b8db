//! Shipped ops on values that Python gives, their outputs as values.
//!
//! It must never round: what is given has been rounded to the format of the call. Start at [`run_op`].

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tileproof::build::Builder;
use tileproof::built_by;
use tileproof::fill::Fill;
use tileproof::model::program::Layout;
use tileproof::op::call_file::default_fill;
use tileproof::op::registry::shipped;
use tileproof::op::run::{Source, run_giving};
use tileproof::op::{Call, Setting};

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

/// Runs a call of a shipped op, whose outputs are compared with float64.
#[pyfunction]
pub(crate) fn run_op<'py>(
    py: Python<'py>,
    call: Described,
    inputs: Vec<(String, PyReadonlyArray1<'py, f32>)>,
    options: Options,
) -> PyResult<(Report, Vec<Output<'py>>)> {
    let name = call.op.clone();
    let options = options.read()?;
    let layout = if call.row_major { Layout::RowMajor } else { Layout::Tile };
    let described = Call::new(&call.shape, format(&call.dtype)?, layout);
    let call = call.attributes.iter().fold(described, |call, (name, text)| call.with(name, Setting::parse(text)));
    let mut fills = Vec::new();
    for (name, values) in &inputs {
        let values =
            values.as_slice().map_err(|_| PyValueError::new_err("the values of an input lie one after the other"))?;
        fills.push((name.clone(), Fill::Rounded(Arc::from(values))));
    }
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

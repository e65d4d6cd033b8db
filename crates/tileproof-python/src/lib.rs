//! What the Python package asks of the library and the command. It holds nothing of its own: objects of Python become those of
//! the library and back.
//!
//! It must never hold the interpreter while kernels run. Start at [`device::Device`]; the rest of the package is in `python/`.

mod device;
mod launch;
mod op;
mod options;
mod report;
mod servers;
mod sweep;
mod tensor;
mod waiting;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use tileproof::model::finding::Code;

use options::{Options, cannot};
use report::Report;

/// Runs the command with its arguments, the name first; the exit code. `itself` is the command line that starts it again.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>, itself: Vec<OsString>) -> u8 {
    py.detach(|| tileproof_cli::run(arguments, &itself))
}

/// Runs a program file.
#[pyfunction]
fn run_program(py: Python<'_>, path: PathBuf, options: Options) -> PyResult<Report> {
    let options = options.read()?;
    let here = || tileproof::run_file::run_program_file(&path, &options).map_err(|error| error.to_string());
    let work = || servers::servers().run_file(&path, &options).unwrap_or_else(here);
    let result = waiting::while_it_runs(py, work)?;
    result.map(|result| Report::new(result, Some(path))).map_err(cannot)
}

/// The explain page of a code.
#[pyfunction]
fn explain(code: &str) -> Option<&'static str> {
    Code::parse(code).map(Code::page)
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<device::Device>()?;
    module.add_class::<device::Fault>()?;
    module.add_class::<Report>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<sweep::SweepWorker>()?;
    module.add_function(wrap_pyfunction!(sweep::compare_sweeps, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(run_program, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(servers::serve, module)?)?;
    module.add_function(wrap_pyfunction!(servers::serve_with, module)?)?;
    module.add_function(wrap_pyfunction!(servers::warm_server, module)?)?;
    module.add_function(wrap_pyfunction!(op::run_op, module)?)?;
    module.add_function(wrap_pyfunction!(op::run_op_given, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::as_held, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::nearest, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::values, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::pages, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::tile_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::alignments, module)?)?;
    Ok(())
}

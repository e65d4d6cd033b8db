//! Tensors between Python and the library: descriptions, and elements as words.
//!
//! It must never change an element. Start at [`Described`].

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tileproof::model::arch::Arch;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::program::{Layout, MemoryConfig, Sharding, TensorDescriptor};
use tileproof::model::thread::CoreCoord;
use tileproof::open_device;

use crate::options::cannot;

/// A tensor, as Python describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Described {
    shape: Vec<u32>,
    dtype: String,
    row_major: bool,
    in_l1: bool,
    shards: Option<Shards>,
}

/// A shard's rows and columns, and the cores that get one in turn.
type Shards = ([u32; 2], Vec<(u32, u32)>);

impl Described {
    pub(crate) fn read(self) -> PyResult<TensorDescriptor> {
        Ok(TensorDescriptor {
            name: "tensor".into(),
            shape: self.shape,
            format: format(&self.dtype)?,
            layout: if self.row_major { Layout::RowMajor } else { Layout::Tile },
            memory: match self.shards {
                Some((shard_shape, cores)) => {
                    let cores = cores.into_iter().map(|(x, y)| CoreCoord { x, y }).collect();
                    MemoryConfig::Sharded(Sharding { shard_shape, cores })
                }
                None if self.in_l1 => MemoryConfig::L1,
                None => MemoryConfig::Dram,
            },
            output: false,
        })
    }
}

/// Words of an array.
pub(crate) fn words<'a>(array: &'a PyReadonlyArray1<'_, u32>) -> PyResult<&'a [u32]> {
    array.as_slice().map_err(|_| not_in_a_row())
}

fn not_in_a_row() -> PyErr {
    PyValueError::new_err("the elements of a tensor lie one after the other")
}

pub(crate) fn format(dtype: &str) -> PyResult<DataFormat> {
    tileproof::format_named(dtype).ok_or_else(|| PyValueError::new_err(format!("dtype {dtype}: there is none")))
}

/// The elements of a tensor as the device would hold them.
#[pyfunction]
pub(crate) fn as_held<'py>(
    py: Python<'py>,
    tensor: Described,
    elements: PyReadonlyArray1<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let held = open_device::as_held(&tensor.read()?, words(&elements)?).map_err(cannot)?;
    Ok(PyArray1::from_vec(py, held))
}

/// The elements of a format that are nearest to values.
#[pyfunction]
pub(crate) fn nearest<'py>(
    py: Python<'py>,
    dtype: &str,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let values = values.as_slice().map_err(|_| not_in_a_row())?;
    Ok(PyArray1::from_vec(py, open_device::nearest(format(dtype)?, values)))
}

/// The values of elements.
#[pyfunction]
pub(crate) fn values<'py>(
    py: Python<'py>,
    dtype: &str,
    elements: PyReadonlyArray1<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(PyArray1::from_vec(py, open_device::values(format(dtype)?, words(&elements)?)))
}

/// How many pages a tensor has, the bytes of one, and the bytes from one to the next in a bank.
#[pyfunction]
pub(crate) fn pages(tensor: Described, arch: &str) -> PyResult<(u32, u32, u32)> {
    let tensor = tensor.read()?;
    Ok((tensor.pages(), tensor.page_bytes(), open_device::page_stride(chip(arch)?, &tensor)))
}

/// Bytes of a tile.
#[pyfunction]
pub(crate) fn tile_bytes(dtype: &str) -> PyResult<u32> {
    format(dtype).map(DataFormat::tile_bytes)
}

/// What pages in DRAM and pages in L1 are aligned to, in bytes.
#[pyfunction]
pub(crate) fn alignments(arch: &str) -> PyResult<(u32, u32)> {
    let chip = chip(arch)?.constants();
    Ok((chip.dram_alignment, chip.l1_alignment))
}

/// The chip of a name.
pub(crate) fn chip(name: &str) -> PyResult<Arch> {
    let names = || Arch::ALL.map(Arch::name).join(", ");
    let chip = Arch::ALL.into_iter().find(|arch| arch.name() == name);
    chip.ok_or_else(|| PyValueError::new_err(format!("arch {name}: expected one of {}", names())))
}

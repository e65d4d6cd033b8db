//! The recorded cases of the public LayerNorm backward, run with any kernels that were written for its host side.
//!
//! It must never judge what comes out: who calls it compares bits. Start at [`run`].

use tileproof::BuildKernels;
use tileproof::check::Checks;
use tileproof::device::Device;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::record::{RunRecord, Status};
use tileproof::ops::Kernels;
use tileproof::ops::layernorm_bw::Arguments;
use tileproof::ops::layernorm_bw::public_layout::{self, DGAMMA_COMPONENTS};
use tileproof_golden::Case;

/// Rows of every recorded case: one tile row.
const ROWS: u32 = 32;

/// Recorded cases without `bw_buggy_` and `bw_fixed_`, and whether dx of the published kernel is defined: on the block path s2 is
/// read from a Dst section that was cleared and not written, which shows unless x_hat is 0.
pub(crate) const RECORDED: [(&str, bool); 15] = [
    ("det1_20", true),
    ("det1_32", true),
    ("det1_33", true),
    ("det1_46", true),
    ("det1_64", true),
    ("det1_78", true),
    ("det1_2048", true),
    ("det1_4096", true),
    ("det1_8192", true),
    ("det1_8462", true),
    ("det2_8192", true),
    ("rand_33", true),
    ("rand_2048", true),
    ("rand_8462", false),
    ("dep_8448", false),
];

fn widen(bits: &[u8]) -> Vec<f32> {
    bits.chunks_exact(2).map(|b| f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16)).collect()
}

fn narrow(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| ((v.to_bits() >> 16) as u16).to_le_bytes()).collect()
}

/// An input of a case: an array, or one value for all elements.
fn input(case: &Case, name: &str, elements: usize) -> Vec<f32> {
    match case.meta["inputs"][name].as_f64() {
        Some(value) => vec![value as f32; elements],
        None => widen(&case.raw(case.meta["inputs"][name].as_str().expect("a file"))),
    }
}

/// What came of a case.
pub(crate) struct Outcome {
    pub(crate) run: RunRecord,
    /// The bits of dx, and of dgamma for each row; empty if the run did not complete.
    dx: Vec<u8>,
    dgamma_components: Vec<u8>,
}

/// Runs a recorded case with kernels.
pub(crate) fn run(case: &Case, kernels: &Kernels, builder: &dyn BuildKernels) -> Result<Outcome, String> {
    let width = case.meta["program"]["N"].as_u64().ok_or("a case without N")? as u32;
    let plan = public_layout::plan(&Arguments::new(&[1, 1, ROWS, width], DataFormat::Float16_b))
        .map_err(|error| error.to_string())?;
    if Some(plan.l1_path) != case.meta["program"]["L1"].as_bool() {
        return Err("another path than that of the public factory".into());
    }
    let program = public_layout::program(&plan, kernels);
    let text = |error: tileproof::device::DeviceError| error.to_string();
    let mut device = Device::<Checks>::new(&program, 1).map_err(text)?;
    let elements = (ROWS * width) as usize;
    for (tensor, elements) in [("x", elements), ("dy", elements), ("gamma", width as usize), ("mean", 32), ("rstd", 32)]
    {
        device.write(tensor, &input(case, tensor, elements)).map_err(text)?;
    }
    let kernels = device.build(&program, builder).map_err(text)?;
    let run = device.run_built(&program, &kernels).map_err(text)?;
    let (mut dx, mut dgamma_components) = (Vec::new(), Vec::new());
    if run.status == Status::Completed {
        dx = narrow(&device.read("dx").map_err(text)?);
        dgamma_components = narrow(&device.read(DGAMMA_COMPONENTS).map_err(text)?);
    }
    Ok(Outcome { run, dx, dgamma_components })
}

impl Outcome {
    /// Whether all recorded bits of a case came out: dgamma, and dx unless it was undefined where it was recorded.
    pub(crate) fn is_recorded(&self, case: &Case, dx_is_defined: bool) -> Result<(), String> {
        if self.run.status != Status::Completed {
            return Err(format!("the run ended as {}", self.run.status.name()));
        }
        if dx_is_defined {
            case.check("dx.npy", &self.dx).map_err(|error| format!("dx: {error}"))?;
        }
        if case.file_names().any(|file| file == "dgamma_components.npy") {
            case.check("dgamma_components.npy", &self.dgamma_components)
                .map_err(|error| format!("dgamma_components: {error}"))?;
        }
        Ok(())
    }
}

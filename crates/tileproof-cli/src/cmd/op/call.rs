//! An op and a call of it, as the command line names them.
//!
//! Start at [`CallArguments`].

use std::path::Path;

use clap::Args;
use tileproof::fill::Fill;
use tileproof::op::call::CallWords;
use tileproof::op::description::Description;
use tileproof::op::registry::{self, FindError, Found};
use tileproof::op::{Call, Op};
use tileproof::program_file::Closeness;

use crate::arguments::ToleranceArg;
use crate::bad_input::BadInput;

/// A call on the command line.
#[derive(Args)]
pub(super) struct CallArguments {
    /// Shape of the first input.
    #[arg(long, value_name = "N,C,H,W")]
    shape: String,
    /// Element type, of the tensors that may have several: bf16 or fp32, also called bfloat16 and float32. The op's first when left out.
    #[arg(long)]
    dtype: Option<String>,
    /// Layout, of the tensors that may have several: tile or row_major. The op's first when left out.
    #[arg(long)]
    layout: Option<String>,
    /// An attribute; may be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_pair)]
    settings: Vec<(String, String)>,
}

/// NAME=VALUE.
pub(super) fn parse_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let pair = pair.ok_or_else(|| format!("\"{text}\" is not NAME=VALUE"))?;
    Ok((pair.0.to_string(), pair.1.to_string()))
}

impl CallArguments {
    /// The call; what is left out is as in the first call of the op's grid.
    pub(super) fn call(self, op: &dyn Op) -> Result<Call, BadInput> {
        let usual = op.calls().first().map(Call::words).unwrap_or_default();
        let or = |given: Option<String>, usual: String, none: &str| {
            given.unwrap_or(if usual.is_empty() { none.into() } else { usual })
        };
        let words = CallWords {
            shape: self.shape,
            dtype: or(self.dtype, usual.dtype, "bfloat16"),
            layout: or(self.layout, usual.layout, "tile"),
            settings: self.settings,
        };
        Call::from_words(&words).map_err(BadInput::new)
    }
}

/// The data of a call, and how close its outputs must be.
#[derive(Args)]
pub(super) struct TestArguments {
    /// Data of an input: normal[:mean,std], uniform[:lo,hi], constant:V, ramp[:lo,hi] or npy:FILE.
    #[arg(long = "fill", value_name = "NAME=FILL", value_parser = parse_pair)]
    fills: Vec<(String, String)>,
    /// Relative tolerance; the op's own when left out.
    #[arg(long)]
    rtol: Option<f64>,
    /// Absolute tolerance; the op's own when left out.
    #[arg(long)]
    atol: Option<f64>,
    /// Tolerance that comes of the program: an element may be off by what its operations may lose, in place of rtol and atol.
    #[arg(long, value_name = "derived", conflicts_with_all = ["rtol", "atol"])]
    tolerance: Option<ToleranceArg>,
}

impl TestArguments {
    /// The data that are given, by the inputs that they are for.
    pub(super) fn fills(&self, described: &Description) -> Result<Vec<(String, Fill)>, BadInput> {
        let mut fills: Vec<(String, Fill)> = Vec::new();
        for (name, fill) in &self.fills {
            if !described.inputs.iter().any(|input| input.name == *name) {
                let known: Vec<&str> = described.inputs.iter().map(|input| input.name.as_str()).collect();
                return Err(BadInput::new(format!("fill {name}: is no input; the inputs are {}", known.join(", "))));
            }
            if fills.iter().any(|(given, _)| given == name) {
                return Err(BadInput::new(format!("fill {name}: is given twice")));
            }
            fills.push((
                name.clone(),
                Fill::parse(fill).map_err(|error| BadInput::new(format!("fill {name}: {error}")))?,
            ));
        }
        Ok(fills)
    }

    /// How close outputs must be.
    pub(super) fn closeness(&self, op: &dyn Op) -> Result<Closeness, BadInput> {
        Ok(match self.tolerance {
            Some(ToleranceArg::Derived) => Closeness::Derived,
            None => self.tolerances(op)?.into(),
        })
    }

    /// The relative and absolute tolerance.
    pub(super) fn tolerances(&self, op: &dyn Op) -> Result<(f64, f64), BadInput> {
        let grid = op.grid();
        let tolerances = (self.rtol.unwrap_or(grid.rtol), self.atol.unwrap_or(grid.atol));
        for (name, value) in [("rtol", tolerances.0), ("atol", tolerances.1)] {
            if !value.is_finite() || value < 0.0 {
                return Err(BadInput::new(format!("{name} {value}: must be a finite number, 0 or above")));
            }
        }
        Ok(tolerances)
    }
}

/// An op by its name or folder.
pub(super) fn find(name: &str) -> Result<Found, BadInput> {
    registry::find(name, Path::new("")).map_err(|error: FindError| BadInput::found(error.to_string(), error.findings()))
}

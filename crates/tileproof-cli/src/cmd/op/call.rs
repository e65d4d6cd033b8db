//! An op and a call of it, as the command line names them.
//!
//! Start at [`CallArguments`].

use std::path::Path;

use clap::Args;
use tileproof::op::call::CallWords;
use tileproof::op::registry::{self, FindError, Found};
use tileproof::op::{Call, Op};

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

/// An op by its name or folder.
pub(super) fn find(name: &str) -> Result<Found, BadInput> {
    registry::find(name, Path::new("")).map_err(|error: FindError| BadInput::found(error.to_string(), error.findings()))
}

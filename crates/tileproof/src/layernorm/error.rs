//! Why a request cannot be carried out.
//!
//! It must never hold what is wrong with kernels that run: that is in the result. Start at [`LayerNormError`].

use tileproof_model::finding::Finding;

use crate::device::DeviceError;
use crate::npy::NpyError;
use crate::op::run::OpError;
use crate::refused;

/// Why a request cannot be carried out: the user's input, or this host.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LayerNormError {
    #[error(transparent)]
    Op(#[from] OpError),
    #[error("{name} {value}: must be a finite number, 0 or above")]
    Tolerance { name: &'static str, value: f64 },
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("saving {name}: {source}")]
    Save { name: String, source: NpyError },
    #[error("cannot create the folder {folder}: {source}")]
    Folder { folder: String, source: std::io::Error },
}

impl LayerNormError {
    /// Whether this host is the reason, not the request.
    pub fn is_host(&self) -> bool {
        match self {
            LayerNormError::Device(error) => error.is_host(),
            LayerNormError::Op(OpError::Run(error)) => error.is_host(),
            _ => false,
        }
    }

    /// The same as data: one finding for each place in a kernel that cannot be built; none if no file has a part in it.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            LayerNormError::Device(DeviceError::Build(error)) => refused::kernels(error, &[]),
            LayerNormError::Op(error) => error.findings(),
            _ => Vec::new(),
        }
    }
}

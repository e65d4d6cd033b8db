//! The options that say where kernels in C++ run, and how long they may.
//!
//! Start at [`IsolationOptions`].

use std::time::Duration;

use clap::Args;
use tileproof::build::Builder;
use tileproof::{BuildKernels, Isolation, built_by};

#[derive(Args)]
pub(crate) struct IsolationOptions {
    /// Run kernels in C++ in this process, as for a debugger. By default they have one of their own, boxed in, whose end is a
    /// finding.
    #[arg(long)]
    in_process: bool,
    /// Seconds that one run of the kernels may take before it is ended: each schedule of --explore, each cell of --grid.
    #[arg(long, value_name = "SECONDS", default_value_t = Isolation::LIMIT.as_secs(), value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "in_process")]
    limit: u64,
}

impl IsolationOptions {
    /// Nothing else than what is without them was asked for.
    pub(crate) fn are_defaults(&self) -> bool {
        !self.in_process && self.limit == Isolation::LIMIT.as_secs()
    }

    pub(crate) fn chosen(&self) -> Option<Isolation> {
        (!self.in_process).then(|| Isolation { limit: Duration::from_secs(self.limit) })
    }

    /// Who builds the kernels, to run where they are to.
    pub(crate) fn apply(&self, builder: Builder) -> Box<dyn BuildKernels> {
        built_by(builder, self.chosen())
    }
}

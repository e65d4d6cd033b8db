//! `tileproof layernorm backward`.

use std::path::PathBuf;

use clap::Args;
use tileproof::fill::Fill;
use tileproof::layernorm::{BackwardRequest, adversarial_backward, audit_backward, backward, backward_given};
use tileproof::{BuildKernels, Nobody};
use tileproof_sweep::audit_journal::AuditJournal;

use super::asked::CallOf;
use super::finish::finish;
use super::options::{CommonOptions, given};
use super::suite::{self, Asked, SuiteArg};
use crate::arguments::{
    BackwardHostArg, DtypeArg, FILLS, LayoutArg, PathArg, Shape, below, families, parse_fill, parse_shape,
};
use crate::cmd::audit;
use crate::outcome::Outcome;

#[derive(Args)]
#[command(after_help = below(&[&families(), FILLS], &["layernorm backward --shape 1,1,64,2048", "layernorm backward --suite public --before specimens/layernorm_bw/published", "layernorm backward --shape 1,1,32,100 --kernels specimens/layernorm_bw/published"]))]
pub(crate) struct Backward {
    /// Shape of x and dy.
    #[arg(long, value_name = "N,C,H,W", value_parser = parse_shape, required_unless_present = "suite")]
    shape: Option<Shape>,
    /// Run tests by their names in place of one shape: the public ones of layernorm_bw, each with its own shape, data and tolerance.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["shape", "audit", "data", "save", "x", "gamma", "dy", "mean", "rstd", "dtype", "layout", "rtol", "atol", "tolerance"])]
    suite: Option<SuiteArg>,
    /// Run those tests of a suite alone whose names hold this.
    #[arg(long, value_name = "TEXT", requires = "suite")]
    only: Option<String>,
    /// Folder with C++ kernels that a suite runs on as well, for a column before the results.
    #[arg(long, value_name = "DIR", requires = "suite")]
    before: Option<PathBuf>,
    /// Element type of all tensors but mean and rstd, which are fp32.
    #[arg(long, default_value = "bf16")]
    dtype: DtypeArg,
    /// Layout of all tensors: tiles in and out, or sticks in and out.
    #[arg(long, default_value = "tile")]
    layout: LayoutArg,
    /// Data of x: normal[:mean,std], uniform[:lo,hi], constant:V, ramp[:lo,hi] or npy:FILE.
    #[arg(long, value_name = "FILL", default_value = "uniform:-1,1", value_parser = parse_fill, allow_hyphen_values = true)]
    x: Fill,
    /// Data of gamma.
    #[arg(long, value_name = "FILL", default_value = "uniform:0,1", value_parser = parse_fill, allow_hyphen_values = true)]
    gamma: Fill,
    /// Data of dy.
    #[arg(long, value_name = "FILL", default_value = "uniform:-1,1", value_parser = parse_fill, allow_hyphen_values = true)]
    dy: Fill,
    /// Data of the mean of each row; worked out from x when left out.
    #[arg(long, value_name = "FILL", value_parser = parse_fill, allow_hyphen_values = true)]
    mean: Option<Fill>,
    /// Data of 1 / sqrt(variance + eps) of each row; worked out from x when left out.
    #[arg(long, value_name = "FILL", value_parser = parse_fill, allow_hyphen_values = true)]
    rstd: Option<Fill>,
    /// Epsilon that forward added to the variance, for the rstd that is worked out.
    #[arg(long, default_value_t = 1e-6, visible_alias = "epsilon", allow_negative_numbers = true)]
    eps: f64,
    /// Keep whole rows in L1, or stream them in blocks.
    #[arg(long, default_value = "auto")]
    path: PathArg,
    /// Host side that the kernels of --kernels were written for; auto takes the op's own if there is a folder `finish` with its second program.
    #[arg(long, default_value = "auto", requires = "kernels")]
    host: BackwardHostArg,
    #[command(flatten)]
    common: CommonOptions,
}

impl Backward {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let common = self.common;
        common.check()?;
        let of_one = common.format_of_one();
        let request = BackwardRequest {
            shape: self.shape.map_or_else(Vec::new, |shape| shape.0),
            format: self.dtype.into(),
            layout: self.layout.into(),
            x: self.x,
            gamma: self.gamma,
            dy: self.dy,
            mean: self.mean,
            rstd: self.rstd,
            eps: self.eps,
            path: self.path.into(),
            arch: common.arch.into(),
            cores: common.cores,
            seed: common.seed,
            rtol: common.rtol,
            atol: common.atol,
            derived: common.tolerance.is_some(),
            padding: common.padding,
            save: common.save,
            save_as: common.save_as.into(),
            memory_config: common.memory_config,
            checks: common.checks,
            threads: common.threads,
            timeline: common.pictures.are_asked_for(),
        };
        if self.suite.is_some() {
            common.pictures.refuse("--suite")?;
            let asked = Asked {
                kernels: common.kernels.as_deref(),
                before: self.before.as_deref(),
                include: &common.include,
                only: self.only.as_deref().unwrap_or_default(),
                host: self.host.into(),
                isolation: &common.isolation,
            };
            return suite::run(&request, &asked, common.format);
        }
        let format = of_one?;
        let given = match &common.kernels {
            None => None,
            Some(folder) => Some(given(folder, common.include, &common.isolation)?),
        };
        let builder = given.as_ref().map_or(&Nobody as &dyn BuildKernels, |(_, builder)| &**builder);
        let kernels = || given.as_ref().map(|(kernels, _)| (kernels.clone(), self.host.into()));
        let call = CallOf {
            direction: "backward",
            shape: &request.shape,
            dtype: request.format,
            seed: request.seed,
            tolerances: common.tolerance.is_none().then_some((request.rtol, request.atol)),
            save: request.save.as_deref().map(|folder| (folder, request.save_as)),
            page: common.pictures.page(),
            format,
        };
        if common.audit {
            let journal = common.journal.map(AuditJournal::new);
            let options = audit::options(common.budget, journal.as_ref());
            return call.audited(
                audit_backward(&request, kernels(), &options, builder),
                journal.as_ref(),
                common.picture.as_deref(),
            );
        }
        if common.data.is_some() {
            return call.tried(adversarial_backward(&request, kernels(), builder));
        }
        let result = match kernels() {
            None => backward(&request),
            Some((kernels, host)) => backward_given(&request, kernels, host, builder),
        };
        let tolerances = common.tolerance.is_none().then_some((common.rtol, common.atol));
        finish(result, format, tolerances, &common.pictures)
    }
}

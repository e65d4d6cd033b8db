//! `tileproof layernorm forward`.

use clap::Args;
use tileproof::layernorm::{ForwardRequest, adversarial_forward, audit_forward, forward, forward_given};
use tileproof::{BuildKernels, Nobody};
use tileproof_sweep::audit_journal::AuditJournal;

use super::asked::CallOf;
use super::finish::finish;
use super::options::{CommonOptions, given};
use crate::arguments::{
    DtypeArg, FILLS, HostArg, LayoutArg, OptionalFill, PathArg, Shape, below, families, parse_fill,
    parse_optional_fill, parse_shape,
};
use crate::cmd::audit;
use crate::outcome::Outcome;

#[derive(Args)]
#[command(after_help = below(&[&families(), FILLS], &["layernorm forward --shape 1,1,64,2048 --x normal:100,1", "layernorm forward --shape 32,1024 --layout tile --gamma none --format json"]))]
pub(crate) struct Forward {
    /// Shape of x and y: 1 to 8 dimensions, the last is normalised.
    #[arg(long, value_name = "N,C,H,W", value_parser = parse_shape)]
    shape: Shape,
    /// Element type of x, gamma, beta and y; mean and rstd are fp32.
    #[arg(long, default_value = "bf16")]
    dtype: DtypeArg,
    /// Layout of all tensors: sticks in and out, or tiles in and out.
    #[arg(long, default_value = "row_major")]
    layout: LayoutArg,
    /// Data of x: normal[:mean,std], uniform[:lo,hi], constant:V, ramp[:lo,hi] or npy:FILE.
    #[arg(long, value_name = "FILL", default_value = "uniform:-1,1", value_parser = parse_fill, allow_hyphen_values = true)]
    x: tileproof::fill::Fill,
    /// Data of gamma, or none.
    #[arg(long, value_name = "FILL|none", default_value = "uniform:0,1", value_parser = parse_optional_fill, allow_hyphen_values = true)]
    gamma: OptionalFill,
    /// Data of beta, or none.
    #[arg(long, value_name = "FILL|none", default_value = "constant:0", value_parser = parse_optional_fill, allow_hyphen_values = true)]
    beta: OptionalFill,
    /// Added to the variance.
    #[arg(long, default_value_t = 1e-5, visible_alias = "epsilon", allow_negative_numbers = true)]
    eps: f64,
    /// Return mean and rstd too.
    #[arg(long)]
    stats: bool,
    /// Keep the tiles of a row in L1, or read them again for each pass.
    #[arg(long, default_value = "auto")]
    path: PathArg,
    /// Host side that the kernels of --kernels were written for; auto takes the op's own if they ask for its arguments.
    #[arg(long, default_value = "auto", requires = "kernels")]
    host: HostArg,
    #[command(flatten)]
    common: CommonOptions,
}

impl Forward {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let common = self.common;
        common.check()?;
        let format = common.format_of_one()?;
        let request = ForwardRequest {
            shape: self.shape.0,
            format: self.dtype.into(),
            layout: self.layout.into(),
            x: self.x,
            gamma: self.gamma.0,
            beta: self.beta.0,
            eps: self.eps,
            statistics: self.stats,
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
            threads: common.threads,
            timeline: common.pictures.are_asked_for(),
            checks: common.checks,
        };
        let given = match &common.kernels {
            None => None,
            Some(folder) => Some(given(folder, common.include, &common.isolation)?),
        };
        let builder = given.as_ref().map_or(&Nobody as &dyn BuildKernels, |(_, builder)| &**builder);
        let kernels = || given.as_ref().map(|(kernels, _)| (kernels.clone(), self.host.into()));
        let call = CallOf {
            direction: "forward",
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
                audit_forward(&request, kernels(), &options, builder),
                journal.as_ref(),
                common.picture.as_deref(),
            );
        }
        if common.data.is_some() {
            return call.tried(adversarial_forward(&request, kernels(), builder));
        }
        let result = match kernels() {
            None => forward(&request),
            Some((kernels, host)) => forward_given(&request, kernels, host, builder),
        };
        let tolerances = common.tolerance.is_none().then_some((common.rtol, common.atol));
        finish(result, format, tolerances, &common.pictures)
    }
}

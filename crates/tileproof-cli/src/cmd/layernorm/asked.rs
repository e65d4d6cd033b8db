//! What is asked of a call beside one run of it: an audit of its test, or data that find things.
//!
//! Both directions ask alike. Start at [`CallOf`].

use std::path::Path;

use tileproof::audit::Audit;
use tileproof::layernorm::LayerNormError;
use tileproof::model::numerics::format::DataFormat;
use tileproof::npy::SaveAs;
use tileproof::op::adversarial::{Chosen, Outcome as OfKind};
use tileproof_sweep::audit_journal::AuditJournal;

use super::finish::{refused, shape_text};
use crate::arguments::FormatArg;
use crate::cmd::adversarial::{self, Told};
use crate::cmd::audit::{self, ToldIn};
use crate::outcome::Outcome;
use crate::pictures::PageOption;

/// A call, and how it is told of.
pub(super) struct CallOf<'a> {
    pub(super) direction: &'static str,
    pub(super) shape: &'a [u32],
    pub(super) dtype: DataFormat,
    pub(super) seed: u64,
    pub(super) tolerances: Option<(f64, f64)>,
    pub(super) save: Option<(&'a Path, SaveAs)>,
    pub(super) page: &'a PageOption,
    pub(super) format: FormatArg,
}

impl CallOf<'_> {
    /// As `layernorm forward 1x1x64x2048 bf16`.
    fn title(&self) -> String {
        format!("layernorm {} {} {}", self.direction, shape_text(self.shape), self.dtype.short_name())
    }

    /// Says what an audit came to.
    pub(super) fn audited(
        &self,
        audit: Result<Audit, LayerNormError>,
        journal: Option<&AuditJournal>,
        picture: Option<&Path>,
    ) -> anyhow::Result<Outcome> {
        let told_in = ToldIn { journal, picture, page: self.page, format: self.format };
        audit::told(&self.title(), &audit.map_err(refused)?, &told_in)
    }

    /// Says what runs on kinds of data came to.
    pub(super) fn tried(&self, tried: Result<(Vec<Chosen>, Vec<OfKind>), LayerNormError>) -> anyhow::Result<Outcome> {
        let (inputs, outcomes) = tried.map_err(refused)?;
        let told = Told {
            call: self.title(),
            inputs: &inputs,
            seed: self.seed,
            tolerances: self.tolerances,
            folder: self.save,
            option: |name, fill| format!("--{name} {fill}"),
            what_if: Vec::new(),
            format: self.format,
        };
        adversarial::finish(&told, &outcomes)
    }
}

//! `tileproof op list` and `tileproof op show`.

use clap::Args;
use tileproof::op::description::Description;
use tileproof::op::registry::{self, Found};
use tileproof_report::json::{OpEntry, list_to_text, to_text};
use tileproof_report::{render_op, render_op_list};

use super::call::find;
use super::documents;
use crate::arguments::{FormatArg, below};
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["op list", "op list examples/ops/rmsnorm --format json"]))]
pub(crate) struct ListOps {
    /// Folders of further ops.
    #[arg(value_name = "DIR")]
    folders: Vec<String>,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl ListOps {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let shipped = registry::names().into_iter().filter_map(registry::shipped);
        let mut found: Vec<Found> = shipped.map(|op| Found { op, folder: None }).collect();
        for folder in &self.folders {
            found.push(find(folder)?);
        }
        let entry = |found: &Found| {
            let Description { name, summary, .. } = found.op.describe();
            let from = found.folder.as_ref().map_or("shipped".into(), |folder| folder.display().to_string());
            OpEntry { name, from, summary }
        };
        let entries: Vec<OpEntry> = found.iter().map(entry).collect();
        match self.format {
            FormatArg::Json => say(list_to_text(&entries)?)?,
            FormatArg::Human => say(render_op_list(&entries))?,
        }
        Ok(Outcome::Clean)
    }
}

#[derive(Args)]
#[command(after_help = below(&[], &["op show layernorm_fused_rm", "op show examples/ops/rmsnorm"]))]
pub(crate) struct ShowOp {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl ShowOp {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let document = documents::op(find(&self.op)?.op.describe());
        match self.format {
            FormatArg::Json => say(to_text(&document)?)?,
            FormatArg::Human => say(render_op(&document))?,
        }
        Ok(Outcome::Clean)
    }
}

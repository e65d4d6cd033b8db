//! `tileproof op list` and `tileproof op show`.

use clap::Args;
use tileproof::op::description::{Description, TensorDescription};
use tileproof::op::registry::{self, Found};
use tileproof_report::json::to_text;

use super::find;
use crate::Outcome;
use crate::arguments::{FormatArg, below};
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["op list", "op list examples/ops/rmsnorm --format json"]))]
pub(crate) struct List {
    /// Folders of further ops.
    #[arg(value_name = "DIR")]
    folders: Vec<String>,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

#[derive(serde::Serialize)]
struct Entry {
    name: String,
    from: String,
    summary: String,
}

impl List {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let shipped = registry::names().into_iter().filter_map(registry::shipped);
        let mut found: Vec<Found> = shipped.map(|op| Found { op, folder: None }).collect();
        for folder in &self.folders {
            found.push(find(folder)?);
        }
        let entry = |found: &Found| {
            let Description { name, summary, .. } = found.op.describe();
            let from = found.folder.as_ref().map_or("shipped".into(), |folder| folder.display().to_string());
            Entry { name, from, summary }
        };
        let entries: Vec<Entry> = found.iter().map(entry).collect();
        match self.format {
            FormatArg::Json => say(to_text(&entries)?)?,
            FormatArg::Human => {
                let longest = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
                let line = |entry: &Entry| format!("{:<longest$}  {}\n", entry.name, entry.summary);
                say(entries.iter().map(line).collect::<String>())?;
            }
        }
        Ok(Outcome::Clean)
    }
}

#[derive(Args)]
#[command(after_help = below(&[], &["op show layernorm_fused_rm", "op show examples/ops/rmsnorm"]))]
pub(crate) struct Show {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl Show {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let description = find(&self.op)?.op.describe();
        match self.format {
            FormatArg::Json => say(to_text(&description)?)?,
            FormatArg::Human => say(human(&description))?,
        }
        Ok(Outcome::Clean)
    }
}

fn human(of: &Description) -> String {
    let mut text = format!("{}: {}\n", of.name, of.summary);
    let mut section = |title: &str, lines: Vec<Vec<String>>| {
        if !lines.is_empty() {
            text += &format!("\n{title}\n{}", columns(&lines));
        }
    };
    let tensor = |tensor: &TensorDescription| {
        vec![tensor.name.clone(), tensor.dtypes.join("|"), tensor.layouts.join("|"), format!("shape: {}", tensor.shape)]
    };
    section("Inputs", of.inputs.iter().map(tensor).collect());
    section("Outputs", of.outputs.iter().map(tensor).collect());
    let attributes = of
        .attributes
        .iter()
        .map(|a| vec![a.name.clone(), a.kind.clone(), format!("default {}", a.default), a.allowed.clone()]);
    section("Attributes", attributes.collect());
    section("What validation demands", of.conditions.iter().map(|condition| vec![condition.clone()]).collect());
    let title = match &of.cbs_of {
        Some(call) => format!("Circular buffers of {call}"),
        None => "Circular buffers".to_string(),
    };
    let cbs = of.cbs.iter().map(|cb| {
        let pages = format!("{} pages of {}", cb.pages, cb.page_size);
        vec![cb.cb.clone(), cb.format.clone(), pages, cb.content.clone()]
    });
    section(&title, cbs.collect());
    let mut kernels = Vec::new();
    for kernel in &of.kernels {
        kernels.push(vec![kernel.role.clone(), kernel.source.clone()]);
        for (kind, arguments) in [("compile-time", &kernel.compile_time_args), ("runtime", &kernel.runtime_args)] {
            if !arguments.is_empty() {
                kernels.push(vec![String::new(), format!("{kind}: {}", arguments.join(", "))]);
            }
        }
    }
    section("Kernels", kernels);
    section("Paths", of.paths.iter().map(|path| vec![path.name.clone(), path.when.clone()]).collect());
    section("Reference", of.reference.iter().map(|line| vec![line.clone()]).collect());
    section("How it is called", of.calls.iter().map(|call| vec![call.clone()]).collect());
    section("Files", of.files.iter().map(|file| vec![file.display().to_string()]).collect());
    text
}

/// Lines with their words below each other.
fn columns(lines: &[Vec<String>]) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |i: usize| {
        let in_column = lines.iter().filter(|line| line.len() > i + 1).map(|line| line[i].chars().count());
        in_column.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(wide).collect();
    let mut text = String::new();
    for line in lines {
        let words: Vec<String> = line.iter().zip(&widths).map(|(word, width)| format!("{word:<width$}")).collect();
        text += &format!("  {}\n", words.join("  ").trim_end());
    }
    text
}

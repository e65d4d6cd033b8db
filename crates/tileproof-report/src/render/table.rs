//! The table of outputs against their reference.
//!
//! It prints the measures it is given and judges nothing itself. Start at [`render_outputs`].

use crate::json::derived::DerivedEntry;
use crate::json::layernorm::LayerNormOutput;
use crate::json::op::AccuracyEntry;
use crate::style::{Ink, Style};

/// A row an output: name, largest and mean difference, largest distance in ulp, verdict; below them why one does not pass. The
/// table fits into 80 columns; a name too long for that is cut.
pub fn render_outputs(outputs: &[LayerNormOutput], style: Style) -> String {
    const FIGURES: usize = 2 + 12 + 2 + 12 + 2 + 10 + 2 + 4;
    let room = style.width.clamp(60, 120) - FIGURES;
    let longest = outputs.iter().map(|o| o.name.chars().count()).max().unwrap_or(0);
    let names = longest.clamp(6, room);
    let header =
        format!("{:<names$}  {:>12}  {:>12}  {:>10}  {:<4}", "output", "max_diff", "mean_diff", "max_ulp", "pass");
    let mut text = format!("{}\n", style.paint(header.trim_end(), Ink::Head));
    for output in outputs {
        let name: String = if output.name.chars().count() > names {
            output.name.chars().take(names - 1).chain(['~']).collect()
        } else {
            output.name.clone()
        };
        let verdict = if output.pass { style.paint("yes", Ink::Good) } else { style.paint("NO", Ink::Bad) };
        text += &format!(
            "{name:<names$}  {:>12}  {:>12}  {:>10}  {verdict}\n",
            figure(output.max_diff),
            figure(output.mean_diff),
            ulp(output.max_ulp)
        );
    }
    for reason in outputs.iter().filter_map(|output| output.reason.as_ref()) {
        text += &format!("{reason}\n");
    }
    for output in outputs {
        text += &output.derived.map_or_else(String::new, |derived| format!("{}: {}\n", output.name, lost(derived)));
    }
    text
}

/// What an output lost of what its operations may lose.
pub(super) fn lost(DerivedEntry { largest_bound, share }: DerivedEntry) -> String {
    let bound = figure(largest_bound);
    if share <= 1.0 {
        format!("off by at most {share:.2} of what its operations may lose, which is up to {bound}")
    } else {
        format!("off by {share:.1} times what its operations may lose, which is up to {bound}")
    }
}

/// The same of outputs of ops; data that the command line gave need no name.
pub fn render_accuracy(rows: &[AccuracyEntry], style: Style) -> String {
    let row = |a: &AccuracyEntry| LayerNormOutput {
        name: if a.data == "given" { a.output.clone() } else { format!("{} {} {}", a.output, a.dtype, a.data) },
        max_diff: a.max_diff,
        mean_diff: a.mean_diff,
        max_ulp: a.max_ulp,
        pass: a.pass,
        reason: a.worst.clone(),
        derived: a.derived,
    };
    render_outputs(&rows.iter().map(row).collect::<Vec<_>>(), style)
}

/// Three places behind the point in scientific notation, or plainly where that is exact.
pub(crate) fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() { format!("{value}") } else { format!("{value:.3e}") }
}

fn ulp(value: f64) -> String {
    if value < 100_000.0 { format!("{value:.2}") } else { figure(value) }
}

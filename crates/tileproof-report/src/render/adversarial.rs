//! What a call came to on one kind of data after the other, as text.
//!
//! Start at [`render_adversarial`].

use super::audit::what_if;
use super::table::render_outputs;
use crate::json::AdversarialDocument;
use crate::json::adversarial::KindEntry;
use crate::json::layernorm::LayerNormOutput;
use crate::style::Style;

/// A row a kind, the worst first, and how to see the worst again.
pub fn render_adversarial(document: &AdversarialDocument, style: Style) -> String {
    let (ended, early): (Vec<&KindEntry>, Vec<&KindEntry>) =
        document.kinds.iter().partition(|kind| kind.status == "completed");
    let row = |kind: &&KindEntry| LayerNormOutput {
        name: format!("{} {}", kind.name, kind.output),
        max_diff: kind.max_diff,
        mean_diff: kind.mean_diff,
        max_ulp: kind.max_ulp,
        pass: kind.pass,
        derived: None,
        reason: None,
    };
    let mut text = format!("{}\n\n", document.call);
    for kind in early {
        text += &format!("{}: the run ended as {}\n", kind.name, kind.status);
    }
    text += &render_outputs(&ended.iter().map(row).collect::<Vec<_>>(), style);
    let shared: Vec<String> =
        ended.iter().filter_map(|kind| Some(format!("{} {:.2}", kind.name, kind.share_of_bound?))).collect();
    if !shared.is_empty() {
        text += &format!("as a share of what its operations may lose: {}\n", shared.join(", "));
    }
    if !document.unbounded.is_empty() {
        let why = if document.derived { "no number, or no tolerance can be derived" } else { "no number" };
        text += &format!("not judged, since what is expected there is {why}: {}\n", document.unbounded.join(", "));
    }
    text += &match document.derived {
        true => "against float64; pass means within what the operations of each element may lose\n".to_string(),
        false => {
            format!("against float64; pass means within {} + {} |reference| everywhere\n", document.atol, document.rtol)
        }
    };
    text += &match &document.replay {
        Some(options) if options.is_empty() => "\nthe worst are the data that were given\n".into(),
        Some(options) => format!("\nthe worst by itself: in place of --data adversarial, {options}\n"),
        None => "\nthe worst by itself: --save DIR writes its inputs\n".into(),
    };
    text += &what_if(&document.what_if);
    text + if document.pass { "\npass\n" } else { "\nFAIL\n" }
}

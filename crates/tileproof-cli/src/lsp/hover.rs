//! What there is to know of a place in a file: the page of a code, what the reference has on a call, what a field means.
//!
//! It must never say what no page says. Start at [`hover`].

use serde_json::{Value, json};
use tileproof::model::finding::Code;

use super::fields;
use super::place::{in_line, name_at};
use crate::reference::calls;

/// What kind of file a place is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Program,
    Kernel,
    Other,
}

/// What is known of a position of a text, on which there may be diagnostics; Markdown.
pub(super) fn hover(kind: Kind, text: &str, position: &Value, diagnostics: &[Value]) -> Option<String> {
    let name = in_line(text, position).and_then(|(line, at)| name_at(line, at)).map(|(name, _)| name);
    let mut parts = Vec::new();
    let mut codes: Vec<Code> = name.and_then(Code::parse).into_iter().collect();
    for diagnostic in diagnostics.iter().filter(|diagnostic| covers(&diagnostic["range"], position)) {
        codes.extend(diagnostic["code"].as_str().and_then(Code::parse).filter(|code| !codes.contains(code)));
    }
    if let Some(name) = name {
        parts.extend(match kind {
            Kind::Kernel => called(name),
            Kind::Program => fields::described(text, position["line"].as_u64()? as usize, name),
            Kind::Other => None,
        });
    }
    parts.extend(codes.iter().map(|code| code.page().trim_end().to_string()));
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

fn covers(range: &Value, position: &Value) -> bool {
    let place = |of: &Value| (of["line"].as_u64(), of["character"].as_u64());
    (place(&range["start"])..=place(&range["end"])).contains(&place(position))
}

/// What the reference has on a call.
fn called(name: &str) -> Option<String> {
    let last = name.rsplit("::").next().unwrap_or(name);
    let mut listed = calls::listed(name);
    if listed.is_empty() {
        listed = calls::listed(last);
    }
    let first = listed.first()?;
    let lines: Vec<String> = listed
        .iter()
        .map(|one| {
            let particular = one.particular.as_ref().map_or(String::new(), |what| format!(" ({what})"));
            format!("- {}: {}{particular}", one.kernels, one.subject)
        })
        .collect();
    let remark = if listed.iter().all(|one| one.is_not_modelled()) {
        "\n\nIt compiles, and ends the kernel by its name where it is reached (TP9001)."
    } else {
        ""
    };
    Some(format!("`{}`, a call of the kernel API\n\n{}{remark}", first.name, lines.join("\n")))
}

/// A hover as the protocol has it.
pub(super) fn answer(text: Option<String>, markdown: bool) -> Value {
    let kind = if markdown { "markdown" } else { "plaintext" };
    text.map_or(Value::Null, |text| json!({ "contents": { "kind": kind, "value": text } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: Kind, text: &str, character: u64, diagnostics: &[Value]) -> String {
        hover(kind, text, &json!({ "line": 0, "character": character }), diagnostics).unwrap_or_default()
    }

    #[test]
    fn codes_calls_and_fields_are_known() {
        assert!(at(Kind::Other, "// TP0601: see", 5, &[]).starts_with("# TP0601"));
        let call = at(Kind::Kernel, "    cb_wait_front(cb, 1);", 8, &[]);
        assert!(call.contains("`cb_wait_front`") && call.contains("- Compute kernels: Circular buffers"), "{call}");
        assert!(call.contains("- Data-movement kernels: Circular buffers"), "{call}");
        assert!(at(Kind::Kernel, "custom_mm_block(x)", 3, &[]).contains("TP9001"));
        assert!(at(Kind::Kernel, "LOG_BASE_2_OF_NUM_L1_BANKS", 3, &[]).contains("(wh)"));
        assert!(at(Kind::Kernel, "sfpi::abs(x)", 8, &[]).contains("`sfpi::abs`"));
        assert!(at(Kind::Program, "seed = 1", 2, &[]).contains("**seed**"));
        assert_eq!(at(Kind::Kernel, "int x = 1;", 5, &[]), "");
        assert_eq!(at(Kind::Kernel, "int x = 1;", 500, &[]), "");
    }

    #[test]
    fn a_diagnostic_brings_its_page() {
        let range = json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 9 } });
        let diagnostic = json!({ "range": range, "code": "TP0504" });
        assert!(at(Kind::Kernel, "int x = 1;", 6, std::slice::from_ref(&diagnostic)).starts_with("# TP0504"));
        assert_eq!(at(Kind::Kernel, "int x = 1;", 1, &[diagnostic]), "");
    }
}

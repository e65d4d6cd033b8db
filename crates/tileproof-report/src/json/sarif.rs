//! SARIF 2.1.0: findings as code-scanning services take them.
//!
//! One run, one rule for each code found, with its explain page as help; labels are related locations. A finding keeps its
//! identity while its line, code, thread and message do. Start at [`SarifDocument::new`].

use serde::Serialize;
use serde_json::{Value, json};
use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::record::Suppressed;

use super::document::pretty;
use super::finding::FindingDocument;
use crate::severity::{Severity, severity};
use crate::source::place_in_file;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A SARIF log.
#[derive(Serialize)]
pub struct SarifDocument {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Value; 1],
}

impl SarifDocument {
    /// The log of one run by version `version` of the tool.
    pub fn new(
        version: &str,
        findings: &[Finding],
        notes: &[Finding],
        suppressed: &[Suppressed],
        schedule: &str,
    ) -> SarifDocument {
        let left_out = suppressed.iter().map(|s| &s.finding);
        let mut codes: Vec<Code> = findings.iter().chain(notes).chain(left_out).map(|f| f.code).collect();
        codes.sort();
        codes.dedup();
        let result = |finding: &Finding, level| result(finding, level, &codes, schedule);
        let level = |finding: &Finding| match severity(finding) {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let results: Vec<Value> = findings
            .iter()
            .map(|finding| result(finding, level(finding)))
            .chain(notes.iter().map(|note| result(note, "note")))
            .chain(suppressed.iter().map(|s| {
                let mut result = result(&s.finding, level(&s.finding));
                // The program file is another file than the one that is to blame.
                result["suppressions"] = json!([{ "kind": "external", "justification": s.reason }]);
                result
            }))
            .collect();
        let rules: Vec<Value> = codes.iter().map(|code| rule(*code)).collect();
        let run = json!({
            "tool": { "driver": { "name": "tileproof", "semanticVersion": version, "rules": rules } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        });
        SarifDocument { schema: SCHEMA, version: "2.1.0", runs: [run] }
    }

    /// Its text, in a form that bears its own schema.
    ///
    /// # Errors
    /// As [`super::document::to_text`].
    pub fn to_text(&self) -> serde_json::Result<String> {
        pretty(self)
    }
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.to_string(),
        "shortDescription": { "text": code.title() },
        "help": { "text": code.page(), "markdown": code.page() },
        "properties": { "class": format!("{:?}", code.class()) },
    })
}

fn result(finding: &Finding, level: &str, codes: &[Code], schedule: &str) -> Value {
    let document = FindingDocument::new(finding, schedule);
    let related: Vec<Value> = finding
        .labels
        .iter()
        .enumerate()
        .map(|(id, label)| {
            let mut location = location(&label.place);
            location["id"] = json!(id);
            location["message"] = json!({ "text": label.text });
            location
        })
        .collect();
    let mut primary = location(&finding.primary);
    if !finding.code.is_of_a_run()
        && let Some(fields) = primary.as_object_mut()
    {
        fields.remove("logicalLocations");
    }
    let mut text = finding.message.clone();
    if let Some(help) = &finding.help {
        text += &format!("\n\n{help}");
    }
    json!({
        "ruleId": finding.code.to_string(),
        "ruleIndex": codes.iter().position(|code| *code == finding.code),
        "level": level,
        "message": { "text": text },
        "locations": [primary],
        "relatedLocations": related,
        "partialFingerprints": { "finding/v1": identity(finding) },
        "properties": {
            "certainty": document.certainty,
            "core": document.core,
            "thread": document.thread,
            "facts": document.facts,
            "schedule": document.schedule,
            "also_on": document.also_on,
        },
    })
}

/// What two findings of one line differ in too: services drop a result whose fingerprint they have.
fn identity(finding: &Finding) -> String {
    let (file, line) = place_in_file(&finding.primary);
    format!("{}:{file}:{line}:{}:{}", finding.code, finding.primary.thread, finding.message)
}

fn location(place: &Place) -> Value {
    let (file, line) = place_in_file(place);
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if line > 0 {
        physical["region"] = json!({ "startLine": line });
        if let Some(column) = place.location.as_ref().map(|l| l.column).filter(|column| *column > 0) {
            physical["region"]["startColumn"] = json!(column);
        }
    }
    json!({
        "physicalLocation": physical,
        "logicalLocations": [{ "name": format!("core {} {}", place.core, place.thread), "kind": "function" }],
    })
}

/// A path as a reference that is valid in a URI.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped: String =
        path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect();
    if path.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

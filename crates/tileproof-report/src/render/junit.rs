//! JUnit XML: what CI systems show as test results.
//!
//! A program is a suite. Its cases are the run itself, each output, and each finding, which is a case that failed; what is
//! suppressed is skipped; notes and what was not checked go to the suite's output. Start at [`render_junit`].

use tileproof_model::finding::Finding;

use super::concise;
use crate::json::RunDocument;
use crate::outside::in_xml as escaped;
use crate::source::place_in_file;

/// The suite of one run. `name` is the program; findings and notes are those of the document.
pub fn render_junit(name: &str, document: &RunDocument, findings: &[Finding], notes: &[Finding]) -> String {
    // The names stay the same from run to run: CI systems know a test by them.
    let mut cases = vec![case(
        "run",
        "ends",
        (document.status != "completed").then(|| (format!("the run ended as {}", document.status), String::new())),
    )];
    for output in &document.outputs {
        let failure = (!output.pass).then(|| {
            let difference =
                output.max_diff.map_or("not compared".to_string(), |max| format!("differs by up to {max:e}"));
            (format!("output {}: {difference}", output.name), String::new())
        });
        cases.push(case("output", &output.name, failure));
    }
    for finding in findings {
        let (file, line) = place_in_file(&finding.primary);
        let failure = (finding.message.clone(), concise::render_concise(std::slice::from_ref(finding), &[]));
        cases.push(case(&finding.code.to_string(), &format!("{file}:{line}"), Some(failure)));
    }
    for suppressed in &document.suppressed {
        let (finding, reason) = (&suppressed.finding, escaped(&suppressed.reason));
        let head = case(&finding.code, &format!("{}:{}", finding.file, finding.line), None);
        let head = head.trim_end().trim_end_matches("/>");
        cases.push(format!("{head}>\n      <skipped message=\"{reason}\"/>\n    </testcase>\n"));
    }
    let skipped = document.suppressed.len();
    let failures = cases.iter().filter(|case| case.contains("<failure")).count();
    let attributes = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{:.3}\"",
        cases.len(),
        document.wall_s
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {attributes}>\n  <testsuite name=\"{}\" {attributes}>\n",
        escaped(name)
    );
    text += &cases.concat();
    let not_checked = document.not_checked.iter().map(|what| format!("not checked: {what}\n"));
    let output: String = std::iter::once(concise::render_concise(&[], notes)).chain(not_checked).collect();
    if !output.is_empty() {
        text += &format!("    <system-out>{}</system-out>\n", escaped(&output));
    }
    text + "  </testsuite>\n</testsuites>\n"
}

fn case(class: &str, name: &str, failure: Option<(String, String)>) -> String {
    let head = format!("    <testcase classname=\"{}\" name=\"{}\"", escaped(class), escaped(name));
    match failure {
        None => head + "/>\n",
        Some((message, text)) => format!(
            "{head}>\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
            escaped(&message),
            escaped(text.trim_end())
        ),
    }
}

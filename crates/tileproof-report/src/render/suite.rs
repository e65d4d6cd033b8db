//! A suite of tests as a table: text, markdown, or JUnit XML.
//!
//! Start at [`render_suite`].

use super::table::figure;
use crate::json::SuiteDocument;
use crate::json::suite::{SuiteEntry, SuiteResult};
use crate::outside::in_xml;
use crate::style::{Ink, Style};

/// The cells of a row: name, shape, data, and what the test came to, before and now.
fn cells(entry: &SuiteEntry) -> Vec<String> {
    let shape: Vec<String> = entry.shape.iter().map(u32::to_string).collect();
    let mut cells = vec![entry.name.clone(), shape.join("x"), entry.data.clone(), format!("{}", entry.atol)];
    for result in entry.before.iter().chain([&entry.result]) {
        cells.extend([difference(result, result.max_diff), difference(result, result.mean_diff), word(result)]);
    }
    cells
}

fn difference(result: &SuiteResult, value: f64) -> String {
    if result.output.is_empty() { "-".into() } else { figure(value) }
}

fn word(result: &SuiteResult) -> String {
    match (result.pass, result.output.is_empty()) {
        (true, _) => "pass".into(),
        (false, true) => result.status.clone(),
        (false, false) => format!("FAIL ({})", result.output),
    }
}

fn head(document: &SuiteDocument) -> Vec<String> {
    let mut head: Vec<String> = ["test", "shape", "data", "atol"].map(String::from).to_vec();
    if document.before.is_some() {
        head.extend(["max_diff before", "mean_diff before", "before"].map(String::from));
    }
    head.extend(["max_diff", "mean_diff", "result"].map(String::from));
    head
}

fn summary(document: &SuiteDocument) -> String {
    let passing = |of: &dyn Fn(&SuiteEntry) -> bool| document.tests.iter().filter(|entry| of(entry)).count();
    let whose = |kernels: &str| if kernels.is_empty() { "the shipped kernels".into() } else { kernels.to_string() };
    let mut text = String::new();
    if let Some(before) = &document.before {
        let passed = passing(&|entry| entry.before.as_ref().is_some_and(|before| before.pass));
        text += &format!("{}: {passed} of {} pass\n", whose(before), document.tests.len());
    }
    let passed = passing(&|entry| entry.result.pass);
    text + &format!("{}: {passed} of {} pass\n", whose(&document.kernels), document.tests.len())
}

/// The table as text.
pub fn render_suite(document: &SuiteDocument, style: Style) -> String {
    let rows: Vec<Vec<String>> = std::iter::once(head(document)).chain(document.tests.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let ink = match cell.as_str() {
                _ if number == 0 => Ink::Head,
                "pass" => Ink::Good,
                cell if cell.starts_with("FAIL") => Ink::Bad,
                _ => Ink::Plain,
            };
            line += &style.paint(&format!("{cell:<width$}"), ink);
            line += "  ";
        }
        text += line.trim_end();
        text.push('\n');
    }
    text + "\n" + &summary(document) + if document.pass { "\npass\n" } else { "\nFAIL\n" }
}

/// The table in markdown.
pub fn render_suite_markdown(document: &SuiteDocument) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head = head(document);
    let mut text = line(&head) + &line(&vec!["---".to_string(); head.len()]);
    document.tests.iter().for_each(|entry| text += &line(&cells(entry)));
    text + "\n" + &summary(document)
}

/// The tests as JUnit XML, as they came out on the kernels that are asked about.
pub fn render_suite_junit(document: &SuiteDocument) -> String {
    let failures = document.tests.iter().filter(|entry| !entry.result.pass).count();
    let attributes = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"{:.3}\"",
        document.tests.len(),
        document.wall_s
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {attributes}>\n  <testsuite name=\"{}\" {attributes}>\n",
        in_xml(&document.suite)
    );
    for entry in &document.tests {
        let head = format!("    <testcase classname=\"LayerNormBackwardOpTest\" name=\"{}\"", in_xml(&entry.name));
        let result = &entry.result;
        text += &match result.pass {
            true => head + "/>\n",
            false if result.output.is_empty() => {
                format!(
                    "{head}>\n      <failure message=\"the run ended as {}\"/>\n    </testcase>\n",
                    in_xml(&result.status)
                )
            }
            false => format!(
                "{head}>\n      <failure message=\"{} differs by up to {}, by {} in the mean\"/>\n    </testcase>\n",
                in_xml(&result.output),
                figure(result.max_diff),
                figure(result.mean_diff)
            ),
        };
    }
    text + "  </testsuite>\n</testsuites>\n"
}

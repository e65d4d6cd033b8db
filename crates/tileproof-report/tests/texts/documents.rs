//! Formats for programs: JSON documents, one-line findings, and the table of outputs.
//!
//! The field names are a contract with users outside; expected texts are written by hand. Start with the finding.

use crate::sample;
use tileproof_model::record::{RunRecord, Status, Suppressed};
use tileproof_report::json::{
    self, CellDocument, FindingDocument, LayerNormDocument, LayerNormOutput, LedgerEntry, RunDocument, RunOutput,
    SarifDocument, SuppressedDocument, TensorEntry,
};
use tileproof_report::{
    Style, render_concise, render_concise_suppressed, render_github, render_grid, render_junit, render_outputs,
    render_summary,
};

#[test]
fn a_finding_has_the_fields_of_the_contract() {
    let text = serde_json::to_string_pretty(&FindingDocument::new(&sample::deadlock(), "tp1:0")).unwrap();
    assert_eq!(
        text + "\n",
        r#"{
  "code": "TP0601",
  "class": "Stuck",
  "certainty": "happened",
  "message": "deadlock: UNPACK waits in cb_wait_front for 4 pages in c_0; 2 are there, and NCRISC has ended after pushing 2 pages",
  "core": [
    0,
    0
  ],
  "thread": "UNPACK",
  "file": "kernels/compute.cpp",
  "line": 4,
  "labels": [
    {
      "file": "kernels/reader.cpp",
      "line": 3,
      "text": "NCRISC pushed to c_0 here last"
    },
    {
      "file": "kernels/compute.cpp",
      "line": 6,
      "text": "MATH waits for an operand in SrcA and SrcB"
    }
  ],
  "facts": {
    "cb": "c_0",
    "cycle": "512",
    "needed": "4",
    "pages": "2"
  },
  "help": "push as many pages to c_0 as are waited for, or wait for fewer",
  "schedule": "tp1:0",
  "also_on": [
    [
      1,
      0
    ],
    [
      2,
      0
    ]
  ],
  "column": 5,
  "text": "waits in cb_wait_front for 4 pages in c_0; 2 are there",
  "notes": []
}
"#
    );
}

#[test]
fn a_place_that_is_not_known_is_the_kernel_and_line_0() {
    let document = FindingDocument::new(&sample::placeless(), "tp1:0");
    assert_eq!((document.file.as_str(), document.line), ("reader", 0));
    assert_eq!((document.certainty.as_str(), document.core), ("suspect", [3, 1]));
}

fn output(name: &str, max_diff: f64, max_ulp: f64, pass: bool) -> LayerNormOutput {
    LayerNormOutput {
        name: name.into(),
        max_diff,
        mean_diff: max_diff / 8.0,
        max_ulp,
        pass,
        reason: None,
        derived: None,
    }
}

#[test]
fn a_layernorm_document_keeps_its_fields_and_writes_null_for_nan() {
    let document = LayerNormDocument {
        op: "layernorm_bw".into(),
        shape: vec![1, 1, 64, 2048],
        arch: "wormhole".into(),
        dtype: "bf16".into(),
        path: "l1".into(),
        cores: 2,
        cycles: 123_456,
        wall_s: 0.25,
        outputs: vec![output("dx", f64::NAN, 1.0, false)],
        findings: FindingDocument::all(&[sample::deadlock()], "tp1:0"),
        notes: Vec::new(),
        pass: false,
    };
    let text = json::to_text(&document).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut fields: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let expected =
        ["arch", "cores", "cycles", "dtype", "findings", "notes", "op", "outputs", "pass", "path", "shape", "wall_s"];
    fields.retain(|field| !["schema", "version"].contains(field));
    assert_eq!(fields, expected);
    assert_eq!((&value["schema"], &value["version"]), (&"tileproof-layernorm".into(), &1.into()));
    assert!(value["outputs"][0]["max_diff"].is_null());
    assert_eq!(value["outputs"][0]["max_ulp"], 1.0);
    let back: LayerNormDocument = serde_json::from_str(&text).unwrap();
    assert!(back.outputs[0].max_diff.is_nan());
    assert_eq!(back.findings, document.findings);
}

#[test]
fn a_run_document_keeps_its_fields() {
    let document = RunDocument {
        status: Status::Deadlock.name().into(),
        cycles: 9,
        wall_s: 0.5,
        outputs: vec![RunOutput {
            name: "out0".into(),
            max_diff: None,
            mean_diff: Some(f64::INFINITY),
            pass: true,
            derived: None,
        }],
        findings: Vec::new(),
        notes: Vec::new(),
        suppressed: Vec::new(),
        not_checked: Vec::new(),
        ledger: LedgerEntry::all(&[sample::ledger()]),
        tensors: TensorEntry::all(&[sample::ledger()]),
        prints: Vec::new(),
        schedule: "tp1:0".into(),
        explored: None,
    };
    let value = serde_json::to_value(&document).unwrap();
    let expected = serde_json::json!({
        "status": "deadlock", "cycles": 9, "wall_s": 0.5,
        "outputs": [{"name": "out0", "max_diff": null, "mean_diff": null, "pass": true}],
        "findings": [], "notes": [], "suppressed": [], "not_checked": [],
        "ledger": [{
            "launch": 0, "cb": "c_16", "format": "Float16_b", "capacity": 2, "page_size": 2048, "pushed": 7, "popped": 5,
            "high_water": 2, "left": 2, "cores": [[0, 1], [3, 1]],
            "calls": [
                {"action": "push", "thread": "PACK", "file": "kernels/compute.cpp", "line": 9, "calls": 7, "pages": 7},
                {"action": "pop", "thread": "BRISC", "file": "writer", "line": 0, "calls": 5, "pages": 5},
            ],
        }],
        "tensors": [{"launch": 0, "name": "out0", "pages": 8, "pages_read": 0, "pages_written": 5,
                     "bytes_read": 0, "bytes_written": 10240}],
        "prints": [], "schedule": "tp1:0",
    });
    assert_eq!(value, expected);
}

#[test]
fn concise_is_one_line_a_finding() {
    let text = render_concise(&[sample::wrong_init(), sample::deadlock()], &[sample::placeless()]);
    assert_eq!(
        text,
        "kernels/compute.cpp:6:5: error TP0701 MATH runs \"multiply\" here, the call needs \"add\"\n\
         kernels/compute.cpp:4:5: error TP0601 deadlock: UNPACK waits in cb_wait_front for 4 pages in c_0; \
         2 are there, and NCRISC has ended after pushing 2 pages (and on 2 other cores)\n\
         reader:0: note TP0401 source of a NoC read in DRAM: 2048 bytes at 0x9000 are not in any memory \
         that the program has\n"
    );
}

#[test]
fn the_table_of_outputs_is_aligned_and_fits_80_columns() {
    let outputs = [
        output("dx", 0.0, 0.0, true),
        output("dgamma_components", 0.25, 13.0, false),
        output("dbeta", f64::NAN, 1.0e9, false),
    ];
    let text = render_outputs(&outputs, Style::PLAIN);
    let expected = "\
output                 max_diff     mean_diff     max_ulp  pass
dx                            0             0        0.00  yes
dgamma_components      2.500e-1      3.125e-2       13.00  NO
dbeta                       NaN           NaN     1.000e9  NO
";
    assert_eq!(text, expected);
    let long = [output(&"n".repeat(90), 1.0, 1.0, true)];
    assert!(render_outputs(&long, Style::PLAIN).lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn the_table_is_coloured_only_when_asked_for() {
    let outputs = [output("dx", 0.0, 0.0, true), output("dgamma", 1.0, 2.0, false)];
    assert!(!render_outputs(&outputs, Style::PLAIN).contains('\x1b'));
    let coloured = render_outputs(&outputs, Style { color: true, width: 80 });
    assert!(coloured.contains("\x1b[32myes\x1b[0m") && coloured.contains("\x1b[1;31mNO\x1b[0m"), "{coloured:?}");
}

#[test]
fn a_ledger_names_each_buffer_its_lines_and_its_cores() {
    let text = tileproof_report::render_ledger(&RunRecord { ledgers: vec![sample::ledger()], ..RunRecord::default() });
    let expected = "\
c_16  Float16_b  2 pages of 2048 bytes, at most 2 used, 7 pushed, 5 popped, 2 left, on cores (0,1) (3,1)
      push    PACK     7 pages      in 7   kernels/compute.cpp:9
      pop     BRISC    5 pages      in 5   writer
tensor              pages         read      written
out0                    8            0            5
";
    assert_eq!(text, expected);
}

#[test]
fn a_workflow_command_is_one_line_with_all_facts_and_what_would_end_it_escaped() {
    let mut finding = sample::deadlock();
    finding.message = "100 % of\nit".into();
    finding.labels.truncate(1);
    finding.notes.push("the writer pops one page".into());
    assert_eq!(
        render_github(&[finding], &[]),
        "::error file=kernels/compute.cpp,line=4,col=5,title=TP0601%3A nothing can run any more::100 %25 of%0Ait\
         %0Akernels/reader.cpp:3: NCRISC pushed to c_0 here last\
         %0Acore (0,0), UNPACK (and on 2 other cores)%0Athe writer pops one page\
         %0Ahelp: push as many pages to c_0 as are waited for, or wait for fewer\n"
    );
}

fn one_output_wrong() -> RunDocument {
    let output = |name: &str, pass| RunOutput {
        name: name.into(),
        max_diff: Some(0.5),
        mean_diff: Some(0.1),
        pass,
        derived: None,
    };
    RunDocument {
        status: "completed".into(),
        cycles: 7,
        wall_s: 0.25,
        outputs: vec![output("y", true), output("z<1>", false)],
        findings: Vec::new(),
        notes: Vec::new(),
        suppressed: Vec::new(),
        not_checked: Vec::new(),
        ledger: Vec::new(),
        tensors: Vec::new(),
        prints: Vec::new(),
        schedule: "tp1:0".into(),
        explored: None,
    }
}

#[test]
fn a_suite_has_a_case_for_the_run_each_output_and_each_finding() {
    let mut finding = sample::deadlock();
    finding.message = "a < b & \"c\"".into();
    finding.also_on.clear();
    assert_eq!(
        render_junit("p.toml", &one_output_wrong(), &[finding], &[]),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="2" errors="0" skipped="0" time="0.250">
  <testsuite name="p.toml" tests="4" failures="2" errors="0" skipped="0" time="0.250">
    <testcase classname="run" name="ends"/>
    <testcase classname="output" name="y"/>
    <testcase classname="output" name="z&lt;1&gt;">
      <failure message="output z&lt;1&gt;: differs by up to 5e-1"></failure>
    </testcase>
    <testcase classname="TP0601" name="kernels/compute.cpp:4">
      <failure message="a &lt; b &amp; &quot;c&quot;">kernels/compute.cpp:4:5: error TP0601 a &lt; b &amp; &quot;c&quot;</failure>
    </testcase>
  </testsuite>
</testsuites>
"#
    );
}

#[test]
fn a_sarif_log_has_a_rule_a_code_and_a_place_for_every_label() {
    let mut unknown = sample::deadlock();
    unknown.primary.location = None;
    unknown.primary.kernel = "my kernels/a%b.cpp".into();
    let log = SarifDocument::new("1.2.3", &[sample::deadlock(), unknown], &[], &[], "tp1:0");
    let log: serde_json::Value = serde_json::from_str(&log.to_text().unwrap()).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "TP0601");
    let [known, unknown] = &run["results"].as_array().unwrap()[..] else { panic!("two results") };
    assert_eq!(
        (&known["ruleId"], &known["ruleIndex"], &known["level"]),
        (&"TP0601".into(), &0.into(), &"error".into())
    );
    let physical = &known["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "kernels/compute.cpp");
    assert_eq!((&physical["region"]["startLine"], &physical["region"]["startColumn"]), (&4.into(), &5.into()));
    assert_eq!(known["relatedLocations"].as_array().unwrap().len(), 2);
    assert_eq!(known["relatedLocations"][0]["message"]["text"], "NCRISC pushed to c_0 here last");
    // A line that is not known has no region: 0 is none.
    let physical = &unknown["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "my%20kernels/a%25b.cpp");
    assert!(physical.get("region").is_none());
}

#[test]
fn a_case_keeps_its_name_when_the_run_ends_otherwise() {
    let mut document = one_output_wrong();
    document.status = "deadlock".into();
    let text = render_junit("p.toml", &document, &[], &[]);
    let case = "<testcase classname=\"run\" name=\"ends\">\n      <failure message=\"the run ended as deadlock\">";
    assert!(text.contains(case), "{text}");
}

#[test]
fn findings_of_one_line_have_fingerprints_of_their_own_that_another_run_repeats() {
    let mut other_buffer = sample::deadlock();
    other_buffer.message = other_buffer.message.replace("c_0", "c_1");
    let mut other_thread = sample::deadlock();
    other_thread.primary.thread = tileproof_model::thread::Thread::Pack;
    let mut other_core = sample::deadlock();
    other_core.primary.core = sample::core(5, 5);
    let fingerprint = |finding| {
        let log = SarifDocument::new("1.2.3", &[finding], &[], &[], "tp1:0");
        serde_json::to_value(log).unwrap()["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    let known = fingerprint(sample::deadlock());
    assert_ne!(known, fingerprint(other_buffer));
    assert_ne!(known, fingerprint(other_thread));
    assert_eq!(known, fingerprint(other_core));
}

#[test]
fn what_is_suppressed_stays_in_every_document_beside_its_reason() {
    let suppressed = [Suppressed { finding: sample::deadlock(), reason: "known & meant".into() }];
    let log = serde_json::to_value(SarifDocument::new("1.2.3", &[], &[], &suppressed, "tp1:0")).unwrap();
    let [result] = &log["runs"][0]["results"].as_array().unwrap()[..] else { panic!("one result") };
    assert_eq!(result["ruleIndex"], 0);
    assert_eq!(result["suppressions"], serde_json::json!([{ "kind": "external", "justification": "known & meant" }]));
    // SARIF takes a result without the property as one that counts.
    let log = serde_json::to_value(SarifDocument::new("1.2.3", &[sample::deadlock()], &[], &[], "tp1:0")).unwrap();
    assert!(log["runs"][0]["results"][0].get("suppressions").is_none());
    let mut document = one_output_wrong();
    document.suppressed = SuppressedDocument::all(&suppressed, "tp1:0");
    document.not_checked = vec!["families memory".into()];
    let value = serde_json::to_value(&document.suppressed).unwrap();
    assert_eq!((&value[0]["code"], &value[0]["reason"]), (&"TP0601".into(), &"known & meant".into()));
    let text = render_junit("p.toml", &document, &[], &[]);
    assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{text}");
    assert!(text.contains("<skipped message=\"known &amp; meant\"/>"), "{text}");
    assert!(text.contains("<system-out>not checked: families memory"), "{text}");
    let text = render_concise_suppressed(&suppressed);
    assert!(text.starts_with("kernels/compute.cpp:4:5: suppressed TP0601 deadlock"), "{text}");
    assert!(text.ends_with(", because known & meant\n") && text.lines().count() == 1, "{text}");
}

#[test]
fn a_summary_counts_gives_reasons_and_says_what_was_not_checked() {
    let mut record = RunRecord::default();
    assert_eq!(render_summary(&record), "0 findings\n");
    let mut other = sample::deadlock();
    other.primary = sample::place("kernels/reader.cpp", 3, 9, tileproof_model::thread::Thread::Ncrisc);
    let because = |finding, reason: &str| Suppressed { finding, reason: reason.into() };
    record.suppressed =
        vec![because(sample::deadlock(), "known"), because(sample::wrong_init(), "other"), because(other, "known")];
    record.not_checked = vec!["values of y".into(), "families memory".into()];
    assert_eq!(
        render_summary(&record),
        "0 findings\n\
         suppressed: 2, because known (TP0601 at kernels/compute.cpp:4, kernels/reader.cpp:3)\n\
         suppressed: 1, because other (TP0701 at kernels/compute.cpp:6)\n\
         not checked: values of y; families memory\n"
    );
}

/// The cells of a grid, of which those fail that `fails` says.
fn cells(axes: &[(String, Vec<String>)], fails: impl Fn(&CellDocument) -> bool) -> Vec<CellDocument> {
    let mut all = vec![CellDocument {
        params: Default::default(),
        result: "pass".into(),
        codes: Vec::new(),
        pass: true,
        error: None,
        run: Some(RunDocument { outputs: Vec::new(), ..one_output_wrong() }),
    }];
    for (name, values) in axes {
        let with = |cell: &CellDocument, value: &String| {
            let mut cell = cell.clone();
            cell.params.insert(name.clone(), value.clone());
            cell
        };
        all = all.iter().flat_map(|cell| values.iter().map(move |value| with(cell, value))).collect();
    }
    for cell in all.iter_mut().filter(|cell| fails(cell)) {
        (cell.result, cell.pass) = ("finding".into(), false);
        cell.codes = vec!["TP0601".into(), "TP0701".into()];
        let findings = [sample::deadlock(), sample::wrong_init()];
        cell.run.as_mut().unwrap().findings = FindingDocument::all(&findings, "tp1:0");
    }
    all
}

#[test]
fn a_grid_has_its_last_axis_across_where_that_fits_and_each_thing_that_is_wrong_once() {
    let axis = |name: &str, values: &[&str]| (name.to_string(), values.iter().map(|v| v.to_string()).collect());
    let axes = [axis("W", &["32", "33"]), axis("H", &["1", "2"]), axis("dtype", &["bfloat16", "float32"])];
    let list = cells(&axes, |cell| cell.params["W"] == "33" && cell.params["dtype"] == "float32");
    assert_eq!(
        render_grid(&axes, &list, Some("tileproof run p.toml --param W=33"), Style::PLAIN),
        "W   H  dtype=bfloat16  dtype=float32\n\
         32  1  pass            pass\n\
         32  2  pass            pass\n\
         33  1  pass            TP0601 +1\n\
         33  2  pass            TP0601 +1\n\
         \n\
         TP0601 at kernels/compute.cpp:4, UNPACK: nothing can run any more\n    \
         in H=1 W=33 dtype=float32, H=2 W=33 dtype=float32\n\
         \n\
         TP0701 at kernels/compute.cpp:6, MATH: a compute call runs what another init programmed\n    \
         in H=1 W=33 dtype=float32, H=2 W=33 dtype=float32\n\
         \n\
         6 of 8 cells pass\n\
         see the first: tileproof run p.toml --param W=33\n\
         \n\
         FAIL\n"
    );
    // A long axis goes down, and of many cells a few are listed.
    let long: Vec<String> = (1..=40).map(|n| n.to_string()).collect();
    let axes = [axis("H", &["1"]), ("W".to_string(), long)];
    let text = render_grid(&axes, &cells(&axes, |cell| cell.params["W"].len() == 2), None, Style::PLAIN);
    assert!(text.starts_with("H  W   result\n1  1   pass\n"), "{text}");
    assert!(text.contains("\n1  40  TP0601 +1\n"), "{text}");
    assert!(text.contains("    in H=1 W=10, H=1 W=11, H=1 W=12, H=1 W=13, and 27 other cells\n"), "{text}");
}

//! What cannot be run, in each format: one document on stdout, one text on stderr, exit code 2.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{self, ROOT, changed_add, folder, tileproof};

/// The example that adds, with a text of one of its files replaced.
fn with(name: &str, file: &str, from: &str, to: &str) -> PathBuf {
    changed_add(name, &[(file, from, to)])
}

/// What is said of arguments that are refused, as a document and as text.
fn document(arguments: &[&str]) -> (Value, String) {
    let output = tileproof(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    (run::json_of(&output), said)
}

fn run_json(program: &Path) -> (Value, String) {
    document(&["run", program.to_str().unwrap(), "--format", "json"])
}

fn line_of(program: &Path, file: &str, piece: &str) -> u64 {
    let text = fs::read_to_string(program.with_file_name(file)).unwrap();
    text.lines().position(|line| line.contains(piece)).unwrap() as u64 + 1
}

const LOOP: &str = "cb_push_back(cb_out, 1);";

#[test]
fn a_compile_error_is_a_finding_at_its_line_in_every_format() {
    let program = with("undeclared", "add.cpp", LOOP, "cb_push_back(cb_out, 1); frob(3u);");
    let (json, said) = run_json(&program);
    let finding = &json["findings"][0];
    assert_eq!(
        (&json["status"], &json["pass"], &finding["code"]),
        (&"refused".into(), &false.into(), &"TP0201".into())
    );
    for field in ["cycles", "wall_s", "outputs", "findings", "notes", "ledger"] {
        assert!(json.get(field).is_some(), "{field}");
    }
    let line = line_of(&program, "add.cpp", "frob");
    assert_eq!(finding["line"].as_u64(), Some(line));
    assert!(finding["file"].as_str().unwrap().ends_with("undeclared/add.cpp"), "{finding}");
    // A compute kernel runs on the threads of compute.
    assert_eq!(finding["thread"], "UNPACK");
    assert!(said.contains("does not compile") && said.contains("'frob' was not declared"), "{said}");
    let path = program.to_str().unwrap();
    let as_text = |format: &str| {
        let output = tileproof(&["run", path, "--format", format]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(as_text("concise").contains(&format!("add.cpp:{line}:")), "{}", as_text("concise"));
    assert!(as_text("github").contains(&format!("add.cpp,line={line},")), "{}", as_text("github"));
    assert!(!as_text("github").contains("BRISC"), "nothing has run: {}", as_text("github"));
    let junit = as_text("junit");
    assert!(junit.starts_with("<?xml") && junit.contains("classname=\"TP0201\""), "{junit}");
    let sarif: Value = serde_json::from_str(&as_text("sarif")).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"].as_u64(), Some(line));
    assert_eq!(as_text("human"), "");
    // The process of its own passes the same on.
    let isolated = document(&["run", path, "--isolate", "--format", "json"]).0;
    assert_eq!(isolated["findings"], json["findings"]);
}

#[test]
fn an_undefined_function_is_named_as_the_kernel_names_it_with_its_line() {
    let program =
        with("undefined", "add.cpp", LOOP, "cb_push_back(cb_out, 1); void frob(uint32_t, bool*); frob(3u, nullptr);");
    let (json, said) = run_json(&program);
    let finding = &json["findings"][0];
    let line = line_of(&program, "add.cpp", "frob");
    assert_eq!((&finding["code"], finding["line"].as_u64()), (&"TP0202".into(), Some(line)));
    assert!(finding["message"].as_str().unwrap().starts_with("frob(unsigned "), "{finding}");
    assert!(said.contains(&format!("add.cpp:{line}")) && !said.contains("_Z"), "{said}");
    // A declaration alone asks for nothing.
    let program = with("declared", "add.cpp", LOOP, "cb_push_back(cb_out, 1); void frob(uint32_t);");
    assert_eq!(tileproof(&["run", program.to_str().unwrap()]).status.code(), Some(0));
}

#[test]
fn a_missing_header_comes_with_those_that_are_shipped_and_where_to_name_a_folder() {
    let program = with("header", "reader.cpp", "api/dataflow/dataflow_api.h", "api/dataflow/dataflow_apis.h");
    let (json, said) = run_json(&program);
    let finding = &json["findings"][0];
    assert_eq!(finding["line"].as_u64(), Some(line_of(&program, "reader.cpp", "dataflow_apis.h")));
    for text in [said.as_str(), &format!("{}{}", finding["message"], finding["help"])] {
        assert!(text.contains("there is no header api/dataflow/dataflow_apis.h"), "{text}");
        assert!(text.contains("api/dataflow/dataflow_api.h") && text.contains("include_dirs"), "{text}");
    }
    let program = with("own", "reader.cpp", "api/dataflow/dataflow_api.h", "our_own_arguments.hpp");
    let said = run_json(&program).1;
    assert!(said.contains("none of a like name is shipped"), "{said}");
}

#[test]
fn a_compiler_that_fails_is_not_blamed_on_the_kernel() {
    let program = with("crash", "add.cpp", LOOP, "cb_push_back(cb_out, 1); /* never compiled before */");
    let output = Command::new(env!("CARGO_BIN_EXE_tileproof"))
        .args(["run", program.to_str().unwrap(), "--format", "json"])
        .env("CXX", "/bin/false")
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &json["findings"][0]["code"]), (Some(2), &"TP0203".into()));
}

#[test]
fn a_refused_program_names_its_line_and_a_missing_one_has_none() {
    let program = with("field", "program.toml", "dtype", "dtyp");
    let (json, said) = run_json(&program);
    let finding = &json["findings"][0];
    assert_eq!(
        (&finding["code"], finding["line"].as_u64()),
        (&"TP0102".into(), Some(line_of(&program, "program.toml", "dtyp ")))
    );
    assert!(said.contains("unknown field dtyp"), "{said}");
    for arguments in [&["run"][..], &["ledger"]] {
        let (json, said) = document(&[arguments, &["nope.toml", "--format", "json"]].concat());
        assert_eq!(said, "error: nope.toml: there is no such program file\n");
        let finding = &json["findings"][0];
        assert_eq!((&finding["file"], finding["line"].as_u64()), (&"nope.toml".into(), Some(0)));
    }
    // A parameter of the command line has no line in the file either.
    let program = format!("{ROOT}/examples/programs/add/program.toml");
    let said = document(&["run", &program, "--param", "SIZE=3", "--format", "json"]).1;
    assert!(said.contains("program.toml: parameter SIZE is not in [params]"), "{said}");
}

#[test]
fn every_verb_has_one_valid_document_for_bad_input_too() {
    for arguments in [
        &["layernorm", "forward", "--shape", "1,0,2"][..],
        &["layernorm", "backward"],
        &["layernorm", "backward", "--shape", "1,1,32,32", "--kernels", "nowhere"],
        &["op", "run", "layernorm_bw", "--shape", "1,2"],
        &["op", "show", "softmax"],
        &["op", "check", "softmax"],
        &["analyze", "no.cpp"],
        &["run", "nope.toml", "--grid", "W=1"],
        &["run"],
    ] {
        let (json, said) = document(&[arguments, &["--format", "json"]].concat());
        let message = json["findings"][0]["message"].as_str().unwrap();
        assert!(said.contains(message.lines().next().unwrap()), "{arguments:?}: {message}: {said}");
        assert_eq!(json["findings"][0]["code"], "TP0102", "{arguments:?}");
    }
}

#[test]
fn the_fields_that_an_error_lists_are_all_that_are_taken() {
    let said = |text: &str| {
        let path = folder("fields").join("program.toml");
        fs::write(&path, text).unwrap();
        String::from_utf8(tileproof(&["run", path.to_str().unwrap()]).stderr).unwrap()
    };
    let program = said("colour = 1\n");
    for field in
        ["arch", "api", "seed", "params", "tensor", "cb", "kernel", "semaphore", "launch", "expect", "suppress", "op"]
    {
        assert!(program.split(&[' ', ',', '\n'][..]).any(|word| word == field), "{field}: {program}");
    }
    let call = said("op = \"layernorm_bw\"\ncolour = 1\n");
    for field in ["op", "shape", "dtype", "layout", "seed", "params", "attributes", "fill", "rtol", "atol"] {
        assert!(call.split(&[' ', ',', '\n'][..]).any(|word| word == field), "{field}: {call}");
    }
}

//! The command line as outside tests call it: exit codes, JSON, and one clear message for each bad input.

use std::path::PathBuf;
use std::process::{Command, Output};

fn tileproof(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tileproof")).args(arguments).output().expect("the command runs")
}

fn backward(arguments: &[&str]) -> Output {
    tileproof(&[&["layernorm", "backward"], arguments].concat())
}

/// The input is refused with exit 2 and a message that names `needle`, and nothing goes to stdout.
fn refused(output: &Output, needle: &str) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(needle), "{needle:?} is not in: {message}");
    assert!(!message.contains("panicked"), "{message}");
    assert_eq!(message.matches("error: ").count(), 1, "one message: {message}");
    assert!(output.stdout.is_empty());
}

#[test]
fn bad_shapes_are_refused() {
    refused(&backward(&["--shape", "1,1,32"]), "3 dimensions");
    refused(&backward(&["--shape", "1,1,0,32"]), "dimension H is 0");
    refused(&backward(&["--shape", "1,1,32,x"]), "\"x\" is not a whole number");
    refused(&backward(&["--shape", "4294967295,4294967295,4294967295,32"]), "at most");
    refused(&backward(&["--shape", "1,1,99999999999,32"]), "99999999999");
    refused(&backward(&["--shape", "1,1,-3,32"]), "-3");
    refused(&backward(&["--shape", "1,1,32,4000000"]), "W is 4000000");
    refused(&backward(&[]), "--shape");
}

#[test]
fn bad_numbers_are_refused() {
    refused(&backward(&["--shape", "1,1,32,32", "--eps", "nan"]), "eps NaN");
    refused(&backward(&["--shape", "1,1,32,32", "--eps", "-1"]), "eps -1");
    refused(&backward(&["--shape", "1,1,32,32", "--eps", "inf"]), "eps inf");
    refused(&backward(&["--shape", "1,1,32,32", "--eps", "tiny"]), "tiny");
    refused(&backward(&["--shape", "1,1,32,32", "--rtol", "-1"]), "rtol -1");
    refused(&backward(&["--shape", "1,1,32,32", "--atol", "nan"]), "atol NaN");
    refused(&backward(&["--shape", "1,1,32,32", "--cores", "0"]), "cores 0");
    refused(&backward(&["--shape", "1,1,32,32", "--cores", "65"]), "cores 65");
    refused(&backward(&["--shape", "1,1,32,32", "--cores", "-1"]), "-1");
    refused(&backward(&["--shape", "1,1,32,32", "--threads", "0"]), "threads 0");
}

#[test]
fn unknown_words_are_refused_with_the_known_ones() {
    refused(&backward(&["--shape", "1,1,32,32", "--dtype", "fp16"]), "bf16");
    refused(&backward(&["--shape", "1,1,32,32", "--arch", "grayskull"]), "wormhole");
    refused(&backward(&["--shape", "1,1,32,32", "--path", "fast"]), "block");
    refused(&backward(&["--shape", "1,1,32,32", "--x", "zeros"]), "uniform");
    refused(&backward(&["--shape", "1,1,32,32", "--x", "normal:0"]), "normal");
    refused(&backward(&["--shape", "1,1,32,32", "--gamma", "constant:one"]), "one");
    refused(&backward(&["--shape", "1,1,32,32", "--format", "xml"]), "json");
    refused(&tileproof(&["explain", "TP9999"]), "TP9999");
    refused(&tileproof(&["explode"]), "explode");
}

#[test]
fn a_row_that_does_not_fit_is_refused_on_the_l1_path() {
    refused(&backward(&["--shape", "1,1,32,8192", "--path", "l1"]), "use path block");
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("scratch folder");
    folder
}

#[test]
fn bad_npy_files_are_refused_by_name() {
    let folder = scratch("bad_npy");
    let missing = format!("npy:{}", folder.join("missing.npy").display());
    refused(&backward(&["--shape", "1,1,32,32", "--x", &missing]), "missing.npy");
    let broken = folder.join("broken.npy");
    std::fs::write(&broken, b"not an array").expect("write");
    refused(&backward(&["--shape", "1,1,32,32", "--dy", &format!("npy:{}", broken.display())]), "broken.npy");
}

#[test]
fn saved_outputs_can_be_read_again_and_a_mismatched_shape_is_refused() {
    let folder = scratch("saved");
    let save = folder.display().to_string();
    let output = backward(&["--shape", "1,1,13,20", "--save", &save]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["dx.npy", "dgamma.npy", "dbeta.npy"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let dx = format!("npy:{}", folder.join("dx.npy").display());
    assert_eq!(backward(&["--shape", "1,1,13,20", "--x", &dx]).status.code(), Some(0));
    refused(&backward(&["--shape", "1,1,13,21", "--x", &dx]), "dx.npy");
    refused(&backward(&["--shape", "1,1,13,20", "--dtype", "fp32", "--x", &dx]), "dx.npy");
}

#[test]
fn json_holds_the_contracted_fields() {
    let output = backward(&["--shape", "1,1,13,20", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for field in [
        "op", "shape", "arch", "dtype", "path", "cores", "cycles", "wall_s", "outputs", "findings", "notes", "pass",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(json["op"], "layernorm_bw");
    assert_eq!(json["pass"], true);
    let names: Vec<&str> = json["outputs"].as_array().unwrap().iter().map(|o| o["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dx", "dgamma", "dbeta"]);
    for field in ["max_diff", "mean_diff", "max_ulp", "pass"] {
        assert!(json["outputs"][0].get(field).is_some(), "{field}");
    }
}

#[test]
fn the_same_command_twice_prints_the_same_json_but_for_the_time() {
    let run = || {
        let output = backward(&["--shape", "1,1,40,100", "--format", "json", "--seed", "3"]);
        let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        json.as_object_mut().unwrap().remove("wall_s").expect("wall_s");
        json
    };
    assert_eq!(run(), run());
}

#[test]
fn a_missed_tolerance_exits_with_1() {
    let output = backward(&["--shape", "1,1,32,64", "--rtol", "0", "--atol", "0"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("FAIL"));
}

#[test]
fn explain_prints_the_page_and_lists_all_codes() {
    let page = tileproof(&["explain", "TP0601"]);
    assert_eq!(page.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&page.stdout).starts_with("# TP0601"));
    let list = tileproof(&["explain"]);
    assert!(String::from_utf8_lossy(&list.stdout).lines().count() >= 10);
}

#[test]
fn doctor_reports_cpu_and_compiler_and_changes_nothing() {
    let output = tileproof(&["doctor"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    for topic in ["CPU", "C++ compiler", "device node", "huge pages", "container"] {
        assert!(text.contains(topic), "{topic}: {text}");
    }
}

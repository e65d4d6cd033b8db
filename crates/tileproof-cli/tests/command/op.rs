//! `tileproof op` and `tileproof analyze` as programs use them: exit codes, JSON, and one clear line for bad input.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::run::{ROOT, folder, json_of, tileproof_in};

fn tileproof(arguments: &[&str]) -> Output {
    tileproof_in(Path::new(ROOT), arguments)
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = tileproof(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    json_of(&output)
}

#[test]
fn the_shipped_ops_are_listed_and_shown() {
    let list = json(&["op", "list", "examples/ops/rmsnorm", "--format", "json"]);
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|op| op["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["layernorm_bw", "layernorm_fused_rm", "rmsnorm"]);
    let show = json(&["op", "show", "layernorm_fused_rm", "--format", "json"]);
    // The table of the public fused kernel: c_0 to c_7, c_16, c_24 to c_27.
    assert_eq!(show["cbs"].as_array().unwrap().len(), 13);
    assert_eq!(show["conditions"].as_array().unwrap().len(), 23);
    assert_eq!(show["kernels"].as_array().unwrap().len(), 3);
    assert_eq!(show["paths"].as_array().unwrap().len(), 2);
}

#[test]
fn a_call_is_compared_with_the_reference() {
    let run = json(&["op", "run", "layernorm_bw", "--shape", "1,1,13,20", "--dtype", "fp32", "--format", "json"]);
    let names: Vec<&str> = run["outputs"].as_array().unwrap().iter().map(|o| o["output"].as_str().unwrap()).collect();
    assert_eq!(names, ["dx", "dgamma", "dbeta"]);
    assert_eq!(run["pass"], true);
}

/// Runs both commands with `--save`: what one prints, and what both saved, must be the other's.
fn one_run(layernorm: &[&str], op: &[&str]) {
    let saved = |words: &[&str], name: &str| {
        let into = folder(name);
        let run = json(&[words, &["--format", "json", "--save", into.to_str().unwrap()]].concat());
        let outputs = run["outputs"].as_array().unwrap().clone();
        let of = |output: &serde_json::Value| {
            let name = if output["name"].is_null() { &output["output"] } else { &output["name"] };
            let file = into.join(format!("{}.npy", name.as_str().unwrap()));
            let measures = ["max_diff", "mean_diff", "max_ulp", "pass"].map(|key| output[key].clone());
            (name.clone(), measures, fs::read(file).unwrap())
        };
        (run["cycles"].clone(), run["findings"].clone(), outputs.iter().map(of).collect::<Vec<_>>())
    };
    let (of_layernorm, of_op) = (saved(layernorm, "as_layernorm"), saved(op, "as_op"));
    assert!(of_layernorm == of_op, "{layernorm:?} {op:?}: {:?} {:?}", of_layernorm.0, of_op.0);
}

#[test]
fn layernorm_and_op_run_are_one_run_of_one_op_in_both_directions() {
    one_run(
        &["layernorm", "forward", "--shape", "2,1,33,100", "--beta", "uniform:-1,1", "--gamma", "normal", "--stats"],
        &[
            &["op", "run", "layernorm_fused_rm", "--shape", "2,1,33,100", "--fill", "gamma=normal"][..],
            &["--fill", "beta=uniform:-1,1", "--fill", "x=uniform:-1,1", "--set", "stats=true"],
        ]
        .concat(),
    );
    one_run(
        &["layernorm", "backward", "--shape", "1,2,33,70", "--gamma", "normal", "--dy", "uniform:-1,1", "--cores", "3"],
        &[
            &["op", "run", "layernorm_bw", "--shape", "1,2,33,70", "--fill", "gamma=normal", "--fill"][..],
            &["dy=uniform:-1,1", "--set", "cores=3"],
        ]
        .concat(),
    );
}

#[test]
fn a_call_takes_row_major_tensors_statistics_and_outputs_in_l1() {
    let call = ["op", "run", "layernorm_bw", "--shape", "2,1,13,20", "--layout", "row_major", "--set", "epsilon=1e-3"];
    let more =
        ["--set", "memory_config=l1", "--fill", "mean=constant:0.5", "--fill", "rstd=constant:2", "--format", "json"];
    let run = json(&[&call[..], &more].concat());
    assert_eq!((&run["pass"], run["notes"].as_array().unwrap().len()), (&true.into(), 0));
    assert_eq!(run["call"], "2x1x13x20 bfloat16 row_major, epsilon 0.001, memory_config l1");
}

#[test]
fn an_op_is_exported_when_its_gates_are_green_and_not_before() {
    let into = folder("exported");
    let of = |op: &str| tileproof(&["op", "export", op, "--to", "ttnn", into.to_str().unwrap()]);
    let stub = folder("stub_to_export").join("scale");
    assert!(tileproof(&["op", "new", "scale", "--into", stub.to_str().unwrap()]).status.success());
    let red = of(stub.to_str().unwrap());
    let said = String::from_utf8_lossy(&red.stdout);
    assert_eq!(red.status.code(), Some(1), "{said}");
    assert!(said.contains("nothing is written: an op is exported when all seven gates are green"), "{said}");
    assert_eq!(fs::read_dir(&into).unwrap().count(), 0);
    let green = of("examples/ops/rmsnorm");
    assert_eq!(green.status.code(), Some(0), "{}", String::from_utf8_lossy(&green.stderr));
    let kernel = into.join("ttnn/cpp/ttnn/operations/rmsnorm/device/kernels/compute/rmsnorm.cpp");
    let own = Path::new(ROOT).join("examples/ops/rmsnorm/kernels/compute.cpp");
    assert_eq!(fs::read(kernel).unwrap(), fs::read(own).unwrap());
    let again = of("examples/ops/rmsnorm");
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.code() == Some(2) && said.contains("is there already"), "{said}");
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    for (arguments, says) in [
        (&["op", "export", "layernorm_bw", "out"][..], "layernorm_bw: a shipped op has its host side in Rust"),
        (&["op", "check", "softmax"], "there is no op softmax; known are layernorm_bw, layernorm_fused_rm"),
        (&["op", "check", "docs"], "docs: there is no op.toml in this folder"),
        (&["op", "new", "my-op"], "the name my-op must be letters, digits and _"),
        (&["op", "run", "layernorm_bw", "--shape", "1,2"], "has 2 dimensions, layernorm_bw takes 4"),
        (&["op", "run", "layernorm_bw", "--shape", "1,x"], "\"x\" is not a whole number"),
        (&["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--dtype", "fp8"], "dtype fp8: must be bfloat16"),
        (
            &["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--set", "path=l2"],
            "path l2: must be auto or l1 or block",
        ),
        (
            &["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--set", "cores=2.7"],
            "cores 2.7: must be a whole number, 1 or above",
        ),
        (
            &["op", "run", "layernorm_fused_rm", "--shape", "32,32", "--set", "cores=nan"],
            "cores NaN: must be a whole number, 1 or above",
        ),
        (&["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--set", "cores=0"], "give 1 to 64"),
        (&["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--fill", "z=normal"], "fill z: is no input"),
        (
            &["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--fill", "mean=npy:no.npy"],
            "mean: no.npy: No such file",
        ),
        (&["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--fill", "rstd=norml"], "fill rstd: fill \"norml\""),
        (
            &["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--fill", "x=normal", "--fill", "x=ramp"],
            "fill x: is given twice",
        ),
        (
            &["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--set", "eps=1", "--set", "epsilon=2"],
            "epsilon: is given twice, as eps",
        ),
        (
            &["op", "run", "layernorm_fused_rm", "--shape", "32,32", "--set", "memory_config=sharded"],
            "memory_config sharded: layernorm_fused_rm gives interleaved tensors; use dram or l1",
        ),
        (
            &["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--set", "memory_config=l3"],
            "memory_config l3: must be dram or l1",
        ),
        (&["op", "run", "layernorm_bw", "--shape", "1,1,1,1", "--save-as", "float32"], "--save <DIR>"),
        (&["op", "program", "layernorm_bw", "--shape", "1,1"], "layernorm_bw takes 4"),
        (&["op", "program", "layernorm_bw", "--shape", "1,1,1,1", "--into", "/dev/null"], "/dev/null/inputs: "),
        (&["op", "program", "examples/ops/rmsnorm", "--shape", "32,32", "--into", "out"], "leave --into out"),
        (&["analyze", "docs"], "there is no .cpp file with a kernel in this folder"),
        (&["analyze", "no.cpp"], "no.cpp: "),
    ] {
        let output = tileproof(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(says) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
}

#[test]
fn a_name_that_is_both_a_shipped_op_and_a_folder_is_refused_until_it_says_which() {
    let folder = folder("op_both");
    for name in ["layernorm_bw", "own"] {
        fs::create_dir_all(folder.join(name)).unwrap();
        let text = format!("name = \"{name}\"\nsummary = \"mine\"\n\n[[input]]\nname = \"x\"\n");
        fs::write(folder.join(name).join("op.toml"), text).unwrap();
    }
    // A folder that describes no op is none.
    fs::create_dir_all(folder.join("layernorm_fused_rm")).unwrap();
    let call = folder.join("call.toml");
    fs::write(&call, "op = \"layernorm_bw\"\nshape = [1, 1, 32, 32]\n").unwrap();
    let words = "layernorm_bw is both a shipped op and a folder with an op.toml; say ./layernorm_bw for the folder";
    let shape = ["--shape", "1,1,1,1"];
    for arguments in [
        &["op", "show", "layernorm_bw"][..],
        &["op", "check", "layernorm_bw"],
        &["op", "list", "layernorm_bw"],
        &[&["op", "run", "layernorm_bw"][..], &shape].concat(),
        &[&["op", "program", "layernorm_bw"][..], &shape].concat(),
        &["run", "call.toml"],
    ] {
        let output = tileproof_in(&folder, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    let shown = |name: &str| tileproof_in(&folder, &["op", "show", name, "--format", "json"]).stdout;
    let summary = |name: &str| serde_json::from_slice::<serde_json::Value>(&shown(name)).unwrap()["summary"].clone();
    assert_eq!(summary("./layernorm_bw"), "mine");
    assert_ne!(summary("layernorm_fused_rm"), "mine");
    let list = tileproof_in(&folder, &["op", "list", "own", "./layernorm_bw", "--format", "json"]).stdout;
    let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
    let from: Vec<&str> = list.as_array().unwrap().iter().map(|op| op["from"].as_str().unwrap()).collect();
    assert_eq!(from, ["shipped", "shipped", "own", "./layernorm_bw"]);
}

#[test]
fn a_log_is_not_emptied_for_an_op_that_is_not_there() {
    let folder = folder("op_log");
    fs::write(folder.join("op.toml"), "name = 1\n").unwrap();
    let log = folder.join("log.jsonl");
    fs::write(&log, "{}\n").unwrap();
    let check = |op: &str| tileproof_in(&folder, &["op", "check", op, "--log", "log.jsonl"]).status.code();
    assert_eq!(check("nosuch"), Some(2));
    assert_eq!(fs::read_to_string(&log).unwrap(), "{}\n");
    // A description that cannot be read is a check with a red gate, and has a log.
    assert_eq!(check("."), Some(1));
    assert!(fs::read_to_string(&log).unwrap().starts_with("{\"event\":\"check_started\""));
}

#[test]
fn two_logs_of_one_check_are_the_same_and_say_gate_file_decision_and_time() {
    let folder = folder("op_clock");
    let op = Path::new(ROOT).join("examples/ops/rmsnorm");
    let log = |name: &str, more: &[&str]| {
        let arguments = [&["op", "check", op.to_str().unwrap(), "--log", name], more].concat();
        assert_eq!(tileproof_in(&folder, &arguments).status.code(), Some(0));
        fs::read_to_string(folder.join(name)).unwrap()
    };
    let first = log("first.jsonl", &[]);
    assert_eq!(first, log("second.jsonl", &[]));
    let lines = |text: &str| text.lines().map(|l| serde_json::from_str(l).unwrap()).collect::<Vec<serde_json::Value>>();
    let mut cycles = 0;
    for (index, line) in lines(&first).iter().enumerate() {
        assert_eq!(line["number"].as_u64(), Some(index as u64 + 1));
        // The clock is the sum of what the runs took.
        cycles += line["cycles"].as_u64().unwrap_or(0);
        assert_eq!(line["cycles_so_far"].as_u64(), Some(cycles));
        let event = line["event"].as_str().unwrap();
        let begins = event.ends_with("_started");
        assert_eq!(line["decision"], if begins { "begin" } else { "pass" }, "{line}");
        assert!(event.starts_with("check_") || line["gate"].is_u64(), "{line}");
        let has_file = line["file"].as_str().is_some_and(|file| file.ends_with("op.toml"));
        assert!(has_file || event == "gate_started" || event == "check_ended", "{line}");
        assert!(line.get("wall_s").is_none() && line.get("unix_s").is_none(), "{line}");
    }
    assert!(cycles > 0);
    let timed = lines(&log("timed.jsonl", &["--log-clock", "wall"]));
    let times: Vec<f64> = timed.iter().map(|line| line["unix_s"].as_f64().unwrap()).collect();
    assert!(times.is_sorted() && times[0] > 1.6e9, "{times:?}");
}

#[test]
fn the_log_of_a_red_gate_names_the_file_and_line_to_blame() {
    let folder = folder("op_red");
    fs::write(folder.join("op.toml"), "name = \"red\"\ncolour = 1\n").unwrap();
    assert_eq!(tileproof_in(&folder, &["op", "check", ".", "--log", "log.jsonl"]).status.code(), Some(1));
    let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    let ended = log.lines().find(|line| line.contains("gate_ended")).unwrap();
    let ended: serde_json::Value = serde_json::from_str(ended).unwrap();
    assert_eq!((&ended["decision"], &ended["file"]), (&"fail".into(), &"./op.toml:2".into()));
}

#[test]
fn what_a_kernel_does_is_told_as_text_json_and_markdown() {
    let kernel = "examples/programs/add/add.cpp";
    let analyses = json(&["analyze", kernel, "--format", "json"]);
    let buffers = analyses[0]["buffers"].as_array().unwrap();
    let pushed: Vec<(&str, &serde_json::Value)> =
        buffers.iter().map(|buffer| (buffer["name"].as_str().unwrap(), &buffer["pushed"])).collect();
    assert_eq!(pushed[2], ("c_16", &"pages".into()));
    let text = String::from_utf8(tileproof(&["analyze", kernel]).stdout).unwrap();
    assert!(text.contains("c_16  producer, pushes in all pages\n"), "{text}");
    let markdown = String::from_utf8(tileproof(&["analyze", kernel, "--format", "markdown"]).stdout).unwrap();
    assert!(markdown.contains("## MATH, in the order of the text\n"), "{markdown}");
}

#[test]
fn a_shipped_op_is_written_as_a_program_file_that_runs() {
    let folder = folder("op_program");
    let into = folder.display().to_string();
    let call = ["op", "program", "layernorm_bw", "--shape", "1,1,32,20", "--set", "path=l1"];
    let output = tileproof(&[&call[..], &["--into", &into]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let program = folder.join("program.toml");
    assert!(String::from_utf8_lossy(&output.stdout).contains(&format!("tileproof run {}", program.display())));
    let run = tileproof(&["run", &program.display().to_string(), "--format", "json"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stdout));
    // What is printed without a folder is the same program.
    let printed = tileproof(&call).stdout;
    let printed = String::from_utf8_lossy(&printed);
    assert!(printed.ends_with(&fs::read_to_string(&program).unwrap()), "{printed}");
}

#[test]
fn a_wrong_output_of_the_whole_grid_is_looked_at_again() {
    // Each machine of 64 cores takes a quarter of the addresses that there are for L1: runs that look again must not keep many.
    let arguments =
        ["op", "run", "layernorm_bw", "--shape", "1,1,32,2048", "--rtol", "0", "--atol", "0", "--format", "json"];
    let document = json_of(&tileproof(&arguments));
    let codes: Vec<&str> =
        document["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"TP0808"), "{document:#}");
}

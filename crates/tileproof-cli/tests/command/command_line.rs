//! The command line as outside tests call it: exit codes, JSON, and one clear message for each bad input.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::run::{ROOT, folder, json_of, tileproof, tileproof_in};

fn backward(arguments: &[&str]) -> Output {
    tileproof(&[&["layernorm", "backward"], arguments].concat())
}

fn forward(arguments: &[&str]) -> Output {
    tileproof(&[&["layernorm", "forward"], arguments].concat())
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
fn forward_runs_on_either_chip() {
    for arch in ["wormhole", "blackhole"] {
        let run = forward(&["--shape", "32,64", "--arch", arch]);
        assert_eq!(run.status.code(), Some(0), "{arch}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn bad_input_of_forward_is_refused() {
    refused(&forward(&["--shape", "1,1,1,1,1,1,1,32,32"]), "9 dimensions, layernorm_fused_rm takes 1 to 8");
    refused(&forward(&["--shape", "2,0,32"]), "dimension 1 is 0");
    refused(&forward(&["--shape", "1,1,32,4000000"]), "W is 4000000");
    refused(&forward(&["--shape", "4294967295,4294967295,4294967295,32"]), "at most");
    refused(&forward(&["--shape", "32,32", "--eps", "nan"]), "eps NaN: must be a finite number");
    refused(&forward(&["--shape", "32,32", "--eps", "-1"]), "eps -1: must be 0 or above");
    refused(&forward(&["--shape", "32,32", "--rtol", "-1"]), "rtol -1");
    refused(&forward(&["--shape", "32,32", "--cores", "0"]), "cores 0");
    refused(&forward(&["--shape", "32,32", "--cores", "65"]), "cores 65");
    refused(&forward(&["--shape", "32,65536", "--path", "l1"]), "do not fit in the");
    refused(&forward(&["--shape", "32,32", "--gamma", "no"]), "none");
    refused(&forward(&["--shape", "32,32", "--beta", "constant:x"]), "constant");
    refused(&forward(&["--shape", "32,32", "--layout", "column"]), "row_major");
    refused(&forward(&["--shape", "32,32", "--threads", "0"]), "threads 0");
    refused(&forward(&["--shape", "32,32", "--kernels", "nowhere"]), "kernels nowhere");
}

#[test]
fn forward_prints_the_contracted_json_and_saves_its_outputs() {
    let folder = folder("forward-outputs");
    let output = forward(&[
        "--shape",
        "2,3,5,7",
        "--gamma",
        "none",
        "--beta",
        "ramp:-1,1",
        "--stats",
        "--format",
        "json",
        "--save",
        folder.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["op"], &json["pass"]), (&"layernorm_fused_rm".into(), &true.into()));
    let names: Vec<&str> = json["outputs"].as_array().unwrap().iter().map(|o| o["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["y", "mean", "rstd"]);
    let saved = format!("npy:{}", folder.join("y.npy").display());
    assert_eq!(forward(&["--shape", "2,3,5,7", "--x", &saved]).status.code(), Some(0));
}

#[test]
fn options_have_the_names_that_ttnn_has_for_them() {
    let shape = ["--shape", "1,1,13,20", "--format", "json"];
    for direction in [backward, forward] {
        let of = |more: &[&str]| {
            let output = direction(&[&shape[..], more].concat());
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            (document["outputs"].to_string(), document["cycles"].as_u64(), document["dtype"].to_string())
        };
        assert_eq!(of(&["--epsilon", "3"]), of(&["--eps", "3"]));
        assert_ne!(of(&["--epsilon", "3"]), of(&[]));
        assert_eq!(of(&["--dtype", "float32"]), of(&["--dtype", "fp32"]));
        assert_eq!(of(&["--dtype", "bfloat16"]), of(&[]));
        assert_eq!(of(&["--memory-config", "l1"]).0, of(&["--memory-config", "dram"]).0);
        assert_eq!(of(&["--layout", "tile"]).0, of(&["--layout", "row_major"]).0);
        refused(&direction(&["--shape", "1,1,1,1", "--memory-config", "sharded"]), "must be dram or l1");
        refused(&direction(&["--shape", "1,1,16384,8192", "--memory-config", "l1"]), "too few for the");
    }
}

#[test]
fn float32_files_go_in_rounded_and_come_out_on_request() {
    let folder = folder("float32_files");
    let save = |of: &str, more: &[&str]| {
        let to = folder.join(of);
        let arguments = ["--shape", "1,1,13,20", "--format", "json", "--save", to.to_str().unwrap()];
        let output = forward(&[&arguments[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let codes = document["notes"].as_array().unwrap().iter().map(|note| note["code"].as_str().unwrap().to_string());
        (std::fs::read(to.join("y.npy")).expect("y.npy"), codes.collect::<Vec<_>>())
    };
    let (floats, notes) = save("floats", &["--save-as", "float32"]);
    let (bits, _) = save("bits", &[]);
    assert!(notes.is_empty());
    // bf16 is the upper half of fp32.
    let of_bits: Vec<u8> = bits[128..].chunks(2).flat_map(|word| [0, 0, word[0], word[1]]).collect();
    assert!(floats[..128].windows(3).any(|text| text == b"<f4") && floats[128..] == of_bits);
    // What bf16 holds exactly is the same from either file, and rounding is said of one alone.
    let x = |of: &str| format!("npy:{}", folder.join(of).join("y.npy").display());
    let (from_floats, said) = save("again", &["--x", &x("floats")]);
    let (from_bits, nothing) = save("again", &["--x", &x("bits")]);
    assert!(from_floats == from_bits);
    assert_eq!((said, nothing.len()), (vec!["TP0807".to_string()], 0));
    refused(&forward(&["--shape", "1,1,13,20", "--save-as", "float32"]), "--save <DIR>");
}

#[test]
fn statistics_of_backward_are_taken_or_refused_by_name() {
    let shape = ["--shape", "1,1,13,20"];
    assert_eq!(
        backward(&[&shape[..], &["--mean", "constant:0.5", "--rstd", "constant:2"]].concat()).status.code(),
        Some(0)
    );
    refused(&backward(&[&shape[..], &["--mean", "npy:nope.npy"]].concat()), "mean: nope.npy: ");
    // Kernels for the public host side take them as bf16: the bits, or float32 that is rounded and said to be.
    let folder = folder("statistics");
    let mended = specimen("mended");
    let given = |array: &str, save: &str| {
        let to = folder.join(save);
        let mean = format!("npy:{}", folder.join(array).join("y.npy").display());
        let options = ["--kernels", &mended, "--mean", &mean, "--save", to.to_str().unwrap(), "--format", "json"];
        let output = backward(&[&shape[..], &options].concat());
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let notes = document["notes"].as_array().unwrap().iter().filter(|note| note["code"] == "TP0807").count();
        (std::fs::read(to.join("dx.npy")).expect("dx.npy"), notes)
    };
    for save_as in ["bits", "float32"] {
        // A mean of each row: 0 + 0.125, exactly.
        let to = folder.join(save_as);
        let options =
            ["--shape", "1,1,13,1", "--beta", "constant:0.125", "--save", to.to_str().unwrap(), "--save-as", save_as];
        assert_eq!(forward(&options).status.code(), Some(0));
    }
    let (bits, floats) = (given("bits", "of_bits"), given("float32", "of_floats"));
    assert!(bits.0 == floats.0);
    assert_eq!((bits.1, floats.1), (0, 1));
    refused(&backward(&[&shape[..], &["--rstd", "zeros"]].concat()), "\"zeros\" is not a fill");
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

#[test]
fn bad_npy_files_are_refused_by_name() {
    let folder = folder("bad_npy");
    let missing = format!("npy:{}", folder.join("missing.npy").display());
    refused(&backward(&["--shape", "1,1,32,32", "--x", &missing]), "missing.npy");
    let broken = folder.join("broken.npy");
    std::fs::write(&broken, b"not an array").expect("write");
    refused(&backward(&["--shape", "1,1,32,32", "--dy", &format!("npy:{}", broken.display())]), "broken.npy");
}

#[test]
fn saved_outputs_can_be_read_again_and_a_mismatched_shape_is_refused() {
    let folder = folder("saved");
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
    for field in
        ["op", "shape", "arch", "dtype", "path", "cores", "cycles", "wall_s", "outputs", "findings", "notes", "pass"]
    {
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
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.lines().count() >= 10);
    assert!(list.contains("TP0302  NonContractual  pages are pushed that were not reserved\n"), "{list}");
}

#[test]
fn doctor_reports_cpu_and_compiler_and_changes_nothing() {
    let output = tileproof(&["doctor"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    for topic in ["CPU", "C++ compiler", "device node", "huge pages", "container"] {
        assert!(text.contains(topic), "{topic}: {text}");
    }
    // Whatever is missing stands above the command that mends it.
    let mut without = std::process::Command::new(env!("CARGO_BIN_EXE_tileproof"));
    let output = without.arg("doctor").env_remove("CXX").env("PATH", "").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().skip_while(|line| !line.contains("C++ compiler   none: g++"));
    assert!(lines.next().is_some(), "{text}");
    assert!(lines.next().unwrap().contains("mend it: sudo "), "{text}");
}

/// A program of the examples folder.
fn example(name: &str) -> String {
    format!("{ROOT}/examples/programs/{name}/program.toml")
}

#[test]
fn a_program_of_cpp_kernels_runs_and_its_json_holds_the_contracted_fields() {
    let output = tileproof(&["run", &example("add"), "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json_of(&output);
    for field in ["status", "cycles", "wall_s", "outputs", "findings", "notes", "ledger"] {
        assert!(document.get(field).is_some(), "{field}");
    }
    assert_eq!(document["status"], "completed");
    assert_eq!(document["ledger"][0]["cb"], "c_0");
}

#[test]
fn a_hang_in_cpp_names_file_line_and_thread_in_every_format() {
    let output = tileproof(&["run", &example("hang"), "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let document = json_of(&output);
    assert_eq!(document["status"], "deadlock");
    let finding = &document["findings"][0];
    assert_eq!(finding["code"], "TP0601");
    assert!(finding["file"].as_str().unwrap().ends_with("writer.cpp"));
    let source =
        std::fs::read_to_string(format!("{}/../add/writer.cpp", example("hang").trim_end_matches("/program.toml")));
    let wait = source.unwrap().lines().position(|l| l.contains("cb_wait_front")).unwrap() as u64 + 1;
    assert_eq!(finding["line"].as_u64(), Some(wait));
    let concise = tileproof(&["run", &example("hang"), "--format", "concise"]);
    assert!(String::from_utf8_lossy(&concise.stdout).contains(&format!("writer.cpp:{wait}:")));
    let human = tileproof(&["run", &example("hang")]);
    assert!(String::from_utf8_lossy(&human.stdout).contains("error[TP0601]: deadlock"));
}

#[test]
fn a_deadlock_of_64_cores_fits_on_a_screen_and_names_the_core_to_blame() {
    let run = |name: &str| {
        let path = format!("examples/programs/{name}/broken.toml");
        let output = tileproof_in(Path::new(ROOT), &["run", &path]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let text = run("barrier");
    assert!(text.lines().count() <= 40, "{text}");
    assert!(text.contains("core (5,3), which runs the same kernel, has not\n"), "{text}");
    assert!(text.contains("core (5,3) stands here: BRISC waits until semaphore 1 is == 1"), "{text}");
    assert!(text.contains("and on 62 other cores: (0,2) (0,3)"), "{text}");
    // A header beside the kernel is named as the kernel is, from where the user stands.
    assert!(run("matmul_grid").contains("--> examples/programs/matmul_grid/multicast.h:"));
}

#[test]
fn a_deadlock_is_reported_with_checks_off_too() {
    let output = tileproof(&["run", &example("hang"), "--checks", "none", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(json_of(&output)["findings"][0]["code"], "TP0601");
}

#[test]
fn the_ledger_lists_every_line_that_uses_a_buffer() {
    let output = tileproof(&["ledger", &example("add")]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    for line in
        ["reserve NCRISC", "push    NCRISC", "wait    UNPACK", "pop     UNPACK", "push    PACK", "pop     BRISC"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_finding_replays_with_its_schedule_token() {
    let first = json_of(&tileproof(&["run", &example("hang"), "--format", "json"]));
    let token = first["findings"][0]["schedule"].as_str().unwrap();
    let again = json_of(&tileproof(&["run", &example("hang"), "--schedule", token, "--format", "json"]));
    assert_eq!((&first["findings"], &first["cycles"]), (&again["findings"], &again["cycles"]));
}

#[test]
fn contention_costs_cycles_and_changes_nothing_else_and_its_token_replays_it() {
    let run = |more: &[&str]| {
        let document = json_of(&tileproof(&[&["run", &example("eltwise_8_cores"), "--format", "json"], more].concat()));
        assert!(document["status"] == "completed" && document["outputs"][0]["pass"] == true, "{document}");
        (document["cycles"].as_u64().unwrap(), document["schedule"].as_str().unwrap().to_string())
    };
    let (alone, shared) = (run(&[]), run(&["--contention"]));
    assert!(shared.0 >= alone.0 && shared.1 == "tp1:c", "{alone:?} {shared:?}");
    assert_eq!(run(&["--schedule", &shared.1]), shared);
    refused(&tileproof(&["run", &example("add"), "--contention", "--explore", "2"]), "--explore");
}

#[test]
fn an_isolated_run_gives_the_same_verdict() {
    let plain = json_of(&tileproof(&["run", &example("hang"), "--format", "json"]));
    let isolated = json_of(&tileproof(&["run", &example("hang"), "--isolate", "--format", "json"]));
    assert_eq!(plain["findings"], isolated["findings"]);
    assert_eq!(tileproof(&["run", &example("add"), "--isolate"]).status.code(), Some(0));
    refused(&tileproof(&["run", "missing.toml", "--isolate"]), "missing.toml");
}

#[test]
fn bad_run_words_are_refused() {
    refused(&tileproof(&["run", "missing.toml"]), "missing.toml");
    refused(&tileproof(&["run", &example("add"), "--checks", "speed"]), "speed");
    refused(&tileproof(&["run", &example("add"), "--param", "novalue"]), "NAME=VALUE");
    refused(&tileproof(&["run", &example("add"), "--threads", "0"]), "threads 0");
    refused(&tileproof(&["run", &example("add"), "--schedule", "tp1:9f3c20"]), "tp1:0");
    refused(&tileproof(&["run", &example("add"), "--format", "xml"]), "concise");
    refused(&tileproof(&["ledger", "missing.toml"]), "missing.toml");
}

/// A folder of `specimens/layernorm_bw`.
fn specimen(name: &str) -> String {
    let folder = format!("{ROOT}/specimens/layernorm_bw");
    format!("{folder}/{name}")
}

#[test]
fn given_kernels_run_in_the_public_layout_and_are_reported_with_their_lines() {
    let constant = ["--shape", "1,1,32,100", "--x", "constant:0.5", "--dy", "constant:1", "--gamma", "constant:1"];
    let of = |name: &str| {
        let kernels = specimen(name);
        backward(&[&constant[..], &["--kernels", &kernels, "--format", "json"]].concat())
    };
    let published = of("published");
    assert_eq!(published.status.code(), Some(1), "{}", String::from_utf8_lossy(&published.stderr));
    let document = json_of(&published);
    assert_eq!((&document["op"], &document["path"]), (&"layernorm_bw".into(), &"l1".into()));
    assert_eq!(document["outputs"][0]["max_diff"], 988.0);
    let finding = &document["findings"][0];
    let text = std::fs::read_to_string(specimen("published/compute.cpp")).unwrap();
    let line = text.lines().position(|line| line.ends_with("// MARK accumulates")).unwrap() + 1;
    assert_eq!((&finding["code"], &finding["line"]), (&"TP0710".into(), &line.into()));
    assert!(finding["file"].as_str().unwrap().ends_with("published/compute.cpp"));
    // Mended, no rule finds anything; 1/N that is cut off still misses the tolerance, and has its share of the error.
    let mended = json_of(&of("mended"));
    assert_eq!(mended["outputs"][0]["max_diff"], 5.375);
    let [finding] = &mended["findings"].as_array().unwrap()[..] else { panic!("{mended}") };
    assert_eq!((&finding["code"], &finding["facts"]["output"]), (&"TP0808".into(), &"dx".into()));
    assert!(finding["message"].as_str().unwrap().contains("1/100 in bfloat16"), "{finding}");
}

#[test]
fn forward_runs_given_kernels_of_the_op_and_of_the_public_layout() {
    let run = |shape: &str, kernels: &str, more: &[&str]| {
        let kernels = format!("{ROOT}/{kernels}");
        forward(&[&["--shape", shape, "--kernels", &kernels][..], more].concat())
    };
    let own = "crates/tileproof-ops/src/layernorm_fused_rm/cpp";
    let published = "specimens/layernorm_fused_rm/published";
    for (shape, kernels) in [("33,65", own), ("64,128", published)] {
        let output = run(shape, kernels, &["--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{kernels}: {}", String::from_utf8_lossy(&output.stderr));
        let document = json_of(&output);
        assert_eq!((&document["op"], &document["pass"]), (&"layernorm_fused_rm".into(), &true.into()));
        assert_eq!(document["outputs"][0]["name"], "y");
    }
    refused(&run("33,65", published, &[]), "multiples of 32");
    refused(&run("32,64", published, &["--host", "theirs"]), "public-tiles");
    refused(&forward(&["--shape", "32,64", "--host", "op"]), "--kernels");
}

#[test]
fn backward_runs_given_kernels_of_the_op_and_of_the_public_layout() {
    let own = format!("{ROOT}/crates/tileproof-ops/src/layernorm_bw/cpp");
    let mended = specimen("mended");
    let run = |kernels: &str, more: &[&str]| {
        backward(&[&["--shape", "1,1,33,65", "--kernels", kernels, "--format", "json"][..], more].concat())
    };
    for (kernels, host) in [(&own, "auto"), (&own, "op"), (&mended, "auto"), (&mended, "public")] {
        let output = run(kernels, &["--host", host]);
        assert_eq!(output.status.code(), Some(0), "{kernels} {host}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(json_of(&output)["findings"], serde_json::json!([]), "{kernels} {host}");
    }
    // The compiler has more to say than one line.
    let other = run(&own, &["--host", "public"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&other.stderr).contains("compile-time argument 9 is asked for, the program gives 9")
    );
    refused(&backward(&["--shape", "1,1,33,65", "--kernels", &own, "--host", "theirs"]), "auto, op, public");
    refused(&backward(&["--shape", "1,1,32,64", "--host", "op"]), "--kernels");
}

#[test]
fn a_forward_kernel_without_start_up_is_reported_at_its_first_compute_call() {
    let folder = format!("{ROOT}/specimens/layernorm_fused_rm/no_startup");
    let output = forward(&["--shape", "32,64", "--kernels", &folder, "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json_of(&output);
    let finding = &document["findings"][0];
    let text = std::fs::read_to_string(format!("{ROOT}/crates/tileproof-ops/src/layernorm_fused_rm/cpp/compute.cpp"));
    let text = text.expect("the kernel");
    let line = |call: &str| text.lines().position(|line| line.trim_start().starts_with(call)).expect(call) + 1;
    // Each thread is blamed for the first call that programs its unit.
    let first = [line("reconfig_data_format_srca(STICKS"), line("pack_reconfig_data_format(X")];
    assert_eq!(finding["code"], "TP0703");
    assert!(first.iter().any(|line| finding["line"] == *line), "{finding}");
    assert!(finding["file"].as_str().unwrap().ends_with("compute.cpp"));
    assert_eq!(document["pass"], false);
}

#[test]
fn kernels_that_cannot_be_told_apart_or_built_are_refused() {
    let shape = ["--shape", "1,1,32,32"];
    let with = |more: &[&str]| backward(&[&shape[..], more].concat());
    refused(&with(&["--kernels", "missing"]), "missing");
    refused(&with(&["--kernels", &specimen("")]), "both look like");
    refused(&with(&["--kernels", concat!(env!("CARGO_MANIFEST_DIR"), "/src")]), "no reader kernel");
    refused(&with(&["--kernels", &specimen("mended"), "--include", "nowhere"]), "nowhere: is not a folder");
    refused(&with(&["--include", "."]), "--kernels");
    refused(&with(&["--kernels", &specimen("mended"), "--dtype", "fp32"]), "bfloat16 only");
    // Written for another host side; the compiler has more to say than one line.
    let other = with(&["--kernels", &specimen("single")]);
    assert_eq!(other.status.code(), Some(2));
    let message = String::from_utf8_lossy(&other.stderr);
    assert!(
        message.contains("compile-time argument") && message.contains("is asked for, the program gives"),
        "{message}"
    );
}

#[test]
fn a_grid_is_a_table_of_what_each_cell_came_to() {
    let program = example("hang");
    let grid = ["run", &program, "--grid", "PAGES=4", "--grid", "EXTRA=0..1"];
    let output = tileproof(&grid);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(&text.lines().take(2).collect::<Vec<_>>(), &["PAGES  EXTRA=0  EXTRA=1", "4      pass     hang"]);
    assert!(text.contains("\nTP0601 at ") && text.contains("    in EXTRA=1 PAGES=4\n"), "{text}");
    assert!(text.contains("1 of 2 cells pass\n") && text.ends_with("\nFAIL\n"), "{text}");
    let cells = json_of(&tileproof(&[&grid[..], &["--format", "json"]].concat()));
    let cells = cells.as_array().unwrap();
    let results: Vec<_> = cells.iter().map(|cell| (&cell["params"]["EXTRA"], &cell["result"], &cell["pass"])).collect();
    let (pass, hang) = ("pass".into(), "hang".into());
    assert_eq!(results, [(&"0".into(), &pass, &true.into()), (&"1".into(), &hang, &false.into())]);
    assert_eq!((&cells[1]["codes"][0], &cells[1]["run"]["status"]), (&"TP0601".into(), &"deadlock".into()));
    // A cell that cannot be run does not pass, and the others are run all the same.
    let cells =
        json_of(&tileproof(&["run", &program, "--param", "EXTRA=0", "--grid", "PAGES=4,0", "--format", "json"]));
    assert_eq!((&cells[0]["result"], &cells[1]["result"]), (&pass, &"refused".into()));
    assert!(cells[1]["error"].as_str().unwrap().contains("shape is \"0\""), "{}", cells[1]["error"]);
    assert_eq!(tileproof(&["run", &example("add"), "--grid", "PAGES=4"]).status.code(), Some(0));
}

#[test]
fn bad_grids_and_schedules_are_refused() {
    let program = example("add");
    let grid = |axis: &str| tileproof(&["run", &program, "--grid", axis]);
    refused(&grid("W=1..3"), "grid W: it is not in [params] of the program; it has PAGES");
    refused(&grid("PAGES="), "grid PAGES: a value is empty");
    refused(&grid("PAGES=3..1"), "range \"3..1\" is empty");
    refused(&grid("PAGES"), "expected NAME=VALUES");
    refused(&grid("PAGES=x,y"), "shape is \"x\"");
    refused(&tileproof(&["run", &program, "--grid", "PAGES=1", "--param", "PAGES=2"]), "--param gives PAGES");
    refused(&tileproof(&["run", &program, "--grid", "PAGES=1", "--save", "out"]), "save over each other");
    refused(&tileproof(&["run", &program, "--grid", "PAGES=1", "--format", "sarif"]), "human and json");
    refused(&tileproof(&["run", "missing.toml", "--grid", "PAGES=1"]), "missing.toml");
    refused(&tileproof(&["run", &program, "--explore", "0"]), "explore 0");
    refused(&tileproof(&["run", &program, "--explore", "few"]), "few");
    refused(&tileproof(&["run", &program, "--explore", "2", "--schedule", "tp1:r"]), "leave out --schedule");
}

#[test]
fn exploring_says_how_many_orders_were_run_and_a_token_replays_a_run() {
    let output = tileproof(&["run", &example("add"), "--explore", "12"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.starts_with("explored: nothing is left open, so that the default order is the only one\n"), "{text}");
    let token = "tp1:fNCRISC.y40.r.w.t3";
    let run = || tileproof(&["run", &example("add"), "--schedule", token, "--format", "json"]);
    let (mut first, mut again) = (json_of(&run()), json_of(&run()));
    assert_eq!((&first["schedule"], &first["status"]), (&token.into(), &"completed".into()));
    for document in [&mut first, &mut again] {
        document["wall_s"] = 0.into();
    }
    assert_eq!(first, again);
}

#[test]
fn orders_that_are_open_in_a_process_of_their_own_are_explored_as_in_this_one() {
    for (case, fails) in [("count_set_back_beside_another", false), ("word_set_back_behind_its_count", true)] {
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/ui/{case}/program.toml"));
        let explored = |more: &[&str]| {
            let options = ["run", case.to_str().unwrap(), "--checks", "none", "--explore", "40", "--format", "json"];
            json_of(&tileproof(&[&options[..], more].concat()))["explored"].clone()
        };
        let apart = explored(&[]);
        assert_eq!(apart, explored(&["--in-process"]));
        assert!(apart["runs"].as_u64() > Some(1), "{apart}");
        assert_eq!(apart["failed"].is_string(), fails, "{apart}");
    }
}

/// The example that adds, with an expectation that it does not meet, in a folder of its own.
fn wrong(name: &str) -> PathBuf {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs/add");
    let folder = std::env::temp_dir().join(format!("tileproof-cli {name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = std::fs::read_to_string(example.join("program.toml")).unwrap();
    let text = ["add", "reader", "writer"].iter().fold(text, |text, kernel| {
        let file = format!("{kernel}.cpp\"");
        text.replace(&format!("\"{file}"), &format!("\"{}/{file}", example.display()))
    });
    let path = folder.join("program.toml");
    std::fs::write(&path, text.replace("file = \"out.npy\"", "fill = \"constant:9\"")).unwrap();
    path
}

#[test]
fn a_kernel_that_ends_its_process_with_a_good_code_is_found_out() {
    let path = wrong("exits");
    let kernel = path.with_file_name("exits.cpp");
    // exit_group(0), behind the back of the C library.
    let text = "#include \"api/dataflow/dataflow_api.h\"\n\
        void kernel_main() { asm volatile(\"syscall\" : : \"a\"(231), \"D\"(0) : \"rcx\", \"r11\", \"memory\"); }\n";
    std::fs::write(&kernel, text).unwrap();
    let program = std::fs::read_to_string(&path).unwrap();
    let reader = program.lines().find(|line| line.contains("reader.cpp")).unwrap();
    let instead = format!("kernel_source = \"{}\"", kernel.display());
    std::fs::write(&path, program.replace(reader, &instead)).unwrap();
    let output = tileproof(&["run", path.to_str().unwrap(), "--isolate", "--format", "concise"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("TP0605") && text.contains("with exit code 0"), "{text}");
}

#[test]
fn an_isolated_run_that_says_nothing_was_not_killed() {
    let path = wrong("isolated");
    for format in ["concise", "github"] {
        let output = tileproof(&["run", path.to_str().unwrap(), "--isolate", "--checks", "none", "--format", format]);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), &b""[..]), "{format}");
    }
    refused(&tileproof(&["run", &example("hang"), "--isolate", "--in-process"]), "--in-process");
}

#[test]
fn what_puts_one_line_before_another_is_told_with_the_calls_on_the_way() {
    let why = |program: &str, lines: [&str; 2]| {
        let output = tileproof(&["run", program, "--why", lines[0], lines[1], "--format", "json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
        let notes = document["notes"].as_array().expect("notes").clone();
        let note = notes.into_iter().find(|note| note["code"] == "TP0514").expect("an answer");
        let lines = note["labels"].as_array().expect("labels").iter();
        let lines: Vec<String> =
            lines.map(|label| format!("{}: {}", label["line"], label["text"].as_str().unwrap())).collect();
        (note["message"].as_str().unwrap().to_string(), lines)
    };
    let (message, way) = why(&example("add"), ["reader.cpp:17", "add.cpp:18"]);
    assert_eq!(message, "ordered: reader.cpp:17 comes before add.cpp:18");
    let calls = ["17: comes first", "20: waits until its reads have come", "22: pushes the page of c_0"];
    assert_eq!(way[..3], calls);
    assert_eq!(way[3], "15: waits for the page of c_0");
    // The barrier is missing.
    let broken = example("add").replace("program.toml", "broken.toml");
    let (message, _) = why(&broken, ["reader.cpp:17", "add.cpp:18"]);
    assert!(message.starts_with("not ordered: when add.cpp:18 runs for the first time"), "{message}");
    assert!(message.ends_with("nothing says that the data of the read in reader.cpp:17 have come"), "{message}");
    // Page 2 goes where page 0 was: the third pack waits for the first write.
    let (message, _) = why(&example("add"), ["writer.cpp:13", "add.cpp:24"]);
    assert!(message.ends_with("from the third time on that the latter runs"), "{message}");
    // From core to core: the write, its barrier, the increment behind it, the wait.
    let (message, way) = why(&example("ping_pong"), ["ping_pong.cpp:41", "ping_pong.cpp:38"]);
    assert_eq!(message, "ordered: ping_pong.cpp:41 comes before ping_pong.cpp:38");
    assert_eq!(way[0], "41: comes first");
    assert_eq!(way[2..], ["43: raises the semaphore", "35: waits for the semaphore"]);
    // What comes back to where it began is no part of the way.
    let (_, way) = why(&example("barrier"), ["barrier.cpp:34", "barrier.cpp:43"]);
    assert_eq!(way, ["34: comes first", "34: raises the semaphore", "28: waits for the semaphore"]);
    let run = |a: &str, b: &str| tileproof(&["run", &example("add"), "--why", a, b]);
    refused(&run("reader.cpp:1", "add.cpp:18"), "reader.cpp:1: the line makes no call");
    refused(&run("other.cpp:1", "add.cpp:18"), "calls were made in add.cpp, reader.cpp, writer.cpp");
    refused(&run("reader.cpp", "add.cpp:18"), "expected a line of a kernel, as reader.cpp:12");
}

#[test]
fn an_element_is_followed_back_to_those_that_it_was_made_of() {
    let follows = |element: &str| tileproof(&["run", &example("add"), "--follow", element, "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&follows("out[1,2,3]").stdout).unwrap();
    let note = document["notes"].as_array().unwrap().iter().find(|note| note["code"] == "TP0810").unwrap();
    assert_eq!(note["message"], "out[1, 2, 3] = add(a[1, 2, 3], b[1, 2, 3])");
    assert_eq!(document["findings"].as_array().unwrap().len(), 0);
    refused(&tileproof(&["run", &example("add"), "--follow", "sum[0,0]"]), "there is no tensor sum;");
    refused(&tileproof(&["run", &example("add"), "--follow", "out[4,0,0]"]), "out[4, 0, 0] is no element");
    refused(&tileproof(&["run", &example("add"), "--follow", "out"]), "expected an element of a tensor");
}

#[test]
fn a_command_that_is_printed_runs_the_same_again() {
    let printed = |arguments: &[&str]| {
        let output = tileproof(arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix("see the first: ")).expect("a command");
        line.to_string()
    };
    let path = wrong("a place with spaces");
    let path = path.to_str().unwrap();
    let line = printed(&["run", &example("hang"), "--checks", "buffers", "--param", "PAGES=2", "--grid", "EXTRA=0,1"]);
    let expected = format!("tileproof run {} --checks buffers --param PAGES=2 --param EXTRA=1", example("hang"));
    assert_eq!(line, expected);
    let line = printed(&["run", path, "--grid", "PAGES=3"]);
    assert_eq!(line, format!("tileproof run '{path}' --param PAGES=3"));
    let line = printed(&["run", path, "--grid", "PAGES=3", "--schedule", "tp1:r"]);
    assert_eq!(line, format!("tileproof run '{path}' --param PAGES=3 --schedule tp1:r"));
}

#[test]
fn shells_and_the_manual_are_told_of_every_command() {
    let bash = tileproof(&["completions", "bash"]);
    let page = tileproof(&["man"]);
    for output in [&bash, &page] {
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8_lossy(&output.stdout);
        for command in ["layernorm", "run", "ledger", "op", "analyze", "explain", "cache", "doctor"] {
            assert!(text.contains(command), "{command}");
        }
    }
    let run = tileproof(&["man", "run"]);
    assert!(String::from_utf8_lossy(&run.stdout).contains("\\-\\-schedule"));
    refused(&tileproof(&["man", "rnu"]), "man rnu: there is no such command");
    refused(&tileproof(&["completions", "csh"]), "csh");
}

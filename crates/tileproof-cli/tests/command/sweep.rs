//! Sweeps as the command runs them: cells, limits, files that are taken up, two of them compared.
//!
//! Start at [`swept`].

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{ROOT, folder, json_of, tileproof, tileproof_in};

/// A sweep, and the files of two runs of it: one with the shipped kernels, one with the published ones.
pub(crate) struct Swept {
    pub(crate) spec: String,
    pub(crate) a: String,
    pub(crate) b: String,
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn sweep(spec: &str, out: &str, more: &[&str]) -> (i32, serde_json::Value) {
    let output = tileproof(&[&["sweep", spec, "--out", out, "--format", "json"], more].concat());
    (output.status.code().unwrap(), json_of(&output))
}

/// Backward with two folders of kernels.
pub(crate) fn swept(name: &str) -> Swept {
    let folder = folder(&format!("sweep-{name}"));
    let cells = |kernels: &str| {
        format!(
            "name = \"two\"\n[[cells]]\nop = \"layernorm_bw\"\nkernels = [\"{kernels}\"]\nshapes = [\"1,1,32,64\", [1, 1, 40, 100]]\n\
             dtypes = [\"bf16\"]\ndata = [\"normal:0,1\"]\n"
        )
    };
    let spec = write(&folder, "shipped.toml", &cells("shipped"));
    let other = write(&folder, "published.toml", &cells(&format!("{ROOT}/specimens/layernorm_bw/published")));
    let path = |file: &str| folder.join(file).display().to_string();
    let (a, b) = (path("a.sqlite"), path("b.sqlite"));
    assert_eq!(sweep(&spec, &a, &[]).0, 0);
    assert_eq!(sweep(&other, &b, &[]).0, 1);
    Swept { spec, a, b }
}

#[test]
fn two_sweeps_are_compared_by_findings_accuracy_and_cycles() {
    let Swept { a, b, .. } = swept("compared");
    let compared = |arguments: &[&str]| {
        let output = tileproof(&[&["compare", "--format", "json"], arguments].concat());
        (output.status.code().unwrap(), json_of(&output))
    };
    let (code, document) = compared(&[&a, &b, "--across", "kernels"]);
    assert_eq!((code, document["cells"].as_u64()), (1, Some(2)), "{document}");
    let new = document["new"].as_array().unwrap();
    assert!(new.iter().any(|finding| finding["code"] == "TP0710"), "{document}");
    assert!(!document["less_accurate"].as_array().unwrap().is_empty(), "{document}");
    assert_ne!(document["cycles"]["a"], document["cycles"]["b"]);
    assert_eq!(document["gone"].as_array().unwrap().len(), 0);
    // The other way round they are gone, and nothing is broken.
    let (code, document) = compared(&[&b, &a, "--across", "kernels"]);
    assert_eq!((code, document["broken"].as_array().unwrap().len()), (0, 0), "{document}");
    assert_eq!(document["gone"].as_array().unwrap().len(), new.len());
    assert_eq!(compared(&[&a, &a]).0, 0);
    // Without a cell in common there is nothing to say.
    let (code, document) = compared(&[&a, &b]);
    assert_eq!((code, &document["status"]), (2, &"refused".into()), "{document}");
    // Nothing is run, so that what says how is refused instead of ignored.
    for option in [&["--in-process"][..], &["--limit", "5"]] {
        let output = tileproof(&[&["compare", &a, &a][..], option].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--in-process and --limit are of programs"), "{said}");
    }
    let output = tileproof(&["compare", &a, &b, "--across", "kernel"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("across kernel: there is no such column; they are op, program, kernels"), "{said}");
}

#[test]
fn tolerances_tell_cells_apart() {
    let folder = folder("sweep-tolerances");
    let cells = "[[cells]]\nop = \"layernorm_fused_rm\"\nshapes = [\"1,1,32,32\"]\n";
    let spec = write(&folder, "spec.toml", &format!("{cells}{cells}rtol = 0.0\natol = 0.0\n"));
    let out = folder.join("out.sqlite").display().to_string();
    let (code, document) = sweep(&spec, &out, &[]);
    assert_eq!((code, document["passed"].as_u64()), (1, Some(1)), "{document}");
    assert_eq!(document["failing"][0]["what"], "layernorm_fused_rm 1,1,32,32 rtol 0.0 atol 0.0");
    let output = tileproof(&["compare", &out, &out, "--format", "json"]);
    assert_eq!((output.status.code(), json_of(&output)["cells"].as_u64()), (Some(0), Some(2)));
}

#[test]
fn a_file_is_taken_up_after_everything_was_killed_and_has_the_same_bytes() {
    let folder = folder("sweep-killed");
    let spec = write(
        &folder,
        "spec.toml",
        "[[cells]]\nop = \"layernorm_fused_rm\"\nshapes = [\"1,1,32,64\", \"1,1,5,30\"]\ndtypes = [\"bf16\", \"fp32\"]\n\
         layouts = [\"row_major\", \"tile\"]\nseeds = [0, 1, 2, 3, 4]\n",
    );
    let path = |file: &str| folder.join(file).display().to_string();
    let (whole, killed) = (path("whole.sqlite"), path("killed.sqlite"));
    let (code, document) = sweep(&spec, &whole, &["--workers", "1"]);
    assert_eq!((code, document["cells"].as_u64(), document["ran"].as_u64()), (0, Some(40), Some(40)), "{document}");
    // SIGKILL: nothing of the sweep can tidy up. Its workers end with their streams.
    let mut child = Command::new(env!("CARGO_BIN_EXE_tileproof"))
        .args(["sweep", &spec, "--out", &killed, "--workers", "2"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let journal = PathBuf::from(format!("{killed}-wal"));
    let start = Instant::now();
    while fs::metadata(&journal).map_or(0, |journal| journal.len()) < 40_000
        && start.elapsed() < Duration::from_secs(60)
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What is missing is no pass, unless that is asked for.
    let compared = |more: &[&str]| {
        let output = tileproof(&[&["compare", &whole, &killed, "--format", "json"], more].concat());
        (output.status.code(), json_of(&output)["missing_b"].as_u64().unwrap())
    };
    let (code, missing) = compared(&[]);
    assert!(code == Some(1) && missing > 0 && compared(&["--partial"]) == (Some(0), missing), "{code:?} {missing}");
    let said = tileproof(&["compare", &whole, &killed]).stdout;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains(&format!("{missing} cells missing in {killed}")), "{said}");
    let (code, document) = sweep(&spec, &killed, &[]);
    let ran = document["ran"].as_u64().unwrap();
    assert!(code == 0 && ran > 0 && ran < 40, "{document}");
    assert!(fs::read(&whole).unwrap() == fs::read(&killed).unwrap(), "the same bytes");
    // A file that is whole is left as it is; and begun anew it is the same.
    assert_eq!(sweep(&spec, &killed, &[]).1["ran"], 0);
    assert!(fs::read(&whole).unwrap() == fs::read(&killed).unwrap(), "the same bytes");
    assert_eq!(sweep(&spec, &killed, &["--anew"]).1["ran"], 40);
    assert!(fs::read(&whole).unwrap() == fs::read(&killed).unwrap(), "the same bytes");
}

#[test]
fn an_op_on_all_cores_runs_with_all_checks() {
    let folder = folder("sweep-cores");
    let text = "[[cells]]\nop = \"layernorm_bw\"\nshapes = [\"1,1,32,2048\"]\ndtypes = [\"bf16\"]\n";
    let spec = write(&folder, "spec.toml", text);
    let (code, document) = sweep(&spec, &folder.join("out.sqlite").display().to_string(), &[]);
    assert_eq!((code, &document["statuses"]["completed"]), (0, &1.into()), "{document}");
}

#[test]
fn a_cell_over_its_limits_is_ended_and_the_others_run() {
    let folder = folder("sweep-limits");
    let large =
        "[[cells]]\nop = \"layernorm_fused_rm\"\nshapes = [\"1,1,32,64\", \"1,1,2048,4096\"]\ndtypes = [\"fp32\"]\n";
    let spec = write(&folder, "time.toml", &format!("[limits]\nseconds = 1.5\n{large}"));
    let (code, document) = sweep(&spec, &folder.join("time.sqlite").display().to_string(), &["--workers", "1"]);
    assert_eq!((code, &document["statuses"]["timeout"], &document["passed"]), (1, &1.into(), &1.into()), "{document}");
    let spec = write(&folder, "memory.toml", &format!("[limits]\nmemory_mb = 60\n{large}"));
    let (code, document) = sweep(&spec, &folder.join("memory.sqlite").display().to_string(), &["--workers", "1"]);
    assert_eq!((code, &document["statuses"]["out_of_memory"]), (1, &1.into()), "{document}");
}

#[test]
fn a_cell_that_was_over_its_limits_is_run_again() {
    let folder = folder("sweep-raised");
    let cells =
        "[[cells]]\nop = \"layernorm_fused_rm\"\nshapes = [\"1,1,32,32\", \"1,1,256,512\"]\ndtypes = [\"fp32\"]\n";
    let path = |file: &str| folder.join(file).display().to_string();
    let short = write(&folder, "short.toml", &format!("[limits]\nseconds = 0.001\n{cells}"));
    let spec = write(&folder, "spec.toml", cells);
    let (out, undisturbed) = (path("out.sqlite"), path("undisturbed.sqlite"));
    let (code, document) = sweep(&short, &out, &["--workers", "1"]);
    let over = document["statuses"]["timeout"].as_u64().unwrap();
    assert!(code == 1 && over > 0, "{document}");
    // With other limits it is the same sweep.
    let (code, document) = sweep(&spec, &out, &[]);
    assert_eq!((code, document["ran"].as_u64()), (0, Some(over)), "{document}");
    assert_eq!(sweep(&spec, &undisturbed, &[]).0, 0);
    assert!(fs::read(&out).unwrap() == fs::read(&undisturbed).unwrap(), "the same bytes");
}

#[test]
fn a_worker_ends_with_its_input_also_in_the_middle_of_a_cell() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_tileproof"))
        .arg("sweep-worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    BufReader::new(worker.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    let cell =
        "{\"op\": \"layernorm_fused_rm\", \"shape\": \"1,1,8192,8192\", \"dtype\": \"fp32\", \"checks\": \"all\"}";
    let mut stdin = worker.stdin.take().unwrap();
    writeln!(stdin, "{{\"folder\": \"/\", \"cell\": {cell}}}").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(worker.try_wait().unwrap(), None);
    drop(stdin);
    let start = Instant::now();
    while worker.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(15) {
            worker.kill().unwrap();
            panic!("it goes on, and nobody looks at its limits");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A folder with a program file whose kernels lie beside its folder, and a sweep of it in its folder.
fn of_programs(name: &str) -> PathBuf {
    let folder = folder(name);
    for program in ["add", "hang"] {
        fs::create_dir(folder.join(program)).unwrap();
        for file in fs::read_dir(Path::new(ROOT).join("examples/programs").join(program)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.join(program).join(file.file_name())).unwrap();
        }
    }
    let spec = "[[cells]]\nprogram = \"program.toml\"\nparameters = { PAGES = [1], EXTRA = [0, 1] }\n";
    write(&folder.join("hang"), "spec.toml", spec);
    folder
}

#[test]
fn the_file_holds_no_path_of_the_host() {
    let (a, b) = (of_programs("sweep-paths-a"), of_programs("sweep-paths-b").join("hang"));
    let spec = a.join("hang/spec.toml").display().to_string();
    let out = a.join("out.sqlite");
    let (code, document) = sweep(&spec, &out.display().to_string(), &[]);
    assert_eq!((code, document["passed"].as_u64()), (1, Some(1)), "{document}");
    let output = tileproof_in(&b, &["sweep", "spec.toml", "--out", "out.sqlite"]);
    assert_eq!(output.status.code(), Some(1));
    let bytes = fs::read(&out).unwrap();
    assert!(bytes == fs::read(b.join("out.sqlite")).unwrap(), "the same bytes");
    let holds = |text: &str| bytes.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(holds("../add/") && !holds(&a.display().to_string()));
}

#[test]
fn what_a_sweep_is_of_is_what_its_programs_are_made_of() {
    let folder = of_programs("sweep-sources");
    let out = folder.join("out.sqlite").display().to_string();
    let run = |more: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
        command.args(["sweep", "spec.toml", "--out", &out, "--format", "json"]).current_dir(folder.join("hang"));
        json_of(&command.envs(more.iter().copied()).output().unwrap())
    };
    // Without a compiler it is the host that cannot: elsewhere, or later, the cells are run.
    let document = run(&[("CXX", "no-such-compiler")]);
    assert_eq!(document["statuses"]["host"], 2, "{document}");
    assert_eq!(run(&[])["ran"], 2);
    // The file of the sweep is none of what is run.
    let spec = folder.join("hang/spec.toml");
    fs::write(&spec, format!("# Pages.\n{}", fs::read_to_string(&spec).unwrap())).unwrap();
    assert_eq!(run(&[])["ran"], 0);
    let kernel = folder.join("add/reader.cpp");
    let text = fs::read_to_string(&kernel).unwrap();
    let is_another = || run(&[]).to_string().contains("holds another sweep");
    fs::write(&kernel, format!("{text}// Changed.\n")).unwrap();
    assert!(is_another());
    // Nor does it matter from where a header comes.
    fs::write(&kernel, format!("#include \"../far/away/h.h\"\n{text}")).unwrap();
    fs::create_dir_all(folder.join("far/away")).unwrap();
    fs::write(folder.join("far/away/h.h"), "").unwrap();
    run(&[]);
    fs::remove_file(&out).unwrap();
    assert_eq!(run(&[])["ran"], 2);
    fs::write(folder.join("far/away/h.h"), "// Changed.\n").unwrap();
    assert!(is_another());
    // Headers of the environment and what the assembler takes in are files as others are.
    let (headers, data) = (folder.join("headers"), folder.join("add/data.bin"));
    fs::create_dir_all(&headers).unwrap();
    let header = headers.join("of_the_environment.h");
    fs::write(&header, "").unwrap();
    fs::write(&data, "a").unwrap();
    let taken = format!("asm(\".pushsection .rodata\\n.incbin \\\"{}\\\"\\n.popsection\");\n", data.display());
    fs::write(&kernel, format!("#include \"of_the_environment.h\"\n{taken}{text}")).unwrap();
    fs::remove_file(&out).unwrap();
    let headers = headers.display().to_string();
    let run = || run(&[("CPATH", &headers)]);
    let document = run();
    assert!(document["ran"] == 2 && document["statuses"]["host"].is_null(), "{document}");
    assert_eq!(run()["ran"], 0);
    for (file, before) in [(&header, ""), (&data, "a")] {
        fs::write(file, "// Changed.\n").unwrap();
        assert!(run().to_string().contains("holds another sweep"), "{}", file.display());
        fs::write(file, before).unwrap();
        assert_eq!(run()["ran"], 0);
    }
}

#[test]
fn what_no_sweep_has_is_refused_by_its_name() {
    let folder = folder("sweep-refused");
    let refused = |text: &str, wanted: &str| {
        let spec = write(&folder, "spec.toml", text);
        let output = tileproof(&["sweep", &spec, "--out", &folder.join("out.sqlite").display().to_string()]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}: {said}");
        assert!(said.contains(wanted), "{text}: {said}");
    };
    let op = "[[cells]]\nop = \"layernorm_bw\"\n";
    refused("", "a sweep needs at least one table [[cells]]");
    refused("[[cells]]\nshapes = [\"1,1,32,32\"]\n", "cells 1: give op or program, one of the two");
    refused(op, "cells 1: shapes: an op needs at least one");
    refused("[[cells]]\nop = \"layernorm\"\nshapes = [\"1\"]\n", "there is no op layernorm");
    refused(&format!("{op}shape = [\"1\"]\n"), "unknown field `shape`");
    refused(&format!("{op}shapes = [\"1,x\"]\n"), "shapes: \"x\" is not a whole number");
    refused(
        &format!("{op}shapes = [\"1\"]\ndata = [{{ z = \"ramp\" }}]\n"),
        "data: z is no input of layernorm_bw; the inputs are x, gamma",
    );
    refused(&format!("{op}shapes = [\"1\"]\nschedules = [\"s\"]\n"), "schedules \"s\"");
    refused(&format!("{op}shapes = [\"1\"]\n[limits]\nseconds = 0\n"), "limits.seconds 0: must be above 0");
    refused("[[cells]]\nprogram = \"none.toml\"\n", "there is no such file");
    refused(
        &format!("{op}shapes = [\"1\"]\nkernels = [\"k\"]\nexplore = 3\n"),
        "kernels: those of a folder run on the default schedule",
    );
    let many: Vec<String> = (0..2000).map(|n| n.to_string()).collect();
    let many = format!("{op}shapes = [\"1\"]\nseeds = [{0}]\nattributes = {{ eps = [{0}] }}\n", many.join(","));
    refused(&many, "the sweep has more than 1000000 cells");
    // What stands in a list.
    let list = |list: &str, wanted: &str| refused(&format!("{op}{list}\n"), wanted);
    list("shapes = [true]", "expected a shape, as \"1,1,32,64\" or [1, 1, 32, 64]");
    list("shapes = [\"1\"]\ndata = [1]", "expected a fill, as \"normal:0,1\", or a table of fills by input");
    list("shapes = [\"1\"]\nattributes = { eps = [[1]] }", "expected a number, a text, or true or false");
    list("shapes = [\"1\"]\nseeds = []", "seeds: the list is empty; give a value, or leave it out");
    list("shapes = [\"1\"]\nattributes = { eps = [] }", "eps: the list is empty");
    list("shapes = [\"1\"]\nseeds = [1, 2, 1]", "cells 1: seeds: 1 is there twice");
    list("shapes = [\"1,1\", [1, 1]]", "shapes: 1,1 is there twice");
    list("shapes = [\"1\"]\nkernels = [\"no/such\"]", "no/such");
    let twice = format!("{op}shapes = [\"1,32\"]\nseeds = [1, 2]\n{op}shapes = [\"1,32\"]\nseeds = [2]\n");
    refused(&twice, "cells 2: layernorm_bw 1,32 seed 2 is a cell of cells 1 too; leave one out");
    // A file of something else stays what it is, and so does that of another sweep.
    let out = write(&folder, "out.sqlite", "my notes");
    refused(&format!("{op}shapes = [\"1,1,1,1\"]\n"), "is no file of a sweep");
    assert_eq!(fs::read_to_string(&out).unwrap(), "my notes");
    let cells = format!("{op}shapes = [\"1,1,1,1\"]\n");
    let spec = write(&folder, "first.toml", &cells);
    // Another program's table, notes that are longer than what is looked at, and the sweep itself.
    let table = format!("SQLite format 3\0{}", "\0".repeat(4080));
    for text in ["my notes", &table, &"my notes ".repeat(20), &cells] {
        fs::write(&out, text).unwrap();
        let into = if text == cells { &spec } else { &out };
        let output = tileproof(&["sweep", &spec, "--out", into, "--anew"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("is no file of a sweep, and stays as it is"));
        assert_eq!(fs::read_to_string(into).unwrap(), text);
    }
    fs::remove_file(&out).unwrap();
    assert_eq!(sweep(&spec, &out, &[]).0, 0);
    refused(&format!("{op}shapes = [\"1,1,1,2\"]\n"), "holds another sweep");
}

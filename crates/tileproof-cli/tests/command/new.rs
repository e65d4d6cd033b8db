//! `tileproof new`: each kind runs and passes, is what its page says, and is written over nothing.
//!
//! Start with [`each_kind_runs_and_passes_and_its_audit_misses_nothing`].

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::{folder, json_of, tileproof, tileproof_in};

const KINDS: [&str; 4] = ["eltwise", "reduce", "matmul", "multicast"];

fn create(into: &Path, kind: &str) {
    let output = tileproof(&["new", into.to_str().unwrap(), "--kind", kind]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let wrote = said.lines().filter_map(|line| line.strip_prefix("wrote ")).map(Path::new);
    let mut wrote: Vec<_> = wrote.map(|path| path.file_name().unwrap().to_os_string()).collect();
    let mut there: Vec<_> = fs::read_dir(into).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    wrote.sort();
    there.sort();
    assert_eq!(wrote, there);
    assert!(said.ends_with(&format!("Next: tileproof run {}\n", into.join("program.toml").display())), "{said}");
}

#[test]
fn each_kind_runs_and_passes_and_its_audit_misses_nothing() {
    let folder = folder("new");
    for kind in KINDS {
        let into = folder.join(kind);
        create(&into, kind);
        for chip in ["wormhole", "blackhole"] {
            let path = into.join("program.toml");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace("arch = \"wormhole\"", &format!("arch = \"{chip}\""))).unwrap();
            let output = tileproof_in(&into, &["run", "program.toml", "--format", "json"]);
            let run = json_of(&output);
            assert!(output.status.success(), "{kind} on {chip}: {run:#}");
            assert_eq!(run["findings"], Value::Array(Vec::new()), "{kind} on {chip}");
            fs::write(&path, text).unwrap();
        }
        // Whoever begins with it begins with a test that means something.
        let audit = tileproof_in(&into, &["audit", "program.toml"]);
        assert!(audit.status.success(), "{kind}: {}", String::from_utf8_lossy(&audit.stdout));
        assert!(String::from_utf8_lossy(&audit.stdout).contains("100 %"), "{kind}");
        let explored = tileproof_in(&into, &["run", "program.toml", "--explore", "20"]);
        assert!(explored.status.success(), "{kind}: {}", String::from_utf8_lossy(&explored.stdout));
    }
}

#[test]
fn the_schema_that_a_new_program_names_is_beside_it_and_takes_it() {
    let folder = folder("new-schema");
    for kind in KINDS {
        let into = folder.join(kind);
        create(&into, kind);
        let text = fs::read_to_string(into.join("program.toml")).unwrap();
        let named = text.lines().next().unwrap().strip_prefix("#:schema ./").unwrap();
        let schema: Value = serde_json::from_str(&fs::read_to_string(into.join(named)).unwrap()).unwrap();
        let document: toml::Value = toml::from_str(&text).unwrap();
        let document = serde_json::to_value(document).unwrap();
        assert!(jsonschema::draft7::new(&schema).unwrap().is_valid(&document), "{kind}");
    }
}

#[test]
fn parameters_of_a_new_program_may_be_others() {
    let folder = folder("new-parameters");
    create(&folder.join("eltwise"), "eltwise");
    for (cores, tiles) in [("1", "4"), ("4", "1")] {
        let parameters = ["--param", &format!("CORES={cores}"), "--param", &format!("TILES={tiles}")].map(String::from);
        let arguments: Vec<&str> =
            ["run", "eltwise/program.toml"].into_iter().chain(parameters.iter().map(String::as_str)).collect();
        let output = tileproof_in(&folder, &arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn new_writes_over_nothing() {
    let folder = folder("new-over");
    let (full, file, link) = (folder.join("full"), folder.join("file"), folder.join("link"));
    fs::create_dir(&full).unwrap();
    fs::write(full.join("notes.txt"), "mine").unwrap();
    fs::write(&file, "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    for there in [&full, &file, &link] {
        let output = tileproof(&["new", there.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("overwrites nothing") && said.contains(there.to_str().unwrap()), "{said}");
    }
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert!(!folder.join("nowhere").exists());
    // An empty folder is nothing.
    fs::create_dir(folder.join("empty")).unwrap();
    create(&folder.join("empty"), "reduce");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with('.')), "{left:?}");
}

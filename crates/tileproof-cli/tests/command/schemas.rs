//! Each JSON document against its schema in `docs/schema`, which must describe every field that is printed.
//!
//! Start with the test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::run::{ROOT, json_of, tileproof};

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Readers pass over fields that they do not know; here there must be none. What ends in `_fields` is a part of others.
fn close(schema: &mut Value, is_part: bool) {
    match schema {
        Value::Object(fields) => {
            let is_whole = !is_part && fields.get("type").is_some_and(|kind| kind == "object");
            if is_whole && !fields.contains_key("additionalProperties") {
                fields.insert("unevaluatedProperties".into(), false.into());
            }
            for (name, value) in fields {
                close(value, name.ends_with("_fields"));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| close(value, false)),
        _ => {}
    }
}

/// The schemas by their names, each whole in itself.
fn schemas() -> BTreeMap<String, jsonschema::Validator> {
    let folder = Path::new(ROOT).join("docs/schema");
    let shared = read(&folder.join("common.json"))["$defs"].clone();
    let validator = |path: PathBuf| {
        let name = path.file_stem()?.to_str()?.to_string();
        let text = read(&path).to_string().replace("common.json#", "#");
        let mut schema: Value = serde_json::from_str(&text).ok()?;
        schema["$defs"] = shared.clone();
        close(&mut schema, false);
        let validator = jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        name.starts_with("tileproof-").then_some((name, validator))
    };
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).filter_map(validator).collect()
}

/// The program files of a folder's folders, every `step`th of them.
fn programs(folder: &str, step: usize) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join(folder)).unwrap() {
        let files = fs::read_dir(entry.unwrap().path()).into_iter().flatten();
        let files = files.map(|file| file.unwrap().path());
        let is_program = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
        found.extend(files.filter(is_program).map(|path| path.display().to_string()));
    }
    found.sort();
    found.into_iter().step_by(step).collect()
}

#[test]
fn every_document_is_as_its_schema_says_and_has_no_field_that_the_schema_does_not_know() {
    let schemas = schemas();
    let mut printed: BTreeSet<String> = BTreeSet::new();
    let mut check = |arguments: &[&str]| {
        let output = tileproof(&[arguments, &["--format", "json"]].concat());
        let document = json_of(&output);
        let parts = if let Value::Array(list) = document { list } else { vec![document] };
        for part in parts {
            let name = part["schema"].as_str().unwrap_or_else(|| panic!("{arguments:?}: no schema")).to_string();
            let schema = schemas.get(&name).unwrap_or_else(|| panic!("{arguments:?}: there is no schema {name}"));
            let errors: Vec<String> =
                schema.iter_errors(&part).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{arguments:?}, {name}: {errors:#?}");
            printed.insert(name);
        }
    };
    let programs = [programs("examples/programs", 1), programs("tests/ui", 8)].concat();
    assert!(programs.len() > 15, "{programs:?}");
    for program in &programs {
        check(&["run", program]);
    }
    let hang = format!("{ROOT}/examples/programs/hang/program.toml");
    check(&["run", &hang, "--grid", "PAGES=1,4", "--grid", "EXTRA=0..1"]);
    check(&["run", &hang, "--explore", "2"]);
    check(&["run", "there-is-none.toml"]);
    check(&["ledger", &hang]);
    check(&["layernorm", "forward", "--shape", "1,1,32,64", "--stats"]);
    check(&["layernorm", "backward", "--shape", "1,1,32,64", "--rtol", "0", "--atol", "0"]);
    check(&["op", "run", "layernorm_bw", "--shape", "1,1,32,32", "--data", "adversarial"]);
    check(&["run", &format!("{ROOT}/examples/programs/reduce/program.toml"), "--data", "adversarial"]);
    check(&["layernorm", "backward", "--suite", "public", "--only", "OneTile"]);
    check(&["analyze", &format!("{ROOT}/examples/programs")]);
    let rmsnorm = format!("{ROOT}/examples/ops/rmsnorm");
    check(&["op", "list", &rmsnorm]);
    check(&["audit", &format!("{ROOT}/examples/programs/add/program.toml")]);
    check(&["cache"]);
    check(&["cache", "verify"]);
    check(&["op", "show", &rmsnorm]);
    check(&["op", "show", "layernorm_bw"]);
    check(&["op", "run", "layernorm_bw", "--shape", "1,1,32,64"]);
    check(&["op", "check", &rmsnorm]);
    let sweeps = crate::sweep::swept("documents");
    check(&["sweep", &sweeps.spec, "--out", &sweeps.a]);
    check(&["compare", &sweeps.a, &sweeps.b, "--across", "kernels"]);
    let example = |name: &str| format!("{ROOT}/examples/programs/{name}/program.toml");
    check(&["compare", &example("add"), &example("hang")]);
    let known: BTreeSet<String> = schemas.keys().cloned().collect();
    assert_eq!(printed, known, "a schema that nothing printed describes nothing");
}

#[test]
fn what_a_schema_does_not_describe_is_seen() {
    let schemas = schemas();
    let mut document = Map::new();
    for (name, value) in [("schema", "tileproof-op-entry"), ("name", "a"), ("from", "b"), ("summary", "c")] {
        document.insert(name.into(), value.into());
    }
    let valid = |document: &Map<String, Value>| schemas["tileproof-op-entry"].is_valid(&document.clone().into());
    assert!(!valid(&document), "without a version");
    document.insert("version".into(), 1.into());
    assert!(valid(&document));
    document.insert("more".into(), 1.into());
    assert!(!valid(&document));
}

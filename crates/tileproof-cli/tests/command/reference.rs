//! The reference against what the program does: its pages, its schemas and the readers of files, each compared both ways.
//!
//! Start with [`reader_and_schema_say_the_same_of_every_field_of_every_table`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tileproof::described::op::OP;
use tileproof::described::program::{CALL, PROGRAM};
use tileproof::described::sweep::SWEEP;
use tileproof::described::table::{Left, Table, Type, with_its_tables};
use tileproof::op::UserOp;
use tileproof::program_file::ProgramFile;

use tileproof_sweep::spec::Spec;

use crate::run::{ROOT, folder, json_of, tileproof};

fn printed(arguments: &[&str]) -> String {
    let output = tileproof(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|end| end == "rs" || end == "py" || end == "toml") {
            found.push(entry);
        }
    }
}

#[test]
fn the_pages_of_the_reference_are_those_that_the_command_prints() {
    let list = printed(&["reference"]);
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 6, "{list}");
    let folder = Path::new(ROOT).join("docs/book/reference");
    for name in &names {
        let kept = fs::read_to_string(folder.join(format!("{name}.md"))).unwrap_or_default();
        assert!(kept == printed(&["reference", name]), "{name}: `cargo xtask reference` writes it anew");
    }
    let pages = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let pages: BTreeSet<String> = pages.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(pages, names.iter().map(|name| name.to_string()).collect(), "pages that nothing prints");
    for kind in ["program", "op", "sweep"] {
        let kept = Path::new(ROOT).join(format!("docs/schema/{kind}-file.json"));
        let kept = fs::read_to_string(kept).unwrap_or_default();
        assert!(kept == printed(&["schema", kind]), "{kind}: `cargo xtask reference` writes it anew");
    }
}

/// The sources in C++ below a folder, each with its folder.
fn kernels(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            kernels(&entry, found);
        } else if entry.extension().is_some_and(|end| end == "cpp" || end == "h") {
            found.push(entry);
        }
    }
}

/// Names and signs of a source in C++, without its comments, texts and lines of the preprocessor.
fn tokens(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let code: Vec<&str> = code.map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n");
    let code: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" 0 ");
    let mut tokens: Vec<String> = Vec::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut before = ' ';
    for c in code.chars() {
        match tokens.last_mut() {
            Some(last) if is_word(c) && is_word(before) => last.push(c),
            _ if c.is_whitespace() => {}
            _ => tokens.push(c.into()),
        }
        before = c;
    }
    tokens
}

/// The place behind the arguments of a template that begin at a place, or the place.
fn behind_template(tokens: &[String], at: usize) -> usize {
    let mut depth = 0;
    for (n, token) in tokens[at..].iter().enumerate() {
        depth += i32::from(token == "<") - i32::from(token == ">");
        if depth == 0 {
            return at + n + usize::from(token == ">");
        }
        if [";", "{", "&"].contains(&token.as_str()) {
            break;
        }
    }
    at
}

#[test]
fn the_page_of_calls_lists_every_call_that_kernels_of_examples_make() {
    const OF_CPP: [&str; 9] =
        ["if", "for", "while", "switch", "return", "sizeof", "alignas", "reinterpret_cast", "static_cast"];
    let page = fs::read_to_string(Path::new(ROOT).join("docs/book/reference/calls.md")).unwrap();
    let listed: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let mut files = Vec::new();
    kernels(&Path::new(ROOT).join("examples/programs"), &mut files);
    kernels(&Path::new(ROOT).join("crates/tileproof/src/new_program"), &mut files);
    let mut calls = BTreeSet::new();
    let mut own = BTreeSet::new();
    let starts = |token: &str| token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    for file in &files {
        let tokens = tokens(&fs::read_to_string(file).unwrap());
        for at in 1..tokens.len() {
            let (name, before) = (&tokens[at], tokens[at - 1].as_str());
            let is_called = tokens.get(behind_template(&tokens, at + 1)).is_some_and(|next| next == "(");
            if !starts(name) || OF_CPP.contains(&name.as_str()) || before == "." {
                continue;
            }
            let next = tokens.get(at + 1).map_or("", String::as_str);
            let typed =
                (starts(before) || [">", "&"].contains(&before)) && !["return", "else", "case"].contains(&before);
            // A function, an object, a parameter, or a lambda that is called later.
            if typed && (is_called || ["=", ",", ")"].contains(&next)) {
                own.insert(name.clone());
            } else if is_called {
                calls.insert(name.clone());
            }
        }
    }
    let calls: Vec<&String> = calls.difference(&own).collect();
    assert!(calls.len() > 60, "{calls:?}");
    for name in ["get_compile_time_arg_val", "ASSERT", "UNPACK", "DPRINT", "v_if", "TTI_SFPLOAD", "WAYPOINT"] {
        assert!(listed.contains(name), "{name}");
    }
    let missing: Vec<&&String> = calls.iter().filter(|name| !listed.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_table_of_documents_lists_the_schemas_that_there_are() {
    let folder = Path::new(ROOT).join("docs/schema");
    let page = fs::read_to_string(folder.join("README.md")).unwrap();
    let listed = page
        .split('`')
        .filter(|word| word.ends_with(".json") && *word != ".json")
        .map(String::from)
        .collect::<BTreeSet<_>>();
    let there = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = there.filter(|name| name.ends_with(".json")).collect();
    assert_eq!(listed, there);
}

#[test]
fn the_page_of_variables_lists_those_that_the_sources_read() {
    let page = printed(&["reference", "environment"]);
    let is_name =
        |word: &&str| word.len() > 2 && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let listed: BTreeSet<&str> = page.split('`').filter(is_name).collect();
    let mut files = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut files);
    }
    sources(&Path::new(ROOT).join("python/tileproof"), &mut files);
    files.retain(|path| !path.ends_with("reference/variables.rs") && path.extension().is_some_and(|end| end != "toml"));
    let text: String = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    // Macros of headers have such names too.
    let text: String =
        text.lines().filter(|line| !line.contains("#define TILEPROOF_")).flat_map(|line| [line, "\n"]).collect();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let ours = words.filter(|word| word.starts_with("TILEPROOF_") && !word.ends_with('_')).filter(is_name);
    let after = |call: &str| text.split(call).skip(1).filter_map(|rest| rest.split('"').next()).collect::<Vec<_>>();
    // What cargo sets is read when the project is built.
    let read = [after("var_os(\""), after("var(\""), after(" set(\"")].concat();
    let read: BTreeSet<&str> = read.into_iter().filter(is_name).chain(ours).collect();
    let missing: Vec<_> = read.difference(&listed).collect();
    assert!(missing.is_empty(), "not listed: {missing:?}");
    let nowhere: Vec<_> = listed.iter().filter(|name| !text.contains(**name)).collect();
    assert!(nowhere.is_empty(), "listed, and read by nothing: {nowhere:?}");
}

fn validator(kind: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&printed(&["schema", kind])).unwrap();
    jsonschema::draft7::new(&schema).unwrap()
}

/// TOML as JSON; `None` of what has dates.
fn as_json(value: toml::Value) -> Option<Value> {
    serde_json::to_value(value).ok()
}

#[test]
fn the_schemas_take_every_file_that_the_readers_take() {
    let mut files = Vec::new();
    for there in ["examples", "tests/ui", "tests/clean", "tests/right"] {
        sources(&Path::new(ROOT).join(there), &mut files);
    }
    let (program, op, sweep) = (validator("program"), validator("op"), validator("sweep"));
    let mut taken = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let text = fs::read_to_string(path).unwrap();
        let schema = match path.file_name().unwrap().to_str().unwrap() {
            "op.toml" if UserOp::read(path.parent().unwrap()).is_ok() => &op,
            "op.toml" => continue,
            _ if path.parent().unwrap().ends_with("sweeps") => &sweep,
            _ if ProgramFile::read(path, &[]).is_ok() => &program,
            _ => continue,
        };
        let document = as_json(toml::from_str(&text).unwrap()).unwrap();
        let errors: Vec<String> =
            schema.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        taken += 1;
    }
    assert!(taken > 150, "{taken}");
}

/// JSON as a value of TOML.
fn toml_of(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("[{}]", list.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} = {}", toml_of(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}

fn toml_file(document: &Value) -> String {
    let fields = document.as_object().unwrap().iter();
    fields.map(|(name, value)| format!("{name} = {}\n", toml_of(value))).collect()
}

/// Where the tables of a description stand in a document: each with a pointer to it.
fn places(table: &'static Table, at: &str, value: &Value, found: &mut Vec<(&'static Table, String)>) {
    let Value::Object(fields) = value else { return };
    found.push((table, at.to_string()));
    for field in table.fields {
        if let Some(value) = fields.get(field.name) {
            within(&field.value, &format!("{at}/{}", field.name), value, found);
        }
    }
}

fn within(of: &'static Type, at: &str, value: &Value, found: &mut Vec<(&'static Table, String)>) {
    match (of, value) {
        (Type::Table(table), _) => places(table, at, value, found),
        (Type::Tables(table), Value::Array(list)) => {
            list.iter().enumerate().for_each(|(i, value)| places(table, &format!("{at}/{i}"), value, found));
        }
        (Type::List(of, ..), Value::Array(list)) => {
            list.iter().enumerate().for_each(|(i, value)| within(of, &format!("{at}/{i}"), value, found));
        }
        (Type::Called(_, of), value) => within(of, at, value, found),
        (Type::Either(parts), _) => parts.iter().for_each(|part| within(part, at, value, found)),
        _ => {}
    }
}

/// Values to put into each field: right ones of some fields, wrong ones of others.
fn pool(of: &Type) -> Vec<Value> {
    let mut pool = vec![
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(7),
        json!(64),
        json!(1_i64 << 40),
        json!(0.5),
        json!(-0.5),
        json!(""),
        json!("no such word"),
        json!("zero"),
        json!("reader"),
        json!("a"),
        json!("TP0310"),
        json!("normal:0,1"),
        json!([]),
        json!([1]),
        json!([2, 2]),
        json!([32, 32]),
        json!([1, 2, 3]),
        json!(["a"]),
        json!([[0, 0], [0, 0]]),
        json!([[[0, 0], [0, 0]]]),
        json!([["N", "1"]]),
        json!([["N", 1]]),
        json!([["N"]]),
        json!([{}]),
        json!({}),
        json!({"no_such": 1}),
        json!([{"no_such": 1}]),
        json!([-5, "x"]),
        json!([{"cb": 0}]),
    ];
    fn words(of: &Type, pool: &mut Vec<Value>) {
        match of {
            Type::Words(words) => pool.extend(words().into_iter().map(Value::from)),
            Type::Integer(least, greatest) => {
                pool.extend([*least, least.saturating_sub(1), *greatest, greatest.saturating_add(1)].map(Value::from))
            }
            Type::Called(_, of) => words(of, pool),
            Type::Either(parts) => parts.iter().for_each(|part| words(part, pool)),
            _ => {}
        }
    }
    words(of, &mut pool);
    pool
}

/// Why a reader refuses a text.
type Reader = Box<dyn Fn(&str) -> Option<String>>;

/// A kind of file: its description, a reader that says why it refuses, its schema, and files that use every field.
struct Kind {
    root: &'static Table,
    read: Reader,
    schema: jsonschema::Validator,
    documents: Vec<Value>,
}

fn kinds() -> Vec<Kind> {
    let folder = folder("described");
    for file in ["reader.cpp", "kernels.cpp"] {
        fs::write(folder.join(file), "void kernel_main() {}\n").unwrap();
    }
    fs::write(folder.join("program.toml"), "").unwrap();
    fs::copy(Path::new(ROOT).join("examples/programs/add/out.npy"), folder.join("out.npy")).unwrap();
    let path = folder.join("program.toml");
    let programs = move |text: &str| ProgramFile::parse(&path, text, &[]).err().map(|error| error.message);
    let sweep = folder.join("sweep.toml");
    let sweeps = move |text: &str| {
        fs::write(&sweep, text).unwrap();
        let spec = Spec::read(&sweep).map_err(|error| error.to_string());
        spec.and_then(|spec| spec.cells()).err()
    };
    let ops = move |text: &str| UserOp::parse(&folder.join("op.toml"), &folder, text).err().map(|error| error.message);
    let ranges = json!([[[0, 0], [0, 0]]]);
    let cb = json!({ "total_size": 64, "core_ranges": ranges, "tensor": "a", "address_offset": 0,
        "format_descriptors": [{ "buffer_index": 0, "data_format": "bfloat16", "page_size": 64, "tile": [32, 32] }] });
    let semaphore = json!({ "id": 0, "core_ranges": ranges, "initial_value": 0, "core_type": "WORKER" });
    let arguments = json!([1, { "tensor_accessor": "a" }, { "address": "a" }, { "semaphore": 0 }, { "noc_x": [0, 0] },
        { "noc_y": [0, 0] }, { "cb": 0 }, { "l1": 64 }]);
    let kernel = |config: Value| {
        json!({ "kernel_source": "reader.cpp", "core_ranges": ranges, "config": config, "compile_time_args": arguments,
            "named_compile_time_args": [["n", 1]], "defines": [["N", "1"]], "include_dirs": ["."],
            "runtime_args": [{ "core": [0, 0], "args": [1] }], "common_runtime_args": [1] })
    };
    let movement =
        kernel(json!({ "data_movement": { "processor": "RISCV_0", "noc": 0, "noc_mode": "DM_DEDICATED_NOC" } }));
    let compute =
        kernel(json!({ "compute": { "math_fidelity": "HiFi4", "fp32_dest_acc_en": true, "math_approx_mode": false,
        "dst_full_sync_en": false, "bfp8_pack_precise": false, "unpack_to_dest_fp32": [0] } }));
    let sharded = json!({ "buffer": "l1", "shard_shape": [32, 32], "core_ranges": ranges, "orientation": "row_major" });
    let tensors = json!([
        { "name": "a", "shape": [32, 32], "dtype": "bfloat16", "layout": "tile", "memory": sharded, "fill": "constant:1",
            "padding": "zero", "output": true, "scratch": true },
        { "name": "b", "shape": [32, 32], "dtype": "bfloat16", "layout": "tile", "fill": "constant:1", "address": 64,
            "undefined_pages": [[0, 0]] },
    ]);
    let program = json!({ "arch": "blackhole", "api": "0.79", "seed": 1, "tensor": tensors, "cb": [cb],
        "kernel": [movement, compute], "semaphore": [semaphore], "params": { "N": 1 },
        "expect": [{ "tensor": "a", "file": "out.npy", "rtol": 0.1, "atol": 0.1 },
            { "tensor": "a", "fill": "constant:1", "tolerance": "derived" },
            { "tensor": "a", "fill": "constant:1", "bits": true }, { "tensor": "a", "same_as": "b", "atol": 1 }, { "tensor": "a", "formula": "1 + 1", "atol": 1 }],
        "suppress": [{ "code": "TP0310", "reason": "so", "file": "reader.cpp", "line": 1, "kernel": "reader.cpp" }] });
    let launches = json!({ "arch": "blackhole", "tensor": tensors, "launch": [{ "cb": [cb], "kernel": [movement], "semaphore": [semaphore] }] });
    let call = json!({ "op": "layernorm_bw", "shape": [1, 1, 32, 32], "dtype": "bfloat16", "layout": "tile", "seed": 1,
        "params": { "N": 1 }, "attributes": { "eps": 0.1 }, "fill": { "x": "constant:1" }, "rtol": 0.1, "atol": 0.1 });
    let tensor =
        |name: &str| json!({ "name": name, "dtypes": ["bfloat16"], "layouts": ["tile"], "fill": "constant:1" });
    let mut second = tensor("g");
    second["shape"] = json!([1, "x.w"]);
    let mut out = tensor("y");
    out["shape"] = json!(["x.h", "x.w"]);
    let op = json!({ "name": "o", "summary": "s", "arch": "blackhole", "ranks": [2, 4], "input": [tensor("x"), second],
        "output": [out], "params": { "N": 1 }, "reference": { "y": "x" }, "work": { "units": "x.h", "cores": 8 },
        "attribute": [{ "name": "eps", "type": "float", "default": 1, "min": 0, "max": 1 }],
        "condition": [{ "that": "x.w", "message": "m", "inside": { "x": [32, 32] }, "outside": { "eps": 1 } }],
        "cb": [{ "index": 0, "content": "c", "of": "x", "dtype": "bfloat16", "pages": 2, "page_size": 64, "moves": 2 }],
        "kernel": [{ "role": "compute", "file": "kernels.cpp", "compile_time_args": ["accessor(x)"], "runtime_args": [1],
            "defines": [["N", "1"]], "compute": { "math_fidelity": "HiFi4", "fp32_dest_acc_en": true,
            "math_approx_mode": false, "dst_full_sync_en": false, "bfp8_pack_precise": false, "unpack_to_dest_fp32": [0] } }],
        "grid": { "shapes": [[32, 32]], "data": ["ramp"], "rtol": 0.1, "atol": 0.1 } });
    let cells = json!({ "op": "layernorm_bw", "kernels": ["shipped"], "shapes": ["1,1,32,32", [1, 1, 32, 64]], "dtypes": ["bfloat16"],
        "layouts": ["tile"], "data": ["constant:1", { "x": "constant:2" }], "seeds": [0], "schedules": ["tp1:0"],
        "attributes": { "eps": [0.1] }, "explore": 0, "checks": "all", "rtol": 0.1, "atol": 0.1 });
    let of_program = json!({ "program": "program.toml", "parameters": { "N": [1] } });
    let sweep = json!({ "name": "s", "limits": { "seconds": 10, "memory_mb": 64 }, "cells": [cells, of_program] });
    let programs = std::rc::Rc::new(programs);
    let again = programs.clone();
    vec![
        Kind {
            root: &PROGRAM,
            read: Box::new(move |text| programs(text)),
            schema: validator("program"),
            documents: vec![program, launches],
        },
        Kind {
            root: &CALL,
            read: Box::new(move |text| again(text)),
            schema: validator("program"),
            documents: vec![call],
        },
        Kind { root: &OP, read: Box::new(ops), schema: validator("op"), documents: vec![op] },
        Kind { root: &SWEEP, read: Box::new(sweeps), schema: validator("sweep"), documents: vec![sweep] },
    ]
}

/// What a reader says of a value by itself, whatever else is in the file.
fn is_about_the_value(message: &str) -> bool {
    let about_another = ["as min and max say", "condition: inside", "condition: outside"];
    !about_another.iter().any(|words| message.contains(words))
        && ["; expected", ", not a table", "unknown field", "invalid type", "invalid value"]
            .iter()
            .any(|words| message.contains(words))
}

#[test]
fn reader_and_schema_say_the_same_of_every_field_of_every_table() {
    let mut differ = Vec::new();
    for Kind { root, read, schema, documents } in kinds() {
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for document in &documents {
            assert_eq!(read(&toml_file(document)), None, "{}", toml_file(document));
            assert!(schema.is_valid(document), "{document}");
            let mut found = Vec::new();
            places(root, "", document, &mut found);
            for (table, at) in found {
                let mut try_with = |what: String, change: &dyn Fn(&mut Map<String, Value>), must: Option<bool>| {
                    let mut changed = document.clone();
                    change(changed.pointer_mut(&at).unwrap().as_object_mut().unwrap());
                    let message = read(&toml_file(&changed));
                    let valid = schema.is_valid(&changed);
                    // serde takes a list for a table, an empty name, and words that each op refuses by itself: so do its types.
                    let is_lax = root.name == "sweep"
                        && ["limits", "name", "dtypes", "layouts"].iter().any(|name| what.starts_with(name));
                    let what = format!("{} {at}: {what}: reader {message:?}, schema {valid}", root.name);
                    let agree = match &message {
                        None => valid || is_lax,
                        Some(message) => !valid || !is_about_the_value(message),
                    };
                    if !agree || must.is_some_and(|must| valid != must || message.is_none() != must) {
                        differ.push(what);
                    }
                };
                try_with(
                    "a field of no description".into(),
                    &|fields| drop(fields.insert("nothing".into(), json!(1))),
                    Some(false),
                );
                for field in table.fields {
                    let there = document.pointer(&format!("{at}/{}", field.name)).is_some();
                    if there {
                        seen.insert((table.name, field.name));
                    }
                    if there && field.left == Left::Never && !table.one {
                        let missing = &|fields: &mut Map<String, Value>| drop(fields.remove(field.name));
                        try_with(format!("without {}", field.name), missing, Some(false));
                    }
                    if there || !table.one {
                        for value in pool(&field.value) {
                            let put = &|fields: &mut Map<String, Value>| {
                                drop(fields.insert(field.name.into(), value.clone()))
                            };
                            try_with(format!("{} = {value}", field.name), put, None);
                        }
                    }
                }
            }
        }
        // What is never put into a file is not compared.
        for table in with_its_tables(root) {
            for field in table.fields.iter().filter(|field| (table.name, field.name) != ("program", "op")) {
                assert!(seen.contains(&(table.name, field.name)), "{} {} is in no file", table.name, field.name);
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

#[test]
fn the_examples_of_the_reference_are_values_that_schemas_take() {
    let schemas = [(&PROGRAM, "program"), (&CALL, "program"), (&OP, "op"), (&SWEEP, "sweep")];
    for (root, kind) in schemas {
        let schema: Value = json_of(&tileproof(&["schema", kind]));
        for table in with_its_tables(root) {
            for field in table.fields.iter().filter(|field| !field.example.is_empty()) {
                let value: toml::Table = toml::from_str(&format!("value = {}", field.example)).unwrap();
                let value = as_json(value["value"].clone()).unwrap();
                let name: String = table.name.split('=').next().unwrap().to_string();
                let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == '_').collect();
                let of_field = json!({ "$ref": format!("#/definitions/{name}/properties/{}", field.name),
                    "definitions": schema["definitions"] });
                let of_field = jsonschema::draft7::new(&of_field).unwrap();
                assert!(of_field.is_valid(&value), "{} {}: {}", table.name, field.name, field.example);
            }
        }
    }
}

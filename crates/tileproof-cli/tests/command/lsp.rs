//! `tileproof lsp` as an editor has it: messages in, messages out, and whatever is wrong with them ends nothing.
//!
//! Start with [`an_editor_is_told_what_is_wrong_and_what_it_means`].

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::run::{ROOT, changed_add, folder, tileproof};

/// An editor that talks to the server.
struct Editor {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    requests: u64,
}

impl Editor {
    fn start(arguments: &[&str]) -> Editor {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
        command.arg("lsp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        Editor { server, to, from, requests: 0 }
    }

    /// One that has opened a folder.
    fn of(folder: &Path, arguments: &[&str]) -> Editor {
        let mut editor = Editor::start(arguments);
        let params = json!({ "rootUri": uri(folder), "capabilities": { "window": { "workDoneProgress": true } } });
        let capabilities = &editor.ask("initialize", params)["result"]["capabilities"];
        assert_eq!(
            (&capabilities["hoverProvider"], &capabilities["positionEncoding"]),
            (&true.into(), &"utf-16".into())
        );
        editor.tell("initialized", json!({}));
        editor
    }

    fn write(&mut self, bytes: &str) {
        self.to.as_mut().unwrap().write_all(bytes.as_bytes()).unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer to a request, which comes before anything else.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        let answer = self.next();
        assert_eq!((&answer["id"], &answer["jsonrpc"]), (&self.requests.into(), &"2.0".into()), "{answer}");
        answer
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(bytes) => length = bytes.parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// All that is told until what runs has run, without what only shows progress.
    fn until_idle(&mut self) -> Vec<Value> {
        let mut told = Vec::new();
        loop {
            let message = self.next();
            let value = &message["params"]["value"];
            match message["method"].as_str().unwrap() {
                "$/progress" if value["kind"] == "end" => return told,
                "$/progress" | "window/workDoneProgress/create" => {}
                _ => told.push(message),
            }
        }
    }

    fn open(&mut self, path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        let document = json!({ "uri": uri(path), "languageId": "x", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        diagnostics(&self.next(), path)
    }

    fn save(&mut self, path: &Path) {
        self.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri(path) } }));
    }

    fn hover(&mut self, path: &Path, line: u64, character: u64) -> String {
        let position = json!({ "line": line, "character": character });
        let answer =
            self.ask("textDocument/hover", json!({ "textDocument": { "uri": uri(path) }, "position": position }));
        answer["result"]["contents"]["value"].as_str().unwrap_or_default().into()
    }

    /// The exit code of a server that is told to end.
    fn end(mut self) -> Option<i32> {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().unwrap().code()
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The diagnostics of a message that must be of a file.
fn diagnostics(message: &Value, path: &Path) -> Vec<Value> {
    assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
    assert_eq!(message["params"]["uri"], uri(path), "{message}");
    message["params"]["diagnostics"].as_array().unwrap().clone()
}

/// An example in a folder of its own.
fn example(name: &str, test: &str) -> PathBuf {
    let to = folder(test).canonicalize().unwrap();
    for entry in fs::read_dir(Path::new(ROOT).join("examples/programs").join(name)).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    to
}

#[test]
fn an_editor_is_told_what_is_wrong_and_what_it_means() {
    let folder = example("row_multicast", "lsp-wrong");
    let (reader, broken) = (folder.join("reader.cpp"), folder.join("broken.toml"));
    fs::remove_file(folder.join("program.toml")).unwrap();
    let mut editor = Editor::of(&folder, &[]);
    // Before anything runs, the text of the kernel.
    let found = editor.open(&reader);
    assert!(found.iter().any(|one| one["message"].as_str().unwrap().contains("#ifdef BROKEN")), "{found:?}");
    editor.save(&reader);
    let told = editor.until_idle();
    let last = told.iter().rfind(|told| told["params"]["uri"] == uri(&reader)).unwrap();
    let found = diagnostics(last, &reader);
    let wrong = found.iter().find(|one| one["code"] == "TP0504").unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!((&wrong["severity"], &wrong["source"]), (&1.into(), &"tileproof".into()));
    assert!(wrong["message"].as_str().unwrap().contains("the call counts 8"), "{wrong}");
    let start = &wrong["range"]["start"];
    let line = start["line"].as_u64().unwrap();
    let text = fs::read_to_string(&reader).unwrap();
    assert!(text.lines().nth(line as usize).unwrap().contains("multicast"), "{wrong}");
    let page = editor.hover(&reader, line, start["character"].as_u64().unwrap());
    assert!(page.contains("# TP0504: a multicast counts other destinations"), "{page}");
    let (number, call) = text.lines().enumerate().find(|(_, line)| line.contains("cb_reserve_back")).unwrap();
    let page = editor.hover(&reader, number as u64, call.find("cb_").unwrap() as u64 + 4);
    assert!(page.contains("- Data-movement kernels: Circular buffers"), "{page}");
    // The program is right as a file.
    assert_eq!(editor.open(&broken), Vec::<Value>::new());
    let document = json!({ "uri": uri(&broken) });
    let actions = editor.ask("textDocument/codeAction", json!({ "textDocument": document }));
    assert_eq!(actions["result"][0]["command"], "tileproof.run", "{actions}");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_program_file_is_read_where_it_is_opened_and_saved() {
    let program = changed_add("lsp-program", &[("program.toml", "arch = ", "nonsense = 1\narch = ")]);
    let program = program.canonicalize().unwrap();
    let mut editor = Editor::of(program.parent().unwrap(), &["--run", "on-request"]);
    let found = editor.open(&program);
    assert_eq!((found.len(), &found[0]["code"]), (1, &"TP0102".into()), "{found:?}");
    assert!(found[0]["message"].as_str().unwrap().contains("unknown field nonsense; the fields are arch"), "{found:?}");
    let text = fs::read_to_string(&program).unwrap();
    let line = text.lines().position(|line| line.starts_with("nonsense")).unwrap() as u64;
    let place = |character: u64| json!({ "line": line, "character": character });
    assert_eq!(found[0]["range"], json!({ "start": place(0), "end": place(12) }));
    let document = json!({ "uri": uri(&program) });
    let items = editor.ask("textDocument/completion", json!({ "textDocument": document, "position": place(0) }));
    let labels: Vec<&str> =
        items["result"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"arch") && labels.contains(&"kernel"), "{labels:?}");
    assert!(editor.hover(&program, line + 1, 2).contains("The chip."));
    let mended = text.replace("nonsense = 1\n", "");
    fs::write(&program, &mended).unwrap();
    let changes = json!([{ "text": mended }]);
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    editor.save(&program);
    assert_eq!(diagnostics(&editor.next(), &program), Vec::<Value>::new());
    // No save runs anything here, and what is no program has nothing said of it.
    let other = program.with_file_name("other.toml");
    fs::write(&other, "[package]\nnonsense = 1\n").unwrap();
    assert_eq!(editor.open(&other), Vec::<Value>::new());
    let run = |path: &str| json!({ "command": "tileproof.run", "arguments": [path] });
    let answer = editor.ask("workspace/executeCommand", run("nowhere.toml"));
    assert!(answer["error"]["message"].as_str().unwrap().contains("give the URI or the path"), "{answer}");
    assert_eq!(editor.ask("workspace/executeCommand", run(&uri(&program)))["result"], Value::Null);
    let told = editor.until_idle();
    assert_eq!(diagnostics(&told[0], &program), Vec::<Value>::new());
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn nothing_that_is_sent_ends_the_server() {
    let folder = folder("lsp-garbled").canonicalize().unwrap();
    let mut editor = Editor::start(&[]);
    let code = |answer: &Value| answer["error"]["code"].as_i64();
    // Before `initialize`.
    assert_eq!(code(&editor.ask("textDocument/hover", json!({}))), Some(-32002));
    editor.tell("textDocument/didOpen", json!({ "textDocument": 7 }));
    assert!(editor.ask("initialize", Value::Null)["result"]["capabilities"].is_object());
    assert_eq!(code(&editor.ask("initialize", json!({}))), Some(-32600));
    for garbled in ["nonsense\r\n\r\n", "Content-Length: many\r\n\r\n", "Content-Length: 3\r\n\r\n{]}"] {
        editor.write(garbled);
        let answer = editor.next();
        assert_eq!((code(&answer), &answer["id"]), (Some(-32700), &Value::Null), "{garbled:?}: {answer}");
    }
    for message in [json!([]), json!(1), json!({}), json!({ "method": 3 })] {
        editor.send(&message);
        assert_eq!(code(&editor.next()), Some(-32600), "{message}");
    }
    editor.send(&json!({ "id": 99, "result": null }));
    for method in ["$/setTrace", "textDocument/willSave", "unknown"] {
        editor.tell(method, json!({ "textDocument": { "uri": "untitled:x" } }));
    }
    assert_eq!(code(&editor.ask("textDocument/rename", json!({}))), Some(-32601));
    let gone = json!({ "uri": uri(&folder.join("gone.cpp")) });
    for params in
        [Value::Null, json!({}), json!({ "textDocument": { "uri": "untitled:x" } }), json!({ "textDocument": gone })]
    {
        assert_eq!(code(&editor.ask("textDocument/hover", params)), Some(-32602));
    }
    let position = json!({ "line": u64::MAX, "character": u64::MAX });
    let answer = editor.ask("textDocument/hover", json!({ "textDocument": gone, "position": position }));
    assert_eq!((&answer["result"], answer.get("error")), (&Value::Null, None));
    let command = json!({ "command": "rm", "arguments": ["-r"] });
    assert_eq!(code(&editor.ask("workspace/executeCommand", command)), Some(-32602));
    assert_eq!(editor.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(code(&editor.ask("textDocument/hover", json!({}))), Some(-32600));
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(0));
}

#[test]
fn runs_have_limits_and_end_with_the_editor() {
    let barrier = "        noc_async_write_barrier();";
    let many = "        for (uint32_t i = 0; i < 100000000; i++) {\n            noc_async_write_page(page, out, get_read_ptr(cb_out));\n\
                            noc_async_write_barrier();\n        }";
    let program = changed_add("lsp-endless", &[("writer.cpp", barrier, many)]).canonicalize().unwrap();
    let second = program.with_file_name("second.toml");
    fs::copy(&program, &second).unwrap();
    let writer = program.with_file_name("writer.cpp");
    let folder = program.parent().unwrap();
    let mut editor = Editor::of(folder, &["--limit", "1", "--programs", "1"]);
    editor.save(&writer);
    let told = editor.until_idle();
    let shown: Vec<&Value> = told.iter().filter(|told| told["method"] == "window/showMessage").collect();
    assert!(shown.len() == 1 && shown[0].to_string().contains("2 programs name it"), "{told:?}");
    assert!(told.iter().any(|told| told.to_string().contains("TP0603")), "{told:?}");
    assert_eq!(editor.end(), Some(0));
    // A client that goes away without a word.
    let mut editor = Editor::of(folder, &["--programs", "1"]);
    editor.save(&writer);
    while editor.next()["params"]["value"]["kind"] != "report" {}
    editor.to = None;
    assert_eq!(editor.server.wait().unwrap().code(), Some(1));
}

#[test]
fn settings_of_editors_start_the_server_with_options_that_it_has() {
    let read = |path: &str| fs::read_to_string(Path::new(ROOT).join(path)).unwrap();
    let page = read("docs/book/how-to/editor.md");
    for (file, from) in [("nvim.lua", "vim.lsp.config"), ("helix.toml", "[language-server")] {
        let text = read(&format!("examples/editors/{file}"));
        let shown: Vec<String> =
            page.lines().map(|line| line.strip_prefix("    ").unwrap_or(line).to_string()).collect();
        let settings = &text[text.find(from).unwrap()..];
        assert!(shown.join("\n").contains(settings.trim_end()), "{file}");
        assert!(settings.contains("\"tileproof\"") && settings.contains("\"lsp\""), "{file}");
    }
    let package: Value = serde_json::from_str(&read("examples/editors/vscode/package.json")).unwrap();
    let settings = package["contributes"]["configuration"]["properties"].as_object().unwrap();
    let script = read("examples/editors/vscode/extension.js");
    let mut arguments = vec!["lsp".to_string(), "--help".into()];
    for (name, setting) in settings {
        let name = name.strip_prefix("tileproof.").unwrap();
        assert!(script.contains(&format!("\"{name}\"")), "{name}");
        if name != "command" {
            let value = setting["default"].to_string();
            arguments.extend([format!("--{name}"), value.trim_matches('"').into()]);
        }
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = tileproof(&arguments);
    let help = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    for option in arguments[2..].chunks(2) {
        let default = format!("[default: {}]", option[1]);
        assert!(help.contains(option[0]) && help.contains(&default), "{option:?}: {help}");
    }
}

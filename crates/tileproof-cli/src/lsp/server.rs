//! What a client asks and tells, and what it is answered and told.
//!
//! Texts are those of the editor where a file is open in it. Start at [`Server::message`].

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::diagnostics::{self, ByFile};
use super::fields;
use super::hover::{self, Kind};
use super::place::{in_line, path_of, uri_of};
use super::programs::{is_program, settled};
use super::runs::{Asked, Runs, Told};
use super::wire::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, NOT_INITIALIZED, PARSE_ERROR, notify, send,
};
use crate::terminal::Unwritable;

/// The command of the server that runs the programs of a file.
const RUN: &str = "tileproof.run";
/// Kinds of messages that a client shows.
const SHOWN_ERROR: u8 = 1;
const SHOWN_WARNING: u8 = 2;

/// What comes after a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Next,
    End,
}

/// Where the conversation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Begun,
    Initialized,
    ShutDown,
}

/// Why a request is not answered: a code and a sentence.
type Refused = (i64, String);

/// A file that is open in the editor.
struct Open {
    uri: String,
    text: String,
}

/// Who has said what of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// The text of a file.
    Text(PathBuf),
    /// The last run of a program.
    Run(PathBuf),
}

pub(super) struct Server {
    stage: Stage,
    runs: Runs,
    runs_on_save: bool,
    folders: Vec<PathBuf>,
    open: BTreeMap<PathBuf, Open>,
    said: BTreeMap<Says, ByFile>,
    /// The client shows Markdown.
    markdown: bool,
    /// The client shows what goes on.
    shows_progress: bool,
    /// What goes on is shown, by this name.
    progress: Option<u64>,
    /// Requests to the client so far.
    requests: u64,
}

impl Server {
    pub(super) fn new(runs: Runs, runs_on_save: bool) -> Server {
        Server {
            stage: Stage::Begun,
            runs,
            runs_on_save,
            folders: Vec::new(),
            open: BTreeMap::new(),
            said: BTreeMap::new(),
            markdown: true,
            shows_progress: false,
            progress: None,
            requests: 0,
        }
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.stage == Stage::ShutDown
    }

    /// Takes what cannot be read.
    pub(super) fn garbled(&mut self, why: &str) -> Result<Then, Unwritable> {
        refuse(&Value::Null, PARSE_ERROR, why)?;
        Ok(Then::Next)
    }

    /// Takes a message: a request is answered, whatever it is.
    pub(super) fn message(&mut self, message: Value) -> Result<Then, Unwritable> {
        let (id, params) = (message.get("id"), &message["params"]);
        let Some(method) = message["method"].as_str() else {
            // Answers to requests of this server say nothing that it needs.
            if message.get("result").is_none() && message.get("error").is_none() {
                refuse(id.unwrap_or(&Value::Null), INVALID_REQUEST, "a message has no method")?;
            }
            return Ok(Then::Next);
        };
        let Some(id) = id else {
            if method == "exit" {
                return Ok(Then::End);
            }
            if self.stage == Stage::Initialized {
                let hear = AssertUnwindSafe(|| self.hear(method, params));
                // The panic hook has said what happened; the next message is another.
                return catch_unwind(hear).unwrap_or(Ok(())).map(|()| Then::Next);
            }
            return Ok(Then::Next);
        };
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(method, params)));
        let fault = || Err((INTERNAL_ERROR, format!("{method}: a fault of Tileproof; stderr has it")));
        match answer.unwrap_or_else(|_| fault()) {
            Ok(result) => send(json!({ "id": id, "result": result }))?,
            Err((code, why)) => refuse(id, code, &why)?,
        }
        Ok(Then::Next)
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, Refused> {
        match (self.stage, method) {
            (Stage::Begun, "initialize") => Ok(self.initialize(params)),
            (Stage::Begun, _) => Err((NOT_INITIALIZED, format!("{method}: initialize comes first"))),
            (_, "initialize") => Err((INVALID_REQUEST, "initialize: it came before".into())),
            (Stage::ShutDown, _) => Err((INVALID_REQUEST, format!("{method}: the server was shut down"))),
            (_, "shutdown") => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            (_, "textDocument/hover") => {
                let (path, text) = self.document(params)?;
                let shown = self.shown(&path);
                let kind = kind(&path, &text);
                Ok(hover::answer(hover::hover(kind, &text, position(params)?, &shown), self.markdown))
            }
            (_, "textDocument/completion") => {
                let (path, text) = self.document(params)?;
                let position = position(params)?;
                let Some((line, at)) = in_line(&text, position).filter(|_| kind(&path, &text) == Kind::Program) else {
                    return Ok(json!([]));
                };
                Ok(fields::completions(&text, position["line"].as_u64().unwrap_or(0) as usize, line, at).into())
            }
            (_, "textDocument/codeAction") => {
                let (path, text) = self.document(params)?;
                if kind(&path, &text) == Kind::Other {
                    return Ok(json!([]));
                }
                Ok(
                    json!([{ "title": "Run its programs with Tileproof", "command": RUN, "arguments": [uri_of(&path)] }]),
                )
            }
            (_, "workspace/executeCommand") => self.execute(params),
            _ => Err((METHOD_NOT_FOUND, format!("{method}: this server does not know it"))),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let of_client = &params["capabilities"];
        let formats = of_client["textDocument"]["hover"]["contentFormat"].as_array();
        self.markdown = formats.is_none_or(|formats| formats.iter().any(|format| format == "markdown"));
        self.shows_progress = of_client["window"]["workDoneProgress"] == true;
        let folders =
            params["workspaceFolders"].as_array().map(|folders| folders.iter().map(|of| &of["uri"]).collect());
        let folders: Vec<&Value> = folders.unwrap_or_else(|| vec![&params["rootUri"]]);
        let folders = folders.into_iter().filter_map(Value::as_str).filter_map(path_of);
        self.folders = folders.map(|folder| settled(&folder)).collect();
        self.stage = Stage::Initialized;
        json!({
            "capabilities": {
                "positionEncoding": "utf-16",
                "textDocumentSync": { "openClose": true, "change": 1, "save": { "includeText": false } },
                "hoverProvider": true,
                "completionProvider": { "triggerCharacters": ["[", "\""] },
                "codeActionProvider": true,
                "executeCommandProvider": { "commands": [RUN] },
            },
            "serverInfo": { "name": "tileproof", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    fn execute(&mut self, params: &Value) -> Result<Value, Refused> {
        let command = params["command"].as_str().unwrap_or_default();
        if command != RUN {
            return Err((INVALID_PARAMS, format!("command: there is no {command:?}; there is {RUN}")));
        }
        let given = params["arguments"][0].as_str();
        let file =
            given.and_then(|given| path_of(given).or_else(|| Some(PathBuf::from(given)).filter(|p| p.is_absolute())));
        let Some(file) = file.filter(|file| file.is_file()) else {
            let why = "arguments: give the URI or the path of a program file, or of a file that programs name";
            return Err((INVALID_PARAMS, why.into()));
        };
        self.run(&settled(&file));
        Ok(Value::Null)
    }

    fn run(&self, file: &Path) {
        self.runs.ask(Asked { file: file.into(), folders: self.folders.clone() });
    }

    /// Takes what needs no answer; what is not known is let pass.
    fn hear(&mut self, method: &str, params: &Value) -> Result<(), Unwritable> {
        let document = &params["textDocument"];
        let Some((uri, path)) = document["uri"].as_str().and_then(|uri| Some((uri, settled(&path_of(uri)?)))) else {
            return Ok(());
        };
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default();
                self.open.insert(path.clone(), Open { uri: uri.into(), text: text.into() });
                self.look_at(&path)
            }
            "textDocument/didChange" => {
                let last = params["contentChanges"].as_array().and_then(|changes| changes.last());
                let text =
                    last.filter(|change| change.get("range").is_none()).and_then(|change| change["text"].as_str());
                if let (Some(open), Some(text)) = (self.open.get_mut(&path), text) {
                    open.text = text.into();
                }
                Ok(())
            }
            "textDocument/didSave" => {
                self.look_at(&path)?;
                if self.runs_on_save && kind(&path, &self.text(&path)) != Kind::Other {
                    self.run(&path);
                }
                Ok(())
            }
            "textDocument/didClose" => {
                let said = self.says(Says::Text(path.clone()), ByFile::new());
                self.open.remove(&path);
                said
            }
            _ => Ok(()),
        }
    }

    /// Says what the text of a file tells by itself.
    fn look_at(&mut self, path: &Path) -> Result<(), Unwritable> {
        let text = self.text(path);
        let text_of = |path: &Path| self.text(path);
        let found = match kind(path, &text) {
            Kind::Program => diagnostics::of_program(path, &text, &text_of),
            Kind::Kernel => diagnostics::of_kernel(path, &text, &text_of),
            Kind::Other => ByFile::new(),
        };
        self.says(Says::Text(path.into()), found)
    }

    /// Takes what becomes of a run.
    pub(super) fn told(&mut self, what: Told) -> Result<Then, Unwritable> {
        match what {
            Told::Begins(program, waiting) => self.shows_run(&program, waiting)?,
            Told::Ends(program, Ok(run)) => {
                let found = diagnostics::of_run(&program, &run, &|path| self.text(path));
                self.says(Says::Run(program), found)?;
            }
            Told::Ends(program, Err(why)) => shows(SHOWN_ERROR, &format!("{}: {why}", program.display()))?,
            Told::TooMany(file, of) => {
                let why = format!("{}: {of} programs name it, more than --programs lets run", file.display());
                shows(SHOWN_WARNING, &why)?;
            }
            Told::Idle => self.shows_end()?,
        }
        Ok(Then::Next)
    }

    /// Replaces what somebody has said, and tells the client of each file that it is about.
    fn says(&mut self, who: Says, found: ByFile) -> Result<(), Unwritable> {
        let mut files: BTreeSet<PathBuf> = found.keys().cloned().collect();
        // The client is to know that there is nothing, too.
        let (Says::Text(path) | Says::Run(path)) = &who;
        files.insert(path.clone());
        files.extend(self.said.insert(who, found).into_iter().flat_map(ByFile::into_keys));
        for file in files {
            let uri = self.open.get(&file).map_or_else(|| uri_of(&file), |open| open.uri.clone());
            notify("textDocument/publishDiagnostics", json!({ "uri": uri, "diagnostics": self.shown(&file) }))?;
        }
        Ok(())
    }

    /// What is said of a file, each once.
    fn shown(&self, file: &Path) -> Vec<Value> {
        diagnostics::merged(self.said.iter().flat_map(|(who, found)| {
            // Of a program's own file it is plain who says it.
            let program =
                if let Says::Run(program) = who { Some(program.as_path()).filter(|of| *of != file) } else { None };
            found.get(file).into_iter().flatten().map(move |diagnostic| (program, diagnostic))
        }))
    }

    /// The text of a file, as it is in the editor or on the disk.
    fn text(&self, path: &Path) -> String {
        self.open.get(path).map_or_else(|| diagnostics::on_disk(path), |open| open.text.clone())
    }

    /// The file that a request is about.
    fn document(&self, params: &Value) -> Result<(PathBuf, String), Refused> {
        let uri = params["textDocument"]["uri"].as_str();
        let path = uri.and_then(path_of).map(|path| settled(&path));
        let path = path.ok_or((INVALID_PARAMS, "textDocument.uri: give the URI of a file".to_string()))?;
        let text = self.text(&path);
        Ok((path, text))
    }

    /// Shows that a program runs, where the client does.
    fn shows_run(&mut self, program: &Path, waiting: usize) -> Result<(), Unwritable> {
        if !self.shows_progress {
            return Ok(());
        }
        let more = if waiting == 0 { String::new() } else { format!(", {waiting} more") };
        let message = format!("{}{more}", program.display());
        let token = match self.progress {
            Some(token) => token,
            None => {
                self.requests += 1;
                let token = self.requests;
                self.progress = Some(token);
                send(json!({ "id": token, "method": "window/workDoneProgress/create", "params": { "token": token } }))?;
                let begin = json!({ "kind": "begin", "title": "tileproof run" });
                notify("$/progress", json!({ "token": token, "value": begin }))?;
                token
            }
        };
        notify("$/progress", json!({ "token": token, "value": { "kind": "report", "message": message } }))
    }

    fn shows_end(&mut self) -> Result<(), Unwritable> {
        match self.progress.take() {
            Some(token) => notify("$/progress", json!({ "token": token, "value": { "kind": "end" } })),
            None => Ok(()),
        }
    }
}

/// What kind of file one is, by its name and text.
fn kind(path: &Path, text: &str) -> Kind {
    match path.extension().and_then(|end| end.to_str()) {
        Some("toml") if is_program(text) => Kind::Program,
        Some("cpp" | "cc" | "h" | "hpp" | "inl") => Kind::Kernel,
        _ => Kind::Other,
    }
}

fn position(params: &Value) -> Result<&Value, Refused> {
    let position = &params["position"];
    let is_whole = position["line"].is_u64() && position["character"].is_u64();
    is_whole.then_some(position).ok_or((INVALID_PARAMS, "position: give line and character".into()))
}

fn refuse(id: &Value, code: i64, why: &str) -> Result<(), Unwritable> {
    send(json!({ "id": id, "error": { "code": code, "message": why } }))
}

fn shows(kind: u8, message: &str) -> Result<(), Unwritable> {
    notify("window/showMessage", json!({ "type": kind, "message": message }))
}

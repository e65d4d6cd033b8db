//! The tools, what each takes, and the command line that a call becomes.
//!
//! It must never make a word an option that a caller gave as a value. Start at [`TOOLS`].

use serde_json::{Map, Value, json};
use tileproof::model::finding::Code;

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    /// The verbs of the command line.
    verbs: &'static [&'static str],
    fields: &'static [Field],
    pub(super) prints_json: bool,
}

struct Field {
    name: &'static str,
    description: &'static str,
    kind: Kind,
    is_required: bool,
}

/// What a value is, and what becomes of it.
enum Kind {
    /// A text that stands by itself.
    Positional,
    /// A text behind an option.
    Text(&'static str),
    /// A whole number behind an option.
    Count(&'static str),
    /// Names and values, an option each.
    Pairs(&'static str),
    /// Texts behind one option.
    Texts(&'static str, usize),
}

const fn required(name: &'static str, description: &'static str) -> Field {
    Field { name, description, kind: Kind::Positional, is_required: true }
}

const fn optional(name: &'static str, kind: Kind, description: &'static str) -> Field {
    Field { name, description, kind, is_required: false }
}

pub(super) const EXPLAIN: &str = "explain";

pub(super) const TOOLS: [Tool; 7] = [
    Tool {
        name: "run",
        description: "Run a program file (TOML) with its C++ kernels on the simulated chip. The result has status, findings (each with code, message, file, line, labels, help), notes, outputs beside what is expected of them, cycles, and a ledger of each circular buffer.",
        verbs: &["run"],
        fields: &[
            required("program", "Path of the program file."),
            optional("parameters", Kind::Pairs("--param"), "Values of the file's [params]."),
            optional(
                "checks",
                Kind::Text("--checks"),
                "What is looked for: all, none, or families with commas between, as buffers,memory,order.",
            ),
            optional(
                "explore",
                Kind::Count("--explore"),
                "Try so many other schedules, until the program fails on one as it does not by default.",
            ),
            optional("schedule", Kind::Text("--schedule"), "The schedule to replay, as a finding gives it."),
            optional(
                "why",
                Kind::Texts("--why", 2),
                "Two lines of kernels, as [\"reader.cpp:12\", \"compute.cpp:30\"]: a note says what puts the first before the second, or what is missing.",
            ),
            optional("limit", Kind::Count("--limit"), "Seconds that one run of the kernels may take."),
        ],
        prints_json: true,
    },
    Tool {
        name: EXPLAIN,
        description: "The page of a finding code: what it means, why it matters, a wrong and a right kernel. Without a code, all codes with their titles.",
        verbs: &[],
        fields: &[optional("code", Kind::Positional, "A code, as TP0601.")],
        prints_json: false,
    },
    Tool {
        name: "ledger",
        description: "Run a program file and list who does what to each circular buffer and tensor.",
        verbs: &["ledger"],
        fields: &[required("program", "Path of the program file.")],
        prints_json: true,
    },
    Tool {
        name: "analyze",
        description: "Say what kernels do, from their text and without running them: buffers, operations, arguments, helpers, calls that are not known.",
        verbs: &["analyze"],
        fields: &[required("path", "A kernel (.cpp), or a folder with kernels.")],
        prints_json: true,
    },
    Tool {
        name: "op_new",
        description: "Write the skeleton of a new op: description, stub kernels, reference, and what to prove it on.",
        verbs: &["op", "new"],
        fields: &[
            required("name", "Name of the op: letters, digits and _."),
            optional("into", Kind::Text("--into"), "Folder to write it into; one with its name when left out."),
            optional("config", Kind::Text("--config"), "A TOML file that says what it takes and makes."),
        ],
        prints_json: false,
    },
    Tool {
        name: "op_check",
        description: "Take an op through the seven gates, up to the first that is red, which says why and what to do.",
        verbs: &["op", "check"],
        fields: &[required("op", "Name of a shipped op, or folder of another.")],
        prints_json: true,
    },
    Tool {
        name: "audit",
        description: "Say which faults the test of a program would miss: the program is changed in small ways, one at a time, and each change is tried against its [[expect]].",
        verbs: &["audit"],
        fields: &[
            required("program", "Path of a program file with [[expect]], or of a call of an op."),
            optional("parameters", Kind::Pairs("--param"), "Values of the file's [params]."),
            optional("budget", Kind::Count("--budget"), "Seconds after which no further change is tried."),
        ],
        prints_json: true,
    },
];

/// The names of the tools.
pub(super) fn names() -> String {
    TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

/// What a tool takes, as JSON Schema.
pub(super) fn schema(tool: &Tool) -> Map<String, Value> {
    let property = |field: &Field| {
        let mut property = match field.kind {
            Kind::Positional | Kind::Text(_) => json!({ "type": "string" }),
            Kind::Count(_) => json!({ "type": "integer", "minimum": 1 }),
            Kind::Pairs(_) => {
                json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } })
            }
            Kind::Texts(_, count) => {
                json!({ "type": "array", "items": { "type": "string" }, "minItems": count, "maxItems": count })
            }
        };
        property["description"] = field.description.into();
        (field.name.to_string(), property)
    };
    let properties: Map<String, Value> = tool.fields.iter().map(property).collect();
    let required: Vec<&str> = tool.fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
    Map::from_iter([
        ("type".to_string(), "object".into()),
        ("properties".to_string(), properties.into()),
        ("required".to_string(), required.into()),
        ("additionalProperties".to_string(), false.into()),
    ])
}

/// The command line of a call.
pub(super) fn words(tool: &Tool, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
    if let Some(unknown) = arguments.keys().find(|name| tool.fields.iter().all(|field| field.name != **name)) {
        let known: Vec<&str> = tool.fields.iter().map(|field| field.name).collect();
        return Err(format!("{unknown}: {} has no such argument; it has {}", tool.name, known.join(", ")));
    }
    let mut words: Vec<String> = tool.verbs.iter().map(|verb| verb.to_string()).collect();
    if tool.prints_json {
        words.extend(["--format".into(), "json".into()]);
    }
    let mut positional = Vec::new();
    for field in tool.fields {
        let Some(value) = arguments.get(field.name).filter(|value| !value.is_null()) else {
            if field.is_required {
                return Err(format!("{}: {} needs it", field.name, tool.name));
            }
            continue;
        };
        let expected = |what: &str| format!("{} {value}: must be {what}", field.name);
        match field.kind {
            Kind::Positional => positional.push(value.as_str().ok_or_else(|| expected("a text"))?.to_string()),
            // In one word with its option, so that it is never taken for another.
            Kind::Text(option) => words.push(format!("{option}={}", value.as_str().ok_or_else(|| expected("a text"))?)),
            Kind::Count(option) => {
                let count = value.as_u64().filter(|count| *count > 0);
                words.push(format!("{option}={}", count.ok_or_else(|| expected("a whole number, 1 or above"))?));
            }
            Kind::Pairs(option) => {
                for (name, value) in value.as_object().ok_or_else(|| expected("an object"))? {
                    let text = value.as_str().map_or_else(|| value.to_string(), String::from);
                    words.push(format!("{option}={name}={text}"));
                }
            }
            Kind::Texts(option, count) => {
                let texts: Option<Vec<&str>> = value.as_array().and_then(|all| all.iter().map(Value::as_str).collect());
                let texts =
                    texts.filter(|texts| texts.len() == count && texts.iter().all(|text| !text.starts_with('-')));
                words.push(option.into());
                words.extend(texts.ok_or_else(|| expected(&format!("{count} texts")))?.into_iter().map(String::from));
            }
        }
    }
    if !positional.is_empty() {
        words.push("--".into());
    }
    words.extend(positional);
    Ok(words)
}

/// What cannot be done, and why, under the names of the document of bad input.
pub(super) fn refused(why: &str) -> Value {
    json!({ "status": "refused", "error": why })
}

/// The page of a code, or all codes.
pub(super) fn explain(wanted: Option<&str>) -> Result<Value, Value> {
    let entry =
        |code: Code| json!({ "code": code.to_string(), "class": format!("{:?}", code.class()), "title": code.title() });
    let mut codes = Code::ALL.to_vec();
    codes.sort();
    let Some(wanted) = wanted else {
        return Ok(json!({ "codes": codes.into_iter().map(entry).collect::<Vec<_>>() }));
    };
    let Some(code) = Code::parse(wanted) else {
        let known: Vec<String> = codes.iter().map(Code::to_string).collect();
        return Err(refused(&format!("there is no code {wanted}; known are {}", known.join(", "))));
    };
    let mut page = entry(code);
    page["page"] = code.page().into();
    Ok(page)
}

//! What kernels can call: the functions and macros that the shim's headers declare for a chip, a kind of kernel and a day, as the compiler's
//! preprocessor gives them.
//!
//! For the reference, and for nothing that decides. Start at [`declared`].

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tileproof_model::arch::Arch;
use tileproof_model::numerics::sfpu::SfpuOp;
use tileproof_model::program::KernelConfig;

use crate::compiler::candidates;
use crate::config;
use crate::folder;
use crate::limited::{self, Ended, Limits};
use crate::request::CompileRequest;
use crate::shim::SHIM;

const LIMITS: Limits = Limits { time: Duration::from_secs(30), memory: 4 << 30 };

/// Namespaces whose names kernels write without them, or as part of the API.
const NAMESPACES: [&str; 4] = ["", "ckernel", "experimental", "sfpi"];

/// What a call of a name comes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Support {
    /// It ends the kernel by name (TP9001).
    Stops,
    /// Some of its forms do, those of vector operations that are not known on the chip.
    InPart,
    /// It runs.
    Runs,
}

/// A name that kernels can call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Declared {
    /// The name, with its namespace where kernels write it.
    pub name: String,
    /// The header of the shim.
    pub header: String,
    /// What a call comes to.
    pub support: Support,
    /// What it is.
    pub kind: Kind,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A function.
    Function,
    /// A type, whose methods are called.
    Type,
    /// A macro, with arguments or without.
    Macro,
}

/// Headers whose types kernels use.
const OF_OBJECTS: [&str; 5] =
    ["buffer_objects.h", "endpoints.h", "noc_objects.h", "semaphore_objects.h", "tensor_accessor.h"];

/// Paths of the headers that kernels can include, sorted.
pub fn headers() -> Vec<String> {
    let mut headers = crate::shim::headers();
    headers.sort();
    headers
}

/// The functions and macros that a kernel of a kind can call, by name; `day` is that of the API, YYYYMMDD.
///
/// # Errors
/// If there is no compiler, or its preprocessor does not end well.
pub fn declared(arch: Arch, config: &KernelConfig, day: u32) -> Result<Vec<Declared>, String> {
    let folder = folder::drawn(&std::env::temp_dir(), "tileproof").map_err(|error| error.to_string())?;
    let text = preprocessed(&folder, arch, config, day);
    let _ = fs::remove_dir_all(&folder);
    let mut found: BTreeMap<String, Declared> = BTreeMap::new();
    let text = text?;
    let called = functions(&text).into_iter().filter_map(|function| function.declared(arch));
    for one in called.chain(macros(&text)) {
        // Of overloads the one that does most counts.
        let known = found.entry(one.name.clone()).or_insert_with(|| one.clone());
        known.support = known.support.max(one.support);
    }
    Ok(found.into_values().collect())
}

/// A kernel that includes all there is, after the preprocessor.
fn preprocessed(folder: &Path, arch: Arch, config: &KernelConfig, day: u32) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let include = folder.join("include");
    SHIM.put_into(&include).map_err(failed)?;
    let request = CompileRequest {
        source: folder.join("kernel.cpp"),
        config: config.clone(),
        compile_time_args: Vec::new(),
        named_compile_time_args: Vec::new(),
        defines: Vec::new(),
        include_dirs: Vec::new(),
        circular_buffers: Vec::new(),
        arch,
    };
    fs::write(folder.join("header.h"), config::header(&request)).map_err(failed)?;
    // Some headers are for one kind of kernel alone.
    let is_compute = matches!(config, KernelConfig::Compute(_));
    let brought = SHIM.brought().into_iter().filter(|header| is_compute || !header.starts_with("sfpi"));
    let text: String = brought.map(|header| format!("#include \"tp/{header}\"\n")).collect();
    fs::write(&request.source, text).map_err(failed)?;
    let out = folder.join("out");
    let mut why = String::from("there is no compiler");
    for name in candidates() {
        let mut command = Command::new(&name);
        // Macros stay in the text, where they are defined.
        command.args(["-std=c++20", "-E", "-dD", &format!("-DTP_API={day}")]).arg("-I").arg(&include);
        command.arg("-include").arg(include.join("tp/prefix.h")).arg("-include").arg(folder.join("header.h"));
        command.arg(&request.source).arg("-o").arg(&out);
        match limited::run(&mut command, folder, LIMITS, None) {
            Ok(Ended::Well(_)) => return fs::read_to_string(&out).map_err(failed),
            Ok(Ended::Badly(status, text)) => why = format!("{name} ended with {status}: {text}"),
            Ok(Ended::TooLate) => why = format!("{name} did not end"),
            Err(error) => why = format!("{name}: {error}"),
        }
    }
    Err(why)
}

/// A function with a body, outside of any class.
struct Function {
    namespace: String,
    header: String,
    /// What stands before its body.
    head: String,
    body: String,
}

/// The functions of the shim's own headers.
fn functions(text: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut reading = Reading::default();
    let mut header = None;
    for line in text.lines() {
        if let Some(place) = line.strip_prefix("# ") {
            header = header_of(place).map(String::from);
            continue;
        }
        // Of macros what is between their braces is no body of a function.
        let Some(header) = header.as_ref().filter(|_| !line.starts_with('#')) else { continue };
        let mut in_text = false;
        let mut before = ' ';
        for c in line.chars() {
            in_text ^= c == '"' && before != '\\';
            before = if before == '\\' { ' ' } else { c };
            if in_text {
                continue;
            }
            if let Some((head, body)) = reading.take(c) {
                let namespace = reading.namespaces.join("::");
                found.push(Function { namespace, header: header.clone(), head, body });
            }
        }
        reading.take(' ');
    }
    found
}

/// The header of the shim that a line marker names.
fn header_of(place: &str) -> Option<&str> {
    let path = place.split('"').nth(1)?;
    path.rsplit_once("/tp/").map(|(_, name)| name)
}

/// The macros of the shim's own headers that are defined at their end, without its inner ones.
fn macros(text: &str) -> Vec<Declared> {
    let mut found: BTreeMap<&str, Declared> = BTreeMap::new();
    let mut header = None;
    for line in text.lines() {
        let word = |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        if let Some(place) = line.strip_prefix("# ") {
            header = header_of(place);
        } else if let Some(rest) = line.strip_prefix("#undef ") {
            found.remove(&rest[..word(rest)]);
        } else if let (Some(rest), Some(header)) = (line.strip_prefix("#define "), header) {
            let (name, body) = rest.split_at(word(rest));
            if !["TP_", "tp_", "_"].iter().any(|inner| name.starts_with(inner)) {
                let stops = ENDS.iter().any(|end| body.contains(end));
                let support = if stops { Support::Stops } else { Support::Runs };
                let one = Declared { name: name.into(), header: header.into(), support, kind: Kind::Macro };
                found.insert(name, one);
            }
        }
    }
    found.into_values().collect()
}

/// What the text of a macro has that ends the kernel by name.
const ENDS: [&str; 3] = ["::tp::unsupported(", "::tp::no_register(", "TP_NO_WORD("];

/// Where in a text one is: the namespaces that are open, and what stands since the last declaration.
#[derive(Default)]
struct Reading {
    namespaces: Vec<String>,
    head: String,
    body: String,
    depth: usize,
}

impl Reading {
    /// Takes a letter; what stood before a body, and the body, where one ends.
    fn take(&mut self, c: char) -> Option<(String, String)> {
        if self.depth > 0 {
            self.depth = match c {
                '{' => self.depth + 1,
                '}' => self.depth - 1,
                _ => self.depth,
            };
            if self.depth > 0 {
                self.body.push(c);
                return None;
            }
            return Some((std::mem::take(&mut self.head), std::mem::take(&mut self.body)));
        }
        match c {
            '{' => {
                let head = self.head.trim();
                let opened = head.rsplit_once("namespace ").map(|(_, name)| name.trim());
                match opened.filter(|name| !name.contains(['(', '=', ';'])) {
                    Some(name) => self.open(name.to_string()),
                    None if head.starts_with("extern \"") => self.open(String::new()),
                    None => self.depth = 1,
                }
            }
            '}' => {
                self.namespaces.pop();
                self.head.clear();
            }
            ';' => self.head.clear(),
            c => self.head.push(c),
        }
        None
    }

    fn open(&mut self, name: String) {
        self.namespaces.push(name);
        self.head.clear();
    }
}

impl Function {
    /// As a name of the API; `None` of what is none.
    fn declared(&self, arch: Arch) -> Option<Declared> {
        let scope = self.namespace.trim_matches(':');
        let (name, kind) = match (called(&self.head), OF_OBJECTS.contains(&self.header.as_str())) {
            (Some(name), _) => (name, Kind::Function),
            (None, true) => (typed(&self.head)?, Kind::Type),
            (None, false) => return None,
        };
        if !NAMESPACES.contains(&scope)
            || name.starts_with("tp_")
            || name.starts_with("TP_")
            || self.head.contains("operator")
        {
            return None;
        }
        let name = if scope.is_empty() || scope == "ckernel" { name.to_string() } else { format!("{scope}::{name}") };
        Some(Declared { name, header: self.header.clone(), support: self.support(arch), kind })
    }

    fn support(&self, arch: Arch) -> Support {
        if self.header.starts_with("unmodelled") {
            return Support::Stops;
        }
        let ops: Vec<bool> = self.body.split("op::").skip(1).map(|rest| is_known(rest, arch)).collect();
        match (ops.contains(&true), ops.contains(&false)) {
            (_, false) => Support::Runs,
            (true, true) => Support::InPart,
            (false, true) => Support::Stops,
        }
    }
}

/// Whether a vector operation, whose name a text begins with, is known on a chip.
fn is_known(text: &str, arch: Arch) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let op = SfpuOp::ALL.iter().find(|op| format!("{op:?}") == text[..end]);
    op.is_some_and(|op| arch.constants().knows(*op))
}

/// What stands behind the parameters of a template.
fn without_template(head: &str) -> Option<&str> {
    let mut rest = head.trim();
    while let Some(parameters) = rest.strip_prefix("template") {
        let mut depth = 0;
        let end = parameters.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            c == '>' && depth == 0
        })?;
        rest = parameters[end + 1..].trim();
    }
    Some(rest)
}

/// The name of a type, of what stands before its body.
fn typed(head: &str) -> Option<&str> {
    let rest = without_template(head)?;
    let rest = rest.strip_prefix("struct ").or(rest.strip_prefix("class "))?.trim();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    // A specialisation is known by the type that it is one of.
    (end > 0 && !rest[end..].starts_with('<')).then_some(&rest[..end])
}

/// The name of a function, of what stands before its body; `None` of a type, or of something else.
fn called(head: &str) -> Option<&str> {
    let rest = without_template(head)?;
    if ["struct ", "class ", "enum ", "union "].iter().any(|word| rest.starts_with(word)) {
        return None;
    }
    // An attribute has brackets of its own.
    let rest = rest
        .rsplit_once("))) ")
        .or(rest.rsplit_once("__)) "))
        .or(rest.rsplit_once("always_inline)) "))
        .map_or(rest, |(_, rest)| rest);
    let before = &rest[..rest.find('(')?];
    let before = before.trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let name = &before[start..];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_found_and_nothing_else_is() {
        let text = "# 1 \"/x/tp/fpu.h\"\nnamespace ckernel {\ntemplate <int a = (1 > 0)>\ninline __attribute__((always_inline)) void \
                    add_tiles(int a) { if (a) { tp::op::Exp(); } }\nstruct T { int f() { return 0; } };\nint later();\nconst char* t = \"{\";\n}\n\
                    namespace tp { void own() {} }\nvoid cb_wait_front(int) {}\n# 2 \"/usr/include/x.h\"\nvoid of_system() {}\n";
        let found = functions(text);
        let names: Vec<_> =
            found.iter().filter_map(|function| function.declared(Arch::Wormhole)).map(|one| one.name).collect();
        assert_eq!(names, ["add_tiles", "cb_wait_front"]);
    }

    #[test]
    fn macros_of_the_shim_are_found_and_what_they_become_is_no_function() {
        let text = "# 1 \"<built-in>\"\n#define __GNUC__ 12\n#define unix 1\n# 1 \"/x/tp/types.h\"\n#define ASSERT(c,...) do { if (!(c)) {\n\
                    #define WAYPOINT(...) ((void)0)\n#define TP_OWN(x) x\n#define OLD 1\n#undef OLD\n\
                    #define NOC_WRITE_REG(...) (::tp::unsupported(TP_SITE(), \"NOC_WRITE_REG\"))\nvoid f(int) {}\n\
                    # 3 \"/usr/include/x.h\"\n#define EOF (-1)\n";
        let found: Vec<_> = macros(text).into_iter().map(|one| (one.name, one.support)).collect();
        let named = |name: &str, support| (name.to_string(), support);
        assert_eq!(
            found,
            [named("ASSERT", Support::Runs), named("NOC_WRITE_REG", Support::Stops), named("WAYPOINT", Support::Runs)]
        );
        let functions = functions(text);
        assert_eq!(
            functions.iter().filter_map(|f| f.declared(Arch::Wormhole)).map(|one| one.name).collect::<Vec<_>>(),
            ["f"]
        );
    }
}

//! What the messages of a failed compilation mean: errors with their places, and the few kinds that have a remedy.
//!
//! It must never lose the messages themselves: what is not understood stays in the text. Start at [`error_of`].

use std::path::Path;

use crate::given;
use crate::missing_call::{distance, told};
use crate::request::{BuildError, Diagnostic};
use crate::shim;

/// Headers that are named beside one that is missing.
const ALIKE: usize = 4;

/// Turns the messages of a failed compilation into an error that names the user's files.
pub(crate) fn error_of(file: &Path, absolute: &Path, include: &Path, text: &str, day: Option<&str>) -> BuildError {
    let text = as_given(file, absolute, text.trim_end());
    let file = file.to_path_buf();
    let diagnostics = errors(&text, &include.display().to_string());
    if let Some((index, count)) = missing_argument(&text) {
        let diagnostic = diagnostics.into_iter().next().map(Box::new);
        return BuildError::CompileTimeArgument { file, index, count, diagnostic, text };
    }
    if let Some(mut diagnostic) = given::refusal(&text, &diagnostics) {
        if diagnostic.line == 0 {
            diagnostic.file = file.display().to_string();
        }
        return BuildError::NotText { file, diagnostic: Box::new(diagnostic) };
    }
    let undefined = undefined(&text);
    if !undefined.is_empty() {
        return BuildError::Undefined { file, undefined, text };
    }
    if let Some((diagnostic, header)) = diagnostics.iter().find_map(|d| Some((d, missing_header(&d.message)?))) {
        let (header, diagnostic) = (header.to_string(), Box::new(diagnostic.clone()));
        let alike = alike(&header, &shim::headers());
        return BuildError::Header { file, header, alike, diagnostic, text };
    }
    // A compiler that broke down has nothing to say of the kernel.
    if diagnostics.is_empty() || text.contains("internal compiler error") {
        return BuildError::Compiler { file, text };
    }
    let missing = told(&diagnostics, &text, day);
    BuildError::Compile { file, diagnostics, missing, text }
}

/// The kernel's file as the user named it, and files in its folder beside it.
pub(crate) fn as_given(file: &Path, absolute: &Path, text: &str) -> String {
    let text = text.replace(&absolute.display().to_string(), &file.display().to_string());
    match (absolute.parent(), file.parent()) {
        (Some(folder), Some(given)) if folder.parent().is_some() => {
            let given = if given.as_os_str().is_empty() { String::new() } else { format!("{}/", given.display()) };
            text.replace(&format!("{}/", folder.display()), &given)
        }
        _ => text,
    }
}

/// What stands before the message of an error.
const ERROR: [&str; 2] = [": error: ", ": fatal error: "];

/// Whether messages tell an error at a place in a text; a compiler that is ended or has no memory left names none.
pub(crate) fn tells_an_error(text: &str) -> bool {
    text.lines().any(|line| split(line, &ERROR).is_some())
}

/// The place and the message in `file:line:column`, one of `words`, and the message.
fn split(line: &str, words: &[&str]) -> Option<Diagnostic> {
    let at = |place: &str, message: &str| {
        let (place, column) = place.rsplit_once(':')?;
        let (file, line) = place.rsplit_once(':')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        Some(Diagnostic { file: file.into(), line, column, message: message.into() })
    };
    words.iter().find_map(|word| line.split_once(word).and_then(|(place, message)| at(place, message)))
}

/// The lines `file:line:column: error: message` of g++ and clang++. One in a header of the shim is moved to the line of the
/// user's that brought the compiler there.
fn errors(text: &str, shim: &str) -> Vec<Diagnostic> {
    let is_users = |d: &Diagnostic| !d.file.starts_with(shim);
    let lines: Vec<&str> = text.lines().collect();
    // g++ says before an error who asked for it, clang++ after it.
    let asked = |line: &&str| split(line, &[":   required from", ":   recursively required from"]).filter(is_users);
    let asked_after = |line: &&str| split(line, &[": note: in instantiation of"]).filter(is_users);
    let mut found = Vec::new();
    let mut before = None;
    for (number, line) in lines.iter().enumerate() {
        before = asked(line).or(before);
        let Some(error) = split(line, &ERROR) else { continue };
        let by = (!is_users(&error)).then(|| before.clone().or_else(|| lines[number..].iter().find_map(asked_after)));
        found.push(match by.flatten() {
            Some(by) => Diagnostic { message: error.message, ..by },
            None => error,
        });
        before = None;
    }
    found
}

/// Functions and variables that the linker missed, each once, where they are used first. It prints their names as the
/// kernel has them.
fn undefined(text: &str) -> Vec<Diagnostic> {
    let mut list: Vec<Diagnostic> = Vec::new();
    for line in text.lines() {
        let Some((place, name)) = line.split_once(": undefined reference to `") else { continue };
        let name = name.trim_end_matches('\'');
        if list.iter().any(|known| known.message == name) {
            continue;
        }
        // "ld: file:line", or "file:(.text+0x5)" where the line is not known.
        let place = place.rsplit_once(": ").map_or(place, |(_, place)| place);
        let (file, line) = place.rsplit_once(':').unwrap_or((place, ""));
        list.push(Diagnostic { file: file.into(), line: line.parse().unwrap_or(0), column: 0, message: name.into() });
    }
    list
}

/// The header that a message misses.
fn missing_header(message: &str) -> Option<&str> {
    let g = message.strip_suffix(": No such file or directory");
    g.or_else(|| message.strip_prefix('\'')?.strip_suffix("' file not found"))
}

/// The headers that are most like one that is missing, best first: of the same file name, or of one that differs little.
fn alike(header: &str, known: &[String]) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let wanted = name(header);
    let mut ranked: Vec<(usize, &String)> = known
        .iter()
        .map(|path| (3 * distance(&wanted, &name(path)), path))
        .filter(|(far, _)| *far <= wanted.len())
        .map(|(far, path)| (64 * far + distance(header, path), path))
        .collect();
    ranked.sort();
    ranked.into_iter().take(ALIKE).map(|(_, path)| path.clone()).collect()
}

/// Index and count in the message of the shim's assertion on compile-time arguments.
fn missing_argument(text: &str) -> Option<(u32, u32)> {
    text.find("compile-time argument beyond those given")?;
    // g++: `compile_time_argument<5, 3>`, clang likewise; literals may carry a suffix.
    let at = text.find("compile_time_argument<")? + "compile_time_argument<".len();
    let list = text[at..].split('>').next()?;
    let mut numbers = list.split(',').map(|n| n.trim().trim_end_matches(['u', 'U']).parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compile_time_argument_is_named() {
        let text = "k.cpp: In instantiation of 'struct tp::compile_time_argument<5, 3>':\n\
                    error: static assertion failed: tp: compile-time argument beyond those given\n";
        assert_eq!(missing_argument(text), Some((5, 3)));
        assert_eq!(missing_argument("error: x was not declared"), None);
    }

    #[test]
    fn errors_have_their_places_and_files_beside_the_kernel_are_named_as_it_is() {
        let text = "/a/b/k.cpp: In function 'void f()':\n/a/b/k.cpp:3:5: error: 'g' was not declared\n    3 |     g();\n\
                    /a/b/h.h:7:1: error: expected ';'\ncollect2: error: ld returned 1 exit status\n";
        let BuildError::Compile { diagnostics, .. } =
            error_of(Path::new("b/k.cpp"), Path::new("/a/b/k.cpp"), Path::new("/shim"), text, None)
        else {
            panic!("not an error of the kernel")
        };
        let said: Vec<_> =
            diagnostics.iter().map(|d| (d.file.as_str(), d.line, d.column, d.message.as_str())).collect();
        assert_eq!(said, [("b/k.cpp", 3, 5, "'g' was not declared"), ("b/h.h", 7, 1, "expected ';'")]);
    }

    #[test]
    fn an_error_in_a_header_of_the_shim_stands_where_the_user_asked_for_it() {
        let text = "/shim/tp/a.h: In instantiation of 'struct tp::x<5, 3>':\nk.cpp:2:46:   required from here\n\
                    /shim/tp/a.h:9:27: error: static assertion failed\nk.cpp:4:1: error: expected ';'\n";
        let said: Vec<_> = errors(text, "/shim").into_iter().map(|d| (d.file, d.line, d.message)).collect();
        let (first, second) = ("static assertion failed".to_string(), "expected ';'".to_string());
        assert_eq!(said, [("k.cpp".to_string(), 2, first), ("k.cpp".to_string(), 4, second)]);
    }

    #[test]
    fn an_undefined_name_is_told_once_and_as_the_kernel_has_it() {
        let text = "/usr/bin/ld: /tmp/x.o: in function `kernel_main()':\nk.cpp:28: undefined reference to `f(unsigned int)'\n\
                    /usr/bin/ld: k.cpp:29: undefined reference to `f(unsigned int)'\n\
                    /usr/bin/ld: k.cpp:(.text+0x5): undefined reference to `g<int>()'\ncollect2: error: ld returned 1\n";
        let said: Vec<_> = undefined(text).into_iter().map(|d| (d.file, d.line, d.message)).collect();
        assert_eq!(
            said,
            [("k.cpp".into(), 28, "f(unsigned int)".to_string()), ("k.cpp".into(), 0, "g<int>()".to_string())]
        );
    }

    #[test]
    fn headers_of_a_like_name_are_found_and_others_are_not() {
        let known = shim::headers();
        assert_eq!(alike("api/dataflow/dataflow_apis.h", &known)[0], "api/dataflow/dataflow_api.h");
        assert_eq!(alike("compute_kernel_api/tilise.h", &known)[0], "compute_kernel_api/tilize.h");
        assert!(alike("api/compute/eltwise_unary/Exp.h", &known)[0].ends_with("eltwise_unary/exp.h"));
        assert_eq!(alike("my_own_arguments_of_everything.h", &known), Vec::<String>::new());
    }

    #[test]
    fn a_compiler_that_breaks_down_is_no_error_of_the_kernel() {
        for text in ["", "k.cpp:3:5: internal compiler error: Segmentation fault", "g++: fatal error: Killed signal"] {
            let error = error_of(Path::new("k.cpp"), Path::new("/k.cpp"), Path::new("/shim"), text, None);
            assert!(matches!(error, BuildError::Compiler { .. }), "{text}: {error:?}");
        }
    }
}

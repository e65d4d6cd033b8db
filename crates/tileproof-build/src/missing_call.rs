//! What a kernel names that no header of its day has: one line, with the names that are most like it.
//!
//! It must never take a name of the kernel's own for one of the API: what has nothing like it is not told of. Start at [`told`].

use std::collections::BTreeSet;
use std::sync::LazyLock;

use tileproof_model::numerics::sfpu::SfpuOp;

use crate::request::Diagnostic;
use crate::shim::{SHIM, header_with};

/// Names that are told beside one that is missing.
const NEAREST: usize = 3;

/// What calls a kernel can make: names before a bracket in the shim's headers, and those that its macros make.
static CALLS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let of_shim = SHIM.texts().flat_map(called);
    let of_macros = SHIM.texts().flat_map(made_by_macros);
    let of_unit = SfpuOp::ALL.iter().map(|op| op.row()).flat_map(|row| row.older.iter().chain([&row.name, &row.init]));
    let all = of_shim.chain(of_unit.copied()).map(String::from).chain(of_macros);
    all.filter(|name| name.len() > 3 && !name.starts_with("tp_")).collect()
});

/// Names that stand before a bracket.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter_map(|(at, _)| {
        let before = &text[..at];
        let name = &before[before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1)..];
        (!name.contains("__") && name.starts_with(|c: char| c.is_ascii_lowercase())).then_some(name)
    })
}

/// Names that macros of a header make of their first argument: `NAME##_tiles` of each `NAME` that the header gives one.
fn made_by_macros(text: &str) -> Vec<String> {
    let mut made = Vec::new();
    for definition in text.split("#define ").skip(1) {
        let Some((name, _)) = definition.split_once("(NAME") else { continue };
        // A definition goes on where its lines end in a backslash.
        let end = definition.split('\n').position(|line| !line.trim_end().ends_with('\\')).unwrap_or(0);
        let body: Vec<&str> = definition.split('\n').take(end + 1).collect();
        let body = body.join("\n");
        let suffixes = body.split("NAME##").skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            (&rest[..end], rest[end..].starts_with("##"))
        });
        let suffixes: BTreeSet<&str> = suffixes.filter(|(_, goes_on)| !goes_on).map(|(suffix, _)| suffix).collect();
        let call = format!("\n{name}(");
        let uses = text.split(call.as_str()).skip(1).filter_map(|rest| rest.split([',', ')']).next());
        made.extend(uses.flat_map(|stem| suffixes.iter().map(move |suffix| format!("{stem}{suffix}"))));
    }
    made
}

/// The line about the first name that a compiler misses. `day` is that of the API, as the program has it.
pub(crate) fn told(diagnostics: &[Diagnostic], day: Option<&str>) -> Option<String> {
    let name = diagnostics.iter().find_map(|found| missing_name(&found.message))?;
    if name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        return Some(format!("no header defines {name}: what the host defines goes into defines of the [[kernel]]"));
    }
    let mut nearest = nearest(name);
    if nearest.contains(&name) {
        // It is there, behind a header that the kernel leaves out; or something else is called so.
        if let Some(header) = header_with(name, |text| called(text).any(|call| call == name)) {
            return Some(format!("{name} stands in {header}, which the kernel does not include"));
        }
        nearest.retain(|call| *call != name);
    }
    let of = match day {
        Some(day) if day.len() == 8 => format!("the headers of {}-{}-{}", &day[..4], &day[4..6], &day[6..]),
        _ => "the headers of ttnn 0.79 and older".to_string(),
    };
    (!nearest.is_empty()).then(|| format!("{of} have no {name}; the nearest that they have: {}", nearest.join(", ")))
}

/// The name that a message of g++ or clang++ misses.
fn missing_name(message: &str) -> Option<&str> {
    const AFTER: [&str; 4] = [
        "' was not declared in this scope",
        "' has not been declared",
        "' does not name a type",
        "' is not a member of",
    ];
    let of_g = |after: &str| message.split_once(after)?.0.strip_prefix('\'');
    let of_clang = || message.strip_prefix("use of undeclared identifier '")?.strip_suffix('\'');
    AFTER.iter().find_map(|after| of_g(after)).or_else(of_clang).map(|name| name.rsplit("::").next().unwrap_or(name))
}

/// The calls that are most like a name, best first: those that differ in less than a third of their letters.
fn nearest(name: &str) -> Vec<&'static str> {
    let mut ranked: Vec<(usize, &str)> = CALLS
        .iter()
        .map(|call| (distance(name, call), call.as_str()))
        .filter(|(far, _)| 3 * far < name.len())
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(NEAREST).map(|(_, call)| call).collect()
}

/// Letters to put in, take out or change to make one text of the other.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Option<String> {
        let diagnostic = Diagnostic { file: "k.cpp".into(), line: 1, column: 1, message: message.to_string() };
        told(&[diagnostic], None)
    }

    #[test]
    fn a_call_that_no_header_has_is_told_with_the_nearest() {
        let line = of("'add_tile' was not declared in this scope; did you mean 'add_tiles'?").unwrap();
        assert!(line.contains("have no add_tile; the nearest that they have: add_tiles"), "{line}");
        let line = of("'ckernel::rsqrt_tiles' has not been declared").unwrap();
        assert!(line.contains("no rsqrt_tiles; the nearest that they have: rsqrt_tile"), "{line}");
        assert!(of("use of undeclared identifier 'cb_push_bak'").unwrap().contains("cb_push_back"));
        let day = told(
            &[Diagnostic {
                file: "k.cpp".into(),
                line: 1,
                column: 1,
                message: "'exp_tiles' was not declared in this scope".into(),
            }],
            Some("20260402"),
        );
        assert!(day.unwrap().starts_with("the headers of 2026-04-02 have no exp_tiles"));
    }

    #[test]
    fn a_call_behind_a_header_that_is_left_out_is_told_with_it() {
        let line = of("'topk_merge' was not declared in this scope").unwrap();
        assert_eq!(line, "topk_merge stands in api/compute/topk.h, which the kernel does not include");
        let line = of("'rand_tile' was not declared in this scope").unwrap();
        assert_eq!(line, "rand_tile stands in api/compute/eltwise_unary/rand.h, which the kernel does not include");
        // A namespace that a function of the shim's own is called as.
        assert_eq!(of("'ckernel::sfpu' has not been declared"), None);
    }

    #[test]
    fn a_definition_of_the_host_is_told_as_one_and_what_is_like_nothing_is_not_told_of() {
        assert!(of("'LOOP_COUNT' was not declared in this scope").unwrap().contains("defines of the [[kernel]]"));
        assert_eq!(of("'my_own_thing_of_this_kernel' was not declared in this scope"), None);
        assert_eq!(of("expected ';' before 'for'"), None);
    }
}

//! What a kernel asks for that no header of its day has: one line, with what is most like it.
//!
//! It must never take a name of the kernel's own for one of the API: what has nothing like it is told of only where it is spelled as
//! the API's are. Start at [`told`].

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
        let is_call = name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_lowercase());
        (!name.contains("__") && is_call).then_some(name)
    })
}

/// Whether a text declares a type.
fn declares(text: &str, name: &str) -> bool {
    ["struct ", "class ", "enum class "].iter().any(|word| {
        let declared = |(at, _): (usize, &str)| text[at + word.len()..].strip_prefix(name);
        text.match_indices(word).filter_map(declared).any(|rest| rest.starts_with([' ', ':', '{', ';']))
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
        let as_it_is = body.contains(" NAME(").then_some("");
        let suffixes = suffixes.into_iter().chain(as_it_is).collect::<Vec<_>>();
        made.extend(uses.flat_map(|stem| suffixes.iter().map(move |suffix| format!("{stem}{suffix}"))));
    }
    made
}

/// The line about the first thing that a compiler misses, of its messages in full. `day` is that of the API, as the program has it.
pub(crate) fn told(diagnostics: &[Diagnostic], text: &str, day: Option<&str>) -> Option<String> {
    let of = match day {
        Some(day) if day.len() == 8 => format!("the headers of {}-{}-{}", &day[..4], &day[4..6], &day[6..]),
        _ => "the headers of ttnn 0.79 and older".to_string(),
    };
    diagnostics.iter().find_map(|found| {
        let message = found.message.as_str();
        match missing_name(message) {
            Some(name) => told_of_name(name, message.contains("is not a member of '"), &of),
            None => other_arguments(message, text, &of).or_else(|| missing_member(message, &of)),
        }
    })
}

fn told_of_name(name: &str, is_member: bool, of: &str) -> Option<String> {
    if name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        return Some(format!("no header defines {name}: what the host defines goes into defines of the [[kernel]]"));
    }
    // It is there, behind a header that the kernel leaves out; or something else is called so.
    let has = |text: &str| called(text).any(|call| call == name) || declares(text, name);
    let stands = (CALLS.contains(name) || name.starts_with(|c: char| c.is_ascii_uppercase()))
        .then(|| header_with(name, has))
        .flatten();
    if let Some(header) = stands {
        return Some(format!("{name} stands in {header}, which the kernel does not include"));
    }
    let mut nearest = nearest(name);
    nearest.retain(|call| *call != name);
    if !nearest.is_empty() {
        return Some(format!("{of} have no {name}; the nearest that they have: {}", nearest.join(", ")));
    }
    let is_known = CALLS.contains(name);
    (!is_known && (is_member || is_spelled_as_a_call(name)))
        .then(|| format!("{of} have no {name}, nor a call of a like name"))
}

/// Whether a name is spelled as calls of the API are.
fn is_spelled_as_a_call(name: &str) -> bool {
    const BEGINS: [&str; 8] = ["llk_", "_llk_", "noc_", "cb_", "eth_", "fabric_", "_sfpu_", "TTI_"];
    name.ends_with("_tile") || name.ends_with("_tile_init") || BEGINS.iter().any(|begin| name.starts_with(begin))
}

/// A call that is there with other arguments: what those are, from the message or the notes below it.
fn other_arguments(message: &str, text: &str, of: &str) -> Option<String> {
    const OF_ONE: [&str; 2] = ["too many arguments to function '", "too few arguments to function '"];
    let quoted = |after: &str| Some(message.strip_prefix(after)?.split_once('\'')?.0);
    let mut forms: Vec<&str> = OF_ONE.iter().find_map(|after| quoted(after)).into_iter().collect();
    let asked = quoted("no matching function for call to '").or_else(|| forms.first().copied())?;
    let name = |form: &str| {
        let before = form.split(['(', '<']).next().unwrap_or_default();
        before.rsplit([' ', ':']).next().unwrap_or_default().to_string()
    };
    let call = name(asked);
    if !CALLS.contains(&call) {
        return None;
    }
    let candidates = text.lines().filter_map(|line| line.split_once("note: candidate: '")?.1.split('\'').next());
    // A template's own arguments stand before its result.
    let plain = |form: &'_ str| form.rsplit_once("> ").map_or(form.to_string(), |(_, rest)| rest.to_string());
    let of_call = candidates.filter(|form| name(&plain(form)) == call);
    forms.extend(of_call);
    forms.truncate(2);
    let forms: Vec<String> = forms.into_iter().map(|form| plain(form).replace("ckernel::", "")).collect();
    let as_they_are = if forms.is_empty() { String::new() } else { format!(": {}", forms.join("; ")) };
    Some(format!("{of} have {call} with other arguments{as_they_are}"))
}

/// A member that a type of the API does not have.
fn missing_member(message: &str, of: &str) -> Option<String> {
    let (of_type, rest) = message.strip_prefix('\'')?.split_once("' has no member named '")?;
    let (member, rest) = rest.split_once('\'')?;
    let plain =
        ["const ", "volatile ", "class ", "struct "].iter().fold(of_type, |name, word| name.trim_start_matches(word));
    let stem = plain.split('<').next()?.rsplit("::").next()?;
    if !SHIM.texts().any(|text| declares(text, stem)) {
        return None;
    }
    let nearest = rest.split_once("did you mean '").and_then(|(_, nearest)| nearest.split('\'').next());
    let nearest = nearest.map_or(String::new(), |nearest| format!("; the nearest that it has: {nearest}"));
    Some(format!("{stem} of {} has no {member}{nearest}", of.trim_start_matches("the ")))
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
        told(&[diagnostic], message, None)
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
            "",
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
    fn a_type_behind_a_header_that_is_left_out_is_told_with_it() {
        let line = of("'Noc' was not declared in this scope").unwrap();
        assert_eq!(line, "Noc stands in api/dataflow/noc.h, which the kernel does not include");
        assert_eq!(of("'MyOwnThing' was not declared in this scope"), None);
    }

    #[test]
    fn other_arguments_and_members_are_told_with_those_that_there_are() {
        let line = of("too many arguments to function 'void ckernel::relu_tile(uint32_t)'").unwrap();
        assert!(line.ends_with("have relu_tile with other arguments: void relu_tile(uint32_t)"), "{line}");
        let notes = "no matching function for call to 'pack_tile(int)'\na.h:1:2: note: candidate: 'template<bool o> void \
                     ckernel::pack_tile(uint32_t, uint32_t, uint32_t)'";
        let first = notes.lines().next().unwrap().to_string();
        let diagnostic = Diagnostic { file: "k.cpp".into(), line: 1, column: 1, message: first };
        let line = told(&[diagnostic], notes, None).unwrap();
        assert!(
            line.ends_with("have pack_tile with other arguments: void pack_tile(uint32_t, uint32_t, uint32_t)"),
            "{line}"
        );
        let line =
            of("'struct InterleavedAddrGen<true>' has no member named 'get_noc_adr'; did you mean 'get_noc_addr'?")
                .unwrap();
        assert_eq!(
            line,
            "InterleavedAddrGen of headers of ttnn 0.79 and older has no get_noc_adr; the nearest that it has: get_noc_addr"
        );
        // Of the kernel's own.
        assert_eq!(of("too many arguments to function 'void scale(int)'"), None);
        assert_eq!(of("'struct Block' has no member named 'rows'"), None);
    }

    #[test]
    fn what_is_spelled_as_a_call_is_told_of_where_nothing_is_like_it() {
        let line = of("'_sfpu_bessel_of_the_third_kind_' is not a member of 'ckernel::sfpu'").unwrap();
        assert!(line.ends_with("nor a call of a like name"), "{line}");
        assert!(of("'zeta_of_hurwitz_tile' was not declared in this scope").is_some());
    }

    #[test]
    fn a_definition_of_the_host_is_told_as_one_and_what_is_like_nothing_is_not_told_of() {
        assert!(of("'LOOP_COUNT' was not declared in this scope").unwrap().contains("defines of the [[kernel]]"));
        assert_eq!(of("'my_own_thing_of_this_kernel' was not declared in this scope"), None);
        assert_eq!(of("expected ';' before 'for'"), None);
    }
}

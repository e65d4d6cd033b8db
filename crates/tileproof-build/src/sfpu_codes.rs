//! What the shim takes from the table of the vector unit: `sfpu_codes.h`, the operations that its headers name, with their
//! codes, and `sfpu_older_names.h`.
//!
//! A header may name an operation that the model lacks; a call of it must end the kernel by name. Start at [`header`].

use std::collections::BTreeMap;
use std::fmt::Write;

use tileproof_model::numerics::sfpu::{Instruction, SfpuOp};

/// The text of the header, for the texts of those that name operations. Those that the model lacks are marked.
pub(crate) fn header<'a>(headers: impl Iterator<Item = &'a str>) -> String {
    // Every start of the program waits for this text, since images are known by it: each name is made once.
    let mut names: BTreeMap<String, Option<&SfpuOp>> = headers.flat_map(named_operations).map(|n| (n, None)).collect();
    names.extend(SfpuOp::ALL.iter().map(|op| (format!("{op:?}"), Some(op))));
    let mut text = String::from(
        "#pragma once\n\nnamespace tp {\nconstexpr uint32_t MISSING = 0xffff;\nstruct Op {\n    uint32_t code;\n    \
         const char* name;\n};\nnamespace op {\n",
    );
    for (name, op) in names {
        let _ = match op {
            Some(op) => writeln!(text, "constexpr Op {name}{{{}, \"{}\"}};", op.code(), op.name()),
            None => writeln!(text, "constexpr Op {name}{{MISSING, \"vector operation {name}\"}};"),
        };
    }
    text.push_str("}  // namespace op\n}  // namespace tp\n");
    text
}

/// The text of `instructions.h`: the steps of custom vector code.
pub(crate) fn instructions() -> String {
    let mut text = String::from("#pragma once\n\nnamespace tp::step_code {\n");
    for (instruction, code) in Instruction::ALL {
        let _ = writeln!(text, "constexpr uint32_t {instruction:?} = {code};");
    }
    text.push_str("}  // namespace tp::step_code\n");
    text
}

/// The text of `sfpu_older_names.h`: calls by the names that they had in generation 0.66, in which the format of the data was
/// part of the name.
pub(crate) fn older_names() -> String {
    let mut text = String::from("#pragma once\n\nnamespace ckernel {\n");
    for op in SfpuOp::ALL {
        let tiles = (0..op.inputs()).map(|k| format!("in{k}"));
        let declared: String = tiles.clone().map(|tile| format!("uint32_t {tile}, ")).collect();
        // Calls of fewer tiles hand over zeros for the rest.
        let given: Vec<String> = tiles.chain(std::iter::repeat("0".into())).take(3).collect();
        for name in op.row().older {
            let run = format!("TP_RUN({op:?}, {}, out);", given.join(", "));
            let _ = writeln!(text, "ALWI void {name}({declared}uint32_t out) {{ {run} }}");
        }
    }
    text.push_str("}  // namespace ckernel\n");
    text
}

/// Names of operations in the text of a header: the second argument of the macros that make calls of a row of the
/// table, and the first of those that run one.
fn named_operations(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (macro_name, positions) in [
        ("TP_UNARY(", &[1][..]),
        ("TP_SCALAR(", &[1]),
        ("TP_BINOP(", &[1]),
        ("TP_BINARY(", &[1]),
        ("TP_ROUNDED(", &[1]),
        ("TP_INT_BINARY(", &[1, 2, 3]),
        ("TP_INT_TILES(", &[1, 2, 3]),
        ("TP_TYPECAST(", &[1]),
        ("TP_FAST(", &[1, 2]),
        ("TP_INIT(", &[0]),
        ("TP_RUN(", &[0]),
    ] {
        for rest in text.split(macro_name).skip(1) {
            let line = rest.lines().next().unwrap_or_default();
            let arguments: Vec<&str> = line.split([',', ')']).map(str::trim).collect();
            // A condition may hold parentheses: the operation is what comes last.
            let at = |p: &usize| {
                if macro_name == "TP_TYPECAST(" { arguments.iter().rev().nth(1) } else { arguments.get(*p) }
            };
            let is_name = |s: &&&str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            names.extend(positions.iter().filter_map(at).filter(is_name).map(|s| s.to_string()));
        }
    }
    // Parameters of the macros themselves.
    names.retain(|n| !matches!(n.as_str(), "OP" | "FAST_OP" | "OP_UINT32" | "OP_UINT16"));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_found_in_the_headers() {
        let text = "TP_FAST(tanh, Tanh, TanhFast, false)\n TP_RUN(Exp, dst, 0);TP_UNARY(abs, Abs)";
        assert_eq!(named_operations(text), ["Abs", "Tanh", "TanhFast", "Exp"]);
        let codes = header(std::iter::once("TP_INIT(Nothing)"));
        assert!(codes.contains("constexpr Op Fill{300, \"fill_tile\"};"));
        let older =
            "void add_int32_tile(uint32_t in0, uint32_t in1, uint32_t out) { TP_RUN(AddInt, in0, in1, 0, out); }";
        assert!(older_names().contains(older));
        assert!(codes.contains("constexpr Op Nothing{MISSING, \"vector operation Nothing\"};"));
    }
}

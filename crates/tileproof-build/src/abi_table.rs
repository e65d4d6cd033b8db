//! `abi_table.h`: what Rust and C++ kernels must agree on, as C++.
//!
//! All of it comes from the declarations of the model, so that it can never differ from what the machine has; nothing may be
//! added here that Rust does not declare. Start at [`header`].

use std::fmt::Write;

use tileproof_model::abi::{self, Abi, CbInterface};
use tileproof_model::declare::{Constants, Group, Named, Record};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::op_word::{self, OpWord};
use tileproof_model::thread::Thread;

/// The code of `DataFormat::Invalid`, where a table has no format.
pub(crate) const INVALID_FORMAT: u32 = 0xff;

/// The text of the header.
pub(crate) fn header() -> String {
    let mut text = String::from(
        "// Written from the declarations of tileproof-model: abi.rs, op_word.rs, thread.rs. Constants have their names there in lower\n\
         // case, which the macros of a kernel are not in. Start at Abi.\n\
         #pragma once\n\n#include <cstddef>\n#include <cstdint>\n",
    );
    formats(&mut text);
    text.push_str("\nnamespace tp {\n\nusing Site = uint64_t;\n");
    threads(&mut text);
    abi::CONSTANTS.iter().chain(op_word::CONSTANTS).for_each(|group| constants(&mut text, group));
    word(&mut text);
    record(&mut text, &CbInterface::RECORD);
    table(&mut text, abi::GROUPS);
    text.push_str("\n}  // namespace tp\n");
    text
}

/// The enumeration that kernels share with the host (tt-metal `data_format.hpp`).
fn formats(text: &mut String) {
    text.push_str("\nenum class DataFormat : uint8_t {\n");
    for format in (0..u8::MAX).filter_map(DataFormat::from_code) {
        let _ = writeln!(text, "    {} = {},", format.name(), format as u8);
    }
    let _ = writeln!(text, "    Invalid = {INVALID_FORMAT},\n}};");
}

fn threads(text: &mut String) {
    let values: Vec<_> = Thread::ALL.iter().map(|thread| (thread.name(), *thread as u64)).collect();
    namespace(text, "thread", "uint32_t", &values);
}

fn constants(text: &mut String, constants: &Constants) {
    namespace(text, constants.group, constants.cpp, constants.values);
}

fn namespace(text: &mut String, name: &str, cpp: &str, values: &[(&str, u64)]) {
    let values: Vec<_> = values.iter().map(|(name, value)| format!("{} = {value}", name.to_lowercase())).collect();
    let _ = write!(text, "\nnamespace {name} {{\nconstexpr {cpp} {};\n}}\n", values.join(", "));
}

/// The function that puts an operation word together: all fields but the first may be left out.
fn word(text: &mut String) {
    let arguments = OpWord::FIELDS.iter().enumerate().map(|(index, ((name, cpp), _))| {
        let otherwise = if index == 0 { "" } else { " = 0" };
        format!("{cpp} {name}{otherwise}")
    });
    let fields = OpWord::FIELDS.iter().map(|((name, _), low)| format!("uint64_t({name}) << {low}"));
    let (arguments, fields) = (arguments.collect::<Vec<_>>().join(", "), fields.collect::<Vec<_>>().join(" | "));
    let _ = write!(text, "\nconstexpr uint64_t word({arguments}) {{\n    return {fields};\n}}\n");
}

fn record(text: &mut String, record: &Record) {
    let _ = writeln!(text, "\nstruct {} {{", record.name);
    for (name, cpp) in record.fields {
        let _ = writeln!(text, "    {cpp} {name};");
    }
    let _ = writeln!(text, "}};\nstatic_assert(sizeof({}) == {});", record.name, record.bytes);
}

fn table(text: &mut String, groups: &[Group]) {
    text.push_str("\nstruct Abi {\n");
    for group in groups {
        let _ = writeln!(text, "    // {}.", group.subject);
        for function in group.functions {
            let arguments: Vec<String> = function.arguments.iter().map(argument).collect();
            let _ = writeln!(text, "    {} (*{})({});", function.returns, function.name, arguments.join(", "));
        }
    }
    let _ = writeln!(text, "}};\nstatic_assert(sizeof(Abi) == {});", size_of::<Abi>());
}

fn argument((name, cpp): &Named) -> String {
    format!("{cpp} {name}")
}

#[cfg(test)]
mod tests {
    use super::header;

    #[test]
    fn the_header_says_in_cpp_what_the_model_declares() {
        let text = header();
        for line in [
            "constexpr uint32_t reads = 0, writes = 1, writes_flushed = 2, atomics = 3, full = 4, posted_flushed = 5;",
            "constexpr uint64_t word(uint8_t kind, uint8_t a = 0, uint8_t b = 0, uint8_t flags = 0, uint32_t wide = 0) {",
            "    CbInterface* (*cb_interface)(Site site, uint32_t cb);",
            "    uint32_t (*bank_count)(uint32_t kind);",
            "    void (*print)(Site site, const char* text, size_t len);",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\nis not in\n{text}");
        }
    }
}

//! The crates that make a record, and the one that renders it, read no clock, environment, hash order or thread id of the host, and no libm.
//!
//! It looks at words, so that it can be fooled by who wants to; it is for who forgets. Start at [`breaches`].

use super::files::Files;
use super::rust_code::{code, has_word, without_tests};

/// Crates whose results must depend on the program and the schedule alone, or on the record.
const PURE: [&str; 7] = ["numerics", "model", "kernel", "ops", "sim", "check", RENDERS];
/// The crate that gets its source texts from a caller.
const RENDERS: &str = "report";
const HOST: [(&str, &str); 7] = [
    ("Instant", "reads the host's clock"),
    ("SystemTime", "reads the host's clock"),
    ("HashMap", "its order differs between runs; take a BTreeMap"),
    ("HashSet", "its order differs between runs; take a BTreeSet"),
    ("RandomState", "differs between runs"),
    ("ThreadId", "differs between runs"),
    ("env", "reads the environment"),
];
/// Methods of floats that come from the host's libm, or that round once where the hardware rounds twice.
const LIBM: [&str; 18] = [
    "mul_add", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "sinh",
    "cosh", "powf", "powi", "cbrt",
];
/// Where a multiply and an add may be one: in the first, products have at most 24 bits, so that rounding once is rounding twice; in
/// the second a doubt is raised where rounding once may not be what the unit does.
const FUSED: [&str; 2] = ["crates/tileproof-numerics/src/fpu/dot.rs", "crates/tileproof-numerics/src/sfpu/lane.rs"];

pub(super) fn breaches(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.rust() {
        let Some(krate) = PURE.iter().find(|c| file.path.starts_with(&format!("crates/tileproof-{c}/src/"))) else {
            continue;
        };
        let code = code(&file.text);
        for (number, line) in without_tests(&code).lines().enumerate() {
            let place = format!("{}:{}", file.path, number + 1);
            // `env!` is read when the crate is built.
            let read = HOST.iter().filter(|(word, _)| has_word(line, word) && !line.contains("env!("));
            let file_read = (*krate == RENDERS && has_word(line, "fs")).then(|| format!("{place}: fs reads a file"));
            found.extend(file_read);
            found.extend(read.map(|(word, why)| format!("{place}: {word} {why}")));
            // In float64 references a square root is exact; in the numerics even that is the hardware's own.
            let libm = LIBM.iter().copied().chain((*krate == "numerics").then_some("sqrt"));
            let libm = libm.filter(|name| !FUSED.contains(&file.path.as_str()) || *name != "mul_add");
            let called = libm.filter(|name| line.contains(&format!(".{name}(")));
            found.extend(
                called.map(|name| format!("{place}: {name} is not the hardware's, nor the same on every host")),
            );
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::files::File;
    use super::*;

    #[test]
    fn clocks_maps_and_libm_are_breaches_in_pure_crates_only() {
        let text = "use std::time::Instant;\nlet x = y.exp();\n// Instant\n#[cfg(test)]\nmod tests { HashMap }\n";
        let of = |path: &str| breaches(&Files(vec![File::new(path, text)])).len();
        assert_eq!(of("crates/tileproof-sim/src/a.rs"), 2);
        assert_eq!(of("crates/tileproof-cli/src/a.rs"), 0);
        assert_eq!(of("crates/tileproof-sim/tests/a.rs"), 0);
    }

    #[test]
    fn a_file_is_read_by_the_renderers_in_their_tests_only() {
        let of = |path: &str| breaches(&Files(vec![File::new(path, "let t = std::fs::read(p);")])).len();
        assert_eq!(of("crates/tileproof-report/src/a.rs"), 1);
        assert_eq!(of("crates/tileproof-report/tests/a.rs"), 0);
        assert_eq!(of("crates/tileproof-sim/src/a.rs"), 0);
    }

    #[test]
    fn a_fused_multiply_is_a_breach_but_for_the_file_whose_products_are_exact() {
        let of = |path: &str, text: &str| breaches(&Files(vec![File::new(path, text)])).len();
        assert_eq!(of(FUSED[0], "let s = a.mul_add(b, s);"), 0);
        assert_eq!(of(FUSED[0], "let s = a.exp();"), 1);
        assert_eq!(of("crates/tileproof-numerics/src/fpu/matmul.rs", "let s = a.mul_add(b, s);"), 1);
    }

    #[test]
    fn a_square_root_is_a_breach_in_the_numerics_only() {
        let of = |path: &str| breaches(&Files(vec![File::new(path, "let r = v.sqrt();")])).len();
        assert_eq!(of("crates/tileproof-numerics/src/a.rs"), 1);
        assert_eq!(of("crates/tileproof-ops/src/a.rs"), 0);
    }
}

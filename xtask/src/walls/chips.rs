//! Code asks what a chip is like, never which it is: chips are named where they are described, and in tests.

use super::files::Files;
use super::rust_code::{code, without_tests};

/// Where chips are described, and the probes of ops, which name one that an op refuses.
const NAMED: [&str; 3] = [
    "crates/tileproof-model/src/arch.rs",
    "crates/tileproof/src/op/shipped/backward.rs",
    "crates/tileproof/src/op/shipped/forward.rs",
];

/// Chips that are named elsewhere.
pub(super) fn breaches(files: &Files) -> Vec<String> {
    let sources = files.rust().filter(|file| file.path.contains("/src/") && !NAMED.contains(&file.path.as_str()));
    let mut found = Vec::new();
    for file in sources {
        let code = code(&file.text);
        for (number, line) in without_tests(&code).lines().enumerate() {
            let named = ["Arch::Wormhole", "Arch::Blackhole"].into_iter().find(|chip| line.contains(chip));
            found.extend(named.map(|chip| {
                format!("{}:{}: {chip}; what differs belongs into the description of the chip", file.path, number + 1)
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walls::files::File;

    #[test]
    fn a_chip_that_is_named_in_code_is_a_breach_and_in_a_test_or_a_comment_is_none() {
        let found = |text: &str| breaches(&Files(vec![File::new("crates/a/src/b.rs", text)])).len();
        assert_eq!(found("fn f(a: Arch) -> bool {\n    a == Arch::Blackhole\n}\n"), 1);
        assert_eq!(found("fn f(a: Arch) -> bool {\n    a == Arch::DEFAULT // not Arch::Blackhole\n}\n"), 0);
        assert_eq!(found("#[cfg(test)]\nmod tests {\n    const A: Arch = Arch::Wormhole;\n}\n"), 0);
    }
}

//! The registry of finding codes.
//!
//! `TP` and four digits, the first two the family. A code is declared by its explain page under `docs/explain`: the file's name
//! is the code, the first line its title, the third its name here and its class. A code is never reused.

/// Whose fault it is, or how it shows; the words are those of Tenstorrent's functional simulator where they agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// The hardware's documents leave the outcome open.
    Undefined,
    /// Works by accident, against the documented contract.
    NonContractual,
    /// A value was used that nothing determined.
    Unpredictable,
    /// Defined, and not what can have been meant.
    Wrong,
    /// Something waits for ever.
    Stuck,
    /// Costs time only.
    Slow,
    /// The hardware has it, this tool never will.
    Unsupported,
    /// The hardware has it, this tool does not model it yet.
    Unimplemented,
    /// Modelled, but no recorded vector confirms it.
    Untested,
    /// A fault of this tool.
    Internal,
}

/// A registered code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

struct Entry {
    number: u16,
    class: Class,
    title: &'static str,
    page: &'static str,
}

/// What a code is about: its first two digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u16)]
pub enum Family {
    /// The program itself.
    Program = 1,
    /// What becomes of a kernel before it runs.
    Build = 2,
    /// Circular buffers.
    Buffers = 3,
    /// L1, DRAM and the NoC between them.
    Memory = 4,
    /// What nothing puts in order.
    Order = 5,
    /// Kernels that never end.
    Liveness = 6,
    /// The compute units, and Dst.
    Compute = 7,
    /// Values.
    Numerics = 8,
    /// Time that is lost.
    Time = 9,
    /// What Tileproof itself does not know.
    Tool = 90,
}

impl Family {
    /// All families, in order.
    pub const ALL: &'static [Family] = &[
        Family::Program,
        Family::Build,
        Family::Buffers,
        Family::Memory,
        Family::Order,
        Family::Liveness,
        Family::Compute,
        Family::Numerics,
        Family::Time,
        Family::Tool,
    ];

    /// Its word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Program => "program",
            Family::Build => "build",
            Family::Buffers => "buffers",
            Family::Memory => "memory",
            Family::Order => "order",
            Family::Liveness => "liveness",
            Family::Compute => "compute",
            Family::Numerics => "numerics",
            Family::Time => "time",
            Family::Tool => "tool",
        }
    }
}

// `Code`'s constants, `Code::ALL` and `ENTRIES`, written by the build script from the pages, in the order of their numbers.
include!(concat!(env!("OUT_DIR"), "/codes.rs"));

impl Family {
    /// The first two digits of its codes.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// Whether it can be left out: what Tileproof does not know ends a run, whatever is looked for.
    pub fn can_be_chosen(self) -> bool {
        self != Family::Tool
    }
}

impl Code {
    /// The code with the given number.
    pub fn from_number(number: u16) -> Option<Code> {
        Code::ALL.binary_search(&Code(number)).ok().map(|at| Code::ALL[at])
    }

    /// Parses `TP0601`, `tp0601` or `601`.
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.strip_prefix("TP").or_else(|| text.strip_prefix("tp")).unwrap_or(text);
        Code::from_number(digits.parse().ok()?)
    }

    fn entry(self) -> &'static Entry {
        // Codes can only be made from the registry, so the entry is there.
        let at = ENTRIES.binary_search_by_key(&self.0, |entry| entry.number);
        &ENTRIES[at.expect("registered code")]
    }

    /// The number.
    pub fn number(self) -> u16 {
        self.0
    }

    /// Its family.
    pub fn family(self) -> Family {
        let number = self.0 / 100;
        // A page of another number does not compile into a registry that a test has seen.
        *Family::ALL.iter().find(|family| family.number() == number).expect("a family for every code")
    }

    /// Whether a run found it. Of what never ran, no core and no thread has a part in it.
    pub fn is_of_a_run(self) -> bool {
        self != Code::REFUSED && self.family() != Family::Build
    }

    /// Whose fault it is.
    pub fn class(self) -> Class {
        self.entry().class
    }

    /// What it is about, in a few words.
    pub fn title(self) -> &'static str {
        self.entry().title
    }

    /// The explain page, Markdown.
    pub fn page(self) -> &'static str {
        self.entry().page
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TP{:04}", self.0)
    }
}

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_in_order_and_parse_as_they_print() {
        assert!(Code::ALL.is_sorted_by(|a, b| a < b), "two pages bear one number");
        assert!(Family::ALL.is_sorted_by(|a, b| a < b));
        for code in Code::ALL {
            assert_eq!(Code::parse(&code.to_string()), Some(*code));
            assert_eq!(code.family().number(), code.number() / 100, "{code}: no family has its first two digits");
        }
        assert_eq!(Code::parse("TP9999"), None);
    }
}

//! The registry of finding codes.
//!
//! `TP` and four digits, the first two the family. Both stand in the order of their numbers, codes below their family. A
//! code is never reused. Every code has an explain page of the same name under `docs/explain`; a test holds that.

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
    family: Family,
    class: Class,
    title: &'static str,
    page: &'static str,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $family:ident = $digits:literal $word:literal {
        $($name:ident = $number:literal $text:literal, $class:ident, $title:literal;)*
    })*) => {
        /// What a code is about: its first two digits.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum Family {
            $($(#[$doc])* $family = $digits,)*
        }

        impl Family {
            /// All families, in order.
            pub const ALL: &'static [Family] = &[$(Family::$family),*];

            /// Its word on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Family::$family => $word,)*
                }
            }
        }

        impl Code {
            $($(#[doc = $title] pub const $name: Code = Code($number);)*)*
            /// All codes, in order.
            pub const ALL: &'static [Code] = &[$($(Code($number),)*)*];
        }

        static ENTRIES: &[Entry] = &[$($(Entry {
            number: $number, family: Family::$family, class: Class::$class, title: $title,
            page: include_str!(concat!("../../../../docs/explain/TP", $text, ".md")),
        },)*)*];
    };
}

codes! {
    /// The program itself.
    Program = 1 "program" {
        SUPPRESSION_UNUSED = 101 "0101", NonContractual, "a suppression that suppresses nothing";
        REFUSED = 102 "0102", Wrong, "input that cannot be run as it is given";
        STALE_ADDRESS = 105 "0105", Wrong, "a launch is given the address of an earlier launch's tensor";
    }
    /// What becomes of a kernel before it runs.
    Build = 2 "build" {
        NOT_COMPILED = 201 "0201", Wrong, "a kernel that does not compile";
        NOT_DEFINED = 202 "0202", Wrong, "a kernel uses a name that nothing defines";
        COMPILER_FAILED = 203 "0203", Wrong, "the compiler itself failed";
    }
    /// Circular buffers.
    Buffers = 3 "buffers" {
        NO_SUCH_BUFFER = 301 "0301", Undefined, "a circular buffer that was not configured on this core";
        PUSH_UNRESERVED = 302 "0302", NonContractual, "pages are pushed that were not reserved";
        POP_UNWAITED = 303 "0303", NonContractual, "pages are popped that were not waited for";
        BEYOND_CAPACITY = 304 "0304", Stuck, "a wait for more pages than the circular buffer has";
        PAST_THE_END = 305 "0305", Undefined, "an access runs past the end of a circular buffer";
        TWO_THREADS = 306 "0306", Wrong, "two threads use the same side of a circular buffer";
        READ_UNWAITED = 307 "0307", Unpredictable, "a tile is read that was not waited for";
        PACK_UNRESERVED = 308 "0308", NonContractual, "a tile is packed to a page that was not reserved";
        PAGES_LEFT = 309 "0309", NonContractual, "pages are left in a circular buffer when the kernels end";
        PAGES_UNREAD = 310 "0310", Wrong, "pages are popped that nothing has read";
        BLOCK_PART_LEFT = 311 "0311", Wrong, "of the pages of one push some are taken and the rest never read";
        PAGE_OF_PART_UNITS = 312 "0312", Wrong, "a compute thread's pages are no multiple of 16 bytes";
        BESIDE_WINDOW = 320 "0320", NonContractual, "a thread touches pages of a circular buffer that it was not given";
    }
    /// L1, DRAM and the NoC between them.
    Memory = 4 "memory" {
        L1_BOUNDS = 401 "0401", Undefined, "an access outside L1 or DRAM";
        OUTPUT_NOT_WRITTEN = 402 "0402", Unpredictable, "pages of an output that no kernel wrote";
        PAGE_UNWRITTEN = 403 "0403", Unpredictable, "a page is read that nothing has written";
        BUFFER_OVERRUN = 404 "0404", Undefined, "a transfer or a store runs past the end of its circular buffer";
        NOC_ALIGNMENT = 405 "0405", Undefined, "the two ends of a NoC transfer are not aligned alike";
        INPUT_NOT_READ = 406 "0406", NonContractual, "pages of an input that no kernel read";
        FREE_L1 = 410 "0410", Undefined, "L1 behind the circular buffers is used, which nothing owns";
        PARTLY_WRITTEN = 411 "0411", Unpredictable, "pages of an output that were written in part";
        NO_SUCH_SEMAPHORE = 412 "0412", Undefined, "a semaphore that was not configured on this core";
        PACKET_LENGTH = 413 "0413", Undefined, "more bytes than one NoC packet holds";
    }
    /// What nothing puts in order.
    Order = 5 "order" {
        READ_IN_FLIGHT = 501 "0501", Unpredictable, "the destination of a NoC read is used before its barrier";
        WRITE_IN_FLIGHT = 502 "0502", Unpredictable, "the source of a NoC write is given up before it has left L1";
        WRITE_AT_END = 503 "0503", NonContractual, "a kernel ends while a NoC write of its own is outstanding";
        MULTICAST_COUNT = 504 "0504", Undefined, "a multicast counts other destinations than it reaches";
        UNPACK_UNORDERED = 505 "0505", Unpredictable, "a page is read while nothing orders it after its pack";
        CREDIT_BEFORE_DATA = 506 "0506", Unpredictable, "a semaphore is raised before the data that it announces";
        SUM_UNDRAINED = 507 "0507", Unpredictable, "a pack adds to a page while nothing orders it after the pack before";
        MULTICAST_ALONE = 508 "0508", Undefined, "a multicast that reaches its sender alone, or nobody";
        ORDER_SHOWS = 509 "0509", Unpredictable, "an output depends on the order of the threads";
    }
    /// Kernels that never end.
    Liveness = 6 "liveness" {
        DEADLOCK = 601 "0601", Stuck, "nothing can run any more";
        KERNEL_CRASHED = 602 "0602", Undefined, "a kernel ended abnormally";
        STEP_LIMIT = 603 "0603", Stuck, "a kernel does not end";
    }
    /// The compute units, and Dst.
    Compute = 7 "compute" {
        WRONG_INIT = 701 "0701", Wrong, "a compute call runs what another init programmed";
        WRONG_FORMAT = 702 "0702", Wrong, "a circular buffer's format is not the one the unit is programmed for";
        NOT_STARTED = 703 "0703", Undefined, "a compute call before the hardware start-up";
        DST_INDEX = 704 "0704", Undefined, "a Dst index beyond the capacity of the mode";
        DST_NOT_ACQUIRED = 705 "0705", NonContractual, "an operation on Dst outside an acquired window";
        DST_NESTED = 706 "0706", NonContractual, "a Dst window is opened inside a Dst window";
        DST_COMMIT = 707 "0707", NonContractual, "tile_regs_commit without tile_regs_acquire";
        DST_NOT_WAITED = 708 "0708", NonContractual, "PACK uses a Dst section without tile_regs_wait";
        DST_UNWRITTEN = 709 "0709", Unpredictable, "a Dst tile is read that nothing has written";
        DST_ACCUMULATES = 710 "0710", Wrong, "an operation adds to a Dst tile whose value was used up";
        PACK_MASKED = 711 "0711", Wrong, "an edge mask cuts down a tile that is no result of a reduce";
        PACK_ACCUMULATES = 712 "0712", Wrong, "a pack adds to a page whose value was used up, or that holds nothing";
        PACK_RELU = 713 "0713", Wrong, "a ReLU that was set for another circular buffer is still on";
        DST_ROWS = 714 "0714", Unpredictable, "rows of a Dst tile are read that nothing has written";
        WORK_LOST = 715 "0715", Wrong, "the result of an operation is lost before anything reads it";
        DST_OWN_OPERAND = 716 "0716", Wrong, "a product is added to a copy of its own operand";
        LEFT_UNTILIZING = 717 "0717", NonContractual, "a kernel ends with the packer programmed for pack_untilize";
        BROADCAST_OF_PART = 718 "0718", Wrong, "a broadcast takes what a reduce did not compute";
    }
    /// Values.
    Numerics = 8 "numerics" {
        NOT_FINITE = 801 "0801", Wrong, "an output holds NaN or infinity that no input held";
        PADDING = 802 "0802", Wrong, "an output depends on the padding of an input";
        SCALER = 803 "0803", Wrong, "the scaler of a reduce is not the number that it stands for";
        STAGNATION = 804 "0804", Wrong, "a sum no longer changes";
        CANCELLATION = 805 "0805", Wrong, "a difference is all that is left of larger numbers";
        OUT_OF_RANGE = 806 "0806", Wrong, "ordinary numbers become infinity or zero, or NaN a number";
        INPUT_ROUNDED = 807 "0807", NonContractual, "values of a file were rounded to the format of their tensor";
    }
    /// Time that is lost.
    Time = 9 "time" {}
    /// What Tileproof itself does not know.
    Tool = 90 "tool" {
        UNIMPLEMENTED = 9001 "9001", Unimplemented, "the model does not know this operation";
    }
}

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
        self.entry().family
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
    fn every_page_bears_its_code_and_the_fixed_headings() {
        for code in Code::ALL {
            let page = code.page();
            assert!(page.starts_with(&format!("# {code}: {}\n", code.title())), "{code}: first line");
            for heading in [
                "## What happened",
                "## Why the hardware does this",
                "## A kernel that does it",
                "## The same kernel, fixed",
                "## How sure the tool is",
                "## What it cannot see",
                "## Turning it off",
            ] {
                assert!(page.contains(heading), "{code} lacks the heading {heading:?}");
            }
        }
    }

    #[test]
    fn codes_stand_in_order_below_their_family_and_parse_as_they_print() {
        assert!(Code::ALL.is_sorted_by(|a, b| a < b), "a new code stands in its family, by its number");
        assert!(Family::ALL.is_sorted_by(|a, b| a < b));
        for code in Code::ALL {
            assert_eq!(Code::parse(&code.to_string()), Some(*code));
            assert_eq!(code.family().number(), code.number() / 100, "{code} stands below another family");
        }
        assert_eq!(Code::parse("TP9999"), None);
    }
}

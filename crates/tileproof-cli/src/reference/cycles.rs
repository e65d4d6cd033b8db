//! The page of what operations cost: each constant of the timing model, on each chip, with its source.
//!
//! Start at [`page`].

use tileproof::model::arch::Arch;
use tileproof::model::cycles::Cycles;

/// What operations cost.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# What operations cost\n\nCycles, and bytes a cycle, that the timing model takes, with the source of each. A run adds them up thread by \
         thread:\n[limits](../limits.md) says how far that is from what was measured. In the code they stand in one file a chip, \
         `crates/tileproof-model/chips`, and\nnowhere else. \"Table\" is tt-metal's `noc_latencies.yaml`, which counts from the first call to the end \
         of the barrier.\n",
    );
    for (name, meaning) in Cycles::MEANINGS {
        page += &format!("\n## `{name}`\n\n{}\n\n", meaning.trim());
        for arch in Arch::ALL {
            let constants = arch.constants().cycles_sourced.iter();
            for constant in constants.filter(|constant| constant.name == *name) {
                page += &format!("- {}: **{}** ({})\n", arch.name(), constant.value, constant.source);
            }
        }
    }
    page
}

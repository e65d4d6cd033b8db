//! The page of fills, in the words of each help that takes some.
//!
//! Start at [`page`].

use crate::arguments::FILLS;

/// What data may be.
pub(super) fn page() -> String {
    let (head, list) = FILLS.split_once('\n').unwrap_or_default();
    let list: String = list.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "# Fills\n\nData of tensors, on command lines (`--x normal:100,1`), in program files (`fill`) and in sweeps (`data`). {head}\n\n{list}\n\
         Random numbers follow from the seed, and are the same on every host. NumPy has no bfloat16: an array for such a tensor is \
         uint16, the\nbits, or float32, which is rounded to nearest even; a note says so (TP0807). `--save DIR` writes outputs the \
         first way, with\n`--save-as float32` the second.\n"
    )
}

//! The page of what operations keep, its table measured.
//!
//! Start at [`page`].

use std::fmt::Write;

use tileproof::model::arch::Arch;
use tileproof::precision::{Function, ORDINARY};

const HEAD: &str = "\
# What operations keep

A datum goes from L1 through a register, an operation and Dst back to L1, and each may round it.

| where | what is kept |
|---|---|
| L1 | what the format of the circular buffer has: float32 24 significant bits, bfloat16 8, bfp8_b 7 and bfp4_b 3 from the largest of 16 numbers on |
| SrcA and SrcB | 11 significant bits; a copy of float32 to a Dst of 32 bits goes round them with `unpack_to_dest_fp32` |
| products | LoFi multiplies 5 bits of SrcA and 7 of SrcB, HiFi2 10 and 7, HiFi3 10 and 11 but for the product of what is left of both, HiFi4 all |
| sums | in a Dst of 16 bits each term with 10 bits behind the point of the largest, the sum with 8; in one of 32 bits with 23 |
| Dst | 16 bits, or 32 with `fp32_dest_acc_en` |
| PACK | rounded to the format of its buffer, halves away from zero |

[How to test a kernel](../../numerics/testing.md) says how much a program may lose by that, `--tolerance derived` works it out, and
[TP0808](../../explain/TP0808.md) names the call that loses most.

## Functions of the vector unit

Measured on all numbers of bfloat16, -0 left out, without approximate mode, against float64: the most that a function is off, in steps of
bfloat16 in a Dst of 16 bits and of float32 in one of 32, at the size of the result or at 2^-6 if that is larger. Half a step is the least
that rounding allows; 32,768 steps of float32 are half a step of bfloat16. Operations have the names of [Performance](../../performance.md):
forms of a call, as the accurate and the compatible reciprocal, are several.
";

/// The rules, and a row for each function.
pub(super) fn page() -> String {
    let mut text = HEAD.to_string();
    let _ = write!(
        text,
        "\n| operation | call | 16 bits, numbers up to {ORDINARY} | 16 bits, all numbers | 32 bits, numbers up to {ORDINARY} |\n|---|---|---|---|---|\n"
    );
    for function in Function::all() {
        let narrow = Arch::ALL.map(|arch| function.lost(arch, false));
        let wide = Arch::ALL.map(|arch| function.lost(arch, true));
        let cells = [
            narrow.map(|lost| lost.map(|lost| lost.ordinary)),
            narrow.map(|lost| lost.map(|lost| lost.anywhere)),
            wide.map(|lost| lost.map(|lost| lost.ordinary)),
        ];
        let _ = writeln!(
            text,
            "| {:?} | `{}` | {} |",
            function.op(),
            function.op().row().name,
            cells.map(cell).join(" | ")
        );
    }
    text += "\nWhere the chips differ, Wormhole's stands before Blackhole's; a dash is a chip that is not known to have the function in that Dst, ∞ no\nnumber where one was due.\n";
    text
}

/// What is lost on each chip.
fn cell(lost: [Option<f64>; 2]) -> String {
    let [wormhole, blackhole] = lost.map(steps);
    if wormhole == blackhole { wormhole } else { format!("{wormhole}, {blackhole}") }
}

fn steps(lost: Option<f64>) -> String {
    match lost {
        None => "-".into(),
        Some(steps) if steps.is_infinite() => "∞".into(),
        Some(steps) if steps < 100.0 => format!("{steps:.2}"),
        Some(steps) if steps < 1e6 => format!("{steps:.0}"),
        Some(steps) => format!("{steps:.0e}"),
    }
}

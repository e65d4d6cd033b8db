//! What the vector compiler makes of sums, products and signs for a chip whose instructions flip signs on the way.
//!
//! A sign that is flipped for one instruction alone is flipped by it, and one that is flipped behind an instruction by that one: it
//! must say so of zeros too, which a move would give the other sign. Settled by what sfpi 7.87 makes of such programs for Blackhole
//! (`riscv-tt-elf-g++ -O3 -mcpu=tt-bh-tensix`). Start at [`folded`].

use super::instruction::{Instruction, NO_VALUE, VectorStep};

const MINUS_ONE: u32 = 0xbf80_0000;

/// Puts signs and products into what uses them. `single` says of a term whether the step uses it alone, in the same lanes.
pub(super) fn folded(out: &mut [Option<VectorStep>], single: &dyn Fn(u32, usize) -> bool) {
    for at in 0..out.len() {
        let Some(step) = out[at] else { continue };
        match step.instruction {
            Instruction::Negate => negated(out, single, at, step),
            Instruction::Multiply => {
                let (words, signs) = without_signs(out, single, at, step.words, 2);
                let flips = step.flips ^ (signs & 1) ^ (signs >> 1 & 1);
                out[at] = Some(VectorStep { words, flips, ..step });
            }
            Instruction::Add => summed(out, single, at, step),
            // The library's `-=`: a difference.
            Instruction::MultiplyAdd if is_minus_one(out, step.words[0]) => {
                let [_, taken, from] = step.words;
                let flips = if flipped_behind(out, single, taken, at) { 0 } else { 2 };
                summed(out, single, at, VectorStep { instruction: Instruction::Add, words: [from, taken, 0], flips });
            }
            _ => {}
        }
    }
}

fn is_minus_one(out: &[Option<VectorStep>], value: u32) -> bool {
    let is = |step: VectorStep| step.instruction == Instruction::Constant && step.words[0] == MINUS_ONE;
    out[value as usize].is_some_and(is)
}

/// A sign that is flipped behind an instruction.
fn negated(out: &mut [Option<VectorStep>], single: &dyn Fn(u32, usize) -> bool, at: usize, step: VectorStep) {
    let of = step.words[0];
    let Some(before) = out[of as usize].filter(|_| single(of, at)) else { return };
    let flips = match before.instruction {
        Instruction::Multiply => 1,
        Instruction::Add | Instruction::MultiplyAdd => 3,
        Instruction::Negate => {
            out[at] = Some(VectorStep::new(Instruction::Assign, [NO_VALUE, before.words[0], 0]));
            out[of as usize] = None;
            return;
        }
        _ => return,
    };
    out[at] = Some(VectorStep { flips: before.flips ^ flips, ..before });
    out[of as usize] = None;
}

/// Whether a sum or multiply-add that the step uses alone now gives its value with the sign flipped.
fn flipped_behind(out: &mut [Option<VectorStep>], single: &dyn Fn(u32, usize) -> bool, of: u32, at: usize) -> bool {
    let Some(before) = out[of as usize].as_mut().filter(|_| single(of, at)) else { return false };
    let is_sum = matches!(before.instruction, Instruction::Add | Instruction::MultiplyAdd);
    before.flips ^= if is_sum { 3 } else { 0 };
    is_sum
}

/// The first `values` words without signs that were flipped for them alone, and which those were.
fn without_signs(
    out: &mut [Option<VectorStep>],
    single: &dyn Fn(u32, usize) -> bool,
    at: usize,
    mut words: [u32; 3],
    values: usize,
) -> ([u32; 3], u8) {
    let mut signs = 0;
    for (number, word) in words.iter_mut().enumerate().take(values) {
        let term = *word;
        if let Some(before) = out[term as usize]
            && before.instruction == Instruction::Negate
            && single(term, at)
        {
            *word = before.words[0];
            out[term as usize] = None;
            signs |= 1 << number;
        }
    }
    (words, signs)
}

/// A sum: signs of its terms, and a product that it takes in, the left one first.
fn summed(out: &mut [Option<VectorStep>], single: &dyn Fn(u32, usize) -> bool, at: usize, step: VectorStep) {
    let (words, signs) = without_signs(out, single, at, step.words, 2);
    let flips = step.flips ^ signs;
    let [a, b, _] = words;
    for (product, other, number) in [(a, b, 0), (b, a, 1)] {
        let Some(taken) = out[product as usize] else { continue };
        if a != b && taken.instruction == Instruction::Multiply && single(product, at) {
            let of_product = (taken.flips ^ flips >> number) & 1;
            let of_other = flips >> (1 - number) & 1;
            let words = [taken.words[0], taken.words[1], other];
            let flips = of_product | of_other << 1;
            out[at] = Some(VectorStep { instruction: Instruction::MultiplyAdd, words, flips });
            out[product as usize] = None;
            return;
        }
    }
    out[at] = Some(VectorStep { words, flips, ..step });
}

#[cfg(test)]
mod tests {
    use super::super::compiled::compiled;
    use super::*;
    use crate::chip::BLACKHOLE;

    /// What computes the value that a program stores last, behind loads of three values, numbers 0 to 2: its instruction, its words and
    /// the signs that it flips.
    fn last(rest: &[[u32; 4]]) -> (Instruction, [u32; 3], u8) {
        what_is_stored(rest, &[])
    }

    /// The same of that value's second term.
    fn behind(rest: &[[u32; 4]]) -> (Instruction, [u32; 3], u8) {
        what_is_stored(rest, &[1])
    }

    /// The same of a value on the way there: which word of each instruction is followed.
    fn what_is_stored(rest: &[[u32; 4]], way: &[usize]) -> (Instruction, [u32; 3], u8) {
        let loads = [[2, 0, 0, 0], [2, 2, 0, 0], [2, 4, 0, 0]];
        let steps: Vec<[u32; 4]> = loads.iter().chain(rest).copied().collect();
        let read = |(at, words): (usize, &[u32; 4])| VectorStep::read(*words, at).unwrap();
        let run = compiled(&steps.iter().enumerate().map(read).collect::<Vec<_>>(), &BLACKHOLE.sfpu);
        let stored = run.iter().flatten().rfind(|step| step.instruction == Instruction::Store).unwrap();
        let mut step = run[stored.words[0] as usize].expect("what is stored");
        for word in way {
            step = run[step.words[*word] as usize].expect("a term of it");
        }
        (step.instruction, step.words, step.flips)
    }

    const fn store(value: u32) -> [u32; 4] {
        [3, value, 6, 0]
    }
    const fn negate(value: u32) -> [u32; 4] {
        [7, value, 0, 0]
    }
    const PRODUCT: [u32; 4] = [5, 0, 1, 0];

    /// What sfpi 7.87 made of the same in C++: SFPMAD, SFPADD and SFPMUL with their modifiers.
    #[test]
    fn signs_are_flipped_by_the_instruction_that_takes_or_gives_the_value() {
        use Instruction::{Add, Multiply, MultiplyAdd, Negate};
        // c - a * b; a * b - c; -(a * b); (-a) * b + c.
        assert_eq!(last(&[PRODUCT, negate(3), [4, 2, 4, 0], store(5)]), (MultiplyAdd, [0, 1, 2], 1));
        assert_eq!(last(&[PRODUCT, negate(2), [4, 3, 4, 0], store(5)]), (MultiplyAdd, [0, 1, 2], 2));
        assert_eq!(last(&[PRODUCT, negate(3), store(4)]), (Multiply, [0, 1, 0], 1));
        assert_eq!(last(&[negate(0), [5, 3, 1, 0], [4, 4, 2, 0], store(5)]), (MultiplyAdd, [0, 1, 2], 1));
        // a - b; -(a + b); -(a - b); -(a * b + c).
        assert_eq!(last(&[negate(1), [4, 0, 3, 0], store(4)]), (Add, [0, 1, 0], 2));
        assert_eq!(last(&[[4, 0, 1, 0], negate(3), store(4)]), (Add, [0, 1, 0], 3));
        assert_eq!(last(&[negate(1), [4, 0, 3, 0], negate(4), store(5)]), (Add, [0, 1, 0], 1));
        assert_eq!(last(&[PRODUCT, [4, 3, 2, 0], negate(4), store(5)]), (MultiplyAdd, [0, 1, 2], 3));
        // (-a) * (-b); -(-(a * b)); c * c - a * b, whose left product is taken in.
        assert_eq!(last(&[negate(0), negate(1), [5, 3, 4, 0], store(5)]), (Multiply, [0, 1, 0], 0));
        assert_eq!(last(&[PRODUCT, negate(3), negate(4), store(5)]), (Multiply, [0, 1, 0], 0));
        assert_eq!(last(&[[5, 2, 2, 0], PRODUCT, negate(4), [4, 3, 5, 0], store(6)]), (MultiplyAdd, [2, 2, 5], 0));
        // a -= b * c, as the library spells it.
        let minus_one = [1, MINUS_ONE, 0, 0];
        assert_eq!(last(&[[5, 1, 2, 0], minus_one, [6, 4, 3, 0], store(5)]), (MultiplyAdd, [1, 2, 0], 1));
        // a -= b + c and a -= -b * b + c: the sum flips the signs.
        let sum = [[4, 1, 2, 0], minus_one, [6, 4, 3, 0], store(5)];
        assert_eq!((last(&sum), behind(&sum)), ((Add, [0, 3, 0], 0), (Add, [1, 2, 0], 3)));
        let square = [negate(1), [5, 3, 1, 0], [4, 4, 2, 0], minus_one, [6, 6, 5, 0], store(7)];
        assert_eq!((last(&square), behind(&square)), ((Add, [0, 5, 0], 0), (MultiplyAdd, [1, 1, 2], 2)));
        // A sign of its own that two use stays a move, and so does one that is flipped behind a minimum.
        assert_eq!(last(&[negate(0), [5, 3, 1, 0], store(4), [5, 3, 2, 0], store(6)]), (Multiply, [3, 2, 0], 0));
        assert_eq!(last(&[[36, 0, 1, 0], negate(3), store(4)]), (Negate, [3, 0, 0], 0));
    }

    #[test]
    fn lanes_that_are_switched_in_between_keep_a_sign_apart() {
        // n = -a; if (b < c) { r = n + c }, and the same with the sign flipped in there.
        let switched = [[45, 1, 2, 0], [50, 0, 0, 0], [51, 3, 0, 0]];
        let apart = [&[negate(0)][..], &[[45, 1, 2, 0], [50, 0, 0, 0], [51, 4, 0, 0], [4, 3, 2, 0], store(7)]].concat();
        assert_eq!(last(&apart), (Instruction::Add, [3, 2, 0], 0));
        let near = [&switched[..], &[negate(0), [4, 6, 2, 0], store(7)]].concat();
        assert_eq!(last(&near), (Instruction::Add, [0, 2, 0], 1));
    }
}

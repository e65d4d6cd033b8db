//! What the vector compiler makes of a program: which steps it leaves out, and which products and sums it joins.
//!
//! It must join what the compiler joins and nothing else, because a multiply-add rounds once. Settled by what sfpi 7.87 makes of
//! such programs (`riscv-tt-elf-g++ -O3 -mcpu=tt-wh-tensix` and `tt-bh-tensix`): a product with one use joins the sum that uses it,
//! the left product first, if no lane is switched in between; a factor of 1 or -1 that is seen becomes a move. What a chip does that
//! flips signs on the way is in [`super::folded`]. Start at [`compiled`].

use super::folded::folded;
use super::instruction::{Instruction, NO_VALUE, VectorStep};
use crate::chip::SfpuRules;

const ONE: u32 = 0x3f80_0000;
const MINUS_ONE: u32 = 0xbf80_0000;

/// What is known of a step.
#[derive(Clone, Copy)]
struct Place {
    /// Steps of the same region run in the same lanes.
    region: u32,
    /// How often lanes were switched before it.
    switches: u32,
}

/// The steps as they run. Those that nobody needs are `None`.
pub(super) fn compiled(steps: &[VectorStep], rules: &SfpuRules) -> Vec<Option<VectorStep>> {
    let places = places(steps);
    let mut steps: Vec<VectorStep> = steps.to_vec();
    let mut overwrites = Vec::new();
    for at in 0..steps.len() {
        read_through(&mut steps, &places, &mut overwrites, at);
        moved(&mut steps, at);
    }
    let mut uses = uses(&steps);
    for &(at, value) in &overwrites {
        // The sum that takes a variable's product may be what overwrites it; anything else finds the register still in use.
        let new = steps[steps[at].words[1] as usize];
        let is_its_sum = new.instruction == Instruction::Add && new.words[..2].contains(&value);
        if places[at].region != 0 && uses[at] > 0 && uses[value as usize] > 0 && !is_its_sum {
            uses[value as usize] += 1;
        }
    }
    let mut out: Vec<Option<VectorStep>> = steps
        .iter()
        .zip(&uses)
        .map(|(step, &uses)| (uses > 0 || step.instruction.has_effect()).then_some(*step))
        .collect();
    if rules.negates_factors {
        let single =
            |term: u32, at: usize| uses[term as usize] == 1 && places[term as usize].switches == places[at].switches;
        folded(&mut out, &single);
        return out;
    }
    for at in 0..steps.len() {
        if out[at].is_some() && !joined(&mut out, &steps, &uses, &places, at) {
            subtracted(&mut out, &steps, &uses, &places, at);
        }
    }
    out
}

fn places(steps: &[VectorStep]) -> Vec<Place> {
    let mut kept = Vec::new();
    let (mut region, mut regions, mut switches) = (0, 0, 0);
    let mut places = Vec::with_capacity(steps.len());
    for step in steps {
        places.push(Place { region, switches });
        switches += u32::from(is_switch(step.instruction));
        match step.instruction {
            Instruction::Begin => kept.push(region),
            Instruction::Where | Instruction::Otherwise | Instruction::AllLanes => {
                regions += 1;
                region = regions;
            }
            Instruction::End => {
                // A kernel may ask for any number of ends, and the run stops at one that nothing was kept for.
                let ended = step.words[0] as usize;
                if ended > 0 {
                    region = kept.len().checked_sub(ended).map_or(0, |left| kept[left]);
                    kept.truncate(kept.len().saturating_sub(ended));
                }
            }
            _ => {}
        }
    }
    places
}

const fn is_switch(instruction: Instruction) -> bool {
    matches!(instruction, Instruction::Where | Instruction::Otherwise | Instruction::End | Instruction::AllLanes)
}

/// What was assigned in the same lanes is read where the variable is, and a variable that is assigned once more there keeps what
/// it had before the first time: `overwrites` tells which assignment passes over which value.
fn read_through(steps: &mut [VectorStep], places: &[Place], overwrites: &mut Vec<(usize, u32)>, at: usize) {
    let here = places[at].region;
    let assigned = |steps: &[VectorStep], value: u32| {
        let step = *steps.get(value as usize)?;
        (step.instruction == Instruction::Assign && here == places[value as usize].region).then_some(step.words)
    };
    let VectorStep { instruction, mut words, .. } = steps[at];
    for (number, word) in words.iter_mut().enumerate().take(instruction.values()) {
        let is_old = instruction == Instruction::Assign && number == 0;
        while let Some([old, new, _]) = assigned(steps, *word) {
            if is_old {
                overwrites.push((at, new));
            }
            *word = if is_old { old } else { new };
        }
    }
    steps[at].words = words;
}

/// A factor of 1 or -1 that the compiler sees.
fn moved(steps: &mut [VectorStep], at: usize) {
    let step = steps[at];
    if step.instruction != Instruction::Multiply {
        return;
    }
    let seen = |value: u32| {
        let factor = steps[value as usize];
        (factor.instruction == Instruction::Constant && factor.words[1] != 0).then_some(factor.words[0])
    };
    let [a, b, _] = step.words;
    for (factor, other) in [(b, a), (a, b)] {
        match seen(factor) {
            // A move: the same bits in a register of its own.
            Some(ONE) => steps[at] = VectorStep::new(Instruction::Assign, [NO_VALUE, other, 0]),
            Some(MINUS_ONE) => steps[at] = VectorStep::new(Instruction::Negate, [other, 0, 0]),
            _ => continue,
        }
        return;
    }
}

/// How many steps that are needed use each.
fn uses(steps: &[VectorStep]) -> Vec<u32> {
    let mut uses = vec![0; steps.len()];
    for (at, step) in steps.iter().enumerate().rev() {
        if uses[at] == 0 && !step.instruction.has_effect() {
            continue;
        }
        for &word in &step.words[..step.instruction.values()] {
            if let Some(uses) = uses.get_mut(word as usize) {
                *uses += 1;
            }
        }
    }
    uses
}

/// Makes a multiply-add of a sum and a product that is used there alone.
fn joined(out: &mut [Option<VectorStep>], steps: &[VectorStep], uses: &[u32], places: &[Place], at: usize) -> bool {
    let Some((product, other)) = taken_in(Instruction::Multiply, steps, uses, places, at) else { return false };
    let [a, b, _] = steps[product as usize].words;
    out[at] = Some(VectorStep::new(Instruction::MultiplyAdd, [a, b, other]));
    out[product as usize] = None;
    true
}

/// Makes a difference of a sum and a term whose sign was flipped for it alone: on Wormhole a multiply-add by -1, so that the
/// other term is the one that a NaN of both takes its sign from. With a constant nothing differs.
fn subtracted(out: &mut [Option<VectorStep>], steps: &[VectorStep], uses: &[u32], places: &[Place], at: usize) {
    let Some((flipped, other)) = taken_in(Instruction::Negate, steps, uses, places, at) else { return };
    if steps[other as usize].instruction != Instruction::Constant {
        let words = [other, steps[flipped as usize].words[0], 0];
        out[at] = Some(VectorStep::new(Instruction::Subtract, words));
        out[flipped as usize] = None;
    }
}

/// The term of a sum that an instruction gave for it alone, in the same lanes, and the other term: the left one first.
fn taken_in(
    instruction: Instruction,
    steps: &[VectorStep],
    uses: &[u32],
    places: &[Place],
    at: usize,
) -> Option<(u32, u32)> {
    let [a, b, _] = steps[at].words;
    if steps[at].instruction != Instruction::Add || a == b {
        return None;
    }
    let is_taken = |&(term, _): &(u32, u32)| {
        let near = places[term as usize].switches == places[at].switches;
        steps[term as usize].instruction == instruction && uses[term as usize] == 1 && near
    };
    [(a, b), (b, a)].into_iter().find(is_taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    fn program(steps: &[[u32; 4]]) -> Vec<VectorStep> {
        steps.iter().enumerate().map(|(at, words)| VectorStep::read(*words, at).unwrap()).collect()
    }

    /// How many multiply-adds run.
    fn joined_in(steps: &[[u32; 4]]) -> usize {
        let is = |step: &&VectorStep| step.instruction == Instruction::MultiplyAdd;
        compiled(&program(steps), &WORMHOLE.sfpu).iter().flatten().filter(is).count()
    }

    /// Loads of three values, as numbers 0 to 2.
    const LOADS: [[u32; 4]; 3] = [[2, 0, 0, 0], [2, 2, 0, 0], [2, 4, 0, 0]];

    fn with_loads(rest: &[[u32; 4]]) -> Vec<[u32; 4]> {
        LOADS.iter().chain(rest).copied().collect()
    }

    /// What sfpi 7.87 made of the same in C++.
    #[test]
    fn a_product_with_one_use_in_the_same_lanes_joins_its_sum() {
        // a * b + c; c + a * b; with the product kept too; twice the product.
        assert_eq!(joined_in(&with_loads(&[[5, 0, 1, 0], [4, 3, 2, 0], [3, 4, 6, 0]])), 1);
        assert_eq!(joined_in(&with_loads(&[[5, 0, 1, 0], [4, 2, 3, 0], [3, 4, 6, 0]])), 1);
        assert_eq!(joined_in(&with_loads(&[[5, 0, 1, 0], [4, 3, 2, 0], [3, 4, 6, 0], [3, 3, 8, 0]])), 0);
        assert_eq!(joined_in(&with_loads(&[[5, 0, 1, 0], [4, 3, 3, 0], [3, 4, 6, 0]])), 0);
        // c - a * b: the sign is flipped in between.
        assert_eq!(joined_in(&with_loads(&[[5, 0, 1, 0], [7, 3, 0, 0], [4, 2, 4, 0], [3, 5, 6, 0]])), 0);
        // Of two products the left one.
        let two = with_loads(&[[5, 0, 0, 0], [5, 1, 1, 0], [4, 3, 4, 0], [3, 5, 6, 0]]);
        let run = compiled(&program(&two), &WORMHOLE.sfpu);
        assert_eq!(run[5].unwrap().words, [0, 0, 4]);
        assert!(run[3].is_none() && run[4].is_some());
    }

    #[test]
    fn a_switch_of_lanes_keeps_them_apart_and_an_assignment_in_the_same_lanes_does_not() {
        // m = a * b; if (a < b) { r = m + c }.
        let apart =
            [[5, 0, 1, 0], [45, 0, 1, 0], [50, 0, 0, 0], [51, 4, 0, 0], [4, 3, 2, 0], [54, 2, 7, 0], [53, 1, 0, 0]];
        assert_eq!(joined_in(&with_loads(&[&apart[..], &[[3, 8, 6, 0]]].concat())), 0);
        // m = a; if (a < b) { m = a * b; m = m + c; }.
        let near =
            [[45, 0, 1, 0], [50, 0, 0, 0], [51, 3, 0, 0], [5, 0, 1, 0], [54, 0, 6, 0], [4, 7, 2, 0], [54, 7, 8, 0]];
        let run =
            compiled(&program(&with_loads(&[&near[..], &[[53, 1, 0, 0], [3, 9, 6, 0]]].concat())), &WORMHOLE.sfpu);
        assert_eq!(run[8].unwrap().instruction, Instruction::MultiplyAdd);
        assert!(run[7].is_none(), "the first assignment is overwritten where it was made");
        assert_eq!(run[9].unwrap().words[..2], [0, 8]);
    }

    #[test]
    fn a_product_in_a_variable_that_something_else_overwrites_stays() {
        // m = a; k = c; if (a < b) { m = a * b; k = m + c; m = b; }, and m and k are stored.
        let rest = [
            [45, 0, 1, 0],
            [50, 0, 0, 0],
            [51, 3, 0, 0],
            [5, 0, 1, 0],
            [54, 0, 6, 0],
            [4, 7, 2, 0],
            [54, 2, 8, 0],
            [54, 7, 1, 0],
            [53, 1, 0, 0],
            [3, 9, 6, 0],
        ];
        assert_eq!(joined_in(&with_loads(&[&rest[..], &[[3, 10, 8, 0]]].concat())), 0);
        // Nobody reads m any more.
        assert_eq!(joined_in(&with_loads(&rest)), 1);
    }

    #[test]
    fn lanes_are_given_back_as_often_as_they_were_kept() {
        let regions = |steps: &[[u32; 4]]| places(&program(steps)).iter().map(|place| place.region).collect::<Vec<_>>();
        let [kept, narrowed] = [[50, 0, 0, 0], [51, 0, 0, 0]];
        let twice = [&[LOADS[0], kept, narrowed, kept, narrowed][..]].concat();
        let ends = |ended: u32| regions(&[&twice[..], &[[53, ended, 0, 0], LOADS[0]]].concat())[6];
        assert_eq!([ends(0), ends(1), ends(2), ends(3), ends(u32::MAX)], [2, 1, 0, 0, 0]);
        // As many as a word holds, again and again, cost nothing.
        let ends = vec![[53, u32::MAX, 0, 0]; 4096];
        assert_eq!(regions(&ends).len(), 4096);
    }

    #[test]
    fn a_factor_of_one_that_is_seen_is_a_move() {
        for (word, seen, expected) in [
            // The value itself is stored.
            (ONE, 1, None),
            (ONE, 0, Some(Instruction::Multiply)),
            (MINUS_ONE, 1, Some(Instruction::Negate)),
            (0, 1, Some(Instruction::Multiply)),
        ] {
            let run =
                compiled(&program(&with_loads(&[[1, word, seen, 0], [5, 0, 3, 0], [3, 4, 6, 0]])), &WORMHOLE.sfpu);
            assert_eq!(run[4].map(|step| step.instruction), expected);
        }
    }
}

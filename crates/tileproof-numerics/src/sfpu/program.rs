//! A program of custom vector code as it runs, and what is known of it before it does.
//!
//! It must never count as read what the program itself has stored there, nor as stored what some lanes may have left out. Start
//! at [`Program::of`].

use std::collections::BTreeSet;

use super::compiled::compiled;
use super::instruction::{Instruction, VectorStep};
use crate::chip::SfpuRules;
use crate::dst::TILE_ROWS;

/// A program: its steps as the vector compiler leaves them.
#[derive(Clone, Debug)]
pub struct Program {
    /// Steps that nobody needs are `None`, so that numbers of steps stay.
    pub(super) steps: Vec<Option<VectorStep>>,
}

/// Rows of Dst that a program reads and writes, tile by tile from the first of its half, as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Before it wrote them.
    pub read: Vec<(u32, u64)>,
    /// Written.
    pub written: Vec<(u32, u64)>,
}

/// The first of the four rows of its tile that an address reaches.
pub(super) const fn first_row(address: u32) -> usize {
    (address as usize % TILE_ROWS) & !3
}

impl Program {
    /// What the steps of a kernel become for a chip.
    pub fn of(steps: &[VectorStep], rules: &SfpuRules) -> Program {
        Program { steps: compiled(steps, rules) }
    }

    /// Issue slots that it takes. An estimate: one for each step that is left of it. Constants that lie in registers take none, and a
    /// sum that waits for a product takes one more.
    pub fn slots(&self) -> u32 {
        self.steps.iter().flatten().count() as u32
    }

    /// Which of the constant registers 12 to 14 it writes.
    pub fn writes_constants(&self) -> [bool; 3] {
        let is_written = |register: u32| {
            let writes = |step: &VectorStep| step.instruction == Instruction::SetConstant && step.words[1] == register;
            self.steps.iter().flatten().any(writes)
        };
        [12, 13, 14].map(is_written)
    }

    /// Whether it transposes a tile of Dst, and then whether within its faces alone: what the matrix unit is to be programmed for.
    pub fn transposes(&self) -> Option<bool> {
        let transposing = self.steps.iter().flatten().find(|step| step.instruction == Instruction::TransposeTile);
        transposing.map(|step| step.words[1] == 1)
    }

    /// The rows that its loads and stores will touch.
    pub fn touched(&self) -> Touched {
        let mut touched = Touched::default();
        let mut stored = Stored::default();
        for step in self.steps.iter().flatten() {
            let (list, address) = match step.instruction {
                Instruction::Load if stored.holds(step.words[0]) => continue,
                Instruction::Load => (&mut touched.read, step.words[0]),
                Instruction::Store => (&mut touched.written, step.words[1]),
                Instruction::TransposeTile => {
                    let tile = step.words[0] / TILE_ROWS as u32;
                    touched.read.push((tile, u64::MAX));
                    touched.written.push((tile, u64::MAX));
                    continue;
                }
                _ => {
                    stored.switch(step);
                    continue;
                }
            };
            if step.instruction == Instruction::Store {
                stored.add(address);
            }
            let (tile, rows) = (address / TILE_ROWS as u32, 0xf << first_row(address));
            match list.iter_mut().find(|(other, _)| *other == tile) {
                Some((_, known)) => *known |= rows,
                None => list.push((tile, rows)),
            }
        }
        touched
    }
}

/// Vectors that were stored in every lane that runs.
#[derive(Default)]
struct Stored {
    vectors: BTreeSet<u32>,
    /// For each time that lanes were kept.
    kept: Vec<Kept>,
}

/// What was stored where lanes were kept.
#[derive(Default)]
struct Kept {
    /// In all of them; `None` until lanes are left out.
    in_all: Option<BTreeSet<u32>>,
    /// In those that have run, of two parts of them.
    in_first: Option<BTreeSet<u32>>,
}

impl Stored {
    /// An address is of four rows, in even columns or in odd ones.
    const fn vector(address: u32) -> u32 {
        address & !1
    }

    fn add(&mut self, address: u32) {
        self.vectors.insert(Stored::vector(address));
    }

    fn holds(&self, address: u32) -> bool {
        self.vectors.contains(&Stored::vector(address))
    }

    /// Where fewer lanes run, what all have stays; where the others do, it is what all had.
    fn switch(&mut self, step: &VectorStep) {
        // Words by hand leave lanes out without keeping those that ran.
        if matches!(step.instruction, Instruction::Where | Instruction::Otherwise) && self.kept.is_empty() {
            self.kept.push(Kept::default());
        }
        match step.instruction {
            Instruction::Begin => self.kept.push(Kept::default()),
            Instruction::Where => {
                if let Some(kept) = self.kept.last_mut() {
                    kept.in_all.get_or_insert_with(|| self.vectors.clone());
                }
            }
            Instruction::Otherwise => {
                if let Some(kept) = self.kept.last_mut() {
                    let in_all = kept.in_all.get_or_insert_with(|| self.vectors.clone()).clone();
                    kept.in_first = Some(std::mem::replace(&mut self.vectors, in_all));
                }
            }
            Instruction::End | Instruction::AllLanes => {
                let ended = if step.instruction == Instruction::End { step.words[0] as usize } else { usize::MAX };
                for _ in 0..ended.min(self.kept.len()) {
                    let Kept { in_all, in_first } = self.kept.pop().unwrap_or_default();
                    match (in_all, in_first) {
                        (_, Some(first)) => self.vectors.retain(|vector| first.contains(vector)),
                        (Some(in_all), None) => self.vectors = in_all,
                        (None, None) => {}
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    const BEGIN: [u32; 4] = [50, 0, 0, 0];
    const WHERE: [u32; 4] = [51, 1, 0, 0];
    const OTHERWISE: [u32; 4] = [52, 0, 0, 0];

    /// Tiles that are read, of a program behind a value, 0, and a condition, 1. What a program loads it stores in tile 7.
    fn read(rest: &[[u32; 4]]) -> Vec<(u32, u64)> {
        let mut steps = vec![[1, 0, 0, 0], [46, 0, 0, 5]];
        for step in rest {
            steps.push(*step);
            if step[0] == 2 {
                steps.push([3, steps.len() as u32 - 1, 7 * 64, 0]);
            }
        }
        let steps: Vec<VectorStep> =
            steps.iter().enumerate().map(|(at, words)| VectorStep::read(*words, at).unwrap()).collect();
        Program::of(&steps, &WORMHOLE.sfpu).touched().read
    }

    fn store(address: u32) -> [u32; 4] {
        [3, 0, address, 0]
    }

    fn load(address: u32) -> [u32; 4] {
        [2, address, 0, 0]
    }

    fn end(times: u32) -> [u32; 4] {
        [53, times, 0, 0]
    }

    #[test]
    fn steps_that_are_left_out_or_joined_take_no_slot() {
        let program = |steps: &[[u32; 4]]| {
            let read = |(at, words): (usize, &[u32; 4])| VectorStep::read(*words, at).unwrap();
            Program::of(&steps.iter().enumerate().map(read).collect::<Vec<_>>(), &WORMHOLE.sfpu).slots()
        };
        // Two loads, their product that joins a sum, the sum and its store; and a load that nobody needs.
        assert_eq!(program(&[load(0), load(2), [5, 0, 1, 0], [4, 2, 1, 0], [3, 3, 0, 0]]), 4);
        assert_eq!(program(&[load(0), load(2), [3, 0, 4, 0]]), 2);
    }

    #[test]
    fn what_a_program_has_stored_it_does_not_take_from_before() {
        assert_eq!(read(&[store(64), load(64)]), []);
        assert_eq!(read(&[load(64), store(64)]), [(1, 0xf)]);
        // The other columns of the same rows, and the next rows.
        assert_eq!(read(&[store(64), load(66)]), [(1, 0xf)]);
        assert_eq!(read(&[store(64), load(68), load(64)]), [(1, 0xf0)]);
    }

    #[test]
    fn what_some_lanes_have_stored_is_taken_from_before_in_the_others() {
        let kept = [(1, 0xf)];
        // In the same lanes, and behind them.
        assert_eq!(read(&[BEGIN, WHERE, store(64), load(64), end(1)]), []);
        assert_eq!(read(&[BEGIN, WHERE, store(64), end(1), load(64)]), kept);
        assert_eq!(read(&[BEGIN, WHERE, store(64), OTHERWISE, load(64), end(1)]), kept);
        // Before lanes are left out, or in both parts of them.
        assert_eq!(read(&[BEGIN, store(64), WHERE, end(1), load(64)]), []);
        assert_eq!(read(&[store(64), BEGIN, WHERE, OTHERWISE, load(64), end(1)]), []);
        assert_eq!(read(&[BEGIN, WHERE, store(64), OTHERWISE, store(64), end(1), load(64)]), []);
        assert_eq!(read(&[BEGIN, WHERE, OTHERWISE, store(64), end(1), load(64)]), kept);
        // Words by hand keep nothing.
        assert_eq!(read(&[WHERE, store(64), [61, 0, 0, 0], load(64)]), kept);
        assert_eq!(read(&[WHERE, store(64), OTHERWISE, store(64), [61, 0, 0, 0], load(64)]), []);
        // A third part, as of v_elseif.
        let three = |last: [u32; 4]| {
            read(&[BEGIN, WHERE, store(64), OTHERWISE, BEGIN, WHERE, store(64), OTHERWISE, last, end(2), load(64)])
        };
        assert_eq!(three(store(64)), []);
        assert_eq!(three(store(66)), kept);
    }
}

//! A program of custom vector code as it runs, and what is known of it before it does.
//!
//! It must never count as read what the program itself has stored there, nor as stored what some lanes may have left out. Start
//! at [`Program::of`].

use super::compiled::compiled;
use super::instruction::{Instruction, VectorStep};
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
    /// What the steps of a kernel become.
    pub fn of(steps: &[VectorStep]) -> Program {
        Program { steps: compiled(steps) }
    }

    /// The rows that its loads and stores will touch.
    pub fn touched(&self) -> Touched {
        let mut touched = Touched::default();
        for step in self.steps.iter().flatten() {
            let (list, address) = match step.instruction {
                Instruction::Load => (&mut touched.read, step.words[0]),
                Instruction::Store => (&mut touched.written, step.words[1]),
                _ => continue,
            };
            let (tile, rows) = (address / TILE_ROWS as u32, 0xf << first_row(address));
            match list.iter_mut().find(|(other, _)| *other == tile) {
                Some((_, known)) => *known |= rows,
                None => list.push((tile, rows)),
            }
        }
        touched
    }
}

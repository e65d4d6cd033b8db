//! Where values lie: for each byte of L1 and DRAM which operation left what there, or which tensor was filled with it.
//!
//! A byte that a thread has stored itself, or that nobody knows of, has no origin. It must never be asked for a value: those
//! are with the operations. Start at [`Memory`].

use std::collections::BTreeMap;

use super::home::Homes;
use super::origin::{Origin, Piece};

/// Bytes that are kept together.
const CHUNK: u32 = 2048;

/// All of it.
#[derive(Default, Debug)]
pub(super) struct Memory {
    chunks: BTreeMap<(Piece, u32), Box<[Origin; CHUNK as usize]>>,
}

impl Memory {
    /// L1 is anew in a launch; DRAM stays.
    pub(super) fn forget_l1(&mut self) {
        self.chunks.retain(|(piece, _), _| matches!(piece, Piece::Bank(_)));
    }

    pub(super) fn get(&self, homes: &Homes, piece: Piece, at: u32) -> Origin {
        let known = self.chunks.get(&(piece, at / CHUNK)).map_or(Origin::Unknown, |chunk| chunk[(at % CHUNK) as usize]);
        if known == Origin::Unknown { homes.origin(piece, at) } else { known }
    }

    pub(super) fn set(&mut self, piece: Piece, at: u32, origin: Origin) {
        let chunk =
            self.chunks.entry((piece, at / CHUNK)).or_insert_with(|| Box::new([Origin::Unknown; CHUNK as usize]));
        chunk[(at % CHUNK) as usize] = origin;
    }

    /// A thread has stored there.
    pub(super) fn stored(&mut self, piece: Piece, at: u32, bytes: u32) {
        (0..bytes).for_each(|byte| self.set(piece, at.wrapping_add(byte), Origin::Stored));
    }

    pub(super) fn copy(&mut self, homes: &Homes, (from, at): (Piece, u32), (to, there): (Piece, u32), bytes: u32) {
        for byte in 0..bytes {
            let origin = self.get(homes, from, at.wrapping_add(byte));
            self.set(to, there.wrapping_add(byte), origin);
        }
    }
}

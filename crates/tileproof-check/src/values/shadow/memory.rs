//! Where values lie: for each byte of L1 and DRAM which operation left what there, or which tensor was filled with it.
//!
//! A byte that a thread has stored itself, or that nobody knows of, has no origin. It must never be asked for a value: those
//! are with the operations. Start at [`Memory`].

use std::collections::BTreeMap;

use super::home::Homes;
use super::nodes::Call;
use super::origin::{Origin, Piece};

/// Bytes that are kept together.
const CHUNK: u32 = 2048;

type Chunk = Box<[Origin; CHUNK as usize]>;

/// All of it.
#[derive(Default, Debug)]
pub(super) struct Memory {
    chunks: BTreeMap<(Piece, u32), Chunk>,
    /// What is on its way from one place to another, so that no copy allocates.
    moved: Vec<Origin>,
    /// The last write to each place of DRAM where one began, and its bytes.
    writes: BTreeMap<(Piece, u32), (Call, u32)>,
}

/// Pieces of a range that lie in one chunk each: where, and how many bytes.
fn pieces(at: u32, bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    let end = at.saturating_add(bytes);
    let mut next = at;
    std::iter::from_fn(move || {
        let first = next;
        next = end.min((first / CHUNK + 1).saturating_mul(CHUNK));
        (first < end).then_some((first, next - first))
    })
}

impl Memory {
    /// Circular buffers are anew in a launch; tensors stay, in DRAM and in L1.
    pub(super) fn forget_buffers(&mut self, homes: &Homes) {
        let is_l1 = |piece: &Piece| matches!(piece, Piece::L1(_));
        let (l1, dram): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.chunks).into_iter().partition(|((piece, _), _)| is_l1(piece));
        self.chunks = dram;
        for (piece, at, bytes) in homes.pages().filter(|(piece, ..)| is_l1(piece)) {
            for (at, bytes) in pieces(at, bytes) {
                let Some(old) = l1.get(&(piece, at / CHUNK)) else { continue };
                let kept = (at % CHUNK) as usize..(at % CHUNK + bytes) as usize;
                self.chunk(piece, at)[kept.clone()].copy_from_slice(&old[kept]);
            }
        }
    }

    /// The origins of some bytes of one piece; those at `u32::MAX` have none.
    pub(super) fn gather(&self, homes: &Homes, piece: Piece, places: &[u32], origins: &mut [Origin]) {
        // Datums of a tile lie near each other.
        let mut last: Option<(u32, Option<&Chunk>)> = None;
        for (origin, at) in origins.iter_mut().zip(places).filter(|(_, at)| **at != u32::MAX) {
            let number = at / CHUNK;
            let chunk = match last {
                Some((known, chunk)) if known == number => chunk,
                _ => self.chunks.get(&(piece, number)),
            };
            last = Some((number, chunk));
            let known = chunk.map_or(Origin::Unknown, |chunk| chunk[(at % CHUNK) as usize]);
            *origin = if known == Origin::Unknown { homes.origin(piece, *at) } else { known };
        }
    }

    pub(super) fn get(&self, homes: &Homes, piece: Piece, at: u32) -> Origin {
        let mut origin = [Origin::Unknown];
        self.gather(homes, piece, &[at], &mut origin);
        origin[0]
    }

    fn chunk(&mut self, piece: Piece, at: u32) -> &mut Chunk {
        self.chunks.entry((piece, at / CHUNK)).or_insert_with(|| Box::new([Origin::Unknown; CHUNK as usize]))
    }

    pub(super) fn set(&mut self, piece: Piece, at: u32, origin: Origin) {
        self.chunk(piece, at)[(at % CHUNK) as usize] = origin;
    }

    /// A thread has stored there.
    pub(super) fn stored(&mut self, piece: Piece, at: u32, bytes: u32, by: u32) {
        for (at, bytes) in pieces(at, bytes) {
            self.chunk(piece, at)[(at % CHUNK) as usize..][..bytes as usize].fill(Origin::Stored { by });
        }
    }

    /// A thread wrote to memory, and what it wrote has been copied.
    pub(super) fn wrote(&mut self, (to, at): (Piece, u32), bytes: u32, call: Call) {
        if matches!(to, Piece::Bank(_)) {
            self.writes.insert((to, at), (call, bytes));
        }
    }

    /// The last write of a thread to a place of DRAM.
    pub(super) fn write_to(&self, piece: Piece, at: u32) -> Option<Call> {
        let ((there, first), (call, bytes)) = self.writes.range(..=(piece, at)).next_back()?;
        (*there == piece && at - first < *bytes).then_some(*call)
    }

    pub(super) fn copy(&mut self, homes: &Homes, (from, at): (Piece, u32), (to, there): (Piece, u32), bytes: u32) {
        let mut moved = std::mem::take(&mut self.moved);
        moved.clear();
        for (at, bytes) in pieces(at, bytes) {
            let begin = moved.len();
            match self.chunks.get(&(from, at / CHUNK)) {
                Some(chunk) => moved.extend_from_slice(&chunk[(at % CHUNK) as usize..][..bytes as usize]),
                None => moved.resize(begin + bytes as usize, Origin::Unknown),
            }
            homes.fill_unknown(from, at, &mut moved[begin..]);
        }
        let mut left = &moved[..];
        for (at, bytes) in pieces(there, bytes) {
            let (now, later) = left.split_at((bytes as usize).min(left.len()));
            self.chunk(to, at)[(at % CHUNK) as usize..][..now.len()].copy_from_slice(now);
            left = later;
        }
        self.moved = moved;
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::event::NocPlace;
    use tileproof_model::program::{Layout, MemoryConfig, TensorDescriptor};
    use tileproof_numerics::format::DataFormat;

    use super::super::home::Home;
    use super::*;

    #[test]
    fn between_launches_tensors_in_l1_stay_and_buffers_do_not() {
        let (shape, format) = (vec![32, 32], DataFormat::Float32);
        let (layout, memory) = (Layout::Tile, MemoryConfig::Dram);
        let tensor = TensorDescriptor { name: "x".into(), shape, format, layout, memory, output: false };
        // A page that begins and ends within chunks.
        let first = 3 * CHUNK + 64;
        let home = Home {
            tensor,
            pages: vec![NocPlace::L1(1, first)],
            is_filled: false,
            empty_pages: Vec::new(),
            is_padding_stated: false,
        };
        let homes = Homes::of(vec![home]);
        let mut memory = Memory::default();
        let made = Origin::Datum { node: 7, at: 1 };
        let places = [(0, first), (1, first - 4), (1, first), (1, first + 4092), (1, first + 4096)];
        for (core, at) in places {
            memory.set(Piece::L1(core), at, made);
        }
        memory.set(Piece::Bank(0), 64, made);
        memory.forget_buffers(&homes);
        let held = places.map(|(core, at)| memory.get(&homes, Piece::L1(core), at) == made);
        assert_eq!(held, [false, false, true, true, false]);
        assert_eq!(memory.get(&homes, Piece::Bank(0), 64), made);
    }
}

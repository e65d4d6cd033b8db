//! Pieces of a memory by where they begin: the lists that [`crate::spans`] and the shadow of a memory are made of.
//!
//! Kernels touch the same pages and tiles again and again, so that a piece is looked for where one of the same beginning was found
//! last, and searched for only if it is not there. Start at [`Starts::find`].

use std::cell::Cell;
use std::ops::Range;

/// Beginnings of which it is remembered where they were found.
const HINTS: usize = 64;

/// Pieces in the order of their beginnings, one a beginning. They are kept apart from the list of beginnings, which is quick to go
/// through and cheap to shift.
#[derive(Debug)]
pub(crate) struct Starts<P> {
    starts: Vec<u32>,
    /// Of each, which of `pieces` it is.
    slots: Vec<u32>,
    pieces: Vec<Option<P>>,
    /// Those of `pieces` that hold none.
    unused: Vec<u32>,
    hints: [Cell<u32>; HINTS],
}

impl<P> Default for Starts<P> {
    fn default() -> Self {
        let hints = [const { Cell::new(0) }; HINTS];
        Starts { starts: Vec::new(), slots: Vec::new(), pieces: Vec::new(), unused: Vec::new(), hints }
    }
}

/// Where it is remembered at which index the first piece was found from an offset on.
fn hint(hints: &[Cell<u32>; HINTS], offset: u32) -> &Cell<u32> {
    // Multiplied by the golden ratio, offsets that differ in any bits fall apart.
    &hints[(offset.wrapping_mul(0x9e37_79b9) >> 26) as usize % HINTS]
}

impl<P> Starts<P> {
    pub(crate) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The index of the piece that begins at an offset, or of the first behind it.
    #[inline]
    pub(crate) fn find(&self, offset: u32) -> Result<usize, usize> {
        let index = hint(&self.hints, offset).get() as usize;
        let found = if self.is_first_from(index, offset) {
            if self.starts.get(index) == Some(&offset) { Ok(index) } else { Err(index) }
        } else {
            let found = self.starts.binary_search(&offset);
            hint(&self.hints, offset).set(found.unwrap_or_else(|behind| behind) as u32);
            found
        };
        // Whoever goes through a tensor or a buffer comes to the next piece next.
        if let Ok(index) = found
            && let Some(next) = self.starts.get(index + 1)
        {
            hint(&self.hints, *next).set(index as u32 + 1);
        }
        found
    }

    /// Whether a piece is the first that begins at an offset or behind it.
    fn is_first_from(&self, index: usize, offset: u32) -> bool {
        let is_before = index == 0 || self.starts.get(index - 1).is_some_and(|start| *start < offset);
        is_before && self.starts.get(index).is_none_or(|start| *start >= offset)
    }

    /// The index of the first piece that begins at an offset or behind it.
    pub(crate) fn from(&self, offset: u32) -> usize {
        self.find(offset).unwrap_or_else(|index| index)
    }

    /// Where a piece begins, if there are so many.
    pub(crate) fn start(&self, index: usize) -> Option<u32> {
        self.starts.get(index).copied()
    }

    /// Of one that is there.
    #[inline]
    pub(crate) fn piece(&self, index: usize) -> &P {
        self.pieces[self.slots[index] as usize].as_ref().expect("a slot that is used")
    }

    /// Of one that is there.
    #[inline]
    pub(crate) fn piece_mut(&mut self, index: usize) -> &mut P {
        self.pieces[self.slots[index] as usize].as_mut().expect("a slot that is used")
    }

    /// Pieces, each with its beginning.
    pub(crate) fn among(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = (u32, &P)> {
        range.map(|index| (self.starts[index], self.piece(index)))
    }

    /// Puts a piece before the one at an index, whose beginning lies behind that of the new one.
    pub(crate) fn insert(&mut self, index: usize, start: u32, piece: P) {
        let slot = match self.unused.pop() {
            Some(slot) => {
                self.pieces[slot as usize] = Some(piece);
                slot
            }
            None => {
                self.pieces.push(Some(piece));
                self.pieces.len() as u32 - 1
            }
        };
        self.starts.insert(index, start);
        self.slots.insert(index, slot);
        // What is filled in order goes on at the same distance.
        if let Some(before) = index.checked_sub(1).map(|before| self.starts[before]) {
            hint(&self.hints, start.wrapping_add(start - before)).set(index as u32 + 1);
        }
    }

    /// Puts a piece in place of the one that began at the same offset, which comes back.
    pub(crate) fn put(&mut self, start: u32, piece: P) -> Option<P> {
        match self.find(start) {
            Ok(index) => Some(std::mem::replace(self.piece_mut(index), piece)),
            Err(index) => {
                self.insert(index, start, piece);
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, index: usize) -> P {
        self.starts.remove(index);
        let slot = self.slots.remove(index);
        self.unused.push(slot);
        self.pieces[slot as usize].take().expect("a slot that is used")
    }

    /// Takes the pieces at some indices, which ascend.
    pub(crate) fn take_all(&mut self, gone: &[usize]) -> Vec<P> {
        let taken = gone.iter().filter_map(|index| {
            let slot = self.slots[*index];
            self.unused.push(slot);
            self.pieces[slot as usize].take()
        });
        let taken = taken.collect();
        let Some((first, last)) = gone.first().copied().zip(gone.last().copied()) else { return taken };
        for list in [&mut self.starts, &mut self.slots] {
            if last - first < gone.len() {
                list.drain(first..=last);
                continue;
            }
            let (mut index, mut gone) = (0, gone.iter().peekable());
            list.retain(|_| {
                let goes = gone.next_if_eq(&&index).is_some();
                index += 1;
                !goes
            });
        }
        taken
    }

    /// All of them, in order.
    pub(crate) fn into_pieces(mut self) -> impl Iterator<Item = P> {
        self.slots.into_iter().filter_map(move |slot| self.pieces[slot as usize].take())
    }

    /// Takes pieces away.
    pub(crate) fn drain(&mut self, range: Range<usize>) {
        self.starts.drain(range.clone());
        for slot in self.slots.drain(range) {
            self.pieces[slot as usize] = None;
            self.unused.push(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_found_though_others_have_moved_it() {
        let mut starts = Starts::default();
        for at in [30, 10, 20] {
            let index = starts.find(at).unwrap_err();
            starts.insert(index, at, at);
        }
        assert_eq!([10, 20, 30].map(|at| starts.find(at)), [Ok(0), Ok(1), Ok(2)]);
        starts.insert(0, 5, 5);
        assert_eq!([5, 10, 30].map(|at| starts.find(at)), [Ok(0), Ok(1), Ok(3)]);
        assert_eq!(starts.remove(1), 10);
        assert_eq!((starts.find(10), starts.find(30), *starts.piece(2)), (Err(1), Ok(2), 30));
        starts.drain(0..2);
        starts.insert(0, 1, 1);
        for at in 2..6 {
            starts.insert(at as usize - 1, at, at);
        }
        assert_eq!(starts.take_all(&[1, 3, 4]), [2, 4, 5]);
        assert_eq!((starts.find(3), starts.find(5)), (Ok(1), Err(2)));
        assert_eq!(starts.take_all(&[1]), [3]);
        assert_eq!(starts.among(0..2).map(|(at, piece)| (at, *piece)).collect::<Vec<_>>(), [(1, 1), (30, 30)]);
    }
}

//! Pieces of L1, each with what a check knows of it.
//!
//! Pieces have their own lengths and may overlap where a check lets them; a walk finds all that some bytes touch, and never
//! stops at the first that does not reach so far. Start reading at [`Spans`].

use std::collections::BTreeMap;

use tileproof_model::event::TileAccess;

/// Pieces by the offset at which they begin: one an offset.
#[derive(Debug)]
pub(crate) struct Spans<T> {
    pieces: BTreeMap<u32, (u32, T)>,
    /// No piece is longer: how far ahead of some bytes a piece that touches them can begin.
    longest: u32,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Spans { pieces: BTreeMap::new(), longest: 0 }
    }
}

impl<T> Spans<T> {
    /// Adds a piece; the one that began at the same offset is returned.
    pub(crate) fn insert(&mut self, offset: u32, bytes: u32, value: T) -> Option<T> {
        self.longest = if self.pieces.is_empty() { bytes } else { self.longest.max(bytes) };
        self.pieces.insert(offset, (bytes, value)).map(|(_, old)| old)
    }

    /// Takes away the piece that begins at an offset.
    pub(crate) fn remove(&mut self, offset: u32) -> Option<T> {
        self.pieces.remove(&offset).map(|(_, value)| value)
    }

    /// The pieces that some bytes touch, in order.
    pub(crate) fn touching(&self, offset: u32, bytes: u32) -> impl DoubleEndedIterator<Item = (u32, &T)> {
        let (from, end) = self.reach(offset, bytes);
        let pieces = self.pieces.range(from..end);
        pieces.filter(move |(at, (length, _))| at.saturating_add(*length) > offset).map(|(at, (_, value))| (*at, value))
    }

    /// The pieces that some bytes touch, to be changed.
    pub(crate) fn touching_mut(&mut self, offset: u32, bytes: u32) -> impl DoubleEndedIterator<Item = &mut T> {
        let (from, end) = self.reach(offset, bytes);
        let pieces = self.pieces.range_mut(from..end);
        pieces.filter(move |(at, (length, _))| at.saturating_add(*length) > offset).map(|(_, (_, value))| value)
    }

    /// The pieces that begin among some bytes, to be changed.
    pub(crate) fn beginning_mut(&mut self, offset: u32, bytes: u32) -> impl Iterator<Item = &mut T> {
        self.pieces.range_mut(offset..offset.saturating_add(bytes)).map(|(_, (_, value))| value)
    }

    /// Takes away the pieces that some bytes touch, those that `goes` says.
    pub(crate) fn take_touching(&mut self, offset: u32, bytes: u32, goes: impl Fn(&T) -> bool) -> Vec<T> {
        if self.pieces.is_empty() {
            return Vec::new();
        }
        let touched = self.touching(offset, bytes).filter(|(_, value)| goes(value)).map(|(at, _)| at);
        touched.collect::<Vec<u32>>().into_iter().filter_map(|at| self.remove(at)).collect()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.pieces.values().map(|(_, value)| value)
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.pieces.into_values().map(|(_, value)| value)
    }

    fn reach(&self, offset: u32, bytes: u32) -> (u32, u32) {
        (offset.saturating_sub(self.longest), offset.saturating_add(bytes))
    }
}

impl<T: Copy> Spans<T> {
    /// Adds a piece in place of whatever lay among its bytes: pieces that are only added so do not overlap.
    pub(crate) fn overwrite(&mut self, offset: u32, bytes: u32, value: T) {
        self.cover(offset, bytes, |_, _| ());
        self.insert(offset, bytes, value);
    }

    /// Adds what a pack wrote. Pieces whose bytes lie apart, with those of others in between, overlap, and each replaces the
    /// one alone that began where it does. `met` is given what was there, and whether nothing of it is left.
    pub(crate) fn pack(&mut self, access: &TileAccess, value: T, mut met: impl FnMut(T, bool)) {
        if !access.is_spread {
            self.cover(access.offset, access.bytes, met);
            self.insert(access.offset, access.bytes, value);
        } else if let Some(old) = self.insert(access.offset, access.bytes, value) {
            met(old, true);
        }
    }

    /// Takes away what lay among some bytes, and leaves what pieces reach beyond. `met` is given each piece, and whether
    /// nothing of it is left.
    pub(crate) fn cover(&mut self, offset: u32, bytes: u32, mut met: impl FnMut(T, bool)) {
        let (from, end) = self.reach(offset, bytes);
        let touches = |&(at, piece): &(&u32, &(u32, T))| at.saturating_add(piece.0) > offset.max(*at);
        // Each piece is made not to touch the bytes any more, so that the search comes to an end.
        while let Some((at, (length, value))) =
            self.pieces.range(from..end).find(touches).map(|(at, piece)| (*at, *piece))
        {
            let past = at.saturating_add(length);
            if at < offset {
                self.pieces.insert(at, (offset - at, value));
            } else {
                self.pieces.remove(&at);
            }
            if past > end {
                // Pieces that do not overlap leave the place free.
                self.pieces.entry(end).or_insert((past - end, value));
            }
            met(value, at >= offset && past <= end);
        }
    }

    /// Cuts a piece in two where some bytes begin or end, so that each piece lies among them or outside.
    pub(crate) fn cut(&mut self, at: u32) {
        let piece = self.pieces.range_mut(..at).next_back();
        if let Some((from, (bytes, value))) = piece.filter(|(from, (bytes, _))| from.saturating_add(*bytes) > at) {
            let (rest, value) = (from.saturating_add(*bytes) - at, *value);
            *bytes = at - from;
            self.pieces.insert(at, (rest, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(spans: &Spans<char>, offset: u32, bytes: u32) -> String {
        spans.touching(offset, bytes).map(|(_, value)| *value).collect()
    }

    #[test]
    fn a_walk_finds_a_long_piece_behind_short_ones() {
        let mut spans = Spans::default();
        spans.insert(0, 100, 'l');
        spans.insert(10, 5, 's');
        spans.insert(20, 5, 't');
        assert_eq!(touched(&spans, 50, 10), "l");
        assert_eq!(touched(&spans, 12, 10), "lst");
        assert_eq!(touched(&spans, 100, 10), "");
    }

    #[test]
    fn what_covers_a_piece_in_part_leaves_the_rest() {
        let mut spans = Spans::default();
        spans.insert(0, 40, 'a');
        spans.insert(40, 10, 'b');
        spans.insert(50, 10, 'c');
        let mut met = Vec::new();
        spans.cover(30, 25, |value, is_gone| met.push((value, is_gone)));
        assert_eq!(met, [('a', false), ('b', true), ('c', false)]);
        assert_eq!(
            (touched(&spans, 30, 25), touched(&spans, 0, 30), touched(&spans, 55, 1)),
            ("".into(), "a".into(), "c".into())
        );
        spans.cover(10, 10, |_, _| ());
        assert_eq!((touched(&spans, 10, 10), touched(&spans, 0, 30)), ("".into(), "aa".into()));
    }

    #[test]
    fn a_piece_keeps_what_no_later_one_covers() {
        let mut spans = Spans::default();
        spans.overwrite(0, 40, 'a');
        spans.overwrite(10, 10, 'b');
        assert_eq!(touched(&spans, 0, 40), "aba");
        assert_eq!(touched(&spans, 10, 10), "b");
        spans.cut(30);
        assert_eq!((touched(&spans, 20, 10), touched(&spans, 30, 10)), ("a".into(), "a".into()));
        assert_eq!(touched(&spans, 20, 20), "aa");
    }
}

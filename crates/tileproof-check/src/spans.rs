//! Pieces of L1, each with what a check knows of it.
//!
//! Pieces have their own lengths and may overlap where a check lets them; a walk finds all that some bytes touch, and never
//! stops at the first that does not reach so far. Start reading at [`Spans`].

use std::ops::Range;

use tileproof_model::event::TileAccess;

use crate::starts::Starts;

/// Pieces by the offset at which they begin: one an offset.
#[derive(Debug)]
pub(crate) struct Spans<T> {
    /// The bytes of each, and what is known of it.
    pieces: Starts<(u32, T)>,
    /// No piece is longer: how far ahead of some bytes a piece that touches them can begin.
    longest: u32,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Spans { pieces: Starts::default(), longest: 0 }
    }
}

impl<T> Spans<T> {
    /// Adds a piece; the one that began at the same offset is returned.
    pub(crate) fn insert(&mut self, offset: u32, bytes: u32, value: T) -> Option<T> {
        self.longest = if self.pieces.is_empty() { bytes } else { self.longest.max(bytes) };
        self.pieces.put(offset, (bytes, value)).map(|(_, old)| old)
    }

    /// Takes away the piece that begins at an offset.
    pub(crate) fn remove(&mut self, offset: u32) -> Option<T> {
        self.pieces.find(offset).ok().map(|index| self.pieces.remove(index).1)
    }

    /// The pieces that some bytes touch, in order.
    pub(crate) fn touching(&self, offset: u32, bytes: u32) -> impl DoubleEndedIterator<Item = (u32, &T)> {
        let pieces = self.pieces.among(self.reach(offset, bytes));
        pieces.filter(move |(at, (length, _))| at.saturating_add(*length) > offset).map(|(at, (_, value))| (at, value))
    }

    /// Changes the pieces that some bytes touch, in order.
    pub(crate) fn change_touching(&mut self, offset: u32, bytes: u32, mut change: impl FnMut(&mut T)) {
        for index in self.reach(offset, bytes) {
            let at = self.pieces.start(index).unwrap_or_default();
            let (length, value) = self.pieces.piece_mut(index);
            if at.saturating_add(*length) > offset {
                change(value);
            }
        }
    }

    /// Changes the pieces that begin among some bytes.
    pub(crate) fn change_beginning(&mut self, offset: u32, bytes: u32, mut change: impl FnMut(&mut T)) {
        let first = self.pieces.from(offset);
        for index in first..self.behind(first, offset.saturating_add(bytes)) {
            change(&mut self.pieces.piece_mut(index).1);
        }
    }

    /// Takes away the pieces that some bytes touch, those that `goes` says.
    pub(crate) fn take_touching(&mut self, offset: u32, bytes: u32, goes: impl Fn(&T) -> bool) -> Vec<T> {
        let reach = self.reach(offset, bytes);
        if reach.is_empty() {
            return Vec::new();
        }
        let goes = |index: &usize| {
            let (length, value) = self.pieces.piece(*index);
            self.pieces.start(*index).is_some_and(|at| at.saturating_add(*length) > offset) && goes(value)
        };
        let gone: Vec<usize> = reach.filter(goes).collect();
        if gone.is_empty() {
            return Vec::new();
        }
        self.pieces.take_all(&gone).into_iter().map(|(_, value)| value).collect()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.pieces.among(0..self.pieces.len()).map(|(_, (_, value))| value)
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.pieces.into_pieces().map(|(_, value)| value)
    }

    /// Pieces that may touch some bytes: those that begin before their end, and not so far ahead that none reaches them.
    fn reach(&self, offset: u32, bytes: u32) -> Range<usize> {
        let at = self.pieces.from(offset);
        let mut first = at;
        while first > 0 && self.pieces.start(first - 1).is_some_and(|start| start.saturating_add(self.longest) > offset)
        {
            first -= 1;
        }
        first..self.behind(at, offset.saturating_add(bytes))
    }

    /// The index, from `first` on, of the first piece that begins at `end` or behind.
    fn behind(&self, first: usize, end: u32) -> usize {
        let mut behind = first;
        while self.pieces.start(behind).is_some_and(|start| start < end) {
            behind += 1;
        }
        behind
    }
}

impl<T: Copy> Spans<T> {
    /// Adds a piece in place of whatever lay among its bytes: pieces that are only added so do not overlap.
    pub(crate) fn overwrite(&mut self, offset: u32, bytes: u32, value: T) {
        self.replace(offset, bytes, value, |_, _| ());
    }

    /// Adds what a pack wrote. Pieces whose bytes lie apart, with those of others in between, overlap, and each replaces the
    /// one alone that began where it does. `met` is given what was there, and whether nothing of it is left.
    pub(crate) fn pack(&mut self, access: &TileAccess, value: T, mut met: impl FnMut(T, bool)) {
        if !access.is_spread {
            self.replace(access.offset, access.bytes, value, met);
        } else if let Some(old) = self.insert(access.offset, access.bytes, value) {
            met(old, true);
        }
    }

    /// Adds a piece in place of whatever lay among its bytes, of which `met` is told as by [`Spans::cover`].
    fn replace(&mut self, offset: u32, bytes: u32, value: T, mut met: impl FnMut(T, bool)) {
        let reach = self.reach(offset, bytes);
        // The same bytes again, and no others of a piece that reaches into them.
        if let Ok(index) = self.pieces.find(offset)
            && reach.end == index + 1
            && self.pieces.piece(index).0 == bytes
            && self.pieces.among(reach.start..index).all(|(at, (length, _))| at.saturating_add(*length) <= offset)
        {
            met(std::mem::replace(&mut self.pieces.piece_mut(index).1, value), true);
            return;
        }
        self.cover(offset, bytes, met);
        self.insert(offset, bytes, value);
    }

    /// Takes away what lay among some bytes, and leaves what pieces reach beyond. `met` is given each piece, and whether
    /// nothing of it is left.
    pub(crate) fn cover(&mut self, offset: u32, bytes: u32, mut met: impl FnMut(T, bool)) {
        let end = offset.saturating_add(bytes);
        let (mut gone, mut rests) = (Vec::new(), Vec::new());
        for index in self.reach(offset, bytes) {
            let at = self.pieces.start(index).unwrap_or_default();
            let (length, value) = *self.pieces.piece(index);
            let past = at.saturating_add(length);
            if past <= offset.max(at) {
                continue;
            }
            if at < offset {
                self.pieces.piece_mut(index).0 = offset - at;
            } else {
                gone.push(index);
            }
            if past > end {
                rests.push((past - end, value));
            }
            met(value, at >= offset && past <= end);
        }
        self.pieces.take_all(&gone);
        for (length, value) in rests {
            // Pieces that do not overlap leave the place free.
            if let Err(index) = self.pieces.find(end) {
                self.pieces.insert(index, end, (length, value));
            }
        }
    }

    /// Cuts a piece in two where some bytes begin or end, so that each piece lies among them or outside.
    pub(crate) fn cut(&mut self, at: u32) {
        let index = self.pieces.from(at);
        let Some(before) = index.checked_sub(1) else { return };
        let from = self.pieces.start(before).unwrap_or_default();
        let (bytes, value) = self.pieces.piece_mut(before);
        let past = from.saturating_add(*bytes);
        if past > at {
            let rest = (past - at, *value);
            *bytes = at - from;
            self.pieces.insert(index, at, rest);
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

//! Who touched which bytes last: the shadow of a memory.
//!
//! Bytes that were touched alike are one piece: the last write, and the reads since that do not yet lie before it for everybody.
//! So it grows with the memory that is in use, not with what happens. Start at [`Shadow::touch`].

use std::ops::Range;

use tileproof_model::abi::Site;

use super::clock::Moment;
use crate::starts::Starts;

/// What touches bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    Load,
    Store,
    Unpack,
    Pack,
    /// A NoC read brings data.
    ReadLands,
    /// A NoC read takes data from where they are.
    ReadTakes,
    /// A NoC write takes data.
    WriteTakes,
    /// A NoC write brings data.
    WriteLands,
}

impl Act {
    pub(super) fn is_write(self) -> bool {
        matches!(self, Act::Store | Act::Pack | Act::ReadLands | Act::WriteLands)
    }

    /// It happens some time after the call.
    pub(super) fn is_transfer(self) -> bool {
        matches!(self, Act::ReadLands | Act::ReadTakes | Act::WriteTakes | Act::WriteLands)
    }
}

/// Bytes were touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) act: Act,
    /// Index of the thread that did it or asked for it.
    pub(super) actor: u32,
    pub(super) site: Site,
    /// When it is over.
    pub(super) at: Moment,
    /// Another moment that lies behind it: of the source of a write, that it has landed.
    pub(super) or: Moment,
    /// When it was asked for: a moment of the thread.
    pub(super) issued: Moment,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Piece {
    end: u32,
    write: Option<Access>,
    /// The first of the reads: most pieces have one reader.
    read: Option<Access>,
    others: Vec<Access>,
}

/// Bytes that loops touch one by one.
const WORDS: u32 = 64;

/// The shadow of a memory: pieces that do not overlap.
#[derive(Default, Debug)]
pub(super) struct Shadow {
    pieces: Starts<Piece>,
}

/// Bytes of a bank of DRAM that have a shadow of their own: a few pages, so that pages which are touched for the first time between others
/// move few of them.
const PART: u32 = 1 << 16;

/// The shadow of DRAM, by bank and part of a bank, of those that were touched.
#[derive(Default, Debug)]
pub(super) struct Banks(Vec<Vec<Option<Box<Shadow>>>>);

impl Banks {
    /// [`Shadow::touch`] of bytes of a bank.
    pub(super) fn touch(
        &mut self,
        bank: u32,
        (offset, bytes): (u32, u32),
        access: Access,
        mut is_before: impl FnMut(&Access) -> bool,
    ) -> Option<Met> {
        let bank = bank as usize;
        if self.0.len() <= bank {
            self.0.resize_with(bank + 1, Vec::new);
        }
        let parts = &mut self.0[bank];
        let (mut at, end, mut met) = (offset, offset.saturating_add(bytes), None);
        while at < end {
            let part = (at / PART) as usize;
            if parts.len() <= part {
                parts.resize_with(part + 1, || None);
            }
            let rest = (end - at).min(PART - at % PART);
            let shadow = parts[part].get_or_insert_default();
            met = met.or(shadow.touch(at, rest, access, &mut is_before));
            at += rest;
        }
        met
    }
}

/// What a new access finds: an earlier one that nothing puts before it, and the first byte of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) first: Access,
    pub(super) offset: u32,
}

impl Piece {
    fn new(end: u32, access: Access) -> Piece {
        let mut piece = Piece { end, ..Piece::default() };
        if access.act.is_write() {
            piece.write = Some(access);
        } else {
            piece.read = Some(access);
        }
        piece
    }

    /// Asks of the accesses that conflict with a new one.
    fn meets(&self, offset: u32, is_write: bool, is_before: &mut impl FnMut(&Access) -> bool) -> Option<Met> {
        let reads = self.read.iter().chain(&self.others).filter(|_| is_write);
        let first = self.write.iter().chain(reads).find(|access| !is_before(access))?;
        Some(Met { first: *first, offset })
    }

    fn set(&mut self, access: Access) {
        self.write = Some(access);
        self.read = None;
        self.others.clear();
    }

    fn add_read(&mut self, access: Access, is_before: &mut impl FnMut(&Access) -> bool) {
        let same =
            |old: &Access| (old.actor, old.at.component, old.act) == (access.actor, access.at.component, access.act);
        if let Some(old) = self.read.iter_mut().chain(&mut self.others).find(|old| same(old)) {
            *old = access;
            return;
        }
        // Whoever comes behind the new one comes behind those as well.
        self.others.retain(|old| !is_before(old));
        match &self.read {
            Some(old) if !is_before(old) => self.others.push(access),
            _ => self.read = Some(access),
        }
    }

    /// Whether an access changes nothing of what is known of each of its bytes.
    fn knows(&self, access: &Access) -> bool {
        let reads = || self.read.iter().chain(&self.others);
        if access.act.is_write() {
            self.write.as_ref() == Some(access) && reads().next().is_none()
        } else {
            reads().any(|read| read == access)
        }
    }

    fn is_like(&self, other: &Piece) -> bool {
        (self.write, self.read) == (other.write, other.read) && self.others == other.others
    }
}

impl Shadow {
    /// Bytes are touched. `is_before` says whether an earlier access is known to be over; the first that conflicts and is not
    /// comes back.
    pub(super) fn touch(
        &mut self,
        offset: u32,
        bytes: u32,
        access: Access,
        mut is_before: impl FnMut(&Access) -> bool,
    ) -> Option<Met> {
        let (end, is_write) = (offset.saturating_add(bytes), access.act.is_write());
        if offset >= end {
            return None;
        }
        let found = self.pieces.find(offset);
        // Most accesses come again and again to the same bytes: a page, a tile.
        if let Ok(index) = found {
            let piece = self.pieces.piece_mut(index);
            if piece.end == end {
                let met = piece.meets(offset, is_write, &mut is_before);
                if is_write {
                    piece.set(access);
                } else {
                    piece.add_read(access, &mut is_before);
                }
                self.join(index, bytes);
                return met;
            }
        }
        let mut behind = found.unwrap_or_else(|index| index);
        while self.pieces.start(behind).is_some_and(|start| start < end) {
            behind += 1;
        }
        let Some(last) = behind.checked_sub(1) else {
            self.pieces.insert(0, offset, Piece::new(end, access));
            return None;
        };
        let start = self.pieces.start(last).unwrap_or_default();
        let piece = self.pieces.piece_mut(last);
        // A loop that goes over words again in which it has changed all alike.
        if bytes <= WORDS && end <= piece.end && start <= offset && piece.knows(&access) {
            return piece.meets(offset, is_write, &mut is_before);
        }
        // Nobody has touched these.
        if piece.end <= offset {
            let new = Piece::new(end, access);
            if bytes <= WORDS && piece.end == offset && piece.is_like(&new) {
                piece.end = end;
            } else {
                self.pieces.insert(behind, offset, new);
            }
            return None;
        }
        let met = self.meets(offset, bytes, is_write, &mut is_before);
        let (from, to) = (self.cut(offset), self.cut(end));
        if is_write {
            self.pieces.drain(from..to);
            self.pieces.insert(from, offset, Piece::new(end, access));
        } else {
            self.read(from..to, (offset, end), access, &mut is_before);
        }
        self.join(from, bytes);
        met
    }

    /// The first access that conflicts with one that comes now, and is not over.
    pub(super) fn meets(
        &self,
        offset: u32,
        bytes: u32,
        is_write: bool,
        is_before: &mut impl FnMut(&Access) -> bool,
    ) -> Option<Met> {
        self.among(offset, bytes).find_map(|(at, piece)| piece.meets(at.max(offset), is_write, is_before))
    }

    /// The last write to the first of some bytes, and how many bytes it wrote there alike.
    pub(super) fn written(&self, offset: u32) -> Option<(Access, u32)> {
        let (at, piece) = self.among(offset, 1).next()?;
        Some((piece.write?, piece.end - at))
    }

    /// The pieces that some bytes touch.
    fn among(&self, offset: u32, bytes: u32) -> impl Iterator<Item = (u32, &Piece)> {
        let end = offset.saturating_add(bytes);
        let first = self.pieces.find(offset).unwrap_or_else(|behind| behind.saturating_sub(1));
        let pieces = self.pieces.among(first..self.pieces.len());
        pieces.take_while(move |(start, _)| *start < end).filter(move |(_, piece)| piece.end > offset)
    }

    /// Reads pieces that lie among some bytes, and what nobody has touched between them.
    fn read(
        &mut self,
        among: Range<usize>,
        (offset, end): (u32, u32),
        access: Access,
        is_before: &mut impl FnMut(&Access) -> bool,
    ) {
        let mut untouched = Vec::new();
        let (mut at, behind) = (offset, among.end);
        for index in among {
            let start = self.pieces.start(index).unwrap_or(end);
            if at < start {
                untouched.push((index, at, start));
            }
            let piece = self.pieces.piece_mut(index);
            piece.add_read(access, is_before);
            at = piece.end;
        }
        if at < end {
            untouched.push((behind, at, end));
        }
        for (index, start, end) in untouched.into_iter().rev() {
            self.pieces.insert(index, start, Piece::new(end, access));
        }
    }

    /// Cuts the piece in two that an offset lies in; the index of the first piece from there on.
    fn cut(&mut self, at: u32) -> usize {
        let index = self.pieces.from(at);
        if let Some(before) = index.checked_sub(1) {
            let piece = self.pieces.piece_mut(before);
            if piece.end > at {
                let rest = piece.clone();
                piece.end = at;
                self.pieces.insert(index, at, rest);
            }
        }
        index
    }

    /// Makes one piece of a word and what lies before it, if they are alike: words that a loop touches one by one.
    fn join(&mut self, index: usize, bytes: u32) {
        if bytes > WORDS || index == 0 {
            return;
        }
        let [before, this] = [index - 1, index].map(|index| self.pieces.piece(index));
        if Some(before.end) == self.pieces.start(index) && before.is_like(this) {
            let end = this.end;
            self.pieces.piece_mut(index - 1).end = end;
            self.pieces.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(act: Act, actor: u32) -> Access {
        let at = Moment { component: actor, number: 1 };
        Access { act, actor, site: Site(u64::from(actor)), at, or: at, issued: at }
    }

    #[test]
    fn a_write_meets_the_read_of_part_of_its_bytes_and_no_other() {
        let mut shadow = Shadow::default();
        assert!(shadow.touch(0, 64, access(Act::Store, 0), |_| true).is_none());
        assert!(shadow.touch(32, 8, access(Act::Load, 1), |_| true).is_none());
        let by = |first: &Access| first.actor != 1;
        assert!(shadow.meets(0, 32, true, &mut |first| by(first)).is_none());
        assert!(shadow.meets(40, 24, true, &mut |first| by(first)).is_none());
        let met = shadow.touch(16, 32, access(Act::Store, 2), by).expect("the load");
        assert_eq!((met.first.act, met.offset), (Act::Load, 32));
        // The write has taken its place.
        assert!(shadow.touch(16, 32, access(Act::Load, 3), |first| first.actor == 2).is_none());
        assert_eq!(shadow.written(15).map(|(access, _)| access.actor), Some(0));
        assert_eq!(shadow.written(48).map(|(access, _)| access.actor), Some(0));
    }

    #[test]
    fn a_transfer_over_parts_of_a_bank_meets_what_is_in_any_of_them() {
        let mut banks = Banks::default();
        let mut touch =
            |bank, bytes, act, actor| banks.touch(bank, bytes, access(act, actor), |first| first.actor == 9);
        assert!(touch(1, (PART - 64, 128), Act::WriteLands, 0).is_none());
        assert!(touch(0, (PART - 64, 128), Act::ReadTakes, 1).is_none(), "another bank");
        assert_eq!(touch(1, (PART, 64), Act::ReadTakes, 1).map(|met| met.offset), Some(PART));
        assert_eq!(touch(1, (0, 3 * PART), Act::ReadTakes, 2).map(|met| met.offset), Some(PART - 64));
        assert!(touch(1, (PART + 64, PART), Act::WriteLands, 3).is_some(), "the read of all");
    }

    #[test]
    fn two_reads_do_not_meet() {
        let mut shadow = Shadow::default();
        shadow.touch(0, 64, access(Act::Unpack, 0), |_| false);
        assert!(shadow.touch(0, 64, access(Act::WriteTakes, 1), |_| false).is_none());
    }

    #[test]
    fn words_of_a_loop_are_one_piece_however_many_and_whichever_way() {
        let mut shadow = Shadow::default();
        for word in 0..1000 {
            shadow.touch(4 * word, 4, access(Act::Store, 0), |_| true);
        }
        assert_eq!(shadow.pieces.len(), 1);
        for word in 0..1000 {
            shadow.touch(4 * word, 4, access(Act::Load, 1), |_| true);
        }
        assert_eq!(shadow.pieces.len(), 1);
        assert_eq!(
            shadow.meets(0, 4000, true, &mut |first| first.act == Act::Store).map(|met| met.first.actor),
            Some(1)
        );
    }

    #[test]
    fn a_word_that_is_touched_again_by_the_same_is_as_it_was_and_by_another_is_not() {
        let mut shadow = Shadow::default();
        shadow.touch(0, 256, access(Act::Store, 0), |_| true);
        assert!(shadow.touch(64, 4, access(Act::Store, 0), |first| first.actor == 0).is_none());
        assert_eq!((shadow.pieces.len(), shadow.written(64).map(|(access, _)| access.actor)), (1, Some(0)));
        // Whatever conflicts is met all the same.
        assert!(shadow.touch(64, 4, access(Act::Store, 0), |_| false).is_some());
        shadow.touch(64, 4, access(Act::Load, 1), |_| true);
        shadow.touch(64, 4, access(Act::Store, 0), |_| true);
        assert!(shadow.meets(64, 4, true, &mut |first| first.act == Act::Store).is_none(), "the load lies behind");
        assert_eq!(shadow.written(64).map(|(access, _)| access.actor), Some(0));
    }
}

//! Who touched which bytes last: the shadow of a memory.
//!
//! Bytes that were touched alike are one piece: the last write, and the reads since that do not yet lie before it for everybody.
//! So it grows with the memory that is in use, not with what happens. Start at [`Shadow::touch`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;

use super::clock::Moment;

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
    reads: Vec<Access>,
}

/// Bytes that loops touch one by one.
const WORDS: u32 = 64;

/// The shadow of a memory, by offset. Pieces do not overlap.
#[derive(Default, Debug)]
pub(super) struct Shadow(BTreeMap<u32, Piece>);

/// What a new access finds: an earlier one that nothing puts before it, and the first byte of both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) first: Access,
    pub(super) offset: u32,
}

impl Piece {
    /// Asks of the accesses that conflict with a new one.
    fn meets(&self, offset: u32, is_write: bool, is_before: &mut impl FnMut(&Access) -> bool) -> Option<Met> {
        let reads = self.reads.iter().filter(|_| is_write);
        let first = self.write.iter().chain(reads).find(|access| !is_before(access))?;
        Some(Met { first: *first, offset })
    }

    fn add_read(&mut self, access: Access, is_before: &mut impl FnMut(&Access) -> bool) {
        let same = |old: &&mut Access| {
            (old.actor, old.at.component, old.act) == (access.actor, access.at.component, access.act)
        };
        if let Some(old) = self.reads.iter_mut().find(same) {
            *old = access;
            return;
        }
        // Whoever comes behind the new one comes behind those as well.
        self.reads.retain(|old| !is_before(old));
        self.reads.push(access);
    }

    fn is_like(&self, other: &Piece) -> bool {
        self.write == other.write && self.reads == other.reads
    }
}

impl Shadow {
    /// Bytes are touched. `is_before` says whether an earlier access is known to be over; the first that conflicts and is not comes back.
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
        // Most accesses come again and again to the same bytes: a page, a tile.
        if let Some(piece) = self.0.get_mut(&offset)
            && piece.end == end
        {
            let met = piece.meets(offset, is_write, &mut is_before);
            if is_write {
                piece.write = Some(access);
                piece.reads.clear();
            } else {
                piece.add_read(access, &mut is_before);
            }
            if bytes <= WORDS {
                self.join(offset);
            }
            return met;
        }
        let met = self.meets(offset, bytes, is_write, &mut is_before);
        self.cut(offset);
        self.cut(end);
        if is_write {
            while let Some(at) = self.0.range(offset..end).next().map(|(at, _)| *at) {
                self.0.remove(&at);
            }
            self.0.insert(offset, Piece { end, write: Some(access), reads: Vec::new() });
        } else {
            self.read(offset, end, access, &mut is_before);
        }
        self.join(offset);
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
        self.pieces(offset, bytes).find_map(|(at, piece)| piece.meets(at.max(offset), is_write, is_before))
    }

    /// The last write to the first of some bytes, and how many bytes it wrote there alike.
    pub(super) fn written(&self, offset: u32) -> Option<(Access, u32)> {
        let (at, piece) = self.pieces(offset, 1).next()?;
        Some((piece.write?, piece.end - at))
    }

    /// The pieces that some bytes touch.
    fn pieces(&self, offset: u32, bytes: u32) -> impl Iterator<Item = (u32, &Piece)> {
        let first = self.0.range(..=offset).next_back().filter(|(_, piece)| piece.end > offset).map(|(at, _)| *at);
        let end = offset.saturating_add(bytes);
        self.0.range(first.unwrap_or(offset)..end.max(first.unwrap_or(offset))).map(|(at, piece)| (*at, piece))
    }

    /// Reads what lies between, and what nobody has touched.
    fn read(&mut self, offset: u32, end: u32, access: Access, is_before: &mut impl FnMut(&Access) -> bool) {
        let mut at = offset;
        let mut gaps = Vec::new();
        for (start, piece) in self.0.range_mut(offset..end) {
            if at < *start {
                gaps.push((at, *start));
            }
            piece.add_read(access, is_before);
            at = piece.end;
        }
        if at < end {
            gaps.push((at, end));
        }
        for (start, end) in gaps {
            self.0.insert(start, Piece { end, write: None, reads: vec![access] });
        }
    }

    /// Cuts the piece in two that an offset lies in.
    fn cut(&mut self, at: u32) {
        let piece = self.0.range_mut(..at).next_back().filter(|(_, piece)| piece.end > at);
        if let Some((_, piece)) = piece {
            let rest = piece.clone();
            piece.end = at;
            self.0.insert(at, rest);
        }
    }

    /// Makes one piece of that at an offset and the one before it, if they are alike: words that a loop touches one by one.
    fn join(&mut self, at: u32) {
        let Some(piece) = self.0.get(&at) else { return };
        let before = self.0.range(..at).next_back();
        if let Some((start, before)) = before.filter(|(_, before)| before.end == at && before.is_like(piece)) {
            let (start, end) = (*start, piece.end);
            debug_assert!(before.end <= end);
            self.0.remove(&at);
            if let Some(before) = self.0.get_mut(&start) {
                before.end = end;
            }
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
        assert_eq!(shadow.0.len(), 1);
        for word in 0..1000 {
            shadow.touch(4 * word, 4, access(Act::Load, 1), |_| true);
        }
        assert_eq!(shadow.0.len(), 1);
        assert_eq!(
            shadow.meets(0, 4000, true, &mut |first| first.act == Act::Store).map(|met| met.first.actor),
            Some(1)
        );
    }
}

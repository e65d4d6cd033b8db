//! Which thread moved data to another place than it came from, where an output holds what is expected in other places.
//!
//! A datum of a tile that a unit made stands in a row and a column of it. Where those are not the row and column of the tile that its
//! element has in the tensor, a write moved it; where they are not those of the element that was read, a read did. Must never
//! blame a thread for rows that a block of another width has moved. Start at [`Case::carrier`].

use tileproof_model::op_word::{pack_kind, unpack_kind};
use tileproof_model::program::Layout;
use tileproof_numerics::tile::face_index;

use super::super::exact::place;
use super::super::nodes::{Call, Op, transposes};
use super::super::origin::Origin;
use super::super::recipe::{self, Part};
use super::case::{Case, Wrong};

/// Row and column within a tile.
type InTile = (usize, usize);

impl Case<'_> {
    /// The read, store or write that brought an element to another place of its tile, and what it does.
    pub(super) fn carrier(&self, first: &Wrong) -> Option<(Call, String)> {
        let carried = self.written(first).or_else(|| self.stored_before(first)).or_else(|| self.read(first))?;
        (carried.0.launch == self.of.launch).then_some(carried)
    }

    /// Where an element has its place in a tile.
    fn in_tile(&self, tensor: usize, element: usize) -> InTile {
        let (rows, columns, _) = self.of.homes.all[tensor].matrices();
        (element / columns % rows % 32, element % columns % 32)
    }

    /// A write that takes a datum of a tile elsewhere.
    fn written(&self, first: &Wrong) -> Option<(Call, String)> {
        let home = &self.of.homes.all[self.question.tensor];
        let stood = match (home.tensor.layout, self.of.nodes.get(first.node)?.op) {
            (Layout::Tile, Op::Pack { word, .. }) if word.kind() != pack_kind::UNTILIZE => place(first.at),
            (Layout::Tile, _) => return None,
            (_, Op::Pack { word, .. }) if word.kind() == pack_kind::UNTILIZE => {
                (32 * word.block_and_row().1 as usize == home.matrices().1).then(|| place(first.at))?
            }
            _ => self.untilized(first, home.matrices().1)?,
        };
        let stands = self.in_tile(self.question.tensor, first.element);
        let (piece, at) = home.lies(first.element)?;
        let call = first.stored.or_else(|| self.of.memory.write_to(piece, at))?;
        let element = self.spelled(first.element);
        let does =
            format!("{element} is written from {} of its tile, and belongs to {}", spelled(stood), spelled(stands));
        (stood != stands).then_some((call, does))
    }

    /// Where a datum stood in the tile that UNPACK made rows of, if those are as long as the tensor's.
    fn untilized(&self, first: &Wrong, columns: usize) -> Option<InTile> {
        recipe::way(self.of, first.node, first.at).into_iter().find_map(|(node, at)| {
            let its = self.of.nodes.get(node)?;
            let Op::Unpack { word, .. } = its.op else { return None };
            let is_whole = word.kind() == unpack_kind::UNTILIZE && 32 * word.wide() as usize == columns;
            match recipe::parts(its, at).first().filter(|_| is_whole)? {
                Part::Of(_, before) => Some(place(*before)),
                // It was read as it lies in its tensor.
                Part::Leaf(Origin::Tensor { number, byte }) => {
                    let from = self.of.homes.all.get(usize::from(*number))?;
                    let element = from.element(*byte)?.ok().filter(|_| from.tensor.layout == Layout::Tile)?;
                    Some(self.in_tile(usize::from(*number), element))
                }
                Part::Leaf(_) => None,
            }
        })
    }

    /// The last datum of a unit on the way to an element, and where it was read from.
    fn leaf(&self, first: &Wrong) -> Option<(Op, usize, Origin)> {
        let (node, at) = recipe::way(self.of, first.node, first.at).into_iter().last()?;
        let its = self.of.nodes.get(node)?;
        match recipe::parts(its, at).first() {
            Some(Part::Leaf(origin)) => Some((its.op, at, *origin)),
            _ => None,
        }
    }

    /// A thread that stored a datum itself before UNPACK took it.
    fn stored_before(&self, first: &Wrong) -> Option<(Call, String)> {
        let (_, _, origin) = self.leaf(first)?;
        Some((self.of.storer(origin)?, "a thread stores it in its place before it is unpacked".into()))
    }

    /// A read that brings an element to another place of a tile.
    fn read(&self, first: &Wrong) -> Option<(Call, String)> {
        let (op, at, Origin::Tensor { number, byte }) = self.leaf(first)? else { return None };
        let home = self.of.homes.all.get(usize::from(number))?;
        let Op::Unpack { word, .. } = op else { return None };
        let is_whole = match home.tensor.layout {
            Layout::Tile => !word.tilizes() && word.kind() != unpack_kind::UNTILIZE,
            _ => word.tilizes() && 32 * word.wide() as usize == home.matrices().1,
        };
        let from = self.in_tile(usize::from(number), home.element(byte)?.ok()?);
        let (row, column) = place(at);
        let to = if transposes(word) { (column, row) } else { (row, column) };
        let call = self.of.pages.reader(number)?;
        let does = format!("what belongs to {} of a tile is read to {}", spelled(from), spelled(to));
        (is_whole && from != to).then_some((call, does))
    }
}

/// A place in a tile, with its face.
pub(super) fn spelled((row, column): InTile) -> String {
    format!("[{row}, {column}] (face {})", face_index(row, column) / 256)
}

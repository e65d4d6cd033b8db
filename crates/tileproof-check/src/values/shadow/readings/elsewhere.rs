//! Elements that a thread has taken out of a tile itself, from other places than those where the expected values stand.
//!
//! A column of a tile lies in two faces, with other data between its datums. It must never speak of an element whose value stands
//! nowhere in the tile that it was taken of. Start at [`Case::taken_elsewhere`].

use std::collections::BTreeSet;

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::wording::figure;
use tileproof_numerics::tile::TILE_DATUMS;

use super::super::exact::place;
use super::carrier::spelled;
use super::case::{Case, Wrong};

/// Elements that are looked at.
const LOOKED_AT: usize = 4096;
/// How near a value must be to the expected one.
const NEAR: f64 = 1e-2;

impl Case<'_> {
    /// A thread that copies data of a tile one by one, and takes others than those that are expected.
    pub(super) fn taken_elsewhere(&self) -> Option<Raised> {
        let call = self.wrong.first()?.stored.filter(|call| call.launch == self.of.launch)?;
        let is_all = self.wrong.len() == self.question.wrong.len() && self.wrong.len() <= LOOKED_AT;
        if !is_all {
            return None;
        }
        let wanted: BTreeSet<u64> =
            self.wrong.iter().map(|wrong| self.question.expected[wrong.element].to_bits()).collect();
        let stands = |wrong: &Wrong| wrong.stored.is_some() && !self.stands(wrong).is_empty();
        if wanted.len() < self.wrong.len().min(2) || !self.wrong.iter().all(stands) {
            return None;
        }
        // Equal numbers are not told apart.
        let (first, meant) = self.wrong.iter().find_map(|wrong| match self.stands(wrong)[..] {
            [one] => Some((wrong, place(one))),
            _ => None,
        })?;
        let tile = self.of.nodes.tile(Some(first.node))?;
        let value = tile.actual[first.at];
        let is_one = tile.actual.iter().filter(|other| **other == value).count() == 1;
        let taken = if is_one { spelled(place(first.at)) } else { figure(value) };
        let message = format!(
            "{}: a thread takes {taken} of a tile for {}, where what is expected stands at {}",
            self.name(),
            self.spelled(first.element),
            spelled(meant)
        );
        let mut found = self.raised(call, Code::OTHER_FUNCTION, message).text("stores a datum of another place");
        if value == 0.0 && !is_one {
            found = found.remark("what lies beside the results of a reduce is 0: the packer's edge mask writes it");
        }
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help(
            "a tile is four faces of 16 rows of 16: row r and column c lie in face r / 16 * 2 + c / 16, at r % 16 * 16 + c % 16",
        ))
    }

    /// Where in its tile the expected value of an element stands.
    fn stands(&self, wrong: &Wrong) -> Vec<usize> {
        let wanted = self.question.expected[wrong.element];
        let Some(tile) = self.of.nodes.tile(Some(wrong.node)) else { return Vec::new() };
        (0..TILE_DATUMS).filter(|at| (tile.actual[*at] - wanted).abs() <= NEAR * wanted.abs()).collect()
    }
}

//! Elements that an operation of the vector unit has left as they were, since its vector mode works on some faces alone.
//!
//! Where what is left out is padding or no result that is as it should be: it must never speak of an element that is right. Start at
//! [`Case::left_out`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::wording::count;

use super::super::nodes::{Call, Op};
use super::super::recipe;
use super::case::{Case, Wrong};

/// A face is 16 rows of 16 datums.
const FACE: u64 = 0xffff;

/// What a vector mode works on.
fn works_on(rows: u64) -> String {
    let faces: Vec<String> =
        (0..4).filter(|face| rows >> (16 * face) & FACE == FACE).map(|face: u64| face.to_string()).collect();
    match faces.as_slice() {
        [] => "some rows".into(),
        [one] => format!("face {one}"),
        [first @ .., last] => format!("faces {} and {last}", first.join(", ")),
    }
}

impl Case<'_> {
    /// A call of the vector unit that has left out all that is wrong, and something that is right not.
    pub(super) fn left_out(&self) -> Option<Raised> {
        let first = self.wrong.first()?;
        let (call, op, rows) = self.leaves(first, None)?;
        let has_right = self.question.wrong.len() < self.question.found.len();
        if !has_right || !self.wrong.iter().all(|wrong| self.leaves(wrong, Some(call)).is_some()) {
            return None;
        }
        let name = op.name();
        let message = format!(
            "{}: {name} leaves out all {} that are wrong: its vector mode works on {} alone",
            self.name(),
            count(self.question.wrong.len() as u64, "element"),
            works_on(rows)
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text("leaves the rest of the tile as it was");
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help("leave the vector mode to its default, RC, where the whole tile is data"))
    }

    /// The last call on the way to an element that leaves it out, or the one that is asked for.
    fn leaves(&self, wrong: &Wrong, asked: Option<Call>) -> Option<(Call, Op, u64)> {
        recipe::way(self.of, wrong.node, wrong.at).into_iter().find_map(|(node, at)| {
            let its = self.of.nodes.get(node).filter(|node| node.call.launch == self.of.launch)?;
            let Op::Vector { rows, .. } = its.op else { return None };
            let is_asked = asked.is_none_or(|call| (call.thread, call.site) == (its.call.thread, its.call.site));
            (is_asked && rows >> (at / 16) & 1 == 0).then_some((its.call, its.op, rows))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::works_on;

    #[test]
    fn faces_are_named_that_are_worked_on_as_a_whole() {
        assert_eq!(works_on(0xffff), "face 0");
        assert_eq!(works_on(0xffff_ffff), "faces 0 and 1");
        assert_eq!(works_on(0xffff_0000_ffff), "faces 0 and 2");
        assert_eq!(works_on(0xff), "some rows");
    }
}

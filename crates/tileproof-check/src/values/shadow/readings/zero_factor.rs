//! Outputs that are 0 throughout since a scaler or a factor is, where it is taken from.
//!
//! A reduce takes its scaler from the first row of each face (tt-metal `reduce.h`), a broadcast its operand from row 0, column 0 or
//! [0, 0] (tt-metal `bcast.h`): what was put into another place counts for nothing. It must never speak of an output that holds a number. Start at [`Case::zero_factor`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::op_word::{broadcast, eltwise, math_kind};
use tileproof_model::wording::{cb_name, figure};
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::TILE_DATUMS;

use super::super::exact::{place, spread};
use super::super::nodes::{Node, Op};
use super::super::recipe;
use super::case::{Case, Wrong};

impl Case<'_> {
    /// The operation on the way whose scaler or factor is 0.
    pub(super) fn zero_factor(&self, first: &Wrong) -> Option<Raised> {
        let is_zero = |wrong: &Wrong| self.question.found[wrong.element] == 0.0 && wrong.exact == 0.0;
        if !self.wrong.iter().all(is_zero) {
            return None;
        }
        recipe::way(self.of, first.node, first.at).into_iter().find_map(|(node, at)| {
            let its = self.of.nodes.get(node).filter(|node| node.call.launch == self.of.launch)?;
            let (what, taken, at) = factor(its, at)?;
            (recipe::value(self.of, taken, at)? == 0.0).then(|| self.says_zero(first, its, (what, taken, at)))?
        })
    }

    fn says_zero(&self, first: &Wrong, node: &Node, (what, taken, at): (&str, u32, usize)) -> Option<Raised> {
        let tile = self.of.nodes.tile(Some(taken))?;
        let (row, column) = place(at);
        let from = match self.of.nodes.get(taken)?.op {
            Op::Unpack { cb, .. } => format!(" of {}", cb_name(cb)),
            _ => String::new(),
        };
        let other = (0..TILE_DATUMS).find(|at| tile.actual[*at] != 0.0).map(|other| {
            let (row, column) = place(other);
            format!(", while [{row}, {column}] of its tile holds {}", figure(tile.actual[other]))
        });
        let message = format!(
            "{}: all that is wrong is 0, and so is the {what} of {}: it is taken from [{row}, {column}]{from}{}",
            self.name(),
            node.op.name(),
            other.unwrap_or_default()
        );
        let found = self.raised(node.call, Code::OTHER_FUNCTION, message).text(format!("its {what} is 0"));
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help(
            "put a scaler into the first row of each face, and the operand of a broadcast into row 0, column 0 or [0, 0]",
        ))
    }
}

/// What a result is multiplied with: what it is called, the tile and the place that it is taken from.
fn factor(node: &Node, at: usize) -> Option<(&'static str, u32, usize)> {
    match node.op {
        Op::Math(word) if word.kind() == math_kind::REDUCE && !word.is_maximum() => {
            Some(("scaler", node.inputs[usize::from(!word.scaler_is_src_a())]?, 0))
        }
        Op::Math(word)
            if word.kind() == math_kind::ELTWISE && word.a() == eltwise::MUL && word.b() != broadcast::NONE =>
        {
            Some(("operand", node.inputs[1]?, spread(word.b(), at)))
        }
        Op::Vector { op: SfpuOp::MulBinary, .. } => Some(("second factor", node.inputs[1]?, at)),
        _ => None,
    }
}

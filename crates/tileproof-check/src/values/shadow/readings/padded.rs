//! Padding whose value is known, and which a sum or a maximum takes in beside data.
//!
//! A host that fills padding with 0 makes it harmless to sums alone, and only before a function makes another number of it. It must
//! never speak of padding that changes nothing. Start at [`Case::takes_padding`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::op_word::{OpWord, math_kind};
use tileproof_model::wording::{count, figure};

use super::super::nodes::{Node, Op};
use super::super::origin::Origin;
use super::super::recipe::{self, Part};
use super::case::{Case, Wrong};

/// Operations one behind the other, from padding to the reduce.
const DEEPEST: usize = 24;
/// Tiles of one sum that are looked at.
const TERMS: usize = 64;

/// A datum of padding: its tensor, its value, and what made another number of it.
struct Padding {
    tensor: u16,
    value: f64,
    by: Option<Op>,
}

impl Case<'_> {
    /// An operation on the way to an element took in padding that counts.
    pub(super) fn takes_padding(&self, first: &Wrong) -> Option<Raised> {
        recipe::way(self.of, first.node, first.at).into_iter().find_map(|(node, at)| {
            let its = self.of.nodes.get(node).filter(|node| node.call.launch == self.of.launch)?;
            let Op::Math(word) = its.op else { return None };
            let is_pool = matches!(word.kind(), math_kind::REDUCE | math_kind::MATMUL);
            if is_pool { self.with_padding(first, (its, word), at) } else { None }
        })
    }

    /// The data that an operation and those that it adds to take in, without scalers.
    fn taken(&self, node: &Node, word: OpWord, at: usize) -> Vec<(u32, usize)> {
        let (mut all, mut next) = (Vec::new(), Some(node));
        for _ in 0..TERMS {
            let Some(its) = next.filter(|its| its.op == Op::Math(word)) else { break };
            let [a, b, _] = its.inputs;
            let scaler = (word.kind() == math_kind::REDUCE).then(|| if word.scaler_is_src_a() { a } else { b });
            all.extend(recipe::parts(its, at).into_iter().filter_map(|part| match part {
                Part::Of(node, at) if Some(node) != its.before && Some(Some(node)) != scaler => Some((node, at)),
                _ => None,
            }));
            next = its.before.and_then(|before| self.of.nodes.get(before));
        }
        all
    }

    fn with_padding(&self, first: &Wrong, (node, word): (&Node, OpWord), at: usize) -> Option<Raised> {
        let all = self.taken(node, word, at);
        let (padding, data): (Vec<_>, Vec<_>) =
            all.into_iter().map(|(node, at)| (self.padding(node, at), (node, at))).partition(|(its, _)| its.is_some());
        let of_data = data.iter().filter_map(|(_, (node, at))| recipe::value(self.of, *node, *at));
        let greatest = of_data.fold(f64::NEG_INFINITY, f64::max);
        let is_maximum = word.is_maximum();
        let counts = |its: &&Padding| if is_maximum { its.value > greatest } else { its.value != 0.0 };
        let padding: Vec<Padding> = padding.into_iter().filter_map(|(its, _)| its).collect();
        let counting = padding.iter().find(counts).filter(|_| !data.is_empty())?;
        let tensor = &self.of.homes.all[usize::from(counting.tensor)].tensor;
        let became = counting.by.map_or_else(
            || format!(", here {}", figure(counting.value)),
            |by| format!(", of which {} has made {}", by.name(), figure(counting.value)),
        );
        let message = format!(
            "{}: {} takes in the padding of {}, {}{became}",
            self.name(),
            node.op.name(),
            tensor.name,
            count(padding.len() as u64, "datum").replace("datums", "data")
        );
        let mut found = self.raised(node.call, Code::OTHER_FUNCTION, message).text("takes padding in with data");
        if is_maximum {
            found = found.remark(format!("the greatest of the data alone is {}", figure(greatest)));
        }
        let found = found.fact("tensor", &tensor.name);
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help(if is_maximum {
            "mask the padding with the least number of the format before the maximum: 0 is harmless to a sum alone"
        } else {
            "mask the padding with 0 right before the sum: what comes before may make another number of it"
        }))
    }

    /// Whether a datum is padding, or was made of padding datum by datum.
    fn padding(&self, node: u32, at: usize) -> Option<Padding> {
        let (tensor, by) = self.padding_of(Part::Of(node, at), DEEPEST)?;
        Some(Padding { tensor, value: recipe::value(self.of, node, at)?, by })
    }

    fn padding_of(&self, part: Part, depth: usize) -> Option<(u16, Option<Op>)> {
        let (number, at) = match part {
            Part::Leaf(Origin::Tensor { number, byte }) => {
                let is_padding = matches!(self.of.homes.all[usize::from(number)].element(byte), Some(Err(_)));
                return is_padding.then_some((number, None));
            }
            Part::Leaf(_) => return None,
            Part::Of(number, at) => (number, at),
        };
        let node = self.of.nodes.get(number).filter(|_| depth > 0)?;
        let is_one_by_one = match node.op {
            Op::Math(word) => matches!(word.kind(), math_kind::DATACOPY | math_kind::ELTWISE),
            _ => true,
        };
        // The first operand stands in the same place; a broadcast one may not.
        let first = recipe::parts(node, at).into_iter().next().filter(|_| is_one_by_one)?;
        let (tensor, by) = self.padding_of(first, depth - 1)?;
        let before = match first {
            Part::Of(node, at) => recipe::value(self.of, node, at),
            Part::Leaf(_) => None,
        };
        let is_made = matches!(node.op, Op::Vector { .. } | Op::Math(_));
        let is_another = before.is_some_and(|before| recipe::value(self.of, number, at) != Some(before));
        Some((tensor, if is_made && is_another { Some(node.op) } else { by }))
    }
}

//! Zeros that the packer's edge mask has put beside the results of a reduce, and that a later operation takes for data.
//!
//! A reduce keeps one row, one column or one datum; what lies beside it goes to L1 as 0. A sum over the whole tile takes those in,
//! and what came of them. It must never speak of zeros that change nothing. Start at [`Case::zeros_beside`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::op_word::math_kind;
use tileproof_model::wording::{count, figure};

use super::super::blame::label;
use super::super::nodes::{Call, Op};
use super::super::recipe::{self, Part};
use super::case::{Case, Wrong};

/// A datum that the mask has made 0, and what it is where it is taken in.
struct Zero {
    value: f64,
    pack: Call,
    /// What made another number of it.
    by: Option<Op>,
}

impl Case<'_> {
    /// An operation on the way to an element took in what the packer's mask had made 0.
    pub(super) fn zeros_beside(&self, first: &Wrong) -> Option<Raised> {
        recipe::way(self.of, first.node, first.at).into_iter().find_map(|(node, at)| self.takes_zeros(first, node, at))
    }

    fn takes_zeros(&self, first: &Wrong, number: u32, at: usize) -> Option<Raised> {
        let node = self.of.nodes.get(number).filter(|node| node.call.launch == self.of.launch)?;
        let Op::Math(word) = node.op else { return None };
        if !matches!(word.kind(), math_kind::REDUCE | math_kind::MATMUL) {
            return None;
        }
        let all = recipe::parts(node, at).into_iter().filter_map(|part| match part {
            Part::Of(node, at) => Some((node, at)),
            Part::Leaf(_) => None,
        });
        let (zeros, rest): (Vec<_>, Vec<_>) =
            all.map(|place| (place, self.masked(place))).partition(|(_, zero)| zero.is_some());
        let zeros: Vec<Zero> = zeros.into_iter().filter_map(|(_, zero)| zero).collect();
        let greatest = zeros.iter().map(|zero| zero.value).fold(f64::NEG_INFINITY, f64::max);
        let is_maximum = word.is_maximum();
        let of_data = rest.iter().filter_map(|((node, at), _)| recipe::value(self.of, *node, *at));
        // A sum of zeros is nothing; a maximum is one of them where all data are less.
        let counts = |zero: &&Zero| zero.value != 0.0 && zero.value.is_finite();
        let is_taken = if is_maximum {
            of_data.fold(f64::NEG_INFINITY, f64::max) < greatest
        } else {
            zeros.iter().any(|zero| counts(&zero))
        };
        let zero = if is_maximum { zeros.first() } else { zeros.iter().find(counts) }.filter(|_| is_taken)?;
        let name = node.op.name();
        let became = match zero.by {
            Some(by) => format!(", of which {} has made {}", by.name(), figure(zero.value)),
            None => String::new(),
        };
        let message = format!(
            "{}: {name} takes in {} beside the results of a reduce, where the packer's edge mask writes 0{became}",
            self.name(),
            count(zeros.len() as u64, "datum").replace("datums", "data")
        );
        let mut found =
            self.raised(node.call, Code::OTHER_FUNCTION, message).text("takes zeros beside a column or row for data");
        if zero.pack.launch == self.of.launch {
            found = found.label_on(
                zero.pack.core,
                label(zero.pack),
                "packed here, with zeros beside what the reduce has kept",
            );
        }
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help("reduce the row or column that holds results alone, or mask what lies beside it before"))
    }

    /// Whether a datum came of a 0 of the mask.
    fn masked(&self, (node, at): (u32, usize)) -> Option<Zero> {
        let value = recipe::value(self.of, node, at)?;
        let mut by = None;
        for (number, at) in recipe::way(self.of, node, at) {
            let its = self.of.nodes.get(number)?;
            let is_zero = recipe::value(self.of, number, at)? == 0.0;
            match its.op {
                Op::Pack { edge, .. } if edge != 0 => {
                    return (is_zero && recipe::parts(its, at).is_empty()).then_some(Zero {
                        value,
                        pack: its.call,
                        by,
                    });
                }
                Op::Vector { .. } | Op::Math(_) if !is_zero => by = Some(its.op),
                _ => {}
            }
        }
        None
    }
}

//! Tiles of inputs that no unit has taken, or whole inputs, where an output is not what is expected: a sum may lack them.
//!
//! Must never be asked where another reason is known: a kernel may read more than it needs. Start at [`Case::not_taken_in`].

use std::collections::BTreeSet;

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::program::Layout;
use tileproof_model::wording::count;

use super::super::blame::label;
use super::super::nodes::{Call, Op};
use super::super::origin::Origin;
use super::super::recipe::{self, Part};
use super::case::{Case, Wrong};
use super::guess::computes;
use super::sites::{Site, Sites};

/// Operations of one sum that are looked at.
const LOOKED_AT: usize = 64;

/// Tiles of a tensor that nothing has taken.
struct Left {
    tensor: usize,
    first: u32,
    pages: usize,
    of: usize,
    /// The first was read.
    is_read: bool,
}

impl Case<'_> {
    /// Inputs on the way to an element of which no unit took some tiles, though the output needs more than it took.
    pub(super) fn not_taken_in(&self, first: &Wrong) -> Option<Raised> {
        if self.of.is_part || self.of.nodes.has_dropped() {
            return None;
        }
        let (call, op, node, at) = self.on_the_way(first, computes).or_else(|| self.on_the_way(first, |_| true))?;
        let left: Vec<Left> = self.inputs(node, at).into_iter().filter_map(|tensor| self.left(tensor)).collect();
        let Some((one, others)) = left.split_first() else { return self.not_used(first, call, op) };
        let reader = self.of.pages.reader(one.tensor as u16).filter(|_| !one.is_read);
        let mut found = match reader {
            Some(reader) => {
                let message = format!("{}: nothing reads {}", self.name(), self.spelled_left(one));
                self.raised(reader, Code::OTHER_FUNCTION, message).text("reads others of its tiles alone")
            }
            None => {
                let (left, name) = (self.spelled_left(one), op.name());
                let message = format!("{}: no unit takes {left}, and {name} works without them", self.name());
                let taker = self.taker(first, one.tensor).unwrap_or(call);
                self.raised(taker, Code::OTHER_FUNCTION, message).text("takes others of its tiles alone")
            }
        };
        for other in others {
            found = found.remark(format!("nor {}", self.spelled_left(other)));
        }
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help("compare the bounds of the loops with the shape of the input: some of its tiles are left out"))
    }

    /// An input that is read, and that no unit has taken anything of.
    fn not_used(&self, first: &Wrong, call: Call, op: Op) -> Option<Raised> {
        let is_it = |tensor: &usize| {
            let is_read = self.of.pages.reader(*tensor as u16).is_some();
            is_read && self.pages_left(*tensor).is_some_and(|(left, is_taken)| !is_taken && !left.is_empty())
        };
        let tensor = (0..self.of.homes.all.len()).find(is_it)?;
        let (name, does) = (&self.of.homes.all[tensor].tensor.name, op.name());
        let message =
            format!("{}: no unit takes anything of {name}, which is read, and {does} works without it", self.name());
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text(format!("works without {name}"));
        let found = match self.of.pages.reader(tensor as u16) {
            Some(reader) => found.label_on(reader.core, label(reader), format!("{name} is read here")),
            None => found,
        };
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help("compare the recipe with the formula: an operation with that input is missing"))
    }

    /// The call on the way to an element that takes tiles of a tensor.
    fn taker(&self, first: &Wrong, tensor: usize) -> Option<Call> {
        let takes = |site: &&Site| {
            let origins = self.of.nodes.get(site.number).and_then(|node| node.origins.as_ref());
            let of =
                |origin: &Origin| matches!(origin, Origin::Tensor { number, .. } if usize::from(*number) == tensor);
            origins.is_some_and(|origins| of(&origins[site.at]))
        };
        Sites::of(self.of, first.node, first.at).unpacking.iter().find(takes).map(|site| site.call)
    }

    fn spelled_left(&self, left: &Left) -> String {
        let home = &self.of.homes.all[left.tensor];
        let (rows, columns, _) = home.matrices();
        let (down, across) = (rows.div_ceil(32) as u32, columns.div_ceil(32) as u32);
        let (row, column) = (left.first / across % down, left.first % across);
        format!(
            "{} of the {} of {}, the first of them tile [{row}, {column}]",
            left.pages,
            count(left.of as u64, "tile"),
            home.tensor.name
        )
    }

    /// The tensors that an operation and those that it adds to were given.
    pub(super) fn inputs(&self, node: u32, at: usize) -> BTreeSet<usize> {
        let mut open: Vec<(u32, usize)> = vec![(node, at)];
        let (mut all, mut seen) = (BTreeSet::new(), 0);
        while let Some((node, at)) = open.pop().filter(|_| seen < LOOKED_AT) {
            seen += 1;
            for part in self.of.nodes.get(node).map(|its| recipe::parts(its, at)).unwrap_or_default() {
                match part {
                    Part::Of(node, at) if open.iter().all(|(other, _)| *other != node) => open.push((node, at)),
                    Part::Leaf(Origin::Tensor { number, .. }) => {
                        all.insert(usize::from(number));
                    }
                    _ => {}
                }
            }
        }
        all
    }

    /// Pages of a tensor in tiles that no unit and no thread has looked into, where others are taken.
    fn left(&self, tensor: usize) -> Option<Left> {
        let (left, is_taken) = self.pages_left(tensor)?;
        let first = *left.first().filter(|_| is_taken)?;
        let is_read = self.of.pages.is_read(tensor as u16, first);
        Some(Left { tensor, first, pages: left.len(), of: self.of.homes.all[tensor].pages.len(), is_read })
    }

    /// Pages of an input in tiles that no unit and no thread has looked into, and whether a unit has taken any.
    fn pages_left(&self, tensor: usize) -> Option<(Vec<u32>, bool)> {
        let home = self.of.homes.all.get(tensor).filter(|home| home.tensor.layout == Layout::Tile && home.is_filled)?;
        let number = tensor as u16;
        let mut taken = BTreeSet::new();
        for origins in self.of.nodes.all().iter().filter_map(|node| node.origins.as_ref()) {
            taken.extend(origins.iter().step_by(16).filter_map(|origin| match origin {
                Origin::Tensor { number: its, byte } if *its == number => Some(home.page_number(*byte)),
                _ => None,
            }));
        }
        let is_left = |page: &u32| !taken.contains(page) && !self.of.pages.is_loaded(number, *page);
        Some(((0..home.pages.len() as u32).filter(is_left).collect(), !taken.is_empty()))
    }
}

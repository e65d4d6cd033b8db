//! An input that is taken where another is meant: both for each other, or one in the place of the other.
//!
//! Only tiles that some call has taken are known, and the one that is meant has to have the same number. Must never name two inputs
//! unless every element asked of is right with them. Start at [`of`].

use std::collections::BTreeMap;

use super::super::follow::Followed;
use super::super::nodes::{Node, Op};
use super::super::origin::Origin;
use super::super::recipe;
use super::guess::{Datum, Reading};
use super::order::explains;
use super::replay::{Change, Replay};
use super::sites::{Site, Sites};

/// Inputs that are tried.
const MOST: usize = 8;
/// Tiles of an input that are kept.
const TILES: usize = 4096;

/// Where each tile of an input was taken, by its number.
type Taken = BTreeMap<u32, u32>;

/// The input and the tile that an operation took.
fn taken(of: &Followed, node: &Node) -> Option<(u16, u32)> {
    let Op::Unpack { .. } = node.op else { return None };
    match node.origins.as_ref()?[0] {
        Origin::Tensor { number, byte } => Some((number, of.homes.all[usize::from(number)].page_number(byte))),
        _ => None,
    }
}

/// Calls that take another input.
struct Given<'a> {
    /// One call alone, or all.
    site: Option<&'a Site>,
    /// For tiles of the first those of the second.
    inputs: &'a [(u16, &'a Taken)],
}

impl Change for Given<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.site.is_none_or(|site| site.is_of(node)) && matches!(node.op, Op::Unpack { .. })
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        let page = taken(replay.of, replay.of.nodes.get(number)?);
        let other = page.and_then(|(its, page)| {
            let (_, tiles) = self.inputs.iter().find(|(input, _)| *input == its)?;
            Some(tiles.get(&page).copied())
        });
        match other {
            Some(other) => replay.exact(other?, at),
            None => replay.applied(number, at, None),
        }
    }
}

/// An operation of the vector unit whose operand is another tile of Dst: one that holds an input.
struct Operand<'a> {
    site: &'a Site,
    operand: usize,
    tiles: &'a Taken,
}

impl Change for Operand<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.site.is_of(node)
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        let input = replay.of.nodes.get(number)?.inputs[self.operand]?;
        let mut way = recipe::way(replay.of, input, at).into_iter();
        let (_, page) = way.find_map(|(node, _)| taken(replay.of, replay.of.nodes.get(node)?))?;
        let value = replay.exact(*self.tiles.get(&page)?, at)?;
        replay.applied(number, at, Some((self.operand, &move |_| value)))
    }
}

/// The tile of Dst that explains all elements.
fn operand(of: &Followed, sites: &[Site], inputs: &BTreeMap<u16, Taken>, data: &[&Datum]) -> Option<Reading> {
    for site in sites {
        let Op::Vector { op, .. } = site.op else { continue };
        for operand in (0..op.inputs()).filter(|_| op.inputs() > 1) {
            for (input, tiles) in inputs {
                if explains(of, &Operand { site, operand, tiles }, data) {
                    let (name, other) = (op.name(), &of.homes.all[usize::from(*input)].tensor.name);
                    let operand = operand + 1;
                    return Some(Reading {
                        call: site.call,
                        says: format!(
                            "{name} with {other} for its operand {operand} would give what is expected of every element"
                        ),
                        text: "takes another tile of Dst than is meant",
                        others: Vec::new(),
                        help: "compare the tiles of Dst that the call names with what was brought to them",
                    });
                }
            }
        }
    }
    None
}

/// The inputs that explain all elements.
pub(super) fn of(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let Sites { computing, unpacking: sites } = Sites::of(of, first.node, first.at);
    let mut inputs: BTreeMap<u16, Taken> = BTreeMap::new();
    for (number, node) in of.nodes.all().iter().enumerate().filter(|(_, node)| node.tile.is_some()) {
        if let Some((input, page)) = taken(of, node) {
            let tiles = inputs.entry(input).or_default();
            if tiles.len() < TILES {
                tiles.entry(page).or_insert(number as u32);
            }
        }
    }
    if inputs.len() > MOST {
        return None;
    }
    let name = |input: u16| of.homes.all[usize::from(input)].tensor.name.as_str();
    let of_sites = sites.iter().filter_map(|site| Some((site, taken(of, of.nodes.get(site.number)?)?.0)));
    let of_sites: Vec<(&Site, u16)> = of_sites.collect();
    for (at, (site, one)) in of_sites.iter().enumerate() {
        for (other_site, other) in of_sites[at + 1..].iter().filter(|(_, other)| other != one) {
            let both = [(*one, inputs.get(other)?), (*other, inputs.get(one)?)];
            if explains(of, &Given { site: None, inputs: &both }, data) {
                let (one, other) = (name(*one), name(*other));
                return Some(Reading {
                    call: site.call,
                    says: format!(
                        "{one} and {other} in each other's places would give what is expected of every element"
                    ),
                    text: "takes the one where the other is meant",
                    others: vec![(other_site.call, format!("takes {other} where {one} is meant"))],
                    help: "compare the circular buffers of both with the reader, and the order of its arguments with the host",
                });
            }
        }
    }
    for (site, one) in &of_sites {
        for (other, tiles) in inputs.iter().filter(|(other, _)| *other != one) {
            if explains(of, &Given { site: Some(site), inputs: &[(*one, tiles)] }, data) {
                let (one, other) = (name(*one), name(*other));
                return Some(Reading {
                    call: site.call,
                    says: format!("{one} is taken where {other} would give what is expected of every element"),
                    text: "takes another input than is meant",
                    others: Vec::new(),
                    help: "compare the circular buffer of this operand with the formula, and with what the reader brings to it",
                });
            }
        }
    }
    operand(of, &computing, &inputs, data)
}

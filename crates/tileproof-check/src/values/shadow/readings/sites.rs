//! The calls that an element went through, each with one of its operations, and which of them takes what another gives.
//!
//! Must never look at more of a run than it takes to see each call once. Start at [`Sites::of`].

use std::collections::BTreeSet;

use super::super::follow::Followed;
use super::super::nodes::{Call, Node, Op};
use super::super::recipe::{self, Part};
use super::guess::computes;

/// Data that are looked at.
const LOOKED_AT: usize = 20_000;
/// Of what an operation takes together, so many parts at its beginning and at its end are looked at.
const OF_ONE: usize = 4;
/// Moves between two operations.
const MOVES: usize = 64;

/// A call on the way to an element: one of its operations, and the datum of it.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) call: Call,
    pub(super) op: Op,
    pub(super) number: u32,
    pub(super) at: usize,
}

impl Site {
    /// Whether an operation is of the same call.
    pub(super) fn is_of(&self, node: &Node) -> bool {
        let of = |call: &Call| (call.thread, call.site);
        node.call.core == self.call.core && of(&node.call) == of(&self.call) && is_alike(node.op, self.op)
    }
}

/// Whether two operations of a call are of one sort: a call may do several things, one behind the other.
fn is_alike(a: Op, b: Op) -> bool {
    match (a, b) {
        (Op::Math(a), Op::Math(b)) => a.kind() == b.kind(),
        (Op::Vector { op: a, .. }, Op::Vector { op: b, .. }) => a == b,
        (Op::Unpack { cb: a, .. }, Op::Unpack { cb: b, .. }) => a == b,
        _ => false,
    }
}

/// All of them, latest first.
#[derive(Default)]
pub(super) struct Sites {
    /// Those that compute.
    pub(super) computing: Vec<Site>,
    /// Those that bring a tile to a register.
    pub(super) unpacking: Vec<Site>,
}

impl Sites {
    /// The calls of this launch that an element went through.
    pub(super) fn of(of: &Followed, node: u32, at: usize) -> Sites {
        let mut sites = Sites::default();
        let (mut open, mut seen) = (vec![(node, at)], BTreeSet::new());
        while let Some((number, at)) = open.pop() {
            let Some(node) = of.nodes.get(number).filter(|node| node.call.launch == of.launch) else { continue };
            if seen.len() >= LOOKED_AT || !seen.insert((number, at)) {
                continue;
            }
            let list = match node.op {
                Op::Unpack { .. } => Some(&mut sites.unpacking),
                op if computes(op) => Some(&mut sites.computing),
                _ => None,
            };
            if let Some(list) = list.filter(|list| list.iter().all(|site| !site.is_of(node))) {
                list.push(Site { call: node.call, op: node.op, number, at });
            }
            let parts = recipe::parts(node, at);
            let count = parts.len();
            let is_end = |place: usize| place < OF_ONE || place + OF_ONE >= count;
            let some = parts.into_iter().enumerate().filter(|(place, _)| is_end(*place));
            open.extend(some.filter_map(|(_, part)| match part {
                Part::Of(node, at) => Some((node, at)),
                Part::Leaf(_) => None,
            }));
        }
        sites.computing.sort_by_key(|site| std::cmp::Reverse(site.number));
        sites.unpacking.sort_by_key(|site| std::cmp::Reverse(site.number));
        sites
    }
}

/// The operation that made a datum, with nothing but moves after it.
pub(super) fn maker(of: &Followed, node: u32, at: usize) -> Option<(u32, usize)> {
    let (mut node, mut at) = (node, at);
    for _ in 0..MOVES {
        let its = of.nodes.get(node)?;
        if computes(its.op) {
            return Some((node, at));
        }
        (node, at) = match recipe::parts(its, at).first()? {
            Part::Of(node, at) => (*node, *at),
            Part::Leaf(_) => return None,
        };
    }
    None
}

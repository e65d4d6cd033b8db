//! A tile that is taken of an input, where another of the same input would give what is expected: its number is another than is meant.
//!
//! Only tiles that some call has taken are known. Must never name one unless it is right for each element of each tile of the
//! output that is wrong. Start at [`of`].

use std::collections::BTreeMap;

use tileproof_model::program::Layout;

use super::super::follow::Followed;
use super::super::home::Home;
use super::super::nodes::{Node, Op};
use super::super::origin::Origin;
use super::guess::{Datum, Reading, holds, is_near};
use super::order::explains;
use super::replay::{Change, Replay};
use super::sites::{Site, Sites};

/// Tiles of an input, and of the output, that are tried.
const MOST: usize = 128;
/// Elements of a tile that are looked at first.
const FEW: usize = 4;
/// Distances that all numbers may be off by.
const SHIFTS: u32 = 8;
const HELP: &str = "compare the number of the tile with the order that the tiles come in: row by row of the tensor, and from the first that is in front";

/// The input that a call takes tiles of, and where each of its tiles was taken.
struct Input<'a> {
    of: &'a Followed,
    number: u16,
    taken: BTreeMap<u32, u32>,
}

impl<'a> Input<'a> {
    fn of(of: &'a Followed, site: &Site) -> Option<Input<'a>> {
        let Origin::Tensor { number, .. } = of.nodes.get(site.number)?.origins.as_ref()?[site.at] else { return None };
        let mut input = Input { of, number, taken: BTreeMap::new() };
        let its = of.nodes.all().iter().enumerate().filter(|(_, node)| matches!(node.op, Op::Unpack { .. }));
        let pages = its.filter_map(|(at, node)| Some((input.page(node)?, at as u32)));
        input.taken = pages.take(100 * MOST).collect();
        let is_some = (2..=MOST).contains(&input.taken.len()) && input.home().tensor.layout == Layout::Tile;
        is_some.then_some(input)
    }

    fn home(&self) -> &'a Home {
        &self.of.homes.all[usize::from(self.number)]
    }

    /// The tile of the input that an operation took, if one.
    fn page(&self, node: &Node) -> Option<u32> {
        match node.origins.as_ref()?[0] {
            Origin::Tensor { number, byte } if number == self.number => Some(self.home().page_number(byte)),
            _ => None,
        }
    }

    /// Tiles of a column, and of a row.
    fn sides(&self) -> (u32, u32) {
        let (rows, columns, _) = self.home().matrices();
        (rows.div_ceil(32) as u32, columns.div_ceil(32) as u32)
    }

    fn spelled(&self, page: u32) -> String {
        let (down, across) = self.sides();
        format!("[{}, {}]", page / across % down, page % across)
    }
}

/// A call that takes other tiles.
struct Moved<'a> {
    site: &'a Site,
    input: &'a Input<'a>,
    to: &'a dyn Fn(u32) -> Option<u32>,
}

impl Change for Moved<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.site.is_of(node) && self.input.page(node).is_some()
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        let page = self.input.page(replay.of.nodes.get(number)?)?;
        replay.exact(*self.input.taken.get(&(self.to)(page)?)?, at)
    }
}

/// The other tiles that explain all elements.
pub(super) fn of(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let sites = Sites::of(of, first.node, first.at).unpacking;
    sites.iter().find_map(|site| {
        let input = Input::of(of, site)?;
        in_another_order(&input, site, data).or_else(|| one_each(&input, site, data))
    })
}

/// All numbers follow another rule: columns for rows, or so many further.
fn in_another_order(input: &Input<'_>, site: &Site, data: &[&Datum]) -> Option<Reading> {
    let (down, across) = input.sides();
    let pages = input.home().pages.len() as u32;
    let explains = |to: &dyn Fn(u32) -> Option<u32>| explains(input.of, &Moved { site, input, to }, data);
    let name = &input.home().tensor.name;
    let reading = |says: String| Reading {
        call: site.call,
        says,
        text: "takes other tiles than are meant",
        others: Vec::new(),
        help: HELP,
    };
    let inside = |page: u32| Some(page % (down * across)).filter(|_| down > 1 && across > 1);
    let by_columns = |page: u32| inside(page).map(|at| page - at + at % down * across + at / down);
    let by_rows = |page: u32| inside(page).map(|at| page - at + at % across * down + at / across);
    if explains(&by_columns) || explains(&by_rows) {
        return Some(reading(format!(
            "tiles of {name} are counted as if they lay column by column; they lie row by row, and counted so they give what is expected of every element"
        )));
    }
    let shift = (1..SHIFTS.min(pages)).find_map(|shift| {
        let on = |page: u32| (page + shift < pages).then_some(page + shift);
        let back = |page: u32| page.checked_sub(shift);
        let way = explains(&on).then_some("on").or_else(|| explains(&back).then_some("back"))?;
        Some((shift, way))
    });
    let (shift, way) = shift?;
    Some(reading(format!(
        "the tiles of {name} that lie {shift} further {way} than those that are taken give what is expected of every element"
    )))
}

/// For each tile of the output another one.
fn one_each(input: &Input<'_>, site: &Site, data: &[&Datum]) -> Option<Reading> {
    let mut tiles: BTreeMap<u32, Vec<&Datum>> = BTreeMap::new();
    for datum in data {
        tiles.entry(datum.node).or_default().push(datum);
    }
    let first = data.first()?;
    let wanted = tiles.len() <= MOST;
    let mut meant = BTreeMap::new();
    let nowhere = |_: u32| None;
    let at_first = Replay::first(input.of, &Moved { site, input, to: &nowhere });
    for (node, data) in tiles.iter().filter(|_| wanted) {
        let is_right = |page: &&u32| {
            let to = |_: u32| Some(**page);
            let is_all = |data: &[&Datum]| {
                let change = Moved { site, input, to: &to };
                let mut replay = Replay::from(input.of, &change, at_first);
                data.iter().all(|datum| {
                    let exact = replay.value(datum.node, datum.at).unwrap_or(f64::NAN);
                    is_near(&Datum { exact, ..**datum })
                })
            };
            is_all(&data[..FEW.min(data.len())]) && {
                let change = Moved { site, input, to: &to };
                let mut replay = Replay::from(input.of, &change, at_first);
                holds(data, |datum| replay.value(datum.node, datum.at))
            }
        };
        let page = input.taken.keys().find(is_right);
        // One whose elements are all right may be right by the tile that it took.
        let own = data.iter().all(|datum| is_near(datum));
        match page {
            Some(page) => meant.insert(*node, *page),
            None if own => None,
            None => return None,
        };
    }
    let page = *meant.get(&first.node)?;
    let taken = input.page(input.of.nodes.get(site.number)?)?;
    let name = &input.home().tensor.name;
    (page != taken).then(|| Reading {
        call: site.call,
        says: format!(
            "tile {} of {name} is taken for the first element that is wrong, and tile {} gives what is expected of it and of all others of its tile",
            input.spelled(taken),
            input.spelled(page)
        ),
        text: "takes another tile than is meant",
        others: Vec::new(),
        help: HELP,
    })
}

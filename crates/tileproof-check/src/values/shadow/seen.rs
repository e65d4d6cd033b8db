//! What a run gave, datum by datum, for another that differs from it in undefined memory alone.
//!
//! Operations of both go by the same numbers, as long as threads make the same calls. It must never be kept for itself: it is no
//! values, only whether they are the same. Start at [`Seen`].

use tileproof_numerics::tile::TILE_DATUMS;

use super::course::Course;
use super::nodes::Nodes;

/// Digests of the datums of a tile.
type Digests = Box<[u32; TILE_DATUMS]>;

/// What a run gave.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    tiles: Vec<Option<Digests>>,
    pub(super) course: Course,
}

fn digest(value: f64) -> u32 {
    let bits = value.to_bits();
    (bits ^ bits >> 32) as u32
}

impl Seen {
    pub(super) fn of(nodes: &Nodes, course: Course) -> Seen {
        let digests = |values: &[f64; TILE_DATUMS]| -> Digests {
            let mut all: Digests = Box::new([0; TILE_DATUMS]);
            all.iter_mut().zip(values).for_each(|(to, value)| *to = digest(*value));
            all
        };
        let tiles = nodes.all().iter().map(|node| node.tile.as_ref().map(|tile| digests(&tile.actual)));
        Seen { tiles: tiles.collect(), course }
    }

    /// Whether a datum was another.
    pub(super) fn differs(&self, node: u32, at: usize, value: f64) -> bool {
        self.tiles.get(node as usize).and_then(Option::as_ref).is_some_and(|tile| tile[at] != digest(value))
    }
}

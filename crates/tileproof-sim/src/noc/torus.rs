//! The two tori of a chip: where its nodes are, and which ways packets take.
//!
//! A router has a way to its neighbour along the row and one along the column, and one each from and to its own node. NoC 0 goes to
//! the right and then down, NoC 1 up and then to the left (ISA documentation, `NoC/README.md`; tt-npe, `wormhole_b0.hpp`), round the
//! edges. A multicast takes the ways to all that it reaches, each once. Start at [`Torus::way`].

use tileproof_model::arch::Chip;

/// What the parts of a way are; each router has one of each kind and NoC.
#[derive(Clone, Copy)]
enum Part {
    FromNode,
    Row,
    Column,
    ToNode,
}

const PARTS: usize = 4;

/// A part of a way that carries one packet at a time: its number among those of the chip, and hops from where the way begins.
pub(crate) type Stretch = (usize, u64);

/// The shape of the tori.
#[derive(Clone, Copy)]
pub(crate) struct Torus {
    columns: u32,
    rows: u32,
}

impl Torus {
    pub(crate) fn of(chip: &Chip) -> Torus {
        let (columns, rows) = chip.noc.torus;
        Torus { columns, rows }
    }

    /// How many parts both tori have.
    pub(crate) fn parts(self) -> usize {
        2 * PARTS * self.nodes()
    }

    /// The number of a node.
    pub(crate) fn node(self, (x, y): (u32, u32)) -> usize {
        (y * self.columns + x) as usize
    }

    pub(crate) fn nodes(self) -> usize {
        (self.columns * self.rows) as usize
    }

    fn part(self, noc: u8, part: Part, node: (u32, u32)) -> usize {
        (usize::from(noc) * PARTS + part as usize) * self.nodes() + self.node(node)
    }

    /// The way from a node to others, each part once.
    pub(crate) fn way(self, noc: u8, from: (u32, u32), to: impl Iterator<Item = (u32, u32)>) -> Vec<Stretch> {
        let mut way = vec![(self.part(noc, Part::FromNode, from), 0)];
        for to in to {
            self.to_one(noc, from, to, &mut way);
        }
        way.sort_unstable();
        way.dedup();
        way
    }

    fn to_one(self, noc: u8, from: (u32, u32), to: (u32, u32), way: &mut Vec<Stretch>) {
        let (mut at, mut hops) = (from, 0);
        let goes_along_row = |at: (u32, u32)| if noc == 0 { at.0 != to.0 } else { at.1 == to.1 };
        while at != to {
            hops += 1;
            let along_row = goes_along_row(at);
            way.push((self.part(noc, if along_row { Part::Row } else { Part::Column }, at), hops));
            let (place, round) = if along_row { (&mut at.0, self.columns) } else { (&mut at.1, self.rows) };
            *place = if noc == 0 { (*place + 1) % round } else { (*place + round - 1) % round };
        }
        way.push((self.part(noc, Part::ToNode, to), hops + 1));
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::arch::Arch;

    use super::*;

    fn hops(noc: u8, from: (u32, u32), to: (u32, u32)) -> usize {
        // Beside the hops there is the way from the node and the one to it.
        Torus::of(Arch::Wormhole.constants()).way(noc, from, std::iter::once(to)).len() - 2
    }

    #[test]
    fn both_nocs_go_round_the_edges_in_opposite_directions() {
        // 10 columns and 12 rows.
        assert_eq!((hops(0, (1, 1), (2, 1)), hops(1, (1, 1), (2, 1))), (1, 9));
        assert_eq!((hops(0, (2, 3), (1, 1)), hops(1, (2, 3), (1, 1))), (9 + 10, 1 + 2));
        assert_eq!((hops(0, (4, 4), (4, 4)), hops(1, (4, 4), (4, 4))), (0, 0));
    }

    #[test]
    fn packets_share_a_way_where_they_turn_alike_and_a_multicast_takes_each_part_once() {
        let torus = Torus::of(Arch::Wormhole.constants());
        let parts = |from, to: &[(u32, u32)]| {
            let way = torus.way(0, from, to.iter().copied());
            way.into_iter().map(|(part, _)| part).collect::<Vec<usize>>()
        };
        // To the right first: both leave (1, 1) by the same part, and meet nowhere else.
        let (down, right) = (parts((1, 1), &[(2, 2)]), parts((1, 1), &[(3, 1)]));
        let shared = down.iter().filter(|part| right.contains(part)).count();
        assert_eq!(shared, 2, "the way from the node, and that to (2, 1)");
        // Two rows of two: a part to each column and one down each, ways from one node and to four.
        assert_eq!(parts((1, 1), &[(2, 1), (3, 1), (2, 2), (3, 2)]).len(), 1 + 2 + 2 + 4);
        // The other NoC has ways of its own.
        let other = torus.way(1, (1, 1), std::iter::once((2, 2)));
        assert!(other.iter().all(|(part, _)| !down.contains(part)) && down.iter().all(|part| *part < torus.parts()));
    }
}

//! Outputs whose expected values stand in their tiles with rows and columns exchanged.
//!
//! Must never speak of an element whose value stands nowhere. Start at [`Case::in_another_place`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::op_word::math_kind;
use tileproof_model::program::Layout;
use tileproof_numerics::tile::face_index;

use super::super::exact::place;
use super::super::nodes::Op;
use super::super::recipe;
use super::case::{BORNE_OUT, Case, Question, Wrong};

/// Values stand in another place where they are this much closer to what is expected than those in their own.
const EXPLAINS: f64 = 0.25;

impl Case<'_> {
    /// The expected values stand in the tiles of the output, but with rows and columns exchanged: of a row they are a column.
    pub(super) fn in_another_place(&self) -> Option<Raised> {
        let home = &self.of.homes.all[self.question.tensor];
        let Question { expected, wrong, .. } = self.question;
        let first = self.wrong.first()?;
        let (rows, columns, _) = home.matrices();
        if home.tensor.layout != Layout::Tile || self.wrong.len() != wrong.len() || rows == columns {
            return None;
        }
        let differ = self.wrong.iter().any(|wrong| expected[wrong.element] != expected[first.element]);
        if !(differ || self.wrong.len() == 1) || !self.stand_exchanged() {
            return None;
        }
        // The way of what stands there: an element that the packer's edge mask made 0 has none.
        let (row, column) = place(first.at);
        let source = Wrong { at: face_index(column, row), ..*first };
        let (call, op, ..) = self.on_the_way(&source, |op| matches!(op, Op::Math(_)))?;
        let lies = match (rows, columns) {
            (1, _) => {
                "the expected values lie in column 0 of its tile, and the output is row 0: the tile has not been transposed"
            }
            (_, 1) => {
                "the expected values lie in row 0 of its tile, and the output is column 0: the tile has not been transposed"
            }
            _ => "each tile is transposed: the expected values lie in it with rows and columns exchanged",
        };
        let found = self.raised(call, Code::OTHER_FUNCTION, format!("{}: {lies}", self.name()));
        let found = found.fact(BORNE_OUT, true);
        let mut found = found.text(format!("{} keeps rows rows and columns columns", op.name()));
        let leaves_zeros = |op: Op| match op {
            Op::Math(word) => word.kind() == math_kind::REDUCE,
            Op::Pack { edge, .. } => edge != 0,
            _ => false,
        };
        if self.on_the_way(&source, leaves_zeros).is_some() {
            found = found.remark(
                "beside the results of a reduce the packer writes zeros: its edge mask keeps one column or row",
            );
        }
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help(if rows == 1 || columns == 1 {
            "transpose the tile on its way out, with transpose_wh_tile, or read the output where the values lie"
        } else {
            "transpose each tile on its way, with transpose_wh_tile, or leave out a transposition that is not meant"
        }))
    }

    /// Whether the expected value of each element stands there, and not in its own place.
    fn stand_exchanged(&self) -> bool {
        let Question { expected, found, .. } = self.question;
        let largest = self.wrong.iter().fold(0.0f64, |most, wrong| most.max(expected[wrong.element].abs()));
        let (mut here, mut there) = (0.0, 0.0);
        let stands = |wrong: &Wrong| {
            let (row, column) = place(wrong.at);
            let wanted = expected[wrong.element];
            let other = recipe::value(self.of, wrong.node, face_index(column, row));
            other.is_some_and(|other| {
                here += (found[wrong.element] - wanted).abs();
                there += (other - wanted).abs();
                (other - wanted).abs() <= 2e-2 * largest
            })
        };
        self.wrong.iter().all(stands) && there <= EXPLAINS * here && here > 0.0
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::abi::Site;
    use tileproof_model::event::NocPlace;
    use tileproof_model::op_word::{OpWord, reduce_dim};
    use tileproof_model::program::{MemoryConfig, TensorDescriptor};
    use tileproof_model::thread::Thread;
    use tileproof_numerics::format::DataFormat;
    use tileproof_numerics::tile::TILE_DATUMS;

    use super::super::super::follow::Followed;
    use super::super::super::home::{Home, Homes};
    use super::super::super::nodes::{Call, Node};
    use super::super::super::origin::{Origin, Piece};
    use super::super::super::planes::{Planes, numbers};
    use super::super::verdict;
    use super::*;

    /// An output of one row of tiles, each of which holds `value` of its rows and columns.
    fn followed(shape: [u32; 2], edge: u32, value: impl Fn(usize, usize) -> f64) -> Followed {
        let tiles = shape[1].div_ceil(32);
        let pages = (0..tiles).map(|tile| NocPlace::Dram { bank: 0, address: 4096 * tile }).collect();
        let tensor = TensorDescriptor {
            name: "y".into(),
            shape: shape.into(),
            format: DataFormat::Float32,
            layout: Layout::Tile,
            memory: MemoryConfig::Dram,
            output: true,
        };
        let homes = Homes::of(vec![Home {
            tensor,
            pages,
            is_filled: false,
            empty_pages: Vec::new(),
            is_padding_stated: false,
        }]);
        let mut of = Followed::default();
        (of.homes, of.launch) = (homes, 1);
        for tile in 0..tiles {
            let call = Call { launch: 1, core: 0, thread: Thread::Math, site: Site(0) };
            let planes = Planes::fresh(numbers(|at| {
                let (row, column) = place(at);
                value(row, 32 * tile as usize + column)
            }));
            let (tile_of, none) = (Some(std::rc::Rc::new(planes)), [None; 3]);
            let copy = Op::Math(OpWord::new(math_kind::DATACOPY, 0, 0, 0, 0));
            let node = Node { call, op: copy, inputs: none, before: None, tile: tile_of.clone(), origins: None };
            let copied = of.nodes.add(node);
            let op = Op::Pack { cb: 16, accumulates: false, edge, word: OpWord::default() };
            let inputs = [Some(copied), None, None];
            let packed = of.nodes.add(Node { call, op, inputs, before: None, tile: tile_of, origins: None });
            for at in 0..TILE_DATUMS {
                let origin = Origin::Datum { node: packed, at: at as u16 };
                of.memory.set(Piece::Bank(0), 4096 * tile + 4 * at as u32, origin);
            }
        }
        of
    }

    /// What is said of it, where the same in each tile with rows and columns exchanged is expected.
    fn said([rows, columns]: [u32; 2], edge: u32, value: impl Fn(usize, usize) -> f64) -> Option<Raised> {
        let of = followed([rows, columns], edge, &value);
        let places = (0..rows as usize).flat_map(|row| (0..columns as usize).map(move |column| (row, column)));
        let found: Vec<f64> = places.clone().map(|(row, column)| value(row, column)).collect();
        let exchanged = |(row, column): (usize, usize)| value(column % 32, column / 32 * 32 + row);
        let expected: Vec<f64> = places.map(exchanged).collect();
        let wrong = (0..found.len()).filter(|at| found[*at] != expected[*at]).collect();
        verdict::judge(&of, &Question { tensor: 0, expected, found, wrong, tolerance: (0.0, 0.0) })
    }

    fn has_remark_on_zeros(found: &Raised) -> bool {
        found.notes.iter().any(|note| note.contains("edge mask keeps"))
    }

    #[test]
    fn a_row_that_stands_in_column_0_is_said_to() {
        let sums = |row: usize, column: usize| if column == 0 { 3.0 * row as f64 + 1.0 } else { 0.0 };
        let found = said([1, 32], 1 + u32::from(reduce_dim::ROW), sums).unwrap();
        assert!(found.message.contains("lie in column 0 of its tile, and the output is row 0"), "{}", found.message);
        assert!(has_remark_on_zeros(&found));
        let found = said([1, 32], 0, sums).unwrap();
        assert!(found.message.contains("lie in column 0") && !has_remark_on_zeros(&found));
    }

    #[test]
    fn tiles_that_were_each_transposed_are_not_a_row() {
        let whole =
            |row: usize, column: usize| (7 * row + 900 * (column / 32)) as f64 + (column % 32 * column % 13) as f64;
        let found = said([32, 64], 0, whole).unwrap();
        assert!(found.message.starts_with("y: each tile is transposed"), "{}", found.message);
        assert!(!has_remark_on_zeros(&found));
    }
}

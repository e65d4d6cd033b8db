//! Where an output is wrong: which tiles and faces, and the words for it if there is a plain one.
//!
//! It must never say more than holds: all that is wrong lies where the words say, and where they say "all of" each element is
//! wrong there. Start at [`Wrong::shown`].

use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_model::wording::count;

use crate::who_wrote::Writers;

/// Elements of which it is kept whether they are wrong; of larger tensors the first ones alone would mislead.
const MOST: usize = 1 << 27;
/// The side of a tile, and of a face.
const TILE: usize = 32;
const FACE: usize = 16;
/// Tiles that a map shows, down and across.
const DOWN: usize = 16;
const ACROSS: usize = 64;

/// Which elements of a tensor are wrong, in the order in which they are looked at.
#[derive(Default)]
pub(crate) struct Wrong {
    bits: Vec<u64>,
    too_many: bool,
}

/// What is shown of an output that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WhereWrong {
    /// In words, if there are some for it: "row 3 of each tile".
    pub words: Option<String>,
    /// The tiles, if they are not all alike.
    pub map: Option<TileMap>,
    /// Which cores wrote it, if some did and others not, or several.
    pub cores: Option<String>,
}

/// The tiles of a tensor, matrix below matrix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TileMap {
    /// Tiles in a row.
    pub columns: usize,
    /// The row of tiles that the map begins with: the first in which something is wrong, if not all fit.
    pub first_row: usize,
    /// For each tile a bit for each of its four faces: something in it is wrong. Row by row.
    pub faces: Vec<u8>,
    /// Rows of tiles below those of the map.
    pub more_rows: usize,
}

impl Wrong {
    /// The element with a number is wrong.
    pub(crate) fn add(&mut self, element: usize) {
        if element >= MOST {
            self.too_many = true;
            return;
        }
        if self.bits.len() <= element / 64 {
            self.bits.resize(element / 64 + 1, 0);
        }
        self.bits[element / 64] |= 1 << (element % 64);
    }

    /// What is to be shown of it, of a tensor that somebody wrote.
    pub(crate) fn shown(&self, tensor: &TensorDescriptor, writers: Option<&Writers>) -> WhereWrong {
        if self.too_many || self.bits.is_empty() {
            return WhereWrong::default();
        }
        let seen = Seen::of(self, &tensor.shape);
        let cores = writers.and_then(|writers| match tensor.layout {
            Layout::Tile => writers.of_pages(&seen.faces.iter().map(|faces| *faces != 0).collect::<Vec<_>>()),
            Layout::RowMajor => writers.of_pages(&self.rows(seen.width, tensor.pages())),
        });
        WhereWrong { words: seen.words(), map: seen.map(), cores }
    }

    /// Rows, all matrices of the tensor below each other, that hold something wrong.
    fn rows(&self, width: usize, rows: u32) -> Vec<bool> {
        let mut is_wrong = vec![false; rows as usize];
        for element in self.elements() {
            if let Some(row) = is_wrong.get_mut(element / width) {
                *row = true;
            }
        }
        is_wrong
    }

    fn elements(&self) -> impl Iterator<Item = usize> {
        self.bits
            .iter()
            .enumerate()
            .flat_map(|(i, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * i + bit))
    }
}

/// What of the tiles is wrong.
struct Seen {
    /// Tiles down, all matrices of the tensor below each other, and across.
    down: usize,
    across: usize,
    height: usize,
    width: usize,
    /// Tiles down in one matrix.
    down_in_one: usize,
    /// A bit for each face of each tile.
    faces: Vec<u8>,
    /// Rows and columns within a tile that hold something wrong.
    rows: u32,
    columns: u32,
    wrong: usize,
}

impl Seen {
    fn of(wrong: &Wrong, shape: &[u32]) -> Seen {
        let width = shape.last().map_or(1, |side| *side as usize).max(1);
        let height = shape.len().checked_sub(2).map_or(1, |at| shape[at] as usize).max(1);
        let matrices = shape.iter().rev().skip(2).map(|side| *side as usize).product::<usize>();
        let (down_in_one, across) = (height.div_ceil(TILE), width.div_ceil(TILE));
        let down = matrices * down_in_one;
        let mut seen = Seen {
            down,
            across,
            height,
            width,
            down_in_one,
            faces: vec![0; down * across],
            rows: 0,
            columns: 0,
            wrong: 0,
        };
        for element in wrong.elements() {
            let (matrix, row, column) = (element / width / height, element / width % height, element % width);
            let tile = (matrix * down_in_one + row / TILE) * across + column / TILE;
            let (row, column) = (row % TILE, column % TILE);
            seen.faces[tile] |= 1 << (2 * (row / FACE) + column / FACE);
            seen.rows |= 1 << row;
            seen.columns |= 1 << column;
            seen.wrong += 1;
        }
        seen
    }

    /// Rows and columns that a tile has, without padding.
    fn sides(&self, tile: usize) -> (usize, usize) {
        let (row, column) = (tile / self.across % self.down_in_one, tile % self.across);
        ((self.height - row * TILE).min(TILE), (self.width - column * TILE).min(TILE))
    }

    fn tiles(&self) -> Vec<usize> {
        (0..self.faces.len()).filter(|tile| self.faces[*tile] != 0).collect()
    }

    /// The map; none where each tile is like the others.
    fn map(&self) -> Option<TileMap> {
        if self.across > ACROSS || self.faces.iter().all(|faces| *faces == self.faces[0]) {
            return None;
        }
        let first_row = match self.faces.iter().position(|faces| *faces != 0) {
            Some(tile) if self.down > DOWN => tile / self.across,
            _ => 0,
        };
        let end = self.down.min(first_row + DOWN);
        let faces = self.faces[first_row * self.across..end * self.across].to_vec();
        Some(TileMap { columns: self.across, first_row, faces, more_rows: self.down - end })
    }

    fn words(&self) -> Option<String> {
        let tiles = self.tiles();
        let within = self.within(&tiles);
        let of = self.of_tiles(&tiles);
        // Whether each element of the rows and columns of these tiles is wrong.
        let of_mask = |mask: u32, side: usize| (mask & (u64::MAX >> (64 - side)) as u32).count_ones() as usize;
        let could_be = tiles.iter().map(|tile| {
            let (rows, columns) = self.sides(*tile);
            of_mask(self.rows, rows) * of_mask(self.columns, columns)
        });
        let is_told = within != Part::Untold;
        let all = if is_told && could_be.sum::<usize>() == self.wrong { "all of " } else { "within " };
        match (within, of) {
            (Part::Whole, None) if all == "all of " => Some("every element".into()),
            (Part::Whole | Part::Untold, None) => None,
            (Part::Words(within), None) if self.faces.len() == 1 => Some(format!("{all}{within}")),
            (Part::Words(within), None) => Some(format!("{all}{within} of each tile")),
            (Part::Whole | Part::Untold, Some(of)) => Some(format!("{all}{of}")),
            (Part::Words(within), Some(of)) => Some(format!("{all}{within} of {of}")),
        }
    }

    /// Which part of a tile.
    fn within(&self, tiles: &[usize]) -> Part {
        // What no tile has is not left out by anything.
        let sides = tiles.iter().map(|tile| self.sides(*tile));
        let (rows, columns) = sides.fold((0, 0), |(a, b), (c, d)| (a.max(c), b.max(d)));
        match (part(self.rows, rows, "row"), part(self.columns, columns, "column")) {
            (Part::Untold, _) | (_, Part::Untold) => Part::Untold,
            (Part::Whole, other) | (other, Part::Whole) => other,
            (Part::Words(rows), Part::Words(columns)) => Part::Words(match (self.rows, self.columns) {
                (FIRST, FIRST) => "face 0".into(),
                (FIRST, SECOND) => "face 1".into(),
                (SECOND, FIRST) => "face 2".into(),
                (SECOND, SECOND) => "face 3".into(),
                _ => format!("{rows}, {columns}"),
            }),
        }
    }

    /// Which tiles; `None` of all.
    fn of_tiles(&self, tiles: &[usize]) -> Option<String> {
        let all = self.faces.len();
        if tiles.len() == all {
            return None;
        }
        let (first, last) = (tiles[0], tiles[tiles.len() - 1]);
        let place = |tile: usize| match (self.down, self.across) {
            (1, _) | (_, 1) => format!("tile {tile}"),
            _ => format!("tile {tile} (row {}, column {})", tile / self.across, tile % self.across),
        };
        let step = tiles.get(1).map_or(1, |second| second - first);
        let is_even = tiles.iter().enumerate().all(|(i, tile)| *tile == first + i * step);
        let is_whole_way = is_even && step > 1 && last + step >= all && first < step;
        let has_padding = |tile: &usize| self.sides(*tile) != (TILE, TILE);
        let padded = (0..all).filter(has_padding).count();
        let row = |tile: &usize| tile / self.across;
        let column = |tile: &usize| tile % self.across;
        Some(match tiles {
            [only] => place(*only),
            _ if tiles.len() == padded && tiles.iter().all(has_padding) => "the tiles that have padding".into(),
            _ if self.down > 1
                && self.across > 1
                && tiles.iter().all(|tile| column(tile) == column(&first))
                && tiles.len() == self.down =>
            {
                format!("column {} of tiles", column(&first))
            }
            _ if self.down > 1
                && self.across > 1
                && tiles.iter().all(|tile| row(tile) == row(&first))
                && tiles.len() == self.across =>
            {
                format!("row {} of tiles", row(&first))
            }
            _ if is_whole_way && step == 2 => format!("every second tile, from tile {first} on"),
            _ if is_whole_way => format!("every tile {step} tiles behind tile {first}"),
            _ if is_even && step == 1 => format!("tiles {first} to {last} of {}", count(all as u64, "tile")),
            _ => format!("{} of {}", tiles.len(), count(all as u64, "tile")),
        })
    }
}

/// Rows or columns of the first half of a tile, and of the second.
const FIRST: u32 = 0xffff;
const SECOND: u32 = 0xffff_0000;

/// Rows or columns of a tile.
#[derive(PartialEq, Eq)]
enum Part {
    /// All of them.
    Whole,
    /// Some, in words.
    Words(String),
    /// Some that no words are short for.
    Untold,
}

/// Which of the rows or columns of a tile, of which there are `side`.
fn part(mask: u32, side: usize, name: &str) -> Part {
    let all = (u64::MAX >> (64 - side)) as u32;
    let (has, first, last) = (mask.count_ones(), mask.trailing_zeros(), 31 - mask.leading_zeros());
    let missing = all & !mask;
    let is_run = has == last - first + 1;
    let is_every_second = mask == 0x5555_5555 & all || mask == 0xaaaa_aaaa & all;
    match missing.count_ones() {
        0 => Part::Whole,
        _ if has == 1 => Part::Words(format!("{name} {first}")),
        1 => Part::Words(format!("{name}s other than {}", missing.trailing_zeros())),
        _ if is_run => Part::Words(format!("{name}s {first} to {last}")),
        _ if is_every_second => Part::Words(format!("every second {name} from {first} on,")),
        _ => Part::Untold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::program::MemoryConfig;
    use tileproof_numerics::format::DataFormat;

    /// What is shown where the elements at some places of a matrix are wrong.
    fn shown(shape: &[u32], is_wrong: impl Fn(usize, usize) -> bool) -> WhereWrong {
        let width = *shape.last().unwrap() as usize;
        let mut wrong = Wrong::default();
        let elements: usize = shape.iter().map(|side| *side as usize).product();
        (0..elements).filter(|at| is_wrong(at / width, at % width)).for_each(|at| wrong.add(at));
        let tensor = TensorDescriptor {
            name: "y".into(),
            shape: shape.into(),
            format: DataFormat::Float32,
            layout: Layout::Tile,
            memory: MemoryConfig::Dram,
            output: true,
        };
        wrong.shown(&tensor, None)
    }

    fn words(shape: &[u32], is_wrong: impl Fn(usize, usize) -> bool) -> String {
        shown(shape, is_wrong).words.unwrap_or_default()
    }

    #[test]
    fn plain_patterns_have_plain_words() {
        let square = &[64, 64];
        assert_eq!(words(square, |_, _| true), "every element");
        assert_eq!(words(square, |row, _| row % 32 == 3), "all of row 3 of each tile");
        assert_eq!(words(square, |row, _| row == 35), "all of row 3 of row 1 of tiles");
        assert_eq!(words(square, |_, column| column % 32 != 0), "all of columns other than 0 of each tile");
        assert_eq!(words(square, |_, column| column % 2 == 1), "all of every second column from 1 on, of each tile");
        assert_eq!(words(square, |row, column| row % 32 < 16 && column % 32 > 15), "all of face 1 of each tile");
        assert_eq!(words(square, |row, _| row % 32 > 15), "all of rows 16 to 31 of each tile");
        assert_eq!(words(square, |row, column| row > 31 && column < 32), "all of tile 2 (row 1, column 0)");
        assert_eq!(words(square, |_, column| column > 31), "all of column 1 of tiles");
        assert_eq!(words(square, |row, _| row > 31), "all of row 1 of tiles");
        assert_eq!(words(&[8, 32, 32], |row, _| row / 32 % 2 == 1), "all of every second tile, from tile 1 on");
        assert_eq!(words(&[8, 32, 32], |row, _| row / 32 % 4 == 1), "all of every tile 4 tiles behind tile 1");
        assert_eq!(words(&[8, 32, 32], |row, _| (64..128).contains(&row)), "all of tiles 2 to 3 of 8 tiles");
        assert_eq!(words(&[8, 32, 32], |row, _| [0, 1, 5].contains(&(row / 32))), "all of 3 of 8 tiles");
        assert_eq!(words(&[40, 40], |row, column| row > 31 || column > 31), "all of the tiles that have padding");
        assert_eq!(words(&[32, 32], |row, column| (row, column) == (4, 7)), "all of row 4, column 7");
    }

    #[test]
    fn what_is_wrong_here_and_there_is_within_and_nothing_is_said_of_what_is_anywhere() {
        let scattered = |row: usize, column: usize| (row * 7 + column * 13).is_multiple_of(5);
        assert_eq!(words(&[64, 64], scattered), "");
        // Twelve columns are wrong, which no words are short for: not every element is.
        assert_eq!(words(&[64, 64], |_, column| [1, 2, 5].contains(&(column % 7))), "");
        assert_eq!(
            words(&[64, 64], |row, column| row > 31 && [1, 2, 5].contains(&(column % 32))),
            "within row 1 of tiles"
        );
        assert_eq!(words(&[64, 64], |row, column| row < 32 && scattered(row, column)), "within row 0 of tiles");
        assert_eq!(words(&[1, 4096], |_, column| column == 70), "all of column 6 of tile 2");
        assert_eq!(words(&[7], |_, column| column == 2), "all of column 2");
    }

    #[test]
    fn a_map_is_there_where_tiles_differ() {
        let map = shown(&[3, 32, 64], |row, column| row == 33 && column == 60 || row > 63).map.unwrap();
        assert_eq!((map.columns, map.more_rows, &map.faces[..]), (2, 0, &[0, 0, 0, 2, 15, 15][..]));
        assert_eq!(shown(&[64, 64], |_, _| true).map, None);
        assert_eq!(shown(&[40, 32, 32], |row, _| row == 0).map.unwrap().more_rows, 24);
        assert_eq!(shown(&[32, 32 * 65], |_, column| column == 0).map, None);
    }

    #[test]
    fn a_map_that_cannot_hold_all_rows_begins_where_something_is_wrong() {
        let of = |from: usize, to: usize| {
            let map =
                shown(&[40 * 32, 64], |row, column| (from..=to).contains(&(row / 32)) && column > 31).map.unwrap();
            (map.first_row, map.faces.len(), map.faces.iter().take(4).copied().collect::<Vec<_>>(), map.more_rows)
        };
        assert_eq!(of(20, 22), (20, 32, vec![0, 15, 0, 15], 4));
        assert_eq!(of(39, 39).0, 39);
        assert_eq!(shown(&[40 * 32, 64], |row, _| row / 32 == 39).map.unwrap().faces, [15, 15]);
        assert_eq!(of(0, 1), (0, 32, vec![0, 15, 0, 15], 24));
        // All rows fit: the map is whole.
        let map = shown(&[16 * 32, 32], |row, _| row / 32 == 9).map.unwrap();
        assert_eq!((map.first_row, map.faces.len(), map.more_rows), (0, 16, 0));
    }
}

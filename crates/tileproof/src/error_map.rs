//! How far off an output is, tile by tile: for pictures of it.
//!
//! It must never say what is wrong: a difference within its tolerance is one too. Start at [`ErrorMap::of`].

use tileproof_model::finding::Label;
use tileproof_model::program::TensorDescriptor;
use tileproof_numerics::error::difference;

/// Cells that a map has, down and across.
const MOST: usize = 64;
/// The side of a tile.
const TILE: usize = 32;

/// How far off the tiles of an output are, matrix below matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorMap {
    /// The output.
    pub name: String,
    /// Cells down and across.
    pub cells: (usize, usize),
    /// Elements that a cell has, down and across: a tile, or several.
    pub cell: (usize, usize),
    /// The largest difference in each cell, row by row; infinite where one is not finite.
    pub largest: Vec<f64>,
    /// The cell with the largest of all.
    pub worst: usize,
    /// The differences of the tile that has it, row by row.
    pub tile: Vec<f64>,
    /// Row and column of the first element of that tile.
    pub tile_at: (usize, usize),
    /// How the elements of that tile came about that are furthest off, the furthest first; none where that was not looked for.
    pub recipes: Vec<Recipe>,
    /// The calls that made the first of them.
    pub calls: Vec<Label>,
}

/// How an element came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// Its number in the tile, row by row of 32.
    pub at: usize,
    /// The element, as "y[3, 7]".
    pub element: String,
    /// What it was made of.
    pub text: String,
}

impl ErrorMap {
    /// Of values beside what they should be; `None` of a tensor without elements.
    pub(crate) fn of(tensor: &TensorDescriptor, pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<ErrorMap> {
        let side = |from_last: usize| tensor.shape.iter().rev().nth(from_last).map_or(1, |side| *side as usize);
        let (width, height) = (side(0), side(1));
        let matrices = tensor.elements().checked_div(width * height)?;
        // Matrices have tiles of their own: what is left of the last row of one is no part of the next.
        let down = height.div_ceil(TILE);
        let tiles = |of: usize| {
            let mut tiles = 1;
            while of.div_ceil(tiles) > MOST {
                tiles *= 2;
            }
            tiles
        };
        let (rows, columns) = (matrices * down, width.div_ceil(TILE));
        let of_cell = (tiles(rows), tiles(columns));
        let cells = (rows.div_ceil(of_cell.0), columns.div_ceil(of_cell.1));
        // Row and column of the tile of an element.
        let tile_of = |at: usize| {
            let (row, column) = (at / width, at % width);
            (row / height * down + row % height / TILE, column / TILE)
        };
        let cell_of = |(row, column): (usize, usize)| row / of_cell.0 * cells.1 + column / of_cell.1;
        let mut largest = vec![0.0; cells.0 * cells.1];
        let mut most: (f64, usize) = (0.0, 0);
        let differences =
            pairs.map(|(found, wanted)| difference(found, wanted)).take(matrices * height * width).enumerate();
        for (at, difference) in differences.clone() {
            let of: &mut f64 = &mut largest[cell_of(tile_of(at))];
            *of = of.max(difference);
            if difference > most.0 {
                most = (difference, at);
            }
        }
        let worst = tile_of(most.1);
        let tile_at = (worst.0 / down * height + worst.0 % down * TILE, worst.1 * TILE);
        let mut tile = vec![0.0; TILE * TILE];
        let lines = differences.skip(tile_at.0 * width).take(TILE * width);
        for (at, difference) in lines.filter(|(at, _)| tile_of(*at) == worst) {
            tile[(at / width - tile_at.0) * TILE + at % width - tile_at.1] = difference;
        }
        let cell = (of_cell.0 * TILE, of_cell.1 * TILE);
        Some(ErrorMap {
            name: tensor.name.clone(),
            cells,
            cell,
            largest,
            worst: cell_of(worst),
            tile,
            tile_at,
            recipes: Vec::new(),
            calls: Vec::new(),
        })
    }
}

impl ErrorMap {
    /// The elements of the worst tile that are off, the furthest first and `most` at most: number in the tile, and place in
    /// row-major order of a tensor that is `width` wide.
    pub(crate) fn furthest(&self, width: usize, most: usize) -> Vec<(usize, usize)> {
        let mut off: Vec<usize> = (0..self.tile.len()).filter(|at| self.tile[*at] != 0.0).collect();
        off.sort_by(|a, b| self.tile[*b].total_cmp(&self.tile[*a]));
        let element = |at: usize| (self.tile_at.0 + at / TILE) * width + self.tile_at.1 + at % TILE;
        off.into_iter().take(most).map(|at| (at, element(at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::program::{Layout, MemoryConfig};
    use tileproof_numerics::format::DataFormat;

    use super::*;

    fn tensor(shape: &[u32]) -> TensorDescriptor {
        TensorDescriptor {
            name: "y".into(),
            shape: shape.to_vec(),
            format: DataFormat::Float32,
            layout: Layout::Tile,
            memory: MemoryConfig::Dram,
            output: true,
        }
    }

    #[test]
    fn a_map_has_the_largest_difference_of_each_tile_and_the_worst_tile_by_element() {
        let width = 70;
        let wrong = |at: usize| match at {
            _ if at == 33 * width + 40 => 2.0,
            _ if at == 5 => -1.0,
            _ => 0.0,
        };
        let pairs = (0..2 * 32 * width).map(|at| (wrong(at), 0.0));
        let map = ErrorMap::of(&tensor(&[2, 32, 70]), pairs).unwrap();
        assert_eq!((map.cells, map.cell), ((2, 3), (32, 32)));
        assert_eq!(map.largest, [1.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
        assert_eq!((map.worst, map.tile_at), (4, (32, 32)));
        assert_eq!(map.tile.iter().position(|difference| *difference > 0.0), Some(32 + 8));
    }

    #[test]
    fn a_tile_does_not_go_on_in_the_next_matrix() {
        // Two matrices of 40 rows: the second begins in row 40, which is in a tile of its own.
        let wrong = |row: usize| if row == 40 { 1.0 } else { 0.0 };
        let map = ErrorMap::of(&tensor(&[2, 40, 64]), (0..80 * 64).map(|at| (wrong(at / 64), 0.0))).unwrap();
        assert_eq!((map.cells, map.cell), ((4, 2), (32, 32)));
        assert_eq!(map.largest, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!((map.worst, map.tile_at), (4, (40, 0)));
        assert!(map.tile[..32].iter().all(|difference| *difference == 1.0) && map.tile[32] == 0.0);
    }

    #[test]
    fn a_large_output_has_few_cells_and_what_is_no_number_is_far_off() {
        let map =
            ErrorMap::of(&tensor(&[4096, 64]), (0..4096 * 64).map(|at| (if at == 0 { f64::NAN } else { 1.0 }, 1.0)));
        let map = map.unwrap();
        assert_eq!((map.cells, map.cell), ((64, 2), (64, 32)));
        assert_eq!(map.largest[0], f64::INFINITY);
        assert!(map.largest[1..].iter().all(|largest| *largest == 0.0));
    }
}

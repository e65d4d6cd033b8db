//! How far off an output is, tile by tile: for pictures of it.
//!
//! It must never say what is wrong: a difference within its tolerance is one too. Start at [`ErrorMap::of`].

use tileproof_model::program::TensorDescriptor;

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
}

impl ErrorMap {
    /// Of values beside what they should be; `None` of a tensor without elements.
    pub(crate) fn of(tensor: &TensorDescriptor, pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<ErrorMap> {
        let width = *tensor.shape.last()? as usize;
        let height = tensor.elements().checked_div(width)?;
        let side = |length: usize| {
            let mut side = TILE;
            while length.div_ceil(side) > MOST {
                side *= 2;
            }
            side
        };
        let cell = (side(height), side(width));
        let cells = (height.div_ceil(cell.0), width.div_ceil(cell.1));
        let mut largest = vec![0.0; cells.0 * cells.1];
        let mut most: (f64, usize) = (0.0, 0);
        let differences = pairs.map(|(found, wanted)| difference(found, wanted)).take(height * width);
        for (at, difference) in differences.clone().enumerate() {
            let (row, column) = (at / width, at % width);
            let of: &mut f64 = &mut largest[row / cell.0 * cells.1 + column / cell.1];
            *of = of.max(difference);
            if difference > most.0 {
                most = (difference, at);
            }
        }
        let at = (most.1 / width, most.1 % width);
        let tile_at = (at.0 / TILE * TILE, at.1 / TILE * TILE);
        let mut tile = vec![0.0; TILE * TILE];
        for (number, difference) in differences.enumerate().skip(tile_at.0 * width).take(TILE * width) {
            let (row, column) = (number / width - tile_at.0, number % width);
            if (tile_at.1..tile_at.1 + TILE).contains(&column) {
                tile[row * TILE + column - tile_at.1] = difference;
            }
        }
        let worst = at.0 / cell.0 * cells.1 + at.1 / cell.1;
        Some(ErrorMap { name: tensor.name.clone(), cells, cell, largest, worst, tile, tile_at })
    }
}

/// How far a value is from what it should be; infinitely where only one of them is a number.
fn difference(found: f64, wanted: f64) -> f64 {
    if found == wanted || found.is_nan() && wanted.is_nan() {
        return 0.0;
    }
    let difference = (found - wanted).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
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
    fn a_large_output_has_few_cells_and_what_is_no_number_is_far_off() {
        let map =
            ErrorMap::of(&tensor(&[4096, 64]), (0..4096 * 64).map(|at| (if at == 0 { f64::NAN } else { 1.0 }, 1.0)));
        let map = map.unwrap();
        assert_eq!((map.cells, map.cell), ((64, 2), (64, 32)));
        assert_eq!(map.largest[0], f64::INFINITY);
        assert!(map.largest[1..].iter().all(|largest| *largest == 0.0));
    }
}

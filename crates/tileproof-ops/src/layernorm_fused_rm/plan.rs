//! Path, cores and circular buffers, from shape and L1.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::Layout;

use super::buffers::{BLOCK, cb};
use super::tensors::tensors;
use super::validate::{ArgumentError, Arguments, validate};
use crate::memory::Room;
use crate::path::PathChoice;
use crate::split::{CoreRows, split_rows};
use crate::table::{CbRow, table_bytes};

/// Bytes of the longest piece of a stick that one transfer moves: 32 tile columns of bf16, 16 of fp32.
const PIECE_BYTES: u32 = 2048;

/// Everything that the program needs to know.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The arguments.
    pub arguments: Arguments,
    /// True if the tiles of a row stay in L1 from the first pass to the last; else each pass reads them again.
    pub l1_path: bool,
    /// Features.
    pub width: u32,
    /// Rows of one matrix: in row-major layout all rows are one matrix.
    pub height: u32,
    /// Tile rows of one matrix.
    pub ht: u32,
    /// Tile columns.
    pub wt: u32,
    /// Tile columns of a Dst window.
    pub block: u32,
    /// Tile columns that move together, a multiple of `block`.
    pub chunk: u32,
    /// Columns whose mean centres x before the mean is known.
    pub shift_columns: u32,
    /// Tile rows of each core.
    pub rows: Vec<CoreRows>,
    /// Circular buffers.
    pub cbs: Vec<CbRow>,
}

/// The circular buffers of a call.
fn table(arguments: &Arguments, l1_path: bool, wt: u32, block: u32, chunk: u32) -> Vec<CbRow> {
    let format = arguments.x.format;
    let fp32 = DataFormat::Float32;
    let row = |index: u32, content, format, pages| CbRow { index: index as u8, content, format, pages };
    let mut rows = Vec::new();
    let sticks = arguments.layout == Layout::RowMajor;
    if sticks {
        rows.push(row(cb::STICKS, "x, row-major", format, 2 * chunk));
    }
    let kept = if l1_path { wt.next_multiple_of(chunk) } else { 2 * chunk };
    rows.push(row(cb::X, "x, tiles", format, kept));
    rows.push(row(cb::MASKS, "masks of the last column and the last row", DataFormat::Float16_b, 2));
    rows.push(row(cb::ZERO, "zeros, to which rows of gamma and beta are added", DataFormat::Float16_b, 1));
    let of_rows = [
        (&arguments.gamma, [(cb::GAMMA_STICK, "piece of gamma, row-major"), (cb::GAMMA, "gamma, row 0 or all rows")]),
        (&arguments.beta, [(cb::BETA_STICK, "piece of beta, row-major"), (cb::BETA, "beta, row 0 or all rows")]),
    ];
    for (argument, [stick, tiles]) in of_rows {
        if argument.is_some() {
            if sticks {
                rows.push(row(stick.0, stick.1, format, 1));
            }
            rows.push(row(tiles.0, tiles.1, format, 2 * block));
        }
    }
    rows.push(row(cb::OUT, if sticks { "y, row-major" } else { "y, tiles" }, format, 2 * chunk));
    rows.push(row(cb::SUMS, "sums over tile columns, lane by lane", fp32, 1));
    rows.push(row(cb::STATS, "statistics of the rows, column 0", fp32, 2));
    rows.push(row(cb::CENTRE, "m0 and r, in all columns", fp32, 2));
    rows.push(row(cb::RSTD, "rstd, in all columns", fp32, 1));
    rows
}

/// Validates and plans.
///
/// # Errors
/// What [`validate`] refuses, or a row that does not fit in L1 on the L1 path.
pub fn plan(arguments: &Arguments) -> Result<Plan, ArgumentError> {
    validate(arguments)?;
    let arch = arguments.arch.constants();
    let (rank, shape) = (arguments.x.shape.len(), &arguments.x.shape);
    let width = shape[rank - 1];
    let wt = width.div_ceil(32);
    // A vector is one row.
    let rows = if rank >= 2 { shape[rank - 2] } else { 1 };
    let outer: u32 = shape.iter().take(rank.saturating_sub(2)).product();
    let (matrices, height) = match arguments.layout {
        Layout::RowMajor => (1, outer * rows),
        Layout::Tile => (outer, rows),
    };
    let ht = height.div_ceil(32);
    let block = BLOCK.min(wt);
    let widest = PIECE_BYTES / (arguments.x.format.tile_bytes() / 32);
    // Pieces of about one length: the last one is not much shorter than the others.
    let pieces = wt.div_ceil(widest);
    let chunk = wt.div_ceil(pieces).next_multiple_of(block);
    let rows = split_rows(matrices * ht, arguments.cores.unwrap_or(arch.grid.0 * arch.grid.1), arch.grid.1);
    let Room { taken, available } = Room::beside(&tensors(arguments), arch);
    let kept = table(arguments, true, wt, block, chunk);
    let needed = table_bytes(&kept);
    let l1_path = match arguments.path {
        PathChoice::Auto => needed <= available,
        PathChoice::Block => false,
        PathChoice::L1 if needed > available => return Err(ArgumentError::DoesNotFit { needed, available }),
        PathChoice::L1 => true,
    };
    let cbs = if l1_path { kept } else { table(arguments, false, wt, block, chunk) };
    let needed = table_bytes(&cbs);
    if needed > available {
        return Err(ArgumentError::NoRoom { taken, needed, available });
    }
    Ok(Plan {
        arguments: arguments.clone(),
        l1_path,
        width,
        height,
        ht,
        wt,
        block,
        chunk,
        shift_columns: width.min(32 * block),
        rows,
        cbs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    fn of(shape: &[u32], format: DataFormat, path: PathChoice) -> Result<Plan, ArgumentError> {
        plan(&Arguments { path, ..Arguments::new(shape, format, Layout::RowMajor) })
    }

    #[test]
    fn the_path_follows_the_l1_budget() {
        let fits = |w| of(&[32, w], DataFormat::Float16_b, PathChoice::Auto).unwrap().l1_path;
        assert!(fits(8192) && fits(8462) && !fits(65536));
        let wide = of(&[32, 65536], DataFormat::Float16_b, PathChoice::L1);
        assert!(matches!(wide, Err(ArgumentError::DoesNotFit { needed, available }) if needed > available));
    }

    #[test]
    fn every_table_fits_in_l1_and_a_piece_holds_whole_windows() {
        for format in [DataFormat::Float16_b, DataFormat::Float32] {
            for w in (1..70).chain([100, 1024, 2048, 8191, 8462, 30_000, 1 << 20]) {
                let plan = of(&[3, w], format, PathChoice::Auto).unwrap();
                let arch = plan.arguments.arch.constants();
                assert!(table_bytes(&plan.cbs) <= u64::from(arch.l1_bytes - arch.l1_unreserved_base), "{w}");
                assert_eq!(plan.chunk % plan.block, 0);
                assert!(plan.chunk * format.tile_bytes() / 32 <= PIECE_BYTES);
            }
        }
    }

    #[test]
    fn rows_of_all_matrices_share_tiles_in_row_major_layout_only() {
        let shape = [2, 3, 5, 7];
        let row_major = of(&shape, DataFormat::Float32, PathChoice::Auto).unwrap();
        assert_eq!((row_major.ht, row_major.height, row_major.rows.len()), (1, 30, 1));
        let tile = plan(&Arguments::new(&shape, DataFormat::Float32, Layout::Tile)).unwrap();
        assert_eq!((tile.ht, tile.height, tile.rows.len()), (1, 5, 6));
    }

    #[test]
    fn a_vector_is_one_row_and_eight_dimensions_are_as_many_matrices_as_they_hold() {
        for layout in [Layout::RowMajor, Layout::Tile] {
            let rows = |shape: &[u32]| {
                let plan = plan(&Arguments::new(shape, DataFormat::Float16_b, layout)).unwrap();
                (plan.height, plan.width, plan.rows.iter().map(|rows| rows.count).sum::<u32>())
            };
            assert_eq!(rows(&[100]), (1, 100, 1));
            let eight = if layout == Layout::RowMajor { (240, 7, 8) } else { (40, 7, 12) };
            assert_eq!(rows(&[1, 2, 1, 3, 1, 1, 40, 7]), eight);
        }
    }

    #[test]
    fn tensors_in_l1_leave_less_of_it_and_are_refused_when_they_leave_too_little() {
        let of = |shape: &[u32]| {
            let base = Arguments::new(shape, DataFormat::Float16_b, Layout::RowMajor);
            plan(&Arguments { output_memory: Memory::InterleavedL1, ..base })
        };
        // 8462 columns fit beside nothing; beside y of 4096 rows, 64 of them on a core, they do not.
        assert!(of(&[32, 8462]).unwrap().l1_path && !of(&[3264, 8462]).unwrap().l1_path);
        let error = of(&[1 << 14, 1 << 13]).unwrap_err();
        assert!(matches!(error, ArgumentError::NoRoom { taken: 4_194_304, .. }), "{error}");
    }
}

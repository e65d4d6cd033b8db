//! Path, cores and circular buffers, from shape and L1.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::Layout;

use super::buffers::{cb, finish_cb};
use super::tensors::outputs;
use super::validate::{ArgumentError, Arguments, validate};
use crate::memory::Room;
use crate::path::PathChoice;
use crate::split::{CoreRows, split_rows};
use crate::table::{CbRow, table_bytes, table_map};

/// Tile columns that the block path takes at a time.
const BLOCK: u32 = 4;
/// Tile rows whose statistics the block path keeps at a time: 16 KiB of L1 each.
const GROUP: u32 = 32;

/// Everything that the programs need to know.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The arguments.
    pub arguments: Arguments,
    /// True for the path that keeps whole rows in L1.
    pub l1_path: bool,
    /// Rows of one matrix: in row-major layout all rows are one matrix.
    pub height: u32,
    /// Tile rows of one matrix.
    pub ht: u32,
    /// Tile columns.
    pub wt: u32,
    /// Columns taken at a time: all of them on the L1 path.
    pub block: u32,
    /// Tile rows taken at a time: all of the core's on the L1 path.
    pub group: u32,
    /// Rows of each core of the first program.
    pub rows: Vec<CoreRows>,
    /// Tile columns of each core of the second program.
    pub columns: Vec<CoreRows>,
    /// Rows of partial dgamma and dbeta that the first program leaves.
    pub partial_rows: u32,
    /// Circular buffers of the first program.
    pub cbs: Vec<CbRow>,
    /// Circular buffers of the second program.
    pub finish_cbs: Vec<CbRow>,
}

fn table(format: DataFormat, l1_path: bool, wt: u32, group: u32) -> Vec<CbRow> {
    let block = if l1_path { wt } else { BLOCK };
    let stream = if l1_path { wt } else { 2 * BLOCK };
    let kept = if l1_path { 4 } else { 2 * group };
    let fp32 = DataFormat::Float32;
    let row = |index: u32, content, format, pages| CbRow { index: index as u8, content, format, pages };
    vec![
        row(cb::X, "x", format, stream),
        row(cb::GAMMA, "gamma", format, stream),
        row(cb::DY, "dy", format, stream),
        row(cb::STATS, "mean and rstd, in all columns", fp32, kept),
        row(cb::MASKS, "masks of the last column and the last row", DataFormat::Float16_b, 2),
        row(cb::SUMS, "s1 and s2, column 0", fp32, 2),
        row(cb::SUMS_BROADCAST, "s1 and s2, in all columns", fp32, kept),
        row(cb::DX, "dx", format, 2 * BLOCK),
        row(cb::DGAMMA_SUM, "dgamma summed over tile rows", fp32, block),
        row(cb::DBETA_SUM, "dbeta summed over tile rows", fp32, block),
        row(cb::DGAMMA, "dgamma, row 0", fp32, 2),
        row(cb::DBETA, "dbeta, row 0", fp32, 2),
    ]
}

/// Validates and plans.
///
/// # Errors
/// What [`validate`] refuses, or a row that does not fit in L1 on the L1 path.
pub fn plan(arguments: &Arguments) -> Result<Plan, ArgumentError> {
    validate(arguments)?;
    let arch = arguments.arch.constants();
    let [n, c, h, w] = [arguments.shape[0], arguments.shape[1], arguments.shape[2], arguments.shape[3]];
    // The rows of sticks are one matrix.
    let (matrices, height) = match arguments.layout {
        Layout::Tile => (n * c, h),
        Layout::RowMajor => (1, n * c * h),
    };
    let (ht, wt) = (height.div_ceil(32), w.div_ceil(32));
    let tile_rows = matrices * ht;
    let cores = arguments.cores.unwrap_or(arch.grid.0 * arch.grid.1);
    let rows = split_rows(tile_rows, cores, arch.grid.1);
    let Room { taken, available } = Room::beside(&outputs(arguments), arch);
    let l1_table = table(arguments.format, true, wt, 0);
    let needed = table_bytes(&l1_table);
    let l1_path = match arguments.path {
        PathChoice::Auto => needed <= available,
        PathChoice::Block => false,
        PathChoice::L1 if needed > available => {
            return Err(ArgumentError::DoesNotFit { needed, available, map: table_map(&l1_table) });
        }
        PathChoice::L1 => true,
    };
    let most = rows.iter().map(|r| r.count).max().unwrap_or(1);
    let group = if l1_path { most } else { most.min(GROUP) };
    let cbs = if l1_path { l1_table } else { table(arguments.format, false, wt, group) };
    let needed = table_bytes(&cbs);
    if needed > available {
        return Err(ArgumentError::NoRoom { taken, needed, available });
    }
    let partial_rows = rows.iter().map(|r| r.count.div_ceil(group)).sum();
    let finish_cbs = vec![
        CbRow { index: finish_cb::PARTIAL as u8, content: "partial sums", format: DataFormat::Float32, pages: 4 },
        CbRow {
            index: finish_cb::MASK as u8,
            content: "mask of the last row",
            format: DataFormat::Float16_b,
            pages: 1,
        },
        CbRow { index: finish_cb::OUT as u8, content: "dgamma or dbeta, row 0", format: arguments.format, pages: 2 },
    ];
    Ok(Plan {
        arguments: arguments.clone(),
        l1_path,
        height,
        ht,
        wt,
        block: if l1_path { wt } else { BLOCK },
        group,
        rows,
        columns: split_rows(wt, cores, arch.grid.1),
        partial_rows,
        cbs,
        finish_cbs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use tileproof_kernel::model::arch::Arch;

    /// Bytes of L1 that circular buffers can take.
    fn l1() -> u64 {
        Room::beside(&[], Arch::Wormhole.constants()).available
    }

    fn arguments(width: u32) -> Arguments {
        Arguments::new(&[1, 1, 64, width], DataFormat::Float16_b)
    }

    #[test]
    fn the_path_follows_the_l1_budget() {
        let fits = |width| plan(&arguments(width)).unwrap().l1_path;
        assert!(fits(2048));
        assert!(!fits(8192));
        let widest = (1..200).filter(|wt| fits(32 * wt)).max().unwrap();
        let table = table(DataFormat::Float16_b, true, widest + 1, 0);
        assert!(table_bytes(&table) > l1());
    }

    #[test]
    fn a_path_that_does_not_fit_is_refused_with_both_sizes() {
        let wide = Arguments { path: PathChoice::L1, ..arguments(8192) };
        assert!(matches!(
            plan(&wide),
            Err(ArgumentError::DoesNotFit { needed, available, map }) if needed > available && map.contains("c_")
        ));
    }

    #[test]
    fn every_table_fits_in_l1_whatever_the_shape() {
        for (h, w) in [(1, 1), (4096, 65536), (32, 2900), (100_000, 33)] {
            let plan = plan(&Arguments { shape: vec![1, 1, h, w], cores: Some(1), ..arguments(32) }).unwrap();
            assert!(table_bytes(&plan.cbs) <= l1(), "{h} x {w}");
        }
    }
    #[test]
    fn rows_of_all_matrices_share_tiles_in_row_major_layout_only() {
        let of = |layout| {
            let shape = vec![2, 3, 5, 7];
            let plan = plan(&Arguments { shape, layout, ..arguments(7) }).unwrap();
            (plan.ht, plan.height, plan.rows.len())
        };
        assert_eq!((of(Layout::RowMajor), of(Layout::Tile)), ((1, 30, 1), (1, 5, 6)));
    }

    #[test]
    fn outputs_in_l1_leave_less_of_it_and_are_refused_when_they_leave_too_little() {
        let of = |h, w| {
            let output_memory = Memory::InterleavedL1;
            plan(&Arguments { shape: vec![1, 1, h, w], output_memory, ..arguments(w) })
        };
        // dx of 7680 rows of 2048: 240 rounds of a tile each.
        assert!(of(64, 2048).unwrap().l1_path && !of(7680, 2048).unwrap().l1_path);
        let error = of(1 << 14, 1 << 13).unwrap_err();
        assert!(matches!(error, ArgumentError::NoRoom { taken, .. } if taken == 2048 * (2048 + 4 + 4)), "{error}");
    }
}

//! Rows over cores: the first cores take one more when they do not come out even (`split_work_to_cores`).

use tileproof_kernel::model::thread::CoreCoord;

/// The rows of one core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoreRows {
    /// The core.
    pub core: CoreCoord,
    /// First row.
    pub start: u32,
    /// Number of rows, at least 1.
    pub count: u32,
}

/// Splits `rows` rows over at most `cores` cores of a grid, column by column.
pub fn split_rows(rows: u32, cores: u32, grid_rows: u32) -> Vec<CoreRows> {
    let used = cores.min(rows);
    let mut start = 0;
    let of = |index: u32| {
        let count = rows / used + u32::from(index < rows % used);
        let core = CoreCoord { x: index / grid_rows, y: index % grid_rows };
        let first = start;
        start += count;
        CoreRows { core, start: first, count }
    };
    (0..used).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_core_and_no_core_has_two_rows_more_than_another() {
        for (rows, cores) in [(27, 4), (1, 64), (64, 64), (65, 64), (5, 1)] {
            let split = split_rows(rows, cores, 8);
            let mut next = 0;
            for part in &split {
                assert_eq!(part.start, next);
                next += part.count;
            }
            assert_eq!(next, rows);
            let counts: Vec<u32> = split.iter().map(|p| p.count).collect();
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        }
    }
}

//! Which cores wrote what is wrong of an output, in words.
//!
//! A page is the core's that wrote it last. It must never name a core for a page that nobody is known to have written. Start at
//! [`Writers::of`].

use std::collections::BTreeMap;

use tileproof_model::program::{MemoryConfig, TensorDescriptor};
use tileproof_model::record::Ledger;
use tileproof_model::thread::CoreCoord;
use tileproof_model::wording::count;

/// Cores that are named one by one.
const NAMED: usize = 6;

/// The core that wrote each page of a tensor last.
pub(crate) struct Writers(Vec<Option<CoreCoord>>);

impl Writers {
    /// By what launches left of a tensor; of one in L1 nothing is known, since threads reach their own without a call.
    pub(crate) fn of(tensor: &TensorDescriptor, ledgers: &[Ledger]) -> Option<Writers> {
        if tensor.memory != MemoryConfig::Dram {
            return None;
        }
        let mut writers = vec![None; tensor.pages() as usize];
        for entry in ledgers.iter().flat_map(|ledger| &ledger.tensors).filter(|entry| entry.name == tensor.name) {
            for run in &entry.writers {
                writers.get_mut(run.first as usize..)?.get_mut(..run.pages as usize)?.fill(Some(run.core));
            }
        }
        Some(Writers(writers))
    }

    /// Who wrote some pages, where more than one core wrote the tensor.
    pub(crate) fn of_pages(&self, is_wrong: &[bool]) -> Option<String> {
        // Pages of a core, and those among them that are wrong.
        let mut shares: BTreeMap<CoreCoord, (usize, usize)> = BTreeMap::new();
        for (writer, is_wrong) in self.0.iter().zip(is_wrong) {
            let Some(core) = writer else {
                if *is_wrong {
                    return None;
                }
                continue;
            };
            let share = shares.entry(*core).or_default();
            share.0 += 1;
            share.1 += usize::from(*is_wrong);
        }
        let wrong: Vec<(CoreCoord, (usize, usize))> =
            shares.iter().filter(|(_, share)| share.1 > 0).map(|(core, share)| (*core, *share)).collect();
        let is_whole = wrong.iter().all(|(_, (pages, wrong))| pages == wrong);
        let all = shares.len();
        match &wrong[..] {
            [] => None,
            _ if all < 2 => None,
            [(core, _)] if is_whole => {
                Some(format!("one core's share: in each page that core {core} wrote, and in no other"))
            }
            [(core, (pages, wrong))] => {
                Some(format!("written by core {core}, of whose {} {wrong} are wrong", count(*pages as u64, "page")))
            }
            _ if wrong.len() == all => Some(format!("written by all {all} cores that wrote it")),
            _ => {
                let named = wrong.iter().take(NAMED).map(|(core, _)| core.to_string()).collect::<Vec<_>>().join(", ");
                let more = wrong.len().saturating_sub(NAMED);
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                let cores = format!("cores {named}{more}, of {all} that wrote it");
                Some(if is_whole { format!("the shares of {cores}") } else { format!("written by {cores}") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of cores in a row, by their numbers, and which are wrong.
    fn told(writers: &[u32], wrong: &[usize]) -> String {
        let writers = writers.iter().map(|x| (*x < 99).then_some(CoreCoord { x: *x, y: 0 })).collect();
        let is_wrong: Vec<bool> = (0..20).map(|page| wrong.contains(&page)).collect();
        Writers(writers).of_pages(&is_wrong).unwrap_or_default()
    }

    #[test]
    fn one_cores_share_is_told_from_a_part_of_it() {
        assert_eq!(
            told(&[0, 1, 2, 0, 1, 2], &[1, 4]),
            "one core's share: in each page that core (1,0) wrote, and in no other"
        );
        assert_eq!(told(&[0, 1, 2, 0, 1, 2], &[4]), "written by core (1,0), of whose 2 pages 1 are wrong");
        assert_eq!(told(&[0, 1, 2, 3], &[1, 3]), "the shares of cores (1,0), (3,0), of 4 that wrote it");
        assert_eq!(told(&[0, 1, 2, 0, 1, 2], &[0, 1, 4]), "written by cores (0,0), (1,0), of 3 that wrote it");
        assert_eq!(told(&[0, 1, 0, 1], &[0, 1]), "written by all 2 cores that wrote it");
        let many: Vec<u32> = (0..9).collect();
        assert_eq!(
            told(&many, &[0, 1, 2, 3, 4, 5, 6, 7]),
            "the shares of cores (0,0), (1,0), (2,0), (3,0), (4,0), (5,0) and 2 more, of 9 that wrote it"
        );
    }

    #[test]
    fn where_one_core_wrote_all_or_nobody_is_known_nothing_is_said() {
        assert_eq!(told(&[3, 3, 3], &[1]), "");
        assert_eq!(told(&[0, 1, 99], &[1, 2]), "");
        assert_eq!(told(&[0, 1, 99], &[]), "");
    }
}

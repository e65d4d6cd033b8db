//! What no check of a run could see, so that "0 findings" never stands for "not looked at".
//! It must never list what was checked after all: a list that is always the same is read by nobody.
//! Start reading at [`Loaded::not_checked`].

use tileproof_model::finding::{Code, Family};
use tileproof_model::observe::Observer;
use tileproof_model::program::MemoryConfig;
use tileproof_model::record::{RunRecord, Status};

use super::loaded::Loaded;
use super::options::{ChosenChecks, families};
use crate::output::OutputResult;

impl<O: Observer> Loaded<'_, O> {
    /// A phrase for each thing that was not checked.
    pub(super) fn not_checked(
        &self,
        record: &RunRecord,
        outputs: &[OutputResult],
        checks: &ChosenChecks,
    ) -> Vec<String> {
        let mut list = Vec::new();
        let but = if self.compares { ", but for outputs that depend on the order" } else { "" };
        match checks {
            ChosenChecks::All => {}
            ChosenChecks::None => list.push(format!("all families (--checks none){but}")),
            ChosenChecks::Families(chosen) => {
                let off: Vec<&str> = families().filter(|family| !chosen.contains(family)).map(Family::name).collect();
                if !off.is_empty() {
                    list.push(format!("families {} (--checks){but}", off.join(", ")));
                }
            }
        }
        if record.status != Status::Completed {
            let (ran, all) = (record.ledgers.len(), self.file.program.launches.len());
            if ran < all {
                list.push(format!("launches after number {ran} of {all}, which did not complete"));
            }
            list.push("outputs, and what is left at the end: the run did not complete".into());
        }
        let without: Vec<&str> =
            outputs.iter().filter(|o| o.pass && o.max_diff.is_none()).map(|o| o.name.as_str()).collect();
        if !without.is_empty() {
            list.push(format!("values of {} (no [[expect]])", without.join(", ")));
        }
        // What inits load is known of one generation on one chip (`sfpu/constants.rs` of the numerics).
        if checks.count(Code::WRONG_INIT) && record.ledgers.iter().any(|ledger| ledger.inits_unchecked) {
            list.push(
                "inits of the vector unit: a wrong or missing one changes nothing on this chip or of this generation"
                    .into(),
            );
        }
        if checks.observe() {
            list.extend(self.unseen_tensors(checks));
        }
        list
    }

    /// Tensors in L1: threads reach their own L1 without a call, so no ledger is kept of them.
    fn unseen_tensors(&self, checks: &ChosenChecks) -> Option<String> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let in_l1 = tensors.filter(|(t, data)| t.memory != MemoryConfig::Dram && data.fill.is_some() && !data.output);
        let names: Vec<&str> = in_l1.map(|(tensor, _)| tensor.name.as_str()).collect();
        (!names.is_empty() && checks.count(Code::INPUT_NOT_READ))
            .then(|| format!("whether all of {} in L1 is read", names.join(", ")))
    }
}

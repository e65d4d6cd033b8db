//! A program that does not say which day's headers its kernels mean, where its outputs may be wrong for that.
//!
//! Must stay silent of outputs that are as expected: most programs need no day. Start at [`Loaded::open_day`].

use tileproof_model::finding::{Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelConfig, MathFidelity};
use tileproof_model::record::RunRecord;

use super::loaded::Loaded;
use crate::output::OutputResult;

impl<O: Observer> Loaded<'_, O> {
    /// A note at the first call whose meaning follows the day, if no day is given, an output is not as expected, and nothing that was
    /// found is why, or that call itself in few phases, or operands with other formats than their buffers' are.
    pub(super) fn open_day(&self, record: &RunRecord, outputs: &[OutputResult]) -> Option<Finding> {
        if self.file.api.is_some() || outputs.iter().all(|output| output.pass) {
            return None;
        }
        let place = record.ledgers.iter().find_map(|ledger| ledger.row_sum.clone())?;
        let exchanged =
            |finding: &Finding| finding.code == Code::WRONG_FORMAT && finding.primary.kernel == place.kernel;
        let blamed = |finding: &Finding| self.drops_digits() && finding.primary.location == place.location;
        let is_open = outputs.iter().any(|output| self.is_open(output, record));
        if !is_open && !record.findings.iter().any(|finding| exchanged(finding) || blamed(finding)) {
            return None;
        }
        let message = "reduce_tile of a sum or average along rows is another on other days' headers, and `api` does not say which";
        let mut note = Finding::new(Code::DAY_OPEN, place, message);
        note.primary_text = "taken as on 3 July 2026 and later: data in SrcB, the scaler in SrcA".into();
        note.help = Some(
            "if the kernel was written before, say so in the program file, api = \"2026-06-25\" or its own day: docs/api.md".into(),
        );
        Some(note)
    }

    /// Whether a kernel multiplies in so few phases that it shows which operand is in which register.
    fn drops_digits(&self) -> bool {
        let kernels = self.file.program.launches.iter().flat_map(|launch| &launch.kernels);
        let fidelities = kernels.filter_map(|kernel| match &kernel.config {
            KernelConfig::Compute(config) => Some(config.math_fidelity),
            _ => None,
        });
        fidelities.into_iter().any(|fidelity| matches!(fidelity, MathFidelity::LoFi | MathFidelity::HiFi2))
    }
}

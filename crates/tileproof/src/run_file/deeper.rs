//! Whether a deadlock would end if a circular buffer were deeper: the program is tried again with more pages.
//!
//! What is said comes from runs that completed, each a small change of the program; it must never say that a buffer is too
//! small because it was full. Start reading at [`Loaded::try_deeper`].

use tileproof_model::finding::Code;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::CbDescriptor;
use tileproof_model::record::{BufferLedger, RunRecord, Status};
use tileproof_model::wording::cb_name;

use super::loaded::Loaded;
use super::options::RunOptions;
use crate::cpp_kernels::Kernels;
use crate::program_file::ProgramFile;

/// How many times as deep buffers are tried.
const TIMES: [u32; 2] = [2, 4];
/// Buffers that are tried one by one.
const MOST: usize = 8;
/// Turns of threads that a try may take: a moment, also where the program is long.
const TURNS: u64 = 200_000;

impl<O: Observer> Loaded<'_, O> {
    /// Says at a deadlock which one buffer, or all of those with pages left in them, would let the program complete.
    pub(super) fn try_deeper(&self, kernels: &Kernels, record: &mut RunRecord) {
        let Some(finding) = record.findings.iter_mut().find(|finding| finding.code == Code::DEADLOCK) else { return };
        let Some((launch, ledger)) = record.ledgers.iter().enumerate().next_back() else { return };
        let descriptors = &self.file.program.launches[launch].cbs;
        let is_of = |cb: u32, d: &CbDescriptor| d.format_descriptors.iter().any(|f| u32::from(f.buffer_index) == cb);
        // As deep as a tensor's shard is what a tensor backs.
        let is_backed = |cb| descriptors.iter().any(|d| d.tensor.is_some() && is_of(cb, d));
        let mut full: Vec<&BufferLedger> = Vec::new();
        for buffer in ledger.buffers.iter().filter(|buffer| buffer.left > 0 && !is_backed(buffer.cb)) {
            if full.len() < MOST && full.iter().all(|known| known.cb != buffer.cb) {
                full.push(buffer);
            }
        }
        let completes = |buffers: &[&BufferLedger], times| {
            let cbs: Vec<u32> = buffers.iter().map(|buffer| buffer.cb).collect();
            self.deeper(launch, &cbs, times).and_then(|file| completes(&file, kernels))
        };
        // Where not even all of them help, none does.
        let Some(all) = TIMES.into_iter().find_map(|times| Some((times, completes(&full, times)?))) else { return };
        let alone = |times, buffer| Some((times, vec![buffer], completes(&[buffer], times)?));
        let mut singles = TIMES.into_iter().flat_map(|times| full.iter().map(move |buffer| (times, *buffer)));
        let single = if full.len() > 1 { singles.find_map(|(times, buffer)| alone(times, buffer)) } else { None };
        let (times, buffers, as_expected) = single.unwrap_or((all.0, full.clone(), all.1));
        let pages: Vec<String> = buffers
            .iter()
            .map(|b| format!("{} of {} pages instead of {}", cb_name(b.cb), b.capacity * times, b.capacity))
            .collect();
        let outputs = match as_expected {
            Some(true) => ", and its outputs are as expected",
            Some(false) => ", but its outputs are not as expected",
            None => "",
        };
        finding.notes.push(format!("tried again with {} the program completes{outputs}", pages.join(" and ")));
    }

    /// The program with some buffers of a launch deeper; `None` if there are none.
    fn deeper(&self, launch: usize, cbs: &[u32], times: u32) -> Option<ProgramFile> {
        let mut file = self.file.clone();
        let descriptors = &mut file.program.launches.get_mut(launch)?.cbs;
        let mut found = 0;
        for descriptor in descriptors {
            if descriptor.format_descriptors.iter().any(|format| cbs.contains(&format.buffer_index.into())) {
                descriptor.total_size =
                    descriptor.total_size.checked_mul(times).filter(|_| descriptor.tensor.is_none())?;
                found += 1;
            }
        }
        (found > 0).then_some(file)
    }
}

/// Whether a program completes, and then whether its outputs are as expected, where something is.
fn completes(file: &ProgramFile, kernels: &Kernels) -> Option<Option<bool>> {
    let mut run = Loaded::<Unobserved>::prepare(file, &RunOptions::default()).ok()?;
    run.device.machine_mut().limit_turns(TURNS);
    // Buffers that do not fit in L1 are no answer.
    let record = run.launch(kernels).ok()?;
    if record.status != Status::Completed {
        return None;
    }
    let outputs = run.outputs(&record).ok()?;
    let mut compared = outputs.iter().filter(|output| output.max_diff.is_some()).peekable();
    Some(compared.peek().is_some().then(|| compared.all(|output| output.pass)))
}

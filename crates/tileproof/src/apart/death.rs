//! What is said of a process that ran kernels and did not answer: who had the turn, where, and what ended it.
//!
//! It must never take the machine's own fault for a kernel's where it can tell. Start at [`Scene::of`].

use tileproof_model::abi::Site;
use tileproof_model::finding::{self, Code, Finding, Place};
use tileproof_model::kernel::{SharedKernel, SourceLocation};
use tileproof_model::program::{KernelDescriptor, Program};
use tileproof_model::record::{Ledger, RunRecord, Status};
use tileproof_model::thread::Thread;
use tileproof_sim::{BlackBox, Last, locate, site_of};
use tileproof_worker::{Death, How};

use crate::cpp_kernels::{Kernels, kernel_places};
use crate::tensor_findings::nowhere;
use crate::wire::Reader;

/// A program whose process is watched.
pub(super) struct Scene<'a> {
    pub(super) program: &'a Program,
    pub(super) kernels: &'a Kernels,
    pub(super) black_box: &'a BlackBox,
}

/// Lines of what a process said at its end that are told with its death.
const LAST_WORDS: usize = 3;

impl Scene<'_> {
    /// The kernel that had the last turn on a host thread.
    fn kernel(&self, last: &Last) -> Option<&SharedKernel> {
        let launch = self.program.launches.get(last.launch)?;
        let runs = |(descriptor, _): &(&KernelDescriptor, &SharedKernel)| {
            descriptor.config.threads().contains(&last.thread)
                && descriptor.core_ranges.iter().any(|range| range.contains(last.core))
        };
        launch.kernels.iter().zip(self.kernels.launches.get(last.launch)?).find(runs).map(|(_, kernel)| kernel)
    }

    /// Where it was, and whether it was in its own code or in a library that it had called.
    pub(super) fn site(&self, last: &Last) -> (Site, bool) {
        let kernel = self.kernel(last);
        let own = match &last.signal {
            Some(signal) => {
                kernel.and_then(|kernel| site_of(&**kernel, signal.pc, [last.block, last.site], &signal.words))
            }
            // No handler ran: nothing but its last basic block is known.
            None => Some(last.block).filter(|block| kernel.is_some_and(|kernel| locate(&**kernel, *block).is_some())),
        };
        (own.unwrap_or(last.site), own.is_some())
    }

    fn location(&self, last: &Last, site: Site) -> Option<SourceLocation> {
        let kernel = self.kernel(last).filter(|_| site != Site::default())?;
        locate(&**kernel, site)
    }

    /// The record of a run that ended so.
    pub(super) fn of(&self, death: Death, said: &[String]) -> RunRecord {
        let last = self.black_box.last().into_iter().next();
        let Some(last) = last else { return self.before_any_turn(death, said) };
        let (site, is_own) = self.site(&last);
        let own = self.location(&last, site).filter(|_| is_own);
        let is_in_kernel = own.is_some();
        let location = own.or_else(|| self.location(&last, last.site));
        let kernel = self.kernel(&last).map_or_else(String::new, |kernel| kernel.name().to_string());
        let thread = last.thread;
        let place = Place { location, kernel, core: last.core, thread };
        let (code, message) = match (&last.signal, death.how) {
            (Some(signal), _) if signal.is_refusal => {
                (Code::REACHED_OUT, format!("kernel on {thread} was ended: {}", signal.what))
            }
            (Some(signal), How::Signal(SEGV | BUS | FPE | ILL | TRAP | ABRT)) if !is_out_of_memory(said) => {
                (Code::KERNEL_CRASHED, format!("kernel on {thread} ended abnormally: {}", signal.what))
            }
            (None, How::Signal(SYS) | How::Exit(0)) if !last.has_turn => {
                let what = "it closed or wrote over what its process answers through";
                (Code::KERNEL_CRASHED, format!("a kernel ended the process that ran it: {what}"))
            }
            _ => said_of(death, thread, said),
        };
        let mut finding = Finding::new(code, place, message);
        finding.primary_text = if is_in_kernel { "here" } else { "last call before the end" }.into();
        // Of each launch that has begun there is a ledger; what stood in it is gone with the process.
        let ledgers = vec![Ledger::default(); last.launch.min(self.program.launches.len()) + 1];
        let mut record = RunRecord { ledgers, ..self.finish(finding, death, said) };
        record.findings = [self.found_before(&last), record.findings].concat();
        record
    }

    /// What was found before the end, in launches that were done and on the core that the end came on: how far the others were
    /// depends on the host, as does who was first of cores that run apart.
    fn found_before(&self, last: &Last) -> Vec<Finding> {
        let of = |(launch, bytes): (usize, Vec<u8>)| {
            let finding = Reader::whole::<Finding>(&bytes)?;
            (launch < last.launch || finding.primary.core == last.core).then_some((launch, finding))
        };
        let mut found: Vec<(usize, Finding)> = self.black_box.kept().into_iter().filter_map(of).collect();
        found.sort_by_key(|(launch, finding)| (*launch, finding.primary.core));
        finding::fold(found.into_iter().map(|(_, finding)| finding).collect())
    }

    /// The record of a run whose kernels had not begun.
    fn before_any_turn(&self, death: Death, said: &[String]) -> RunRecord {
        let place = self.first_place();
        let (code, message) = said_of(death, place.thread, said);
        let mut finding = Finding::new(code, place, message);
        finding.notes.push("no kernel had begun".into());
        self.finish(finding, death, said)
    }

    fn finish(&self, mut finding: Finding, death: Death, said: &[String]) -> RunRecord {
        match death.how {
            How::Signal(signal) => finding.facts.insert(SIGNAL.into(), name_of(signal)),
            How::Exit(code) => finding.facts.insert("exit code".into(), code.to_string()),
            // As the machine says it of a run that ends when it is told to.
            How::OverLimit => finding.facts.insert(LIMIT.into(), format!("{} s", death.after.as_secs())),
            How::Astray | How::Flooded | How::Panicked => None,
        };
        let words = said.iter().rev().filter(|line| !line.trim().is_empty()).take(LAST_WORDS);
        let words: Vec<&str> = words.map(|line| line.trim()).collect();
        if !words.is_empty() && matches!(death.how, How::Signal(_) | How::Panicked) {
            let words: Vec<&str> = words.into_iter().rev().collect();
            finding.notes.push(format!("its process said at last: {}", words.join(" / ")));
        }
        if finding.code == Code::REACHED_OUT {
            finding.help = Some("a kernel has its core, its arguments and the NoC, and nothing of the host".into());
            finding.facts.clear();
        }
        if death.how == How::Panicked {
            let what = "a kernel does that when it writes over memory of the machine";
            let report = "if this one writes to its own alone, it is a fault of Tileproof: report it, with the kernel";
            finding.help = Some(format!("{what}; {report}"));
        }
        if finding.code == Code::STEP_LIMIT {
            finding.help = Some(match death.how {
                How::OverLimit => "if it would end after all, give it more time with --limit".into(),
                _ => "nothing that another thread does can end a loop that looks at nothing".into(),
            });
        }
        let status = if finding.code == Code::STEP_LIMIT { Status::Stopped } else { Status::Crashed };
        RunRecord { status, findings: vec![finding], ..RunRecord::default() }
    }

    fn first_place(&self) -> Place {
        kernel_places(self.program).into_iter().next().unwrap_or_else(nowhere)
    }

    /// The record of a run whose kernels could not be opened.
    pub(super) fn not_loaded(&self, why: &str) -> RunRecord {
        let of = |place: &Place| why.starts_with(&place.kernel);
        let place = kernel_places(self.program).into_iter().find(of).unwrap_or_else(|| self.first_place());
        let finding = Finding::new(Code::KERNEL_CRASHED, place, format!("the kernel cannot be loaded: {why}"));
        RunRecord { status: Status::Crashed, findings: vec![finding], ..RunRecord::default() }
    }

    /// The record of a run whose answer makes no sense.
    pub(super) fn no_answer(&self) -> RunRecord {
        let message = "a kernel has written over memory of the machine: what its process answers makes no sense";
        let finding = Finding::new(Code::KERNEL_CRASHED, self.first_place(), message);
        let before = self.black_box.last().first().map_or_else(Vec::new, |last| self.found_before(last));
        RunRecord { status: Status::Crashed, findings: [before, vec![finding]].concat(), ..RunRecord::default() }
    }
}

/// Whether it was the host that ended a run, of which that says nothing: for its time, or for want of memory.
pub(crate) fn was_ended_by_the_host(finding: &Finding) -> bool {
    let signal = finding.facts.get(SIGNAL);
    let is_its = |signal: &String| FROM_OUTSIDE.iter().any(|number| *signal == name_of(*number));
    finding.code == Code::STEP_LIMIT && finding.facts.contains_key(LIMIT) || signal.is_some_and(is_its)
}

/// Whether the machine could not have what it asked for.
fn is_out_of_memory(said: &[String]) -> bool {
    said.iter().any(|line| line.starts_with("memory allocation of"))
}

/// What is said of a death.
fn said_of(death: Death, thread: Thread, said: &[String]) -> (Code, String) {
    match death.how {
        How::Astray => {
            let what = "goes round here, without a call and without a look at memory that another thread can change";
            (Code::STEP_LIMIT, format!("kernel on {thread} does not end: it {what}"))
        }
        How::OverLimit => {
            let message = format!(
                "kernel on {thread} did not end within the limit of {} s, nor when it was told to",
                death.after.as_secs()
            );
            (Code::STEP_LIMIT, message)
        }
        How::Flooded => {
            let what = "its process answered more than any run has to say";
            (Code::KERNEL_CRASHED, format!("kernel on {thread} was ended: {what}"))
        }
        How::Panicked => {
            let what = "its process came to a state that cannot be, and gave up";
            (Code::KERNEL_CRASHED, format!("kernel on {thread} did not end as kernels do: {what}"))
        }
        How::Signal(_) if is_out_of_memory(said) => {
            (Code::KERNEL_CRASHED, format!("memory ran out while the kernel on {thread} had its turn"))
        }
        How::Signal(KILL) => {
            let message = format!("the host ended the process of the kernels while the one on {thread} had its turn");
            (Code::KERNEL_CRASHED, message + ", as it does when memory runs out")
        }
        // It had its signals blocked, as the C library does for a moment when it starts something.
        How::Signal(SYS) => {
            let what = "it asked the host for something that no kernel is given, as to start a thread or a process";
            (Code::REACHED_OUT, format!("kernel on {thread} was ended: {what}"))
        }
        How::Signal(signal) => {
            let message = format!("kernel on {thread} ended the process that ran it: {}", describe(signal));
            (Code::KERNEL_CRASHED, message)
        }
        How::Exit(code) => {
            let message = format!("kernel on {thread} ended the process that ran it, with exit code {code}");
            (Code::KERNEL_CRASHED, message)
        }
    }
}

/// Facts of a finding: the signal that ended a process, and the seconds that a run may take.
const SIGNAL: &str = "signal";
const LIMIT: &str = "limit";

const HUP: i32 = 1;
const INT: i32 = 2;
const ILL: i32 = 4;
const TRAP: i32 = 5;
const ABRT: i32 = 6;
const BUS: i32 = 7;
const FPE: i32 = 8;
const KILL: i32 = 9;
const SEGV: i32 = 11;
const TERM: i32 = 15;
const SYS: i32 = 31;

/// Signals that others send, and the one that the process sends itself when it is given no memory.
const FROM_OUTSIDE: [i32; 5] = [HUP, INT, ABRT, KILL, TERM];

/// Numbers that are the same on all architectures of Linux that kernels run on, their names, and what they mean here.
const SIGNALS: [(i32, &str, &str); 12] = [
    (1, "SIGHUP", "a signal"),
    (2, "SIGINT", "an interrupt"),
    (4, "SIGILL", "it ran into code that must not be reached"),
    (5, "SIGTRAP", "it ran into a breakpoint"),
    (6, "SIGABRT", "it was aborted"),
    (7, "SIGBUS", "an access to memory that is not there"),
    (8, "SIGFPE", "integer division by zero"),
    (9, "SIGKILL", "it was killed"),
    (11, "SIGSEGV", "an access to memory that is not its own, or a stack that was written over"),
    (15, "SIGTERM", "it was told to end"),
    (25, "SIGXFSZ", "it wrote a file"),
    (31, "SIGSYS", "it asked the host for something that no kernel is given"),
];

fn name_of(signal: i32) -> String {
    let known = SIGNALS.iter().find(|(number, ..)| *number == signal);
    known.map_or_else(|| signal.to_string(), |(_, name, _)| name.to_string())
}

fn describe(signal: i32) -> String {
    let known = SIGNALS.iter().find(|(number, ..)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name, what)| format!("{what} ({name})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tileproof_model::arch::Arch;

    #[test]
    fn the_host_ends_runs_for_their_time_and_for_want_of_memory() {
        let program = Program { arch: Arch::Wormhole, tensors: Vec::new(), launches: Vec::new() };
        let kernels = Kernels { launches: Vec::new(), isolation: None };
        let black_box = BlackBox::new().unwrap();
        let scene = Scene { program: &program, kernels: &kernels, black_box: &black_box };
        let by_host = |how, said: &[&str]| {
            let said: Vec<String> = said.iter().map(|line| line.to_string()).collect();
            let record = scene.of(Death { how, after: Duration::from_secs(5) }, &said);
            record.findings.iter().any(was_ended_by_the_host)
        };
        assert!(by_host(How::OverLimit, &[]) && by_host(How::Signal(KILL), &[]));
        assert!(by_host(How::Signal(ABRT), &["memory allocation of 64 bytes failed"]));
        assert!(
            ![How::Astray, How::Signal(SEGV), How::Signal(FPE), How::Exit(0)].into_iter().any(|how| by_host(how, &[]))
        );
    }
}

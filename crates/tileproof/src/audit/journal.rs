//! What runs of an audit came to, kept as they end: an audit of the same that comes later does not run them again.
//!
//! It must never be asked of another program, other data or another tolerance than those that it was begun for: [`Journal::begin`] is told
//! of all that a run depends on. Start at [`Journal`].

use tileproof_model::program::KernelSource;
use tileproof_model::record::Status;

use super::audited::Audited;
use crate::fill::Fill;
use crate::program_file::{Expect, ProgramFile, TensorData};
use crate::run_file::Trial;
use crate::wire;

/// Where runs are kept.
pub trait Journal {
    /// Is told of what the runs are, before it is asked for any.
    ///
    /// # Errors
    /// A sentence: if it holds runs of something else, or cannot be read.
    fn begin(&self, subject: &Subject<'_>) -> Result<(), String>;

    /// What a run came to, if it is there.
    ///
    /// # Errors
    /// If it cannot be read.
    fn find(&self, run: &str) -> Result<Option<Ran>, String>;

    /// Keeps what a run came to.
    ///
    /// # Errors
    /// If it cannot be written.
    fn keep(&self, run: &str, ran: &Ran) -> Result<(), String>;
}

/// What a run came to, as far as an audit asks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ran {
    /// How it ended.
    pub status: Status,
    /// A test of the outputs lets it pass.
    pub passes: bool,
    /// The least absolute tolerance with which it would pass.
    pub needed_atol: f64,
    /// An output is another than without the fault, in some bit, or the run does not come to its end.
    pub changes: bool,
    /// The same kernels pass without the fault: else it is not the fault that is seen.
    pub is_fair: bool,
}

impl Ran {
    /// Of a run with the program's own kernels.
    pub(super) fn of(trial: &Trial, changes: bool) -> Ran {
        let (passes, needed_atol) = (trial.passes(), trial.needed_atol());
        Ran { status: trial.status, passes, needed_atol, changes, is_fair: true }
    }
}

/// What runs are of.
pub struct Subject<'a> {
    /// The program; the files that it names are part of what its runs depend on.
    pub file: &'a ProgramFile,
    /// All else that they depend on, the same bytes for the same: what the program is, its data, what is expected.
    pub bytes: Vec<u8>,
}

impl<'a> Subject<'a> {
    /// What is audited.
    pub(super) fn of(audited: &'a dyn Audited) -> Subject<'a> {
        let file = audited.file();
        // Named one by one: a field that comes must not be forgotten here. Suppressions are of findings, for which nobody looks.
        let ProgramFile { path: _, program, seed, api: _, tensors, launches: _, expects, suppressions: _ } = file;
        let mut bytes = wire::to_bytes(file);
        let mut add = |text: String| bytes.extend([text.as_bytes(), b"\0"].concat());
        for kernel in program.launches.iter().flat_map(|launch| &launch.kernels) {
            if let KernelSource::Native(kernel) = &kernel.source {
                add(kernel.name().to_string());
            }
        }
        // Fills and expectations may be millions of numbers, which are shorter as bits than as text.
        for data in tensors {
            let TensorData {
                fill,
                rounded,
                padding,
                address,
                undefined_pages,
                standing: _,
                output: _,
                scratch: _,
                line: _,
            } = data;
            add(format!("{padding:?} {rounded:?} {address:?} {undefined_pages:?}"));
            add(fill.as_ref().map_or_else(String::new, Fill::identity));
        }
        for Expect { tensor, sums, values, closeness, line: _ } in expects {
            add(format!("{tensor} {sums:?} {closeness:?}"));
            add(values.identity());
        }
        add(format!("{} {:?} {:?}", seed, audited.inputs(), audited.known()));
        Subject { file, bytes }
    }
}

//! One run of a program with a fault.
//!
//! A run that a journal has is not run again. Start at [`Runs::run`].

use tileproof_model::record::Status;

use super::audited::Audited;
use super::faults::Fault;
use super::journal::{Journal, Ran};
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::run_file::{Bench, RunError, Trial};
use crate::stop;

/// What a run with a fault came to.
pub(super) enum Run {
    /// It ran, now or before.
    Ran(Ran),
    /// It cannot be run: why.
    Not(&'static str),
}

/// Data and tolerance of a run.
#[derive(Clone, Copy)]
pub(super) struct Test<'a> {
    /// The inputs that hold other data than those of the program.
    pub(super) fills: &'a [(String, Fill)],
    /// Another absolute tolerance, for kernels that are not those of the program.
    pub(super) atol: Option<f64>,
}

impl Test<'_> {
    /// A name for a run on it, which no other run of the same program has.
    fn run(&self, of: &str) -> String {
        format!("{:?} atol {:?} {of}", self.fills, self.atol)
    }
}

/// The runs of an audit.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub(super) audited: &'a dyn Audited,
    pub(super) builder: &'a dyn BuildKernels,
    /// Where they are kept.
    pub(super) journal: Option<&'a dyn Journal>,
}

/// The name of a run without a fault.
const AS_IT_IS: &str = "as it is";

impl Runs<'_> {
    /// What is known of a run with a fault from before.
    pub(super) fn known(&self, fault: &Fault, test: Test<'_>) -> Result<Option<Ran>, RunError> {
        self.find(&test.run(&fault.name()))
    }

    /// What is known of a run of the program as it is on other data.
    pub(super) fn known_as_it_is(&self, fills: &[(String, Fill)]) -> Result<Option<Ran>, RunError> {
        self.find(&Test { fills, atol: None }.run(AS_IT_IS))
    }

    /// Keeps what the program came to as it is on other data.
    pub(super) fn keep_as_it_is(&self, fills: &[(String, Fill)], trial: &Trial) -> Result<Ran, RunError> {
        let ran = Ran::of(trial, false);
        self.keep(&Test { fills, atol: None }.run(AS_IT_IS), &ran)?;
        Ok(ran)
    }

    /// Runs a program with a fault, on the data that the bench has, beside what it gives as it is.
    pub(super) fn run(&self, fault: &Fault, test: Test<'_>, beside: (&Bench<'_>, &Trial)) -> Result<Run, RunError> {
        if let Some(ran) = self.known(fault, test)? {
            return Ok(Run::Ran(ran));
        }
        let run = self.carried_out(fault, test, beside)?;
        if let Run::Ran(ran) = &run {
            self.keep(&test.run(&fault.name()), ran)?;
        }
        Ok(run)
    }

    fn carried_out(
        &self,
        fault: &Fault,
        test: Test<'_>,
        (bench, as_it_is): (&Bench<'_>, &Trial),
    ) -> Result<Run, RunError> {
        let trial = match fault {
            Fault::Call(mutant) => bench.run(Some(mutant))?,
            Fault::Setting(setting) => match bench.beside(&setting.set(bench.file()), self.builder) {
                Ok(bench) => bench.run(None)?,
                // Kernels may be written for the settings that they have.
                Err(RunError::Build { .. }) => return Ok(Run::Not("its kernels do not compile so")),
                Err(error) => return Err(error),
            },
            Fault::Known(known) => {
                let Some([wrong, right]) = self.audited.run_known(*known, test.fills, test.atol) else {
                    return Ok(Run::Not("the kernels that had it cannot be run so"));
                };
                let changes = wrong.status != Status::Completed || wrong.outputs != right.outputs;
                let (status, passes, needed_atol) = (wrong.status, wrong.passes(), wrong.needed_atol());
                return Ok(Run::Ran(Ran { status, passes, needed_atol, changes, is_fair: right.passes() }));
            }
        };
        let changes = trial.status != Status::Completed || trial.elements != as_it_is.elements;
        Ok(Run::Ran(Ran::of(&trial, changes)))
    }

    fn find(&self, run: &str) -> Result<Option<Ran>, RunError> {
        self.journal.map_or(Ok(None), |journal| journal.find(run)).map_err(RunError::Journal)
    }

    /// What was ended on the way is no result.
    fn keep(&self, run: &str, ran: &Ran) -> Result<(), RunError> {
        match self.journal {
            Some(journal) if !stop::is_asked_for() => journal.keep(run, ran).map_err(RunError::Journal),
            _ => Ok(()),
        }
    }
}

//! What can be wrong with a program: a change of calls of one line, or a setting of its kernels.
//!
//! It must never run anything. Start at [`of`].

use std::sync::Arc;

use tileproof_model::mutant::{Change, Mutant, Spot};
use tileproof_model::program::{KernelConfig, MathFidelity};

use crate::program_file::ProgramFile;

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Calls of a line.
    Call(Arc<Mutant>),
    /// A setting of the compute kernels.
    Setting(Setting),
    /// One that was published: kernels that had it are run in place of those of the program.
    Known(Known),
}

/// A fault that kernels of an op are known for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its number among those of the op.
    pub number: usize,
    /// What is wrong, for a sentence.
    pub text: &'static str,
}

/// A setting of compute kernels that is another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// LoFi.
    LowFidelity,
    /// A Dst of 16 bits.
    Dst16,
}

impl Fault {
    /// What is changed; `None` of a known fault.
    pub fn change(&self) -> Option<Change> {
        match self {
            Fault::Call(mutant) => Some(mutant.spot.change),
            Fault::Setting(Setting::LowFidelity) => Some(Change::FidelityLowered),
            Fault::Setting(Setting::Dst16) => Some(Change::DstOf16Bits),
            Fault::Known(_) => None,
        }
    }

    /// A name that no other fault of the same program has.
    pub(super) fn name(&self) -> String {
        format!("{self:?}")
    }

    /// What is wrong, for a sentence.
    pub fn words(&self) -> &'static str {
        match self {
            Fault::Known(known) => known.text,
            _ => self.change().map_or("", Change::words),
        }
    }

    /// The line, if it is of one.
    pub fn spot(&self) -> Option<&Spot> {
        match self {
            Fault::Call(mutant) => Some(&mutant.spot),
            Fault::Setting(_) | Fault::Known(_) => None,
        }
    }

    /// The call of each core that it befalls, from 1; all if it is 0.
    pub fn call(&self) -> u64 {
        match self {
            Fault::Call(mutant) => mutant.call,
            Fault::Setting(_) | Fault::Known(_) => 0,
        }
    }
}

impl Setting {
    /// A program with it.
    pub(super) fn set(self, file: &ProgramFile) -> ProgramFile {
        let mut file = file.clone();
        for kernel in file.program.launches.iter_mut().flat_map(|launch| &mut launch.kernels) {
            let KernelConfig::Compute(config) = &mut kernel.config else { continue };
            match self {
                Setting::LowFidelity => config.math_fidelity = MathFidelity::LoFi,
                Setting::Dst16 => {
                    config.fp32_dest_acc_en = false;
                    config.unpack_to_dest_fp32.clear();
                }
            }
        }
        file
    }

    /// Whether a program is another with it.
    fn changes(self, file: &ProgramFile) -> bool {
        let configs = file.program.launches.iter().flat_map(|launch| &launch.kernels).map(|kernel| &kernel.config);
        configs.into_iter().any(|config| match (self, config) {
            (Setting::LowFidelity, KernelConfig::Compute(config)) => config.math_fidelity != MathFidelity::LoFi,
            (Setting::Dst16, KernelConfig::Compute(config)) => config.fp32_dest_acc_en,
            _ => false,
        })
    }
}

/// The faults of a program: one for each spot, each setting that can be another, and those that are known.
pub(super) fn of(file: &ProgramFile, spots: Vec<Spot>, known: Vec<Known>) -> Vec<Fault> {
    let mut kept: Vec<Spot> = Vec::new();
    for spot in spots {
        // Of the cores that a line writes from one stands for all.
        let is_same = |other: &Spot| {
            spot.change == Change::CoreLeftOut && other.change == spot.change && other.location == spot.location
        };
        match kept.iter_mut().find(|other| is_same(other)) {
            Some(other) => *other = spot,
            None => kept.push(spot),
        }
    }
    let settings = [Setting::LowFidelity, Setting::Dst16].into_iter().filter(|setting| setting.changes(file));
    let calls = kept.into_iter().map(|spot| Fault::Call(Arc::new(Mutant::of(spot))));
    calls.chain(settings.map(Fault::Setting)).chain(known.into_iter().map(Fault::Known)).collect()
}

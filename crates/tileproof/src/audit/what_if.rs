//! What other settings of the compute kernels, or another order of their sums, would give: each is run, none is guessed.
//!
//! Start at [`what_if`].

use tileproof_model::program::{CbFormatDescriptor, KernelConfig, Launch, MathFidelity};
use tileproof_model::record::{BufferAction, Ledger, Status};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::DataFormat;

use crate::cpp_kernels::BuildKernels;
use crate::program_file::ProgramFile;
use crate::run_file::{Bench, RunError, Trial};

/// Settings, and what a program gives with them.
#[derive(Clone, PartialEq, Debug)]
pub struct WhatIf {
    /// The settings, as a program file has them, or another order of sums in words.
    pub settings: String,
    /// The largest difference from what is expected, as it is and with them.
    pub max_diff: [f64; 2],
    /// Cycles, likewise.
    pub cycles: [u64; 2],
    /// Whether all outputs are as expected then.
    pub pass: bool,
}

/// Circular buffers of each launch, by their numbers.
type Buffers = Vec<Vec<u8>>;

/// Settings, and who sets them: a program, and the buffers that its compute kernels keep to themselves.
type Finer = (&'static str, fn(&mut ProgramFile, &Buffers));

/// Settings that keep more of each value. A Dst of 32 bits has half as many tiles, but where it is one section.
const FINER: [Finer; 7] = [
    ("math_fidelity = \"HiFi4\"", |file, _| each(file, |config| config.math_fidelity = MathFidelity::HiFi4)),
    ("fp32_dest_acc_en = true", |file, _| each(file, |config| config.fp32_dest_acc_en = true)),
    ("fp32_dest_acc_en = true and dst_full_sync_en = true", |file, _| wide_dst(file)),
    ("math_approx_mode = false", |file, _| each(file, |config| config.math_approx_mode = false)),
    ("unpack_to_dest_mode = UnpackToDestFp32 for Float32 buffers", |file, _| unpack_in_full(file)),
    (IN_FLOAT32, |file, own| {
        wide_dst(file);
        in_float32(file, own);
    }),
    ("all of these", |file, own| {
        each(file, |config| {
            config.math_fidelity = MathFidelity::HiFi4;
            config.math_approx_mode = false;
        });
        wide_dst(file);
        in_float32(file, own);
        unpack_in_full(file);
    }),
];

/// The buffers follow it.
const IN_FLOAT32: &str = "fp32_dest_acc_en = true, dst_full_sync_en = true and Float32 pages in ";

fn wide_dst(file: &mut ProgramFile) {
    each(file, |config| {
        config.fp32_dest_acc_en = true;
        config.dst_full_sync_en = true;
    });
}

/// The 16-bit buffers that compute kernels alone push to and pop from: nothing else reads their pages.
fn own(file: &ProgramFile, ledgers: &[Ledger]) -> Buffers {
    let is_compute = |thread: Thread| !matches!(thread, Thread::Brisc | Thread::Ncrisc);
    let of_launch = |(launch, ledger): (&Launch, &Ledger)| {
        let is_own = |format: &CbFormatDescriptor| {
            let mut of_buffer = ledger.buffers.iter().filter(|buffer| buffer.cb == u32::from(format.buffer_index));
            let calls = || of_buffer.clone().flat_map(|buffer| &buffer.calls);
            let is_used = |action| calls().any(|call| call.action == action);
            is_used(BufferAction::Push)
                && is_used(BufferAction::Pop)
                && calls().all(|call| is_compute(call.thread))
                && of_buffer.all(|buffer| buffer.format == DataFormat::Float16_b)
        };
        let cbs = launch.cbs.iter().filter(|cb| cb.tensor.is_none());
        let mut own: Vec<u8> = cbs
            .filter(|cb| cb.format_descriptors.iter().all(is_own))
            .flat_map(|cb| cb.format_descriptors.iter().map(|format| format.buffer_index))
            .collect();
        own.sort_unstable();
        own.dedup();
        own
    };
    file.program.launches.iter().zip(ledgers).map(of_launch).collect()
}

/// Has buffers of 16-bit floats hold 32-bit ones, as many.
fn in_float32(file: &mut ProgramFile, own: &Buffers) {
    for (launch, own) in file.program.launches.iter_mut().zip(own) {
        for cb in &mut launch.cbs {
            let mut formats = cb.format_descriptors.iter_mut().filter(|format| own.contains(&format.buffer_index));
            let mut is_wider = false;
            for format in &mut formats {
                format.data_format = DataFormat::Float32;
                format.page_size *= 2;
                is_wider = true;
            }
            cb.total_size *= if is_wider { 2 } else { 1 };
        }
    }
}

/// The settings in words.
fn words(settings: &str, own: &Buffers) -> String {
    if settings != IN_FLOAT32 {
        return settings.into();
    }
    let mut all: Vec<u8> = own.concat();
    all.sort_unstable();
    all.dedup();
    let names: Vec<String> = all.into_iter().map(|cb| cb_name(u32::from(cb))).collect();
    format!("{settings}{}", names.join(", "))
}

/// Sets something of all compute kernels.
pub(super) fn each(file: &mut ProgramFile, set: impl Fn(&mut tileproof_model::program::ComputeConfig)) {
    for kernel in file.program.launches.iter_mut().flat_map(|launch| &mut launch.kernels) {
        if let KernelConfig::Compute(config) = &mut kernel.config {
            set(config);
        }
    }
}

/// Buffers of 32-bit floats go to Dst in full, where Dst has 32 bits.
fn unpack_in_full(file: &mut ProgramFile) {
    for launch in &mut file.program.launches {
        let formats = launch.cbs.iter().flat_map(|cb| &cb.format_descriptors);
        let wide = formats.filter(|format| format.data_format == DataFormat::Float32);
        let mut wide: Vec<u8> = wide.map(|format| format.buffer_index).collect();
        wide.sort_unstable();
        wide.dedup();
        for kernel in &mut launch.kernels {
            if let KernelConfig::Compute(config) = &mut kernel.config
                && config.fp32_dest_acc_en
            {
                config.unpack_to_dest_fp32.clone_from(&wide);
            }
        }
    }
}

/// What its kernels and buffers are configured for, to tell two programs apart.
fn configs(file: &ProgramFile) -> String {
    let of_launch = |launch: &Launch| {
        let kernels: String = launch.kernels.iter().map(|kernel| format!("{:?};", kernel.config)).collect();
        format!("{kernels}{:?};", launch.cbs)
    };
    file.program.launches.iter().map(of_launch).collect()
}

/// The largest difference of any output.
pub(super) fn largest(trial: &Trial) -> f64 {
    trial.outputs.iter().filter_map(|output| output.max_diff).fold(0.0, f64::max)
}

/// Other orders of sums, and the tiles of Dst that each may be spread over: as many as there are have the fewest terms one after the other.
const ORDERS: [(&str, usize); 2] = [
    ("sums of tiles in 2 tiles of Dst by turns, added up by add_binary_tile", 2),
    ("sums of tiles in all free tiles of Dst by turns, added up by add_binary_tile", 16),
];

/// Why no other order of sums was tried.
const NO_ORDER: &str = "no window of Dst adds several tiles up with a tile to spare; the order within a call of the matrix unit, of the vector \
                        unit's own code and of sums in L1 is the kernel's";

/// The settings with which a program's outputs come nearer to what is expected, or pass where they do not.
pub(super) fn what_if(
    bench: &Bench<'_>,
    as_it_is: &Trial,
    builder: &dyn BuildKernels,
) -> Result<(Vec<WhatIf>, Option<&'static str>), RunError> {
    if as_it_is.status != Status::Completed || largest(as_it_is) == 0.0 {
        return Ok((Vec::new(), None));
    }
    let mut found = finer(bench.file(), as_it_is, builder)?;
    let mut is_other = false;
    for (order, most) in ORDERS {
        let trial = bench.run_in_parts(most)?;
        // Adding parts up takes cycles: what takes none did not happen.
        is_other |= trial.cycles != as_it_is.cycles || trial.elements != as_it_is.elements;
        let is_best =
            found.iter().all(|other| other.settings != ORDERS[0].0 || largest(&trial) < 0.9 * other.max_diff[1]);
        if is_nearer(&trial, as_it_is) && is_best {
            found.push(WhatIf::of(order.into(), as_it_is, &trial));
        }
    }
    Ok((found, (!is_other).then_some(NO_ORDER)))
}

impl WhatIf {
    fn of(settings: String, as_it_is: &Trial, trial: &Trial) -> WhatIf {
        let max_diff = [largest(as_it_is), largest(trial)];
        WhatIf { settings, max_diff, cycles: [as_it_is.cycles, trial.cycles], pass: trial.passes() }
    }
}

/// Whether outputs come nearer, or pass where they did not.
fn is_nearer(trial: &Trial, as_it_is: &Trial) -> bool {
    let is_nearer = largest(trial) < 0.9 * largest(as_it_is) || (trial.passes() && !as_it_is.passes());
    trial.status == Status::Completed && is_nearer
}

/// The settings of the compute kernels that do so.
fn finer(file: &ProgramFile, as_it_is: &Trial, builder: &dyn BuildKernels) -> Result<Vec<WhatIf>, RunError> {
    let mut found: Vec<WhatIf> = Vec::new();
    let own = own(file, &as_it_is.ledgers);
    let mut tried = vec![configs(file)];
    for (settings, set) in FINER {
        let mut finer = file.clone();
        set(&mut finer, &own);
        let is_new = !tried.contains(&configs(&finer));
        if !is_new || (settings == IN_FLOAT32 && own.iter().all(Vec::is_empty)) {
            continue;
        }
        tried.push(configs(&finer));
        // Kernels may be written for the settings that they have, and L1 is not endless.
        let trial = match Bench::new(&finer, builder).and_then(|bench| bench.run(None)) {
            Ok(trial) => trial,
            Err(error) if error.is_host() => return Err(error),
            Err(_) => continue,
        };
        // More than the best of those before is worth a word only where it gives more.
        let is_best = found.iter().all(|other| largest(&trial) < 0.9 * other.max_diff[1]) || !MORE.contains(&settings);
        if is_nearer(&trial, as_it_is) && is_best {
            found.push(WhatIf::of(words(settings, &own), as_it_is, &trial));
        }
    }
    Ok(found)
}

/// Settings that hold others.
const MORE: [&str; 3] = [FINER[2].0, IN_FLOAT32, FINER[6].0];

/// The settings with which a program's outputs come nearer to what is expected, each of them run.
///
/// # Errors
/// As [`crate::run_file::run_program_file`].
pub fn more_exact(file: &ProgramFile, builder: &dyn BuildKernels) -> Result<Vec<WhatIf>, RunError> {
    let bench = Bench::new(file, builder)?;
    let as_it_is = bench.run(None)?;
    Ok(what_if(&bench, &as_it_is, builder)?.0)
}

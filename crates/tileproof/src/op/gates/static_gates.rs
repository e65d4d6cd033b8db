//! Gates 1 to 5: what can be said before anything runs.
//!
//! They must never launch a kernel. Each function is a gate, in order.

use std::path::Path;

use tileproof_model::program::Launch;
use tileproof_model::wording::cb_name;

use super::context::Context;
use super::events::{Event, to_blame};
use super::gate::Failure;
use crate::analyze::{self, Given};
use crate::op::call::{Call, shape_name};
use crate::op::{Probe, call_file, registry};
use crate::program_file::ProgramFile;
use crate::run_file::build_program;

/// How many of something.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Gate 1.
pub(super) fn description(context: &mut Context<'_>) -> Result<String, Failure> {
    let missing = context.op.missing();
    if !missing.is_empty() {
        return Err(Failure::new(missing.join("\n")).with_help("write what is missing into the description"));
    }
    let described = context.op.describe();
    Ok(format!(
        "{}, {}, {}, {}, {}",
        counted(described.inputs.len(), "input", "inputs"),
        counted(described.outputs.len(), "output", "outputs"),
        counted(described.attributes.len(), "attribute", "attributes"),
        counted(described.cbs.len(), "circular buffer", "circular buffers"),
        counted(described.kernels.len(), "kernel", "kernels"),
    ))
}

/// Gate 2.
pub(super) fn validation(context: &mut Context<'_>) -> Result<String, Failure> {
    if let Some(call) = context.op.calls().first()
        && let Err(refusal) = context.op.validate(call)
    {
        let reason = format!("the first call of the grid, {call}, is refused: {}", refusal.message);
        return Err(Failure::new(reason).with_help("begin the grid with a shape that every condition accepts"));
    }
    let probes = context.op.probes();
    for probe in &probes {
        let problem = wrong(probe);
        (context.tell)(Event::Probe {
            gate: context.gate,
            condition: probe.condition.clone(),
            file: context.about.clone(),
            pass: problem.is_none(),
        });
        if let Some(reason) = problem {
            let help = "mend the condition, or the calls inside and outside of it that it is probed with";
            return Err(Failure::new(reason).with_help(help));
        }
    }
    let mut conditions: Vec<&str> = probes.iter().map(|probe| probe.condition.as_str()).collect();
    conditions.dedup();
    Ok(format!("{}, each probed from both sides", counted(conditions.len(), "condition", "conditions")))
}

/// What is wrong with a probe.
fn wrong(probe: &Probe) -> Option<String> {
    let condition = &probe.condition;
    if let Some(refusal) = &probe.inside.refusal {
        let (call, message) = (&probe.inside.call, &refusal.message);
        return Some(format!("\"{condition}\": the call {call} meets it and is refused: {message}"));
    }
    let call = &probe.outside.call;
    match &probe.outside.refusal {
        None => Some(format!("\"{condition}\": the call {call} does not meet it and is accepted")),
        Some(refusal) if refusal.condition != *condition => {
            Some(format!("\"{condition}\": the call {call} is refused for another reason: {}", refusal.message))
        }
        Some(_) => None,
    }
}

/// Gate 3: by name, from the words of a command line, in Rust, and from a program file.
pub(super) fn registration(context: &mut Context<'_>) -> Result<String, Failure> {
    let name = context.op.describe().name;
    let where_from = match &context.folder {
        None => "in the table of shipped ops".to_string(),
        Some(folder) => {
            if registry::shipped(&name).is_some() {
                let reason = format!("the name {name} is that of a shipped op: `op = \"{name}\"` would call that one");
                return Err(Failure::new(reason).with_help("give the op another name in its op.toml"));
            }
            format!("by its folder {}", folder.display())
        }
    };
    let calls = context.op.calls();
    let call = calls.first().ok_or_else(|| Failure::new("the grid has no calls"))?;
    let failed = |how: &str, why: &str| Failure::new(format!("{call} cannot be called {how}: {why}"));
    let direct = context.op.program(call).map_err(|refusal| failed("in Rust", &refusal.message))?;
    let words = Call::from_words(&call.words()).map_err(|why| failed("from the command line", &why))?;
    if words != *call {
        return Err(failed("from the command line", &format!("its words make {words}")));
    }
    // As if a file lay in the folder, or (for a shipped op) anywhere.
    let (place, op) = match &context.folder {
        None => (Path::new("call.toml").to_path_buf(), name.as_str()),
        Some(folder) => (folder.join("call.toml"), "."),
    };
    let file = ProgramFile::parse(&place, &call_file::text(op, call), &[])
        .map_err(|error| failed("from a program file", &error.message))?;
    if file.program.tensors != direct.program.tensors || file.program.launches.len() != direct.program.launches.len() {
        return Err(failed("from a program file", "the program is another one"));
    }
    Ok(format!("found {where_from}; called from the command line, Rust and a program file"))
}

/// Gate 4.
pub(super) fn program(context: &mut Context<'_>) -> Result<String, Failure> {
    let calls = context.op.calls();
    let mut kernels = 0;
    for call in &calls {
        let file = context.op.program(call).map_err(|refusal| Failure::new(refusal.message));
        let built = file.and_then(|file| {
            kernels += file.program.launches.iter().map(|launch| launch.kernels.len()).sum::<usize>();
            build_program(&file, context.builder).map_err(|error| Failure {
                is_host: error.is_host(),
                findings: error.findings(),
                ..Failure::new(error.to_string())
            })
        });
        let findings = built.as_ref().err().map_or(&[][..], |failure| &failure.findings);
        let file = to_blame(findings, &context.about);
        (context.tell)(Event::Build { gate: context.gate, call: call.to_string(), file, pass: built.is_ok() });
        built.map_err(|failure| {
            let reason = format!("{call}: {}", failure.reason);
            Failure { reason, ..failure.with_help("the program must build for every shape of the grid") }
        })?;
    }
    Ok(format!("{} with {}", counted(calls.len(), "program", "programs"), counted(kernels, "kernel", "kernels")))
}

/// Bytes of the buffers of a launch that have memory of their own.
fn bytes(launch: &Launch) -> u64 {
    launch.cbs.iter().filter(|cb| cb.tensor.is_none()).map(|cb| u64::from(cb.total_size)).sum()
}

/// The buffers of a launch, a line each.
fn table(launch: &Launch) -> String {
    let mut text = String::new();
    for cb in &launch.cbs {
        for format in &cb.format_descriptors {
            let (index, size, page) = (format.buffer_index, cb.total_size, format.page_size);
            text += &format!("\n  {:<5} {size:>9} bytes  {} pages of {page}", cb_name(index), size / page.max(1));
        }
    }
    text
}

/// Gate 5.
pub(super) fn circular_buffers(context: &mut Context<'_>) -> Result<String, Failure> {
    let mut most = (0, 0, String::new());
    for call in context.op.calls() {
        let file = context.op.program(&call).map_err(|refusal| Failure::new(refusal.message))?;
        let chip = file.program.arch.constants();
        let available = u64::from(chip.l1_bytes - chip.l1_unreserved_base);
        for launch in &file.program.launches {
            let needed = bytes(launch);
            if needed > available {
                let reason = format!(
                    "{call}: the circular buffers take {needed} bytes, L1 has {available} of {}{}",
                    chip.l1_bytes,
                    table(launch)
                );
                let help = "give a buffer fewer pages, or stream what it keeps";
                return Err(Failure::new(reason).with_help(help));
            }
            if needed >= most.0 {
                most = (needed, available, shape_name(&call.shape));
            }
        }
        unknown_buffers(context, &call, &file)?;
    }
    let (needed, available, shape) = most;
    Ok(format!("at most {needed} of {available} bytes of L1, for {shape}"))
}

/// Buffers that the kernels' text names and the table does not have.
fn unknown_buffers(context: &Context<'_>, call: &Call, file: &ProgramFile) -> Result<(), Failure> {
    let Some(launch) = file.program.launches.first() else { return Ok(()) };
    let has = |cb: u32| launch.cbs.iter().flat_map(|c| &c.format_descriptors).any(|f| u32::from(f.buffer_index) == cb);
    for ((_, path), kernel) in context.op.kernel_files().into_iter().zip(&launch.kernels) {
        let Ok(analysis) = analyze::file(&path, &Given::of_kernel(kernel)) else { continue };
        for buffer in &analysis.buffers {
            if let (Some(cb), Some(used)) = (buffer.index, buffer.uses.first())
                && !has(cb)
            {
                let (file, line, call_name) = (&used.file, used.line, &used.call);
                let reason =
                    format!("{call}: {file}:{line}: {call_name} uses {}, which the table does not have", cb_name(cb));
                return Err(Failure::new(reason).with_help(format!("add a [[cb]] with index = {cb}, or use another")));
            }
        }
    }
    Ok(())
}

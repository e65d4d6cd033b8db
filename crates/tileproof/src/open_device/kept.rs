//! Programs that a host keeps and launches again, with an address in their arguments that is the earlier launch's.
//!
//! It shows by a tensor that the host has filled since then and that no launch touches, of the same kind as the one whose address
//! was left: whether any does is not known before the device is closed. A tensor that the host fills anew in its place must never
//! be reported. Start at [`Kept::launch`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tileproof_model::finding::{Certainty, Code, Finding, Place};
use tileproof_model::kernel::SourceLocation;
use tileproof_model::program::{Argument, KernelDescriptor, Launch, MemoryConfig};
use tileproof_model::thread::CoreCoord;

use super::held::{Held, TensorId};
use crate::program_file::LaunchLines;
use crate::tensor_findings::at_tensor;

/// What the last launch with a kernel gave it.
#[derive(Debug)]
struct Given {
    launch: u32,
    arguments: BTreeMap<CoreCoord, Vec<Argument>>,
}

/// What is to be said unless a launch touches a tensor.
#[derive(Debug)]
struct Suspect {
    unread: TensorId,
    finding: Finding,
}

/// The launches of a device, as far as they may be of programs that are kept.
#[derive(Default, Debug)]
pub(super) struct Kept {
    /// How many there were.
    pub(super) launches: u32,
    /// By the file of a kernel.
    given: BTreeMap<PathBuf, Given>,
    /// What the next one has of an earlier one is known, and was told.
    pub(super) is_told: bool,
    suspects: Vec<Suspect>,
}

impl Kept {
    /// A launch has run. `path` is the file of the host program whose `lines` are known, and `name` gives the name of a tensor.
    pub(super) fn launch(
        &mut self,
        (path, lines): (&Path, &LaunchLines),
        launch: &Launch,
        tensors: &BTreeMap<TensorId, Held>,
        name: &dyn Fn(TensorId, &Held) -> String,
    ) {
        for (kernel, line) in launch.kernels.iter().zip(&lines.kernels) {
            let Some(file) = kernel.source.file() else { continue };
            let before = self.given.get(file);
            let left = before.filter(|_| !self.is_told).and_then(|before| left_address(kernel, before, tensors));
            if let Some((index, (old_id, old), (new_id, new))) = left
                && self.suspects.iter().all(|suspect| suspect.unread != new_id)
            {
                let (old, new) = (name(old_id, old), name(new_id, new));
                let finding = finding((path, *line), (kernel, index), (&old, &new), (before, self.launches));
                self.suspects.push(Suspect { unread: new_id, finding });
            }
            let given = Given { launch: self.launches, arguments: kernel.runtime_args.clone() };
            self.given.insert(file.to_path_buf(), given);
        }
        self.launches += 1;
        self.is_told = false;
    }

    /// A launch has touched a tensor.
    pub(super) fn touched(&mut self, tensor: TensorId) {
        self.suspects.retain(|suspect| suspect.unread != tensor);
    }

    /// What there is to say, now that nothing is launched any more.
    pub(super) fn end(&mut self) -> Vec<Finding> {
        self.suspects.drain(..).map(|suspect| suspect.finding).collect()
    }
}

/// A tensor with its number.
type Numbered<'t> = (TensorId, &'t Held);

/// The first argument that is the address of the tensor that it was the last time, which nobody has filled since; and one of the
/// same kind that was filled since and that nobody has touched.
fn left_address<'t>(
    kernel: &KernelDescriptor,
    before: &Given,
    tensors: &'t BTreeMap<TensorId, Held>,
) -> Option<(usize, Numbered<'t>, Numbered<'t>)> {
    let numbered = || tensors.iter().map(|(id, held)| (*id, held)).filter(|(_, held)| is_in_dram(held));
    for (core, arguments) in &kernel.runtime_args {
        let Some(then) = before.arguments.get(core) else { continue };
        for (index, (now, _)) in arguments.iter().zip(then).enumerate().filter(|(_, (now, then))| now == then) {
            let Argument::Word(word) = now else { continue };
            let Some((old_id, old)) = numbered().find(|(_, held)| held.standing.address == *word) else { continue };
            if old.filled_in.is_none_or(|launch| launch > before.launch) {
                continue;
            }
            let is_meant = |(id, new): &Numbered<'_>| {
                let is_since = new.filled_in.is_some_and(|launch| launch > before.launch);
                *id != old_id && is_since && !new.is_touched && is_alike(old, new)
            };
            if let Some(new) = numbered().find(is_meant) {
                return Some((index, (old_id, old), new));
            }
        }
    }
    None
}

fn is_in_dram(held: &Held) -> bool {
    held.descriptor.memory == MemoryConfig::Dram
}

fn is_alike(old: &Held, new: &Held) -> bool {
    let (old, new) = (&old.descriptor, &new.descriptor);
    (&old.shape, old.format, old.layout) == (&new.shape, new.format, new.layout)
}

fn finding(
    (path, line): (&Path, usize),
    (kernel, index): (&KernelDescriptor, usize),
    (old, new): (&str, &str),
    (before, launch): (Option<&Given>, u32),
) -> Finding {
    let file = path.display().to_string();
    let core = kernel.runtime_args.keys().next().copied().unwrap_or(CoreCoord { x: 0, y: 0 });
    let place = Place {
        location: (line > 0).then(|| SourceLocation { file: file.clone(), line: line as u32, column: 0 }),
        kernel: file,
        core,
        thread: kernel.config.threads()[0],
    };
    let before = before.map_or(0, |given| given.launch);
    let message = format!(
        "runtime argument {index} is the address of {old}, as in launch {before}; no launch touches {new}, which is of the same \
         kind and was filled since"
    );
    let facts = [("argument", index.to_string()), ("launch", launch.to_string()), ("unread", new.to_string())];
    Finding {
        certainty: Certainty::Suspect,
        primary_text: format!("launch {launch} works on the tensor of launch {before}"),
        help: Some("give each launch the addresses of its own tensors, also where its program is kept".into()),
        ..at_tensor(old, place, Code::STALE_ADDRESS, message, facts)
    }
}

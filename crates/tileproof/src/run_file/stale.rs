//! Addresses of an earlier launch in the arguments of a later one.
//!
//! A program that is kept and run again with other tensors must be given their addresses; where one is left as it was, the
//! launch works on the tensor of the call before, which is still there, and nothing is out of range. It shows by a tensor
//! that no launch reads. A tensor that launches share on purpose must never be reported: only one that stands beside an
//! unread one of the same kind is. Start reading at [`Loaded::stale_addresses`].

use tileproof_model::finding::{Certainty, Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::program::{Argument, KernelDescriptor, MemoryConfig, TensorDescriptor};
use tileproof_model::record::Ledger;

use super::loaded::Loaded;
use super::tensors::by_tensor;
use crate::tensor_findings::at_tensor;

impl<O: Observer> Loaded<'_, O> {
    /// Findings for arguments of a launch that are an earlier launch's address, at the kernel's line.
    pub(super) fn stale_addresses(&self, ledgers: &[Ledger]) -> Vec<Finding> {
        let unread = self.unread_tensors(ledgers);
        let program = &self.file.program;
        let mut findings = Vec::new();
        if unread.is_empty() {
            return findings;
        }
        for (number, launch) in program.launches.iter().enumerate().skip(1) {
            for (kernel, line) in launch.kernels.iter().zip(&self.file.launches[number].kernels) {
                let file = kernel.source.file();
                let same = |other: &&KernelDescriptor| file.is_some() && other.source.file() == file;
                let earlier = program.launches[..number].iter().enumerate().rev();
                let Some((before, other)) =
                    earlier.flat_map(|(n, l)| l.kernels.iter().map(move |k| (n, k))).find(|(_, k)| same(k))
                else {
                    continue;
                };
                let found = self.kept_address(kernel, other, &unread);
                let Some((index, old, new)) = found else { continue };
                let message = format!(
                    "runtime argument {index} is the address of {}, as in launch {before}; no launch reads {}, which is of the same kind",
                    old.name, new.name
                );
                let facts =
                    [("argument", index.to_string()), ("launch", number.to_string()), ("unread", new.name.clone())];
                findings.push(Finding {
                    certainty: Certainty::Suspect,
                    primary_text: format!("launch {number} works on the tensor of launch {before}"),
                    help: Some(
                        "give each launch the addresses of its own tensors, also where its program is kept".into(),
                    ),
                    ..at_tensor(&old.name, self.place(*line), Code::STALE_ADDRESS, message, facts)
                });
            }
        }
        findings
    }

    /// Filled tensors that no launch reads.
    fn unread_tensors(&self, ledgers: &[Ledger]) -> Vec<&TensorDescriptor> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let of_tensors = by_tensor(ledgers);
        let is_unread = |tensor: &TensorDescriptor| {
            let reads = of_tensors.get(tensor.name.as_str()).map_or(&[][..], Vec::as_slice);
            tensor.memory == MemoryConfig::Dram && reads.iter().all(|t| t.pages_read == 0)
        };
        tensors
            .filter(|(tensor, data)| data.fill.is_some() && !data.output && is_unread(tensor))
            .map(|(t, _)| t)
            .collect()
    }

    /// The first argument that has not changed and is the address of a tensor, and the unread one that may have been meant.
    fn kept_address<'t>(
        &'t self,
        kernel: &KernelDescriptor,
        other: &KernelDescriptor,
        unread: &[&'t TensorDescriptor],
    ) -> Option<(usize, &'t TensorDescriptor, &'t TensorDescriptor)> {
        let word = |argument: &Argument| {
            self.device.machine().resolve(std::slice::from_ref(argument)).ok().filter(|w| w.len() == 1)
        };
        for (core, arguments) in &kernel.runtime_args {
            let Some(before) = other.runtime_args.get(core) else { continue };
            for (index, (now, then)) in arguments.iter().zip(before).enumerate() {
                let Some(address) = word(now).filter(|now| word(then).as_ref() == Some(now)) else { continue };
                let holds = |tensor: &&TensorDescriptor| {
                    word(&Argument::Address(tensor.name.clone())).as_ref() == Some(&address)
                };
                let Some(old) = self.file.program.tensors.iter().find(holds) else { continue };
                let alike = |new: &&&TensorDescriptor| {
                    (&new.shape, new.format, new.layout, &new.memory)
                        == (&old.shape, old.format, old.layout, &old.memory)
                };
                if let Some(new) = unread.iter().find(alike) {
                    return Some((index, old, *new));
                }
            }
        }
        None
    }
}

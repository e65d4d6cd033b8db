//! Tensors that the kernels did not do everything with: outputs with pages that nobody wrote, inputs that nobody read.
//! It must never blame a kernel: the place is the tensor's line in the program file.
//! Start reading at [`Run::unwritten_outputs`].

use tileproof_model::finding::{Certainty, Code, Finding, Place};
use tileproof_model::kernel::SourceLocation;
use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::Ledger;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_sim::TensorHandle;

use super::Run;
use crate::program_file::TensorData;

impl<O: Observer> Run<'_, O> {
    /// A finding at the line of a tensor.
    pub(super) fn at_tensor<const N: usize>(
        &self,
        (tensor, line): (&TensorDescriptor, usize),
        code: Code,
        message: String,
        facts: [(&str, String); N],
    ) -> Finding {
        let path = self.file.path.display().to_string();
        let tensor_fact = ("tensor".to_string(), tensor.name.clone());
        Finding {
            code,
            certainty: Certainty::Happened,
            message,
            primary: Place {
                location: Some(SourceLocation { file: path.clone(), line: line as u32, column: 0 }),
                kernel: path,
                core: CoreCoord { x: 0, y: 0 },
                thread: Thread::Brisc,
            },
            primary_text: String::new(),
            labels: Vec::new(),
            facts: facts.into_iter().map(|(key, value)| (key.to_string(), value)).chain([tensor_fact]).collect(),
            notes: Vec::new(),
            help: None,
            also_on: Vec::new(),
        }
    }

    /// A finding for each output with pages that nothing has written.
    pub(super) fn unwritten_outputs(&self) -> Vec<Finding> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors).zip(&self.handles);
        let finding = |((tensor, data), handle): ((&TensorDescriptor, &TensorData), &TensorHandle)| {
            let (missing, first) = self.machine.undefined_pages(*handle).filter(|_| data.output && !data.scratch)?;
            let message = format!("{missing} of {} pages of output {} were never written", tensor.pages(), tensor.name);
            let facts = [("first", first.to_string()), ("missing", missing.to_string())];
            let finding = self.at_tensor((tensor, data.line), Code::OUTPUT_NOT_WRITTEN, message, facts);
            Some(Finding {
                primary_text: format!("page {first} is the first"),
                help: Some("write every page, or say scratch = true if that is meant".into()),
                ..finding
            })
        };
        tensors.filter_map(finding).collect()
    }

    /// A note for each filled tensor of which no launch read all pages. Pages that different launches read are not added
    /// up: then only a tensor that none has read is named. Tensors in L1 are in no ledger, so nothing is known of them.
    pub(super) fn unread_inputs(&self, ledgers: &[Ledger]) -> Vec<Finding> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let note = |(tensor, data): (&TensorDescriptor, &TensorData)| {
            if data.fill.is_none() || data.output {
                return None;
            }
            let of_tensor = || ledgers.iter().flat_map(|l| &l.tensors).filter(|t| t.name == tensor.name);
            let read = of_tensor().map(|t| t.pages_read).max()?;
            let launches = of_tensor().filter(|t| t.pages_read > 0).count();
            if read == tensor.pages() || launches > 1 {
                return None;
            }
            let unread = tensor.pages() - read;
            let message = match read {
                0 => format!("no kernel reads input {}", tensor.name),
                _ => format!("{unread} of {} pages of input {} are never read", tensor.pages(), tensor.name),
            };
            let facts = [("unread", unread.to_string()), ("pages", tensor.pages().to_string())];
            let note = self.at_tensor((tensor, data.line), Code::INPUT_NOT_READ, message, facts);
            Some(Finding {
                help: Some("check the pages that the reader goes through, and its arguments".into()),
                ..note
            })
        };
        tensors.filter_map(note).collect()
    }
}

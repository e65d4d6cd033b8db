//! Tensors that the kernels did not do everything with: outputs with pages that nobody wrote, inputs that nobody read.
//! It must never blame a kernel: the place is the tensor's line in the program file.
//! Start reading at [`Loaded::unwritten_outputs`].

use std::collections::BTreeMap;
use std::path::Path;

use tileproof_model::finding::{Code, Finding};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Observer;
use tileproof_model::program::{Layout, MemoryConfig, TensorDescriptor};
use tileproof_model::record::{Ledger, TensorLedger};

use super::diagnose::has_padding;
use super::loaded::Loaded;
use crate::program_file::{Expected, TensorData};
use crate::tensor_findings::{at_tensor, rounded};

/// What the launches did with each tensor, by its name.
pub(super) fn by_tensor(ledgers: &[Ledger]) -> BTreeMap<&str, Vec<&TensorLedger>> {
    let mut by_tensor: BTreeMap<&str, Vec<&TensorLedger>> = BTreeMap::new();
    for tensor in ledgers.iter().flat_map(|ledger| &ledger.tensors) {
        by_tensor.entry(&tensor.name).or_default().push(tensor);
    }
    by_tensor
}

impl<O: Observer> Loaded<'_, O> {
    /// A finding for each output with pages that nothing has written.
    pub(super) fn unwritten_outputs(&self) -> Vec<Finding> {
        let finding = |(tensor, data): (usize, &TensorData)| {
            let finding = self.device.not_written(tensor, self.place(data.line))?;
            Some(Finding { help: Some("write every page, or say scratch = true if that is meant".into()), ..finding })
        };
        self.file.tensors.iter().enumerate().filter_map(finding).collect()
    }

    /// A finding for each output of which something wrote all pages, and some of them not to the end: a run of bytes is as
    /// undefined memory is filled. Only where nothing else can have brought such bytes: no input has padding, all inputs are
    /// defined, and they are no number.
    pub(super) fn partly_written_outputs(&self) -> Vec<Finding> {
        const RUN: usize = 16;
        let all = || self.file.program.tensors.iter().zip(&self.file.tensors);
        if !all().all(|(tensor, data)| {
            data.output || data.fill.is_some() && (data.padding.is_some() || !has_padding(tensor))
        }) {
            return Vec::new();
        }
        let finding = |(i, (tensor, data)): (usize, (&TensorDescriptor, &TensorData))| {
            let is_float = matches!(tensor.format, DataFormat::Float32 | DataFormat::Float16_b);
            if !tensor.output
                || !is_float
                || tensor.layout != Layout::RowMajor
                || self.device.undefined_pages(i).is_some()
            {
                return None;
            }
            let bytes = self.device.bytes(i);
            let hole = |page: &[u8]| page.chunks_exact(RUN).position(|run| run.iter().all(|byte| *byte == 0xff));
            let pages = bytes.chunks_exact(tensor.page_bytes() as usize);
            let holes: Vec<(usize, usize)> =
                pages.enumerate().filter_map(|(page, bytes)| Some((page, RUN * hole(bytes)?))).collect();
            let (page, byte) = *holes.first()?;
            let message =
                format!("{} of {} pages of output {} were written in part", holes.len(), tensor.pages(), tensor.name);
            let place = self.place(data.line);
            let facts = [("page", page), ("byte", byte), ("pages", holes.len())];
            Some(Finding {
                primary_text: format!(
                    "nothing wrote byte {byte} and those behind it of page {page}, of {}",
                    tensor.page_bytes()
                ),
                help: Some("check the page size of the writer's accessor, and the bytes that it writes".into()),
                ..at_tensor(&tensor.name, place, Code::PARTLY_WRITTEN, message, facts)
            })
        };
        all().enumerate().filter_map(finding).collect()
    }

    /// A note for each tensor, and each expectation, whose file was rounded to its format.
    pub(super) fn rounded_inputs(&self) -> Vec<Finding> {
        let tensors = &self.file.program.tensors;
        let note = |tensor: usize, file: &Path, line| rounded(&tensors[tensor].name, file, self.place(line));
        let inputs = self.file.tensors.iter().enumerate();
        let inputs = inputs.filter_map(|(i, data)| Some(note(i, data.rounded.as_deref()?, data.line)));
        let expected = self.file.expects.iter().filter_map(|expect| {
            let Expected::Fill(fill) = &expect.values else { return None };
            Some(note(expect.tensor, fill.rounded_file(tensors[expect.tensor].format)?, expect.line))
        });
        inputs.chain(expected).collect()
    }

    /// A note for each filled tensor of which no launch read all pages. Pages that different launches read are not added
    /// up: then only a tensor that none has read is named. Tensors in L1 are in no ledger, so nothing is known of them.
    pub(super) fn unread_inputs(&self, ledgers: &[Ledger]) -> Vec<Finding> {
        let of_tensors = by_tensor(ledgers);
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let note = |(tensor, data): (&TensorDescriptor, &TensorData)| {
            if data.fill.is_none() || data.output {
                return None;
            }
            if tensor.memory != MemoryConfig::Dram {
                return None;
            }
            // Of one in DRAM that no launch has touched there may be nothing.
            let of_tensor = of_tensors.get(tensor.name.as_str()).map_or(&[][..], Vec::as_slice);
            let read = of_tensor.iter().map(|t| t.pages_read).max().unwrap_or(0);
            let launches = of_tensor.iter().filter(|t| t.pages_read > 0).count();
            if read == tensor.pages() || launches > 1 {
                return None;
            }
            let unread = tensor.pages() - read;
            let message = match read {
                0 => format!("no kernel reads input {}", tensor.name),
                _ => format!("{unread} of {} pages of input {} are never read", tensor.pages(), tensor.name),
            };
            let facts = [("unread", unread), ("pages", tensor.pages())];
            let place = self.place(data.line);
            let note = at_tensor(&tensor.name, place, Code::INPUT_NOT_READ, message, facts);
            // A page that stands for another: some are read again in place of those that are not.
            let bytes = of_tensor.iter().map(|t| t.bytes_read).max().unwrap_or(0);
            let once = u64::from(read) * u64::from(tensor.page_bytes());
            let again = (read > 0 && bytes > once)
                .then(|| format!("the pages that are read are read again: {bytes} bytes come from {once}"));
            Some(Finding {
                notes: again.into_iter().collect(),
                help: Some("check the pages that the reader goes through, and its arguments".into()),
                ..note
            })
        };
        tensors.filter_map(note).collect()
    }
}

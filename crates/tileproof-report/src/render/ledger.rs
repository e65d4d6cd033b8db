//! The ledger as the table that people write by hand: each circular buffer, who does what to it, and from which line.
//!
//! Start at [`render_ledger`]; counts are taken as they are.

use tileproof_model::record::{BufferLedger, RunRecord, Status};
use tileproof_model::wording::count;

use crate::json::LedgerEntry;

/// Cores that are listed by name.
const LISTED_CORES: usize = 8;

/// A block a launch: its circular buffers with the lines that use them, then its tensors.
pub fn render_ledger(record: &RunRecord) -> String {
    let ledgers = &record.ledgers;
    let mut text = String::new();
    for (launch, ledger) in ledgers.iter().enumerate() {
        if ledgers.len() > 1 {
            text += &format!("launch {launch}\n");
        }
        let entries = LedgerEntry::all(std::slice::from_ref(ledger));
        for (entry, buffer) in entries.iter().zip(&ledger.buffers) {
            text += &format!(
                "{:<5} {:<10} {} of {} bytes, at most {} used, {} pushed, {} popped{}{}\n",
                entry.cb,
                entry.format,
                count(entry.capacity.into(), "page"),
                entry.page_size,
                entry.high_water,
                entry.pushed,
                entry.popped,
                if entry.left > 0 { format!(", {} left", entry.left) } else { String::new() },
                cores(buffer),
            );
            for call in &entry.calls {
                let line = if call.line > 0 { format!("{}:{}", call.file, call.line) } else { call.file.clone() };
                text += &format!(
                    "      {:<8}{:<7} {:>8} {:>9}   {line}\n",
                    call.action,
                    call.thread,
                    count(call.pages, "page"),
                    format!("in {}", call.calls),
                );
            }
        }
        if !ledger.tensors.is_empty() {
            text += &format!("{:<16} {:>8} {:>12} {:>12}\n", "tensor", "pages", "read", "written");
        }
        for tensor in &ledger.tensors {
            text += &format!(
                "{:<16} {:>8} {:>12} {:>12}\n",
                tensor.name, tensor.pages, tensor.pages_read, tensor.pages_written
            );
        }
    }
    if record.status != Status::Completed {
        text += &format!("the run did not complete ({}): counts are those of its end\n", record.status.name());
    }
    text
}

fn cores(buffer: &BufferLedger) -> String {
    match buffer.cores.len() {
        0 | 1 => String::new(),
        n if n <= LISTED_CORES => {
            let names: Vec<String> = buffer.cores.iter().map(ToString::to_string).collect();
            format!(", on cores {}", names.join(" "))
        }
        n => format!(", on {n} cores"),
    }
}

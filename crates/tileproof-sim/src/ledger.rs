//! The ledger of a launch: who did what to each circular buffer, from which lines, and what became of each tensor.

use tileproof_model::observe::Observer;
use tileproof_model::record::{BufferCall, BufferLedger, ByDay, DayChange, Ledger, TensorLedger, WrittenBy};
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::dram::Region;
use crate::machine::{Home, Machine, Tensor};

impl<O: Observer> Machine<O> {
    /// What the launch that has just ended did.
    pub(crate) fn ledger(&self) -> Ledger {
        let mut buffers: Vec<BufferLedger> = Vec::new();
        for core in &self.engine.cores {
            for entry in core.buffer_ledgers() {
                match buffers.iter_mut().find(|known| are_alike(known, &entry)) {
                    Some(known) => known.cores.push(core.coord),
                    None => buffers.push(entry),
                }
            }
        }
        // Stable: cores stay in order within an index.
        buffers.sort_by_key(|b| b.cb);
        // What becomes of tensors in L1 is not counted: threads reach their own L1 without a call.
        let in_dram = self.tensors.iter().filter_map(|tensor| match tensor.home {
            Home::Dram { region, .. } => Some((tensor, &self.engine.dram.regions[region])),
            Home::L1(_) => None,
        });
        let is_told = |(_, region): &(&Tensor, &Region)| !self.has_short_ledgers || region.is_touched();
        let in_dram = in_dram.filter(is_told);
        let tensors = in_dram.map(|(tensor, region)| {
            let (pages_read, pages_written) = region.touched();
            let (bytes_read, bytes_written) = region.traffic();
            TensorLedger {
                name: tensor.descriptor.name.clone(),
                pages: tensor.descriptor.pages(),
                pages_read,
                pages_written,
                bytes_read,
                bytes_written,
                writers: self.writers(region),
            }
        });
        let inits_unchecked = self.engine.cores.iter().any(|core| core.tensix.math.inits_unchecked);
        let reads_undefined = self.engine.cores.iter().any(|core| core.reads_undefined);
        let by_day = DayChange::ALL.into_iter().filter_map(|change| {
            let first = |core: &Core| Some(core.place(Thread::Math, *core.tensix.math.by_day.get(&change)?));
            Some(ByDay { change, place: self.engine.cores.iter().find_map(first)? })
        });
        let by_day = by_day.collect();
        Ledger { buffers, tensors: tensors.collect(), inits_unchecked, reads_undefined, by_day }
    }

    /// The cores that wrote the pages of a buffer, neighbours by the same core together.
    fn writers(&self, region: &Region) -> Vec<WrittenBy> {
        let mut writers: Vec<WrittenBy> = Vec::new();
        for (page, core) in region.writers() {
            let Some(core) = self.engine.cores.get(core).map(|core| core.coord) else { continue };
            match writers.last_mut().filter(|last| last.core == core && last.first + last.pages == page) {
                Some(last) => last.pages += 1,
                None => writers.push(WrittenBy { core, first: page, pages: 1 }),
            }
        }
        writers
    }
}

/// Whether all is the same but the cores.
fn are_alike(known: &BufferLedger, other: &BufferLedger) -> bool {
    let BufferLedger { cb, format, page_size, capacity, high_water, left, calls, cores: _ } = known;
    let sizes = (*cb, *page_size, *capacity, *high_water, *left);
    sizes == (other.cb, other.page_size, other.capacity, other.high_water, other.left)
        && *format == other.format
        && *calls == other.calls
}

impl Core {
    fn buffer_ledgers(&self) -> Vec<BufferLedger> {
        let configured = self.cbs.iter().enumerate().filter_map(|(cb, buffer)| Some((cb as u32, buffer.as_ref()?)));
        let entry = |(cb, buffer): (u32, &crate::buffer::CircularBuffer)| {
            let mut calls: Vec<BufferCall> = buffer
                .calls
                .iter()
                .map(|c| {
                    let place = self.place(c.thread, c.site);
                    BufferCall {
                        action: c.action,
                        thread: c.thread,
                        kernel: place.kernel,
                        location: place.location,
                        calls: c.calls,
                        pages: c.pages,
                    }
                })
                .collect();
            // Sites are addresses and differ from run to run; lines do not.
            calls.sort_by(|a, b| (a.action, a.thread, &a.location).cmp(&(b.action, b.thread, &b.location)));
            BufferLedger {
                cb,
                format: buffer.format,
                page_size: buffer.page_size,
                capacity: buffer.num_pages,
                high_water: buffer.high_water,
                left: buffer.pages(),
                calls,
                cores: vec![self.coord],
            }
        };
        configured.map(entry).collect()
    }
}

//! A transfer as observers see it.

use tileproof_model::event::{NocEnd, NocPlace, What};
use tileproof_model::observe::Observer;

use crate::engine::Engine;
use crate::noc::ends::{Far, Kind, Transfer};
use crate::noc::pending::Started;

impl<O: Observer> Engine<O> {
    /// Shows a transfer that was started; a multicast once for each core that it reaches.
    #[inline]
    pub(crate) fn show_started(&mut self, started: &Started) {
        if !O::ACTIVE {
            return;
        }
        match &started.ends.far {
            Far::Dram { bank, address } => {
                // No bank has addresses of more than 32 bits (tt-metal `noc_parameters.h`).
                self.show_one(started, NocPlace::Dram { bank: *bank, address: *address as u32 });
            }
            Far::L1 { core, offset } => self.show_one(started, NocPlace::L1(*core, *offset)),
            // No core that is observed runs apart from those that it reaches.
            Far::Away { .. } => {}
            // Its source is in use, reach it whom it may.
            Far::Cores(reached) if reached.running.is_empty() => self.show_one(started, NocPlace::Nowhere),
            Far::Cores(reached) => {
                for core in &reached.running {
                    self.show_one(started, NocPlace::L1(*core, reached.offset));
                }
            }
        }
    }

    fn show_one(&mut self, started: &Started, place: NocPlace) {
        let Started { by, call, ends, trid, is_same } = started;
        let (noc, bytes, trid, is_same) = (call.noc, call.bytes, *trid, *is_same);
        // The circular buffer at the far end, and its room.
        let far = match place {
            NocPlace::L1(core, offset) => self.cores[core].buffer_and_room(offset),
            NocPlace::Dram { .. } | NocPlace::Nowhere => None,
        };
        let what = match call.kind {
            Kind::Read => {
                let end = self.near_end(started);
                What::NocRead { noc, from: place, to: ends.local, bytes, end, far, trid }
            }
            Kind::Write { .. } | Kind::Multicast { .. } => {
                let end = self.near_end(started);
                let multicast = matches!(call.kind, Kind::Multicast { .. });
                let posted = call.is_posted();
                let word = (bytes == 4).then(|| self.cores[by.core].l1.read_word(ends.local));
                What::NocWrite {
                    noc,
                    from: ends.local,
                    to: place,
                    bytes,
                    end,
                    far,
                    posted,
                    multicast,
                    trid,
                    is_same,
                    word,
                }
            }
            Kind::InlineWrite { value } => {
                let is_semaphore = match place {
                    NocPlace::L1(core, offset) => self.cores[core].is_semaphore(offset),
                    NocPlace::Dram { .. } | NocPlace::Nowhere => false,
                };
                What::InlineWrite { noc, to: place, is_semaphore, value }
            }
            Kind::Increment { value, posted } => What::SemaphoreInc { noc, to: place, by: value, posted },
        };
        self.observe(*by, what);
    }

    /// What the end in L1 of a transfer is like.
    fn near_end(&self, started: &Started) -> NocEnd {
        let Started { by, call: Transfer { far, .. }, ends, .. } = started;
        // The ends may lie anywhere, but alike: reads of DRAM modulo its own alignment, all else modulo that of L1
        // (tt-metal `noc_parameters.h`).
        let arch = self.arch.constants();
        let is_dram = matches!(ends.far, Far::Dram { .. });
        let alignment = if is_dram && started.call.is_read() { arch.dram_alignment } else { arch.l1_alignment };
        // A buffer ends for its own thread where its pages end, be there more of a tensor behind them.
        let core = &self.cores[by.core];
        let buffer = core.longest_buffer(ends.local).map(|(cb, _, room)| (cb, room));
        let free = if buffer.is_none() { core.past_buffers(ends.local, 1) } else { None };
        NocEnd { buffer, alignment, skew: (*far as u32).wrapping_sub(ends.local) % alignment, free }
    }
}

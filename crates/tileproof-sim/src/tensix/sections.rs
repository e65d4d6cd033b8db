//! Dst in sections: which tile an index reaches, and the four calls by which MATH and PACK hand a section over.

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, What};
use tileproof_model::finding::Code;
use tileproof_model::thread::Thread;
use tileproof_numerics::dst::{DST_ROWS, TILE_ROWS};

use crate::core::Core;
use crate::hart::Wait;
use crate::report::Sink;
use crate::step::{Halt, Step};

impl Core {
    /// Tiles that Dst holds in all: half as many when they have 32 bits.
    fn dst_tiles(&self) -> usize {
        let tiles = DST_ROWS / TILE_ROWS;
        if self.config.fp32_dest_acc_en { tiles / 2 } else { tiles }
    }

    /// First tile of a half of Dst.
    pub(crate) fn dst_base(&self, half: usize) -> usize {
        half * self.dst_tiles() / 2
    }

    /// The tile of Dst that an index of a half reaches, whether the half has it or not.
    pub(crate) fn physical_tile(&self, half: usize, index: u32) -> usize {
        (self.dst_base(half) + index as usize) % self.dst_tiles()
    }

    /// The same with what is known of it.
    pub(crate) fn sees_dst(&self, half: usize, index: u32) -> DstTile {
        let tile = self.physical_tile(half, index);
        let rows = self.tensix.dst.valid_rows(tile);
        DstTile { index, tile: tile as u8, exists: index < self.config.dst_capacity(), rows }
    }

    /// The tile that a call names by a Dst index; an index beyond the capacity reaches into the other half or wraps, as on the
    /// hardware, and is a finding.
    pub(crate) fn dst_tile(&self, sink: &mut Sink, thread: Thread, site: Site, half: usize, index: u32) -> DstTile {
        let tile = self.sees_dst(half, index);
        if !tile.exists {
            self.no_such_dst(sink, thread, site, index);
        }
        tile
    }

    #[cold]
    fn no_such_dst(&self, sink: &mut Sink, thread: Thread, site: Site, index: u32) {
        let capacity = self.config.dst_capacity();
        let mode = match (self.config.dst_full_sync_en, self.config.fp32_dest_acc_en) {
            (false, false) => "half sync, 16-bit Dst",
            (false, true) => "half sync, 32-bit Dst",
            (true, false) => "full sync, 16-bit Dst",
            (true, true) => "full sync, 32-bit Dst",
        };
        let mut finding = self.finding(
            Code::DST_INDEX,
            thread,
            site,
            format!("Dst index {index} does not exist: {mode} holds {capacity} tiles, 0 to {}", capacity - 1),
        );
        finding.facts.insert("dst".into(), index.to_string());
        finding.help = Some("process fewer tiles in a window, or change dst_full_sync_en or fp32_dest_acc_en".into());
        sink.raise(self.index, site, finding);
    }

    pub(crate) fn tile_regs_acquire(&mut self) -> Step<What> {
        let at = self.tensix.math_pack.free_at().ok_or(Halt::Wait(Wait::DstFree))?;
        let hart = self.hart(Thread::Math);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.window);
        Ok(What::Acquire)
    }

    pub(crate) fn tile_regs_commit(&mut self) -> Step<What> {
        let half_sync = !self.config.dst_full_sync_en;
        let hart = self.hart(Thread::Math);
        hart.spend(|cycles| cycles.window);
        let now = hart.clock;
        let window = &mut self.tensix.math_pack;
        window.commit(now);
        if half_sync {
            window.math_half ^= 1;
        }
        Ok(What::Commit)
    }

    pub(crate) fn tile_regs_wait(&mut self) -> Step<What> {
        let at = self.tensix.math_pack.committed_at().ok_or(Halt::Wait(Wait::DstCommitted))?;
        let hart = self.hart(Thread::Pack);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.window);
        Ok(What::SectionWait)
    }

    /// First tile and number of tiles of the section that a release clears.
    fn section(&self, half: usize) -> (usize, usize) {
        if self.config.dst_full_sync_en { (0, DST_ROWS / TILE_ROWS) } else { (self.dst_base(half), self.dst_base(1)) }
    }

    /// ZEROACC of the section packed, then the semaphore: Dst reads as 0 from here on.
    pub(crate) fn tile_regs_release(&mut self) -> Step<What> {
        let half = self.tensix.math_pack.pack_half;
        let (first, count) = self.section(half);
        self.tensix.dst.clear(first, count);
        let half_sync = !self.config.dst_full_sync_en;
        let hart = self.hart(Thread::Pack);
        hart.spend(|cycles| cycles.window);
        let now = hart.clock;
        let window = &mut self.tensix.math_pack;
        window.release(now);
        if half_sync {
            window.pack_half ^= 1;
        }
        Ok(What::Release { first: first as u8, count: count as u8 })
    }

    /// `llk_math_pack_sync_init`: waits until PACK holds no section, then sets the semaphore's maximum and the first half.
    pub(crate) fn math_pack_sync_init(&mut self) -> Step<What> {
        let at = self.tensix.math_pack.drained_at().ok_or(Halt::Wait(Wait::DstDrained))?;
        let full = self.config.dst_full_sync_en;
        let window = &mut self.tensix.math_pack;
        window.max = if full { 1 } else { 2 };
        let moves = std::mem::take(&mut window.math_half) != 0;
        let hart = self.hart(Thread::Math);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.window);
        Ok(What::StartUp { moves })
    }
}

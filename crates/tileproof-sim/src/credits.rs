//! What `cb_wait_front`, `cb_pop_front`, `cb_reserve_back` and `cb_push_back` do, on whatever thread calls.

use tileproof_model::abi::CbInterface;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;

use crate::buffer::Standing;
use crate::core::Core;
use crate::hart::Wait;
use crate::report::Sink;
use crate::step::{Caller, Halt, Step};

/// A call on a circular buffer that went through; where its thread stood before is kept in [`crate::hart::Hart::stood`].
#[derive(Clone, Copy)]
pub(crate) struct Credit {
    pub(crate) action: BufferAction,
    pub(crate) cb: u32,
    pub(crate) pages: u32,
}

impl Core {
    /// Where a thread stands in a buffer, on the producer's or the consumer's side; nowhere in one that is not configured.
    #[inline]
    pub(crate) fn standing(&self, thread: Thread, cb: u32, is_producer: bool) -> Standing {
        let (Some(Some(buffer)), Some(hart)) = (self.cbs.get(cb as usize), &self.harts[thread as usize]) else {
            return Standing::default();
        };
        let interface = &hart.cbs[cb as usize];
        if is_producer {
            Standing { pointer: interface.fifo_wr_ptr, side: buffer.producer }
        } else {
            Standing { pointer: interface.fifo_rd_ptr, side: buffer.consumer }
        }
    }

    /// Keeps where a thread stands before a call on a buffer, for observers.
    #[inline]
    pub(crate) fn notes_standing(&mut self, thread: Thread, cb: u32, is_producer: bool) {
        let from = self.standing(thread, cb, is_producer);
        self.hart(thread).stood = from;
    }

    pub(crate) fn cb_wait_front(&mut self, sink: &mut Sink, by: Caller, cb: u32, pages: u32) -> Step<Credit> {
        self.configured_cb(sink, by.thread, by.site, cb)?;
        let at = self.cbs[cb as usize].as_ref().and_then(|b| b.front_ready_at(pages));
        let at = at.ok_or(Halt::Wait(Wait::CbFront { cb, pages }))?;
        self.pass(by, BufferAction::Wait, cb, pages, at)
    }

    pub(crate) fn cb_reserve_back(&mut self, sink: &mut Sink, by: Caller, cb: u32, pages: u32) -> Step<Credit> {
        self.configured_cb(sink, by.thread, by.site, cb)?;
        let at = self.cbs[cb as usize].as_ref().and_then(|b| b.back_ready_at(pages));
        let at = at.ok_or(Halt::Wait(Wait::CbBack { cb, pages }))?;
        self.pass(by, BufferAction::Reserve, cb, pages, at)
    }

    /// Goes on at `at`.
    #[inline]
    fn pass(&mut self, by: Caller, action: BufferAction, cb: u32, pages: u32, at: u64) -> Step<Credit> {
        if let Some(buffer) = &mut self.cbs[cb as usize] {
            buffer.count(action, by.thread, by.site, pages);
        }
        let hart = self.hart(by.thread);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.poll);
        Ok(Credit { action, cb, pages })
    }

    pub(crate) fn cb_pop_front(&mut self, sink: &mut Sink, by: Caller, cb: u32, pages: u32) -> Step<Credit> {
        let Caller { thread, site, .. } = by;
        self.configured_cb(sink, thread, site, cb)?;
        // A compute thread frees pages only once its unpackers are idle (LLK `llk_io_unpack.h`).
        if thread == Thread::Unpack {
            self.sources_taken()?;
        }
        let hart = self.hart(thread);
        hart.spend(|cycles| cycles.credit);
        let now = hart.clock;
        let interface = &mut hart.cbs[cb as usize];
        interface.fifo_rd_ptr = advance(interface, interface.fifo_rd_ptr, pages, thread);
        if let Some(buffer) = &mut self.cbs[cb as usize] {
            buffer.pop(thread, site, pages, now);
        }
        Ok(Credit { action: BufferAction::Pop, cb, pages })
    }

    pub(crate) fn cb_push_back(&mut self, sink: &mut Sink, by: Caller, cb: u32, pages: u32) -> Step<Credit> {
        let Caller { thread, site, .. } = by;
        self.configured_cb(sink, thread, site, cb)?;
        let hart = self.hart(thread);
        hart.spend(|cycles| cycles.credit);
        let now = hart.clock;
        let interface = &mut hart.cbs[cb as usize];
        interface.fifo_wr_ptr = advance(interface, interface.fifo_wr_ptr, pages, thread);
        interface.fifo_wr_tile_ptr = 0;
        if let Some(buffer) = &mut self.cbs[cb as usize] {
            buffer.push(thread, site, pages, now);
        }
        Ok(Credit { action: BufferAction::Push, cb, pages })
    }

    /// A poll: pages that could be waited for or reserved now, if there are as many.
    pub(crate) fn cb_poll(
        &mut self,
        sink: &mut Sink,
        by: Caller,
        action: BufferAction,
        cb: u32,
        pages: u32,
    ) -> Option<Credit> {
        self.configured_cb(sink, by.thread, by.site, cb).ok()?;
        let now = self.hart(by.thread).clock;
        let buffer = self.cbs[cb as usize].as_ref()?;
        let is_front = action == BufferAction::Wait;
        let at = if is_front { buffer.front_ready_at(pages) } else { buffer.back_ready_at(pages) };
        at.filter(|at| *at <= now)?;
        Some(Credit { action, cb, pages })
    }
}

/// The pointer after `pages` pages. Data-movement code wraps only when it meets the limit exactly, compute code by one
/// subtraction when at or past it (tt-metal `dataflow_api.h`, `llk_io_pack.h`).
fn advance(interface: &CbInterface, pointer: u32, pages: u32, thread: Thread) -> u32 {
    let next = pointer.wrapping_add(pages.wrapping_mul(interface.fifo_page_size));
    let wraps = if thread.is_data_movement() { next == interface.fifo_limit } else { next >= interface.fifo_limit };
    if wraps { next.wrapping_sub(interface.fifo_size) } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_movement_wraps_on_the_limit_only_and_compute_past_it_too() {
        let interface =
            CbInterface { fifo_size: 0x1000, fifo_limit: 0x3000, fifo_page_size: 0x400, ..CbInterface::default() };
        assert_eq!(advance(&interface, 0x2c00, 1, Thread::Brisc), 0x2000);
        assert_eq!(advance(&interface, 0x2c00, 2, Thread::Brisc), 0x3400);
        assert_eq!(advance(&interface, 0x2c00, 2, Thread::Unpack), 0x2400);
    }
}

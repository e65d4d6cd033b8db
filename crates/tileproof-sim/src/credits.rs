//! What `cb_wait_front`, `cb_pop_front`, `cb_reserve_back` and `cb_push_back` do, on whatever thread calls.

use tileproof_model::abi::{CbInterface, Site};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::cost;
use crate::doors::Step;
use crate::hart::Wait;
use crate::report::Sink;

impl Core {
    pub(crate) fn cb_wait_front(&mut self, sink: &mut Sink, thread: Thread, site: Site, cb: u32, pages: u32) -> Step {
        if self.configured_cb(sink, thread, site, cb).is_none() {
            return Step::Stop;
        }
        let at = self.cbs[cb as usize].as_ref().and_then(|b| b.front_ready_at(pages));
        self.pass(thread, site, at, Wait::CbFront { cb, pages })
    }

    pub(crate) fn cb_reserve_back(&mut self, sink: &mut Sink, thread: Thread, site: Site, cb: u32, pages: u32) -> Step {
        if self.configured_cb(sink, thread, site, cb).is_none() {
            return Step::Stop;
        }
        let at = self.cbs[cb as usize].as_ref().and_then(|b| b.back_ready_at(pages));
        self.pass(thread, site, at, Wait::CbBack { cb, pages })
    }

    /// Goes on at `at`, or waits.
    fn pass(&mut self, thread: Thread, site: Site, at: Option<u64>, wait: Wait) -> Step {
        let Some(at) = at else { return Step::Wait(wait) };
        let (cb, pages, action) = match wait {
            Wait::CbFront { cb, pages } => (cb, pages, BufferAction::Wait),
            Wait::CbBack { cb, pages } => (cb, pages, BufferAction::Reserve),
            _ => return Step::Done,
        };
        if let Some(buffer) = &mut self.cbs[cb as usize] {
            buffer.count(action, thread, site, pages);
        }
        let hart = self.hart(thread);
        hart.clock = hart.clock.max(at) + cost::POLL;
        Step::Done
    }

    pub(crate) fn cb_pop_front(&mut self, sink: &mut Sink, thread: Thread, site: Site, cb: u32, pages: u32) -> Step {
        if self.configured_cb(sink, thread, site, cb).is_none() {
            return Step::Stop;
        }
        // A compute thread frees pages only once its unpackers are idle (LLK `llk_io_unpack.h`).
        if thread == Thread::Unpack
            && let Step::Wait(wait) = self.sources_taken()
        {
            return Step::Wait(wait);
        }
        let hart = self.hart(thread);
        hart.clock += cost::CREDIT;
        let now = hart.clock;
        let interface = &mut hart.cbs[cb as usize];
        interface.fifo_rd_ptr = advance(interface, interface.fifo_rd_ptr, pages, thread);
        if let Some(buffer) = &mut self.cbs[cb as usize] {
            buffer.pop(thread, site, pages, now);
        }
        Step::Done
    }

    pub(crate) fn cb_push_back(&mut self, sink: &mut Sink, thread: Thread, site: Site, cb: u32, pages: u32) -> Step {
        if self.configured_cb(sink, thread, site, cb).is_none() {
            return Step::Stop;
        }
        let hart = self.hart(thread);
        hart.clock += cost::CREDIT;
        let now = hart.clock;
        let interface = &mut hart.cbs[cb as usize];
        interface.fifo_wr_ptr = advance(interface, interface.fifo_wr_ptr, pages, thread);
        interface.fifo_wr_tile_ptr = 0;
        if let Some(buffer) = &mut self.cbs[cb as usize] {
            buffer.push(thread, site, pages, now);
        }
        Step::Done
    }

    /// Whether `pages` pages could be waited for (`front`) or reserved, now.
    pub(crate) fn cb_has(&self, cb: u32, pages: u32, front: bool, now: u64) -> bool {
        let Some(Some(buffer)) = self.cbs.get(cb as usize) else { return false };
        let at = if front { buffer.front_ready_at(pages) } else { buffer.back_ready_at(pages) };
        at.is_some_and(|at| at <= now)
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

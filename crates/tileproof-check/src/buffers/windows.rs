//! NoC transfers, loads and stores that touch pages of a circular buffer beside those that their thread was given: a read
//! into a page that it has not reserved, a write out of one that it has not waited for.
//!
//! Between a reserve and the push the reserved pages are the producer's, between a wait and the pop those waited for are the
//! consumer's; all others may be in use by the other side (tt-metal `dataflow_api.h`). A thread that uses a buffer as
//! memory, without both calls of its side, must never be reported; nor one that is on both sides. Start reading at
//! [`Windows::on`].

use tileproof_model::event::{BufferPosition, Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::{cb_name, count};

use crate::by_core::BUFFERS;

/// The pages that a thread was given on one side of a buffer, as bytes of L1.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Where it begins, and how long it is; it may run round the end of the ring.
    start: u32,
    bytes: u32,
    /// The ring.
    base: u32,
    size: u32,
    page_bytes: u32,
    /// Whether any page was handed on: by push or pop.
    hands_on: bool,
}

impl Window {
    /// `None` where the kernel has set its pointer to what lies below the ring: then nothing tells what it was given.
    fn of(at: BufferPosition, pages: u32) -> Option<Window> {
        let base = at.offset.wrapping_sub(at.page.saturating_mul(at.page_bytes));
        let (size, bytes) = (at.capacity.saturating_mul(at.page_bytes), pages.saturating_mul(at.page_bytes));
        let window = Window { start: at.offset, bytes, base, size, page_bytes: at.page_bytes, hands_on: false };
        (base <= at.offset).then_some(window)
    }

    /// Pages from the first on were handed on.
    fn hand_on(&mut self, bytes: u32) {
        let past = u64::from(self.start - self.base) + u64::from(bytes);
        self.start = self.base + (past % u64::from(self.size.max(1))) as u32;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.hands_on = true;
    }

    /// True if all of a transfer lies inside.
    fn holds(&self, offset: u32, bytes: u32) -> bool {
        let from = (offset + self.size).saturating_sub(self.start) % self.size.max(1);
        from.saturating_add(bytes) <= self.bytes
    }
}

#[derive(Default, Debug)]
struct Sides {
    /// Reserved and waited for.
    given: [Option<Window>; 2],
    /// The first transfer beside the window, until a push or pop shows that the thread keeps to the protocol at all.
    pending: Vec<Raised>,
}

/// The check.
#[derive(Default, Debug)]
pub struct Windows {
    /// By core, data-movement thread and buffer.
    sides: Vec<Sides>,
}

/// The place of a thread's side of a buffer; `None` for threads that move no data.
fn place(core: usize, thread: Thread, cb: u32) -> Option<usize> {
    let mover = [Thread::Brisc, Thread::Ncrisc].iter().position(|mover| *mover == thread)?;
    let cb = (cb as usize).min(BUFFERS - 1);
    Some((2 * core + mover) * BUFFERS + cb)
}

impl Windows {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.sides = (0..2 * cores * BUFFERS).map(|_| Sides::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        match event.what {
            What::Buffer { action, cb, pages, at } => {
                let Some(sides) = place(event.core, event.thread, cb).and_then(|at| self.sides.get_mut(at)) else {
                    return;
                };
                let side = usize::from(matches!(action, BufferAction::Wait | BufferAction::Pop));
                let given = &mut sides.given[side];
                match action {
                    BufferAction::Reserve | BufferAction::Wait => {
                        let hands_on = given.is_some_and(|window| window.hands_on);
                        *given = Window::of(at, pages).map(|asked| {
                            // A later call for fewer pages takes none away.
                            let longer = given.filter(|w| w.start == asked.start).map_or(0, |w| w.bytes);
                            Window { bytes: asked.bytes.max(longer), hands_on, ..asked }
                        });
                    }
                    BufferAction::Push | BufferAction::Pop => {
                        if let Some(window) = given {
                            window.hand_on(pages.saturating_mul(at.page_bytes));
                            raised.extend(sides.pending.drain(..));
                        }
                    }
                }
            }
            What::NocRead { to, bytes, end, .. } => self.transfer(event, (to, bytes), end.buffer, 0, raised),
            What::NocWrite { from, bytes, end, .. } => self.transfer(event, (from, bytes), end.buffer, 1, raised),
            What::Store { offset, bytes, buffer, .. } => self.transfer(event, (offset, bytes), buffer, 0, raised),
            What::Load { offset, bytes, buffer } => self.access(event, (offset, bytes), buffer, 1, raised),
            _ => {}
        }
    }

    fn transfer(
        &mut self,
        event: &Event,
        (offset, bytes): (u32, u32),
        buffer: Option<(u32, u32)>,
        side: usize,
        raised: &mut Raises,
    ) {
        // One that runs past the end is spoken of elsewhere.
        let buffer = buffer.filter(|(_, room)| bytes <= *room).map(|(cb, _)| cb);
        self.access(event, (offset, bytes), buffer, side, raised);
    }

    fn access(
        &mut self,
        event: &Event,
        (offset, bytes): (u32, u32),
        buffer: Option<u32>,
        side: usize,
        raised: &mut Raises,
    ) {
        let Some(cb) = buffer else { return };
        let Some(sides) = place(event.core, event.thread, cb).and_then(|at| self.sides.get_mut(at)) else { return };
        let (Some(window), None) = (sides.given[side], sides.given[1 - side]) else { return };
        if window.size == 0 || window.holds(offset, bytes) || self.is_given(event, (offset, bytes)) {
            return;
        }
        let is_kept = |sides: &&mut Sides| sides.pending.iter().any(|kept| kept.is_of(Code::BESIDE_WINDOW, event));
        if !raised.first(Code::BESIDE_WINDOW, event) {
            return;
        }
        let Some(sides) =
            place(event.core, event.thread, cb).and_then(|at| self.sides.get_mut(at)).filter(|s| !is_kept(s))
        else {
            return;
        };
        let found = report(event, cb, offset, window, side);
        if window.hands_on { raised.push(found) } else { sides.pending.push(found) }
    }
}

impl Windows {
    /// Whether any buffer has given its thread these bytes: two may lie on one memory.
    #[cold]
    fn is_given(&self, event: &Event, (offset, bytes): (u32, u32)) -> bool {
        let Some(first) = place(event.core, event.thread, 0) else { return false };
        let windows = self.sides.iter().skip(first).take(BUFFERS).flat_map(|sides| sides.given.iter().flatten());
        let in_ring = |w: &&Window| offset >= w.base && offset - w.base < w.size;
        windows.filter(in_ring).any(|window| window.holds(offset, bytes))
    }
}

#[cold]
fn report(event: &Event, cb: u32, offset: u32, window: Window, side: usize) -> Raised {
    let page = offset.saturating_sub(window.base) / window.page_bytes.max(1);
    let (given, call) = [
        ("reserved", "reserve it with cb_reserve_back before"),
        ("waited for", "wait for it with cb_wait_front, and take it from get_read_ptr, before"),
    ][side];
    let does = match event.what {
        What::Store { .. } => "stored to",
        What::Load { .. } => "loaded",
        What::NocRead { .. } => "read into",
        _ => "sent",
    };
    let first = window.start.saturating_sub(window.base) / window.page_bytes.max(1);
    let count = count(u64::from(window.bytes / window.page_bytes.max(1)), "page");
    let message =
        format!("page {page} of {}, of which {count} from page {first} on are {given}, is {does}", cb_name(cb));
    let text = ["the consumer may still use that page", "that page is not there yet, or given back"][side];
    Raised::at(event, Code::BESIDE_WINDOW, message)
        .text(text)
        .fact("cb", cb_name(cb))
        .fact("page", page)
        .help(format!("{call} this call"))
}

#[cfg(test)]
mod tests {
    use tileproof_model::abi::Site;

    use super::*;

    #[test]
    fn a_pointer_below_its_ring_and_more_pages_than_there_are_give_no_window_and_no_panic() {
        // A ring of two pages of 64 bytes at offset 4096.
        let at = |offset: u32| BufferPosition {
            capacity: 2,
            page: offset.wrapping_sub(4096) / 64,
            due: 0,
            last: None,
            offset,
            page_bytes: 64,
            is_backed: false,
        };
        let (mut check, mut raised) = (Windows::default(), Raises::default());
        check.launch(1);
        for (offset, pages) in [(4096, 1), (4096 + 64, u32::MAX), (4096 - 64, 1), (4096 - 100, 1), (0, 2)] {
            for action in [BufferAction::Reserve, BufferAction::Push] {
                let what = What::Buffer { action, cb: 0, pages, at: at(offset) };
                let event = Event { core: 0, thread: Thread::Brisc, site: Site::default(), cycle: 0, what };
                check.on(&event, &mut raised);
            }
            let given = check.sides.iter().any(|sides| sides.given[0].is_some());
            assert_eq!(given, offset >= 4096, "{offset}");
        }
    }
}

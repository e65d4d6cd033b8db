//! Pages that are no multiple of 16 bytes, on a compute thread: it counts sizes and addresses in units of 16, the rest of a page is
//! lost, and its pointer falls behind (tt-metal `circular_buffer_constants.h`, `CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT`).
//!
//! It speaks where such a pointer is used to read or pack, and blames the call that left it behind. It must not speak of a
//! buffer of which only the counts are used. Start reading at [`Units::on`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{BufferPosition, Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

/// Bytes that a compute thread counts as one.
const UNIT: u32 = 16;

/// The whole units of a number of bytes.
fn whole(bytes: u32) -> u32 {
    bytes - bytes % UNIT
}

/// Where a compute thread's pointer is, and where it should be, from the buffer's first byte on.
#[derive(Clone, Copy, Default, Debug)]
struct Pointer {
    is: u32,
    should_be: u32,
    page_bytes: u32,
    /// The call that moved it last, and by how many pages.
    moved: Option<(Site, u32)>,
}

impl Pointer {
    fn goes_on(&mut self, at: &BufferPosition, site: Site, pages: u32) {
        let size = at.page_bytes.wrapping_mul(at.capacity);
        self.is = self.is.wrapping_add(pages.wrapping_mul(whole(at.page_bytes)));
        // Compute code wraps by one subtraction when at or past the end (LLK `llk_io_unpack.h`, `llk_io_pack.h`).
        if self.is >= whole(size) {
            self.is -= whole(size);
        }
        self.should_be = self.should_be.wrapping_add(pages.wrapping_mul(at.page_bytes)) % size.max(1);
        self.page_bytes = at.page_bytes;
        self.moved = Some((site, pages));
    }
}

/// The check.
#[derive(Default, Debug)]
pub struct Units {
    /// By core, buffer and thread, of buffers with such pages alone.
    pointers: BTreeMap<(usize, u32, Thread), Pointer>,
}

impl Units {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let cb = match event.what {
            What::Buffer { action: BufferAction::Push | BufferAction::Pop, cb, pages, at } => {
                if !at.page_bytes.is_multiple_of(UNIT) && !event.thread.is_data_movement() {
                    self.pointers.entry((event.core, cb, event.thread)).or_default().goes_on(&at, event.site, pages);
                }
                return;
            }
            What::Unpack { access } | What::Pack { access, .. } => access.cb,
            What::Load { buffer: Some(cb), .. } => cb,
            _ => return,
        };
        let Some(pointer) = self.pointers.get(&(event.core, cb, event.thread)) else { return };
        let Some((site, pages)) = pointer.moved.filter(|_| pointer.is != pointer.should_be) else { return };
        let (thread, name, page) = (event.thread, cb_name(cb), pointer.page_bytes);
        // What is said is said of the move, not of the call in hand.
        if !raised.first(Code::PAGE_OF_PART_UNITS, &Event { site, ..*event }) {
            return;
        }
        let (by, not) = (pages * whole(page), pages * page);
        let uses = if thread == Thread::Pack { "packs to" } else { "reads" };
        let message = format!(
            "pages of {name} have {page} bytes, and {thread} counts in units of {UNIT}: its pointer moves by {by} bytes here, not by {not}"
        );
        raised.push(
            Raised::of(event.core, (thread, site), Code::PAGE_OF_PART_UNITS, message)
                .text(format!("moves by {by} bytes"))
                .label(Some((thread, event.site)), format!("{thread} {uses} {name} here"))
                .fact("cb", &name)
                .fact("cycle", event.cycle)
                .fact("page_size", page)
                .fact("pointer", pointer.is)
                .fact("should_be", pointer.should_be)
                .help(format!("give {name} pages of a multiple of {UNIT} bytes")),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::event::{DstTile, TileAccess};

    /// PACK pushes a page of a buffer at each of some sites, and packs a tile before each.
    fn packs(page_bytes: u32, capacity: u32, sites: &[u64]) -> Vec<Raised> {
        let at = BufferPosition { capacity, page: 0, due: 0, last: None, offset: 0, page_bytes, is_backed: false };
        let access = TileAccess {
            cb: 3,
            tile: 0,
            pages: 1,
            at,
            offset: 0,
            bytes: 2048,
            is_tile: true,
            is_transposed: false,
            is_spread: false,
            is_poison: false,
            is_output: false,
        };
        let (mut units, mut raised) = (Units::default(), Raises::default());
        for site in sites {
            let mut shows = |what: What| {
                let event = Event { core: 0, thread: Thread::Pack, site: Site(*site), cycle: 0, what };
                units.on(&event, &mut raised);
            };
            shows(What::Pack { dst: DstTile::default(), access, committed: true });
            shows(What::Buffer { action: BufferAction::Push, cb: 3, pages: 1, at });
        }
        raised.take()
    }

    #[test]
    fn the_push_that_leaves_the_pointer_of_pack_behind_is_blamed_at_the_next_pack() {
        let raised = packs(2056, 4, &[7, 8]);
        let [finding] = &raised[..] else { panic!("{raised:?}") };
        assert_eq!((finding.code, finding.thread, finding.site), (Code::PAGE_OF_PART_UNITS, Thread::Pack, Site(7)));
        assert!(finding.message.ends_with("its pointer moves by 2048 bytes here, not by 2056"), "{}", finding.message);
        assert_eq!(finding.labels, [(0, Thread::Pack, Site(8), "PACK packs to c_3 here".to_string())]);
    }

    #[test]
    fn whole_units_and_a_pointer_that_comes_round_each_time_are_silent() {
        assert_eq!(packs(2064, 4, &[7, 8, 9]), []);
        // One page: the pointer is at its first byte again after each push, whatever was lost.
        assert_eq!(packs(2056, 1, &[7, 8, 9]), []);
        // Nothing is packed behind the push.
        assert_eq!(packs(2056, 4, &[7]), []);
    }
}

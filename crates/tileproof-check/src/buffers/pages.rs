//! What each thread has reserved and waited for, against what it pushes, pops, reads and packs.
//!
//! Waits and reserves count from the pointer and do not add up; a push or pop uses up what it moves (tt-metal
//! `dataflow_api.h`). The pages may be there by luck: what is reported is that nobody made sure. Start reading at
//! [`Pages::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, TileAccess, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;

use super::{BUFFERS, name, pages_of};
use crate::once::Once;

/// Threads of a core.
const THREADS: usize = 5;

/// What a thread holds of one side of a buffer.
#[derive(Clone, Copy, Default, Debug)]
struct Held {
    /// Pages from the pointer on.
    pages: u32,
    /// The call that made sure of them, or of those before.
    by: Option<Site>,
    /// What that call asked for.
    asked: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Sides {
    reserved: Held,
    waited: Held,
}

/// The check.
#[derive(Default, Debug)]
pub struct Pages {
    /// By core, thread and buffer.
    sides: Vec<[[Sides; BUFFERS]; THREADS]>,
    once: Once,
}

impl Pages {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.sides = vec![[[Sides::default(); BUFFERS]; THREADS]; cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        match event.what {
            What::Buffer { action, cb, pages, .. } => self.call(event, action, cb, pages, raised),
            What::Unpack { access } => self.read(event, access, raised),
            What::Pack { access, .. } => self.packed(event, access, raised),
            _ => {}
        }
    }

    fn sides(&mut self, event: &Event, cb: u32) -> Option<&mut Sides> {
        self.sides.get_mut(event.core)?[event.thread as usize].get_mut(cb as usize)
    }

    fn call(&mut self, event: &Event, action: BufferAction, cb: u32, pages: u32, raised: &mut Vec<Raised>) {
        let Some(sides) = self.sides(event, cb) else { return };
        match action {
            BufferAction::Reserve | BufferAction::Wait => {
                let held = if action == BufferAction::Reserve { &mut sides.reserved } else { &mut sides.waited };
                *held = Held { pages: held.pages.max(pages), by: Some(event.site), asked: pages };
            }
            BufferAction::Push | BufferAction::Pop => {
                let held = if action == BufferAction::Push { &mut sides.reserved } else { &mut sides.waited };
                let before = *held;
                held.pages = before.pages.saturating_sub(pages);
                if pages > before.pages {
                    self.moved_too_much(event, action == BufferAction::Push, cb, pages, before, raised);
                }
            }
        }
    }

    #[cold]
    fn moved_too_much(
        &mut self,
        event: &Event,
        is_push: bool,
        cb: u32,
        pages: u32,
        held: Held,
        raised: &mut Vec<Raised>,
    ) {
        let code = if is_push { Code::PUSH_UNRESERVED } else { Code::POP_UNWAITED };
        if !self.once.first(code, event) {
            return;
        }
        let (verb, preposition, needed, participle) = if is_push {
            ("pushes", "to", "cb_reserve_back", "reserved")
        } else {
            ("pops", "from", "cb_wait_front", "waited for")
        };
        let (buffer, moved) = (name(cb), pages_of(pages.into()));
        let message = match (held.by, held.pages) {
            (None, _) => format!("{} {verb} {moved} {preposition} {buffer} without a {needed}", event.thread),
            (Some(_), 0) => {
                format!("{} {verb} {moved} {preposition} {buffer} with none {participle} any more", event.thread)
            }
            (Some(_), n) => {
                format!("{} {verb} {moved} {preposition} {buffer}, and only {n} {} {participle}", event.thread, is(n))
            }
        };
        raised.push(
            Raised::at(event, code, message)
                .text(format!("{verb} {moved}"))
                .label(last(event, held), format!("the last {needed}, for {}", pages_of(held.asked.into())))
                .fact("cb", &buffer)
                .fact("pages", pages)
                .fact(participle.split(' ').next().unwrap_or(participle), held.pages)
                .help(format!("call {needed} for as many pages before this call")),
        );
    }

    fn read(&mut self, event: &Event, access: TileAccess, raised: &mut Vec<Raised>) {
        let Some(sides) = self.sides(event, access.cb) else { return };
        let held = sides.waited;
        if access.pages > held.pages {
            self.touched_too_far(event, access, held, raised);
        }
    }

    fn packed(&mut self, event: &Event, access: TileAccess, raised: &mut Vec<Raised>) {
        let Some(sides) = self.sides(event, access.cb) else { return };
        let held = sides.reserved;
        if access.pages > held.pages {
            self.touched_too_far(event, access, held, raised);
        }
    }

    #[cold]
    fn touched_too_far(&mut self, event: &Event, access: TileAccess, held: Held, raised: &mut Vec<Raised>) {
        let is_pack = matches!(event.what, What::Pack { .. });
        let code = if is_pack { Code::PACK_UNRESERVED } else { Code::READ_UNWAITED };
        if !self.once.first(code, event) {
            return;
        }
        let (verb, needed, participle) = if is_pack {
            ("packs to", "cb_reserve_back", "reserved")
        } else {
            ("reads", "cb_wait_front", "waited for")
        };
        let (buffer, tile) = (name(access.cb), access.tile);
        let message = match held.pages {
            0 if held.by.is_none() => format!("{} {verb} tile {tile} of {buffer} without a {needed}", event.thread),
            0 => {
                format!("{} {verb} tile {tile} of {buffer} with no page {participle} any more", event.thread)
            }
            n => format!(
                "{} {verb} tile {tile} of {buffer}, and only {} {} {participle}",
                event.thread,
                pages_of(n.into()),
                is(n)
            ),
        };
        raised.push(
            Raised::at(event, code, message)
                .text(format!("{verb} tile {tile}"))
                .label(last(event, held), format!("the last {needed}, for {}", pages_of(held.asked.into())))
                .fact("cb", &buffer)
                .fact("tile", tile)
                .fact(participle.split(' ').next().unwrap_or(participle), held.pages)
                .help(format!("call {needed} for {} before this call", pages_of(access.pages.into()))),
        );
    }
}

fn last(event: &Event, held: Held) -> Option<(tileproof_model::thread::Thread, Site)> {
    held.by.map(|site| (event.thread, site))
}

fn is(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

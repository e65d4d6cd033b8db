//! A block that PACK pushed at once and UNPACK took in part: the rest is never read.
//!
//! A kernel that keeps several sums in Dst packs all of them and must take all of them back. It must never speak of whole
//! blocks that are left, as the last state of a loop is, nor of buffers in which another thread may have read pages, be it that
//! it pops them or not. Start reading at [`PartLeft::on`].

use std::collections::VecDeque;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::{cb_name, count, is_are};

use crate::by_core::BUFFERS;

/// The pages of one push.
#[derive(Clone, Copy, Debug)]
struct Block {
    by: Site,
    pages: u32,
    popped: u32,
    /// Pages from the block's first on that an unpack has reached, of whichever block it began in.
    seen: u32,
}

#[derive(Clone, Default, Debug)]
struct Buffer {
    /// What was pushed and not popped, oldest first.
    blocks: VecDeque<Block>,
    popped: Option<Site>,
    /// A thread other than PACK pushes to it, or one other than UNPACK waits for its pages, reads or pops them.
    is_shared: bool,
}

/// The check.
#[derive(Default, Debug)]
pub struct PartLeft {
    cores: Vec<Vec<Buffer>>,
}

impl PartLeft {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = vec![vec![Buffer::default(); BUFFERS]; cores];
    }

    /// Another thread may read its pages.
    fn share(&mut self, core: usize, cb: u32) {
        if let Some(buffer) = self.buffer(core, cb).filter(|buffer| !buffer.is_shared) {
            buffer.is_shared = true;
            buffer.blocks.clear();
        }
    }

    fn buffer(&mut self, core: usize, cb: u32) -> Option<&mut Buffer> {
        self.cores.get_mut(core)?.get_mut(cb as usize)
    }

    pub(crate) fn on(&mut self, event: &Event, _raised: &mut Raises) {
        match event.what {
            What::Buffer { action: BufferAction::Push, cb, pages, .. } => {
                let Some(buffer) = self.buffer(event.core, cb) else { return };
                if event.thread == Thread::Pack && !buffer.is_shared {
                    buffer.blocks.push_back(Block { by: event.site, pages, popped: 0, seen: 0 });
                } else {
                    buffer.is_shared = true;
                }
            }
            What::Buffer { action: BufferAction::Pop, cb, pages, .. } if event.thread == Thread::Unpack => {
                if let Some(buffer) = self.buffer(event.core, cb) {
                    buffer.pop(pages, event.site);
                }
            }
            What::Buffer { action: BufferAction::Pop | BufferAction::Wait, cb, .. }
                if event.thread != Thread::Unpack =>
            {
                self.share(event.core, cb);
            }
            What::Unpack { access } => {
                if let Some(buffer) = self.buffer(event.core, access.cb) {
                    buffer.see(access.pages);
                }
            }
            What::NocWrite { end, .. } => {
                if let Some((cb, _)) = end.buffer {
                    self.share(event.core, cb);
                }
            }
            What::NocRead { from: NocPlace::L1(core, _), far: Some((cb, _)), .. } => self.share(core, cb),
            What::Load { buffer: Some(cb), .. } => self.share(event.core, cb),
            _ => {}
        }
    }

    /// The kernels have ended: what nobody read by now nobody will.
    pub(crate) fn end(&mut self, core: usize, raised: &mut Raises) {
        let Some(buffers) = self.cores.get(core) else { return };
        for (cb, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| !buffer.is_shared) {
            let (Some(block), Some(popped)) = (buffer.blocks.front(), buffer.popped) else { continue };
            if block.popped > 0 && block.seen < block.pages {
                raised.push(report(core, cb as u32, block, popped));
            }
        }
    }
}

impl Buffer {
    /// UNPACK reads pages from its pointer on, `pages` of them at most.
    fn see(&mut self, mut pages: u32) {
        for block in &mut self.blocks {
            let left = block.pages - block.popped;
            block.seen = block.seen.max(block.popped + pages.min(left));
            pages = pages.saturating_sub(left);
            if pages == 0 {
                return;
            }
        }
    }

    fn pop(&mut self, mut pages: u32, by: Site) {
        self.popped = Some(by);
        while let Some(block) = self.blocks.front_mut() {
            let taken = pages.min(block.pages - block.popped);
            block.popped += taken;
            pages -= taken;
            if block.popped < block.pages {
                return;
            }
            self.blocks.pop_front();
            if pages == 0 {
                return;
            }
        }
    }
}

fn report(core: usize, cb: u32, block: &Block, popped: Site) -> Raised {
    let unread = block.pages - block.seen.max(block.popped);
    let (buffer, of) = (cb_name(cb), block.pages);
    let message = format!(
        "{} of the {of} that one push put into {buffer} {} never read: what went into them reaches no output",
        count(unread.into(), "page"),
        is_are(unread.into()),
    );
    let mut finding = Raised::of(core, (Thread::Unpack, popped), Code::BLOCK_PART_LEFT, message)
        .text(format!("{} of {of} popped", block.popped))
        .label(Some((Thread::Pack, block.by)), format!("{} pushed here together", count(of.into(), "page")))
        .fact("cb", buffer)
        .fact("unread", unread)
        .fact("pushed", of)
        .help("take back as many pages as were pushed together, or push fewer");
    finding.certainty = Certainty::Suspect;
    finding
}

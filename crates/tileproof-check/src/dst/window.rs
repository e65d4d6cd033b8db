//! The Dst window: MATH acquires and commits, PACK waits and releases, and Dst is touched in between.
//!
//! Nothing on the device holds a kernel to it: acquire and wait only wait, commit and release only count (LLK
//! `llk_math_common.h`, `llk_pack_common.h`). It must never speak of inits, which do not touch Dst. Start reading at
//! [`Window::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::thread::Thread;

use crate::by_core::of_core;
use crate::dst::operation::operation;

#[derive(Clone, Copy, Default, Debug)]
struct Windows {
    /// The acquire that is open.
    open: Option<Site>,
    /// Acquires without a commit of their own: an inner window's commit closes both, and the outer's is still due.
    due: u32,
    committed: Option<Site>,
    /// MATH has computed something in it.
    holds: bool,
    /// PACK's wait.
    waited: bool,
    released: Option<Site>,
    /// What lies behind an inner window's commit was reported: one such finding tells as much as ten.
    is_followed: bool,
}

/// The check.
#[derive(Default, Debug)]
pub struct Window {
    cores: Vec<Windows>,
}

impl Window {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = vec![Windows::default(); cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        let before = *core;
        match event.what {
            What::Acquire => {
                (core.open, core.due) = (Some(event.site), core.due + 1);
                core.holds &= before.open.is_some();
                if before.open.is_some() {
                    self.nested(event, before, raised);
                }
            }
            What::Commit => {
                (core.open, core.committed, core.holds) = (None, Some(event.site), false);
                core.due = core.due.saturating_sub(1);
                if before.due == 0 {
                    self.committed_twice(event, before, raised);
                }
            }
            What::Math { .. } | What::Sfpu { .. } if before.open.is_some() => core.holds = true,
            What::Math { .. } | What::Sfpu { .. } if !(before.due > 0 && before.is_followed) => {
                core.is_followed |= before.due > 0;
                self.outside(event, before, raised);
            }
            What::SectionWait => core.waited = true,
            // Before anything is computed a window may as well begin with the first section, as it may in full sync.
            What::StartUp { moves } => {
                let holds = if event.thread == Thread::Math { before.holds } else { before.waited };
                if holds && moves {
                    self.started_again(event, before, raised);
                }
            }
            What::Release { .. } => {
                (core.waited, core.released) = (false, Some(event.site));
                if !before.waited {
                    self.not_waited(event, before, raised);
                }
            }
            What::Pack { .. } if !before.waited => self.not_waited(event, before, raised),
            _ => {}
        }
    }

    #[cold]
    fn nested(&mut self, event: &Event, before: Windows, raised: &mut Raises) {
        if !raised.first(Code::DST_NESTED, event) {
            return;
        }
        let message = "tile_regs_acquire inside a window that is still open: the inner commit hands both to PACK";
        raised.push(
            Raised::at(event, Code::DST_NESTED, message.into())
                .text("acquires again")
                .label(before.open.map(|site| (Thread::Math, site)), "the open window was acquired here")
                .remark("what the outer window holds is packed or cleared with the inner one")
                .help("commit the outer window first, and carry its values through a circular buffer"),
        );
    }

    /// What MATH has computed lies in the section that it had, and PACK looks where it begins now.
    #[cold]
    fn started_again(&mut self, event: &Event, before: Windows, raised: &mut Raises) {
        if !raised.first(Code::DST_RESTARTED, event) {
            return;
        }
        let (message, label) = match event.thread {
            Thread::Math => (
                "a start-up inside a Dst window: MATH goes on with the first section of Dst, and what the window holds stays in its own",
                before.open.map(|site| (Thread::Math, site)),
            ),
            _ => (
                "a start-up before tile_regs_release: PACK goes on with the first section of Dst, which need not be the one it waited for",
                before.released.map(|site| (Thread::Pack, site)),
            ),
        };
        raised.push(
            Raised::at(event, Code::DST_RESTARTED, message.into())
                .text("starts the units again")
                .label(label, if event.thread == Thread::Math { "the window was opened here" } else { "the release before" })
                .remark("compute_kernel_hw_startup, mm_init, unary_op_init_common, binary_op_init_common and the full forms of inits, which are given an output buffer, are start-ups")
                .help("start once, before the first window; use the short form of the init inside one"),
        );
    }

    #[cold]
    fn committed_twice(&mut self, event: &Event, before: Windows, raised: &mut Raises) {
        if !raised.first(Code::DST_COMMIT, event) {
            return;
        }
        let message = "tile_regs_commit without tile_regs_acquire: PACK is handed a section that nobody filled";
        raised.push(
            Raised::at(event, Code::DST_COMMIT, message.into())
                .text("commits no window")
                .label(before.committed.map(|site| (Thread::Math, site)), "the commit before")
                .help("call tile_regs_acquire first, and commit once for each acquire"),
        );
    }

    #[cold]
    fn outside(&mut self, event: &Event, before: Windows, raised: &mut Raises) {
        if !raised.first(Code::DST_NOT_ACQUIRED, event) {
            return;
        }
        let (what, tile) = match event.what {
            What::Sfpu { op, output, .. } => (op.name().to_string(), output.index),
            What::Math { word, dst } => (operation(word), dst.index),
            _ => return,
        };
        let message = format!("{what} on Dst tile {tile} outside an acquired window: PACK may be using that section");
        raised.push(
            Raised::at(event, Code::DST_NOT_ACQUIRED, message)
                .text("MATH holds no section here")
                .label(before.committed.map(|site| (Thread::Math, site)), "the last window was committed here")
                .fact("dst", tile)
                .help("move the call between tile_regs_acquire and tile_regs_commit"),
        );
    }

    #[cold]
    fn not_waited(&mut self, event: &Event, before: Windows, raised: &mut Raises) {
        if !raised.first(Code::DST_NOT_WAITED, event) {
            return;
        }
        let (message, text) = match event.what {
            What::Pack { dst, .. } => (
                format!("pack of Dst tile {} before tile_regs_wait: MATH may still be writing it", dst.index),
                "packs a section that was not waited for",
            ),
            _ => (
                "tile_regs_release without tile_regs_wait: it clears a section that MATH may be filling".to_string(),
                "releases a section that was not waited for",
            ),
        };
        raised.push(
            Raised::at(event, Code::DST_NOT_WAITED, message)
                .text(text)
                .label(before.released.map(|site| (Thread::Pack, site)), "the last release")
                .help("call tile_regs_wait before the first pack of a window"),
        );
    }
}

//! NoC transfers that are not over yet: what they move must be left alone.
//!
//! [`reads`] follows the destinations of reads, [`writes`] the sources of writes and what is announced of them, by the calls that the kernels make. Neither
//! looks at the clock: a barrier that is missing is missing whatever this run's times were. None may speak of a transfer
//! that a barrier of its own thread and NoC has ended.

pub mod reads;
pub mod writes;

use tileproof_model::abi::Site;
use tileproof_model::thread::Thread;

/// A transfer, or several of one line that lie side by side.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    thread: Thread,
    noc: u8,
    site: Site,
    /// The bytes of this core's L1 that it touches.
    offset: u32,
    end: u32,
    /// The core whose L1 a write goes to.
    core: Option<usize>,
    /// A barrier of the same thread that waited for the other NoC.
    elsewhere: Option<Site>,
    reported: bool,
}

/// The transfers of a core that nobody has waited for.
#[derive(Default, Debug)]
struct Outstanding(Vec<Transfer>);

impl Outstanding {
    fn add(&mut self, (thread, site): (Thread, Site), noc: u8, (offset, bytes): (u32, u32), core: Option<usize>) {
        let end = offset.saturating_add(bytes);
        let last = self.0.iter_mut().rev().find(|t| t.end == offset && t.site == site);
        match last {
            Some(last) if (last.thread, last.noc, last.core, last.reported) == (thread, noc, core, false) => {
                last.end = end;
            }
            _ => self.0.push(Transfer { thread, noc, site, offset, end, core, elsewhere: None, reported: false }),
        }
    }

    /// A barrier of `thread` on `noc` went through.
    fn wait(&mut self, thread: Thread, noc: u8, site: Site) {
        self.0.retain(|t| (t.thread, t.noc) != (thread, noc));
        for other in self.0.iter_mut().filter(|t| t.thread == thread) {
            other.elsewhere = Some(site);
        }
    }

    /// The first transfer that touches some bytes and was not reported; it counts as reported from here on.
    fn meets(&mut self, offset: u32, bytes: u32) -> Option<Transfer> {
        let end = offset.saturating_add(bytes);
        let found = self.0.iter_mut().find(|t| !t.reported && t.offset < end && offset < t.end)?;
        found.reported = true;
        Some(*found)
    }

    /// The first transfer of a thread.
    fn of(&self, thread: Thread) -> Option<Transfer> {
        self.0.iter().find(|t| t.thread == thread && !t.reported).copied()
    }
}

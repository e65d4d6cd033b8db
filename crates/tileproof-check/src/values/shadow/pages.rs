//! In which order threads read and write the pages of tensors.
//!
//! Pages that are taken one after the other, or each so many, stay where they belong; where tiles stand in another order, a thread
//! that leaves that order may be why. It must never be asked where tiles stand right. Start at [`Pages::goes`].

use std::collections::{BTreeMap, BTreeSet};

use super::nodes::Call;

/// Whether a thread reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Way {
    Read,
    Written,
}

/// A call that leaves the order: its page, and the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leap {
    pub(super) call: Call,
    pub(super) before: u32,
    pub(super) page: u32,
}

#[derive(Clone, Copy, Debug)]
struct Walk {
    first: u32,
    last: u32,
    step: Option<u32>,
    leap: Option<Leap>,
}

/// What each core did to each tensor, in this launch.
#[derive(Default, Debug)]
pub(super) struct Pages {
    walks: BTreeMap<(u16, Way, usize), Walk>,
    /// The first call that reads any of a tensor.
    readers: BTreeMap<u16, Call>,
    /// Pages of tensors of which a thread has loaded something itself.
    loaded: BTreeSet<(u16, u32)>,
    /// Pages of tensors in tiles that were read.
    read: BTreeSet<(u16, u32)>,
}

impl Pages {
    /// A thread takes a page of a tensor.
    pub(super) fn goes(&mut self, (tensor, page): (u16, u32), way: Way, call: Call) {
        if way == Way::Read {
            self.read.insert((tensor, page));
        }
        let walk = self.walks.entry((tensor, way, call.core)).or_insert(Walk {
            first: page,
            last: page,
            step: None,
            leap: None,
        });
        if page == walk.last {
            return;
        }
        let step = page.checked_sub(walk.last);
        // Another round begins where the first did.
        let is_next = step.is_some() && walk.step.is_none_or(|known| step == Some(known)) || page == walk.first;
        if !is_next {
            walk.leap.get_or_insert(Leap { call, before: walk.last, page });
        } else if page != walk.first {
            walk.step = step;
        }
        walk.last = page;
    }

    /// A thread reads some of a tensor, whatever its layout.
    pub(super) fn reads(&mut self, tensor: u16, call: Call) {
        self.readers.entry(tensor).or_insert(call);
    }

    /// The first call that reads any of a tensor.
    pub(super) fn reader(&self, tensor: u16) -> Option<Call> {
        self.readers.get(&tensor).copied()
    }

    /// A thread loads something of a page itself.
    pub(super) fn loads(&mut self, tensor: u16, page: u32) {
        self.loaded.insert((tensor, page));
    }

    /// Whether a page was read.
    pub(super) fn is_read(&self, tensor: u16, page: u32) -> bool {
        self.read.contains(&(tensor, page))
    }

    /// Whether a thread has loaded something of a page itself.
    pub(super) fn is_loaded(&self, tensor: u16, page: u32) -> bool {
        self.loaded.contains(&(tensor, page))
    }

    /// The first call that leaves the order of a tensor's pages.
    pub(super) fn leap(&self, tensor: u16, way: Way) -> Option<Leap> {
        let all = self.walks.range((tensor, way, 0)..=(tensor, way, usize::MAX));
        all.filter_map(|(_, walk)| walk.leap).next()
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::abi::Site;
    use tileproof_model::thread::Thread;

    use super::*;

    #[test]
    fn only_a_page_out_of_the_order_is_a_leap() {
        let leaps = |pages: &[u32]| {
            let mut all = Pages::default();
            for (site, page) in pages.iter().enumerate() {
                let call = Call { launch: 1, core: 0, thread: Thread::Brisc, site: Site(site as u64) };
                all.goes((0, *page), Way::Written, call);
            }
            all.leap(0, Way::Written).map(|leap| (leap.before, leap.page))
        };
        for right in [&[0, 1, 2, 3][..], &[4, 5, 6], &[1, 3, 5], &[0, 1, 0, 1], &[2, 2, 3, 3]] {
            assert_eq!(leaps(right), None, "{right:?}");
        }
        assert_eq!(leaps(&[3, 2, 1, 0]), Some((3, 2)));
        assert_eq!(leaps(&[1, 2, 3, 0]), Some((3, 0)));
        assert_eq!(leaps(&[0, 3, 1, 4]), Some((3, 1)));
    }
}

//! Which core of a long run is worth to be followed by the datum: the one that writes most of what is wrong.
//!
//! It answers only where cores have nothing from each other, so that one can be followed alone. It must never look at a value.
//! Start at [`Scout::core`].

use std::collections::BTreeMap;

use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raises};

use super::shadow::{Home, Question};
use crate::spans::Spans;

/// Elements that are looked at.
const MOST: usize = 1 << 20;

/// A page of an output.
#[derive(Default, Debug)]
struct Page {
    bytes: u32,
    /// Elements of it that are wrong.
    wrong: u64,
    /// Who wrote to it.
    by: Option<usize>,
}

/// The observer.
#[derive(Default, Debug)]
pub struct Scout {
    /// Pages of outputs by where they lie.
    wrong: BTreeMap<(u32, u32), Page>,
    /// By bank, who wrote where in DRAM last.
    written: BTreeMap<u32, Spans<usize>>,
    /// A core has something from another, or there is more than one launch.
    meet: bool,
    launches: usize,
}

impl Scout {
    /// What is asked of which tensors, of some element by element.
    pub fn prepare(&mut self, homes: &[Home], questions: &[&Question], audits: &[usize]) {
        for home in audits.iter().filter_map(|tensor| homes.get(*tensor)) {
            for page in &home.pages {
                if let NocPlace::Dram { bank, address } = *page {
                    self.wrong.insert((bank, address), Page { bytes: home.tensor.page_bytes(), wrong: 1, by: None });
                }
            }
        }
        for question in questions {
            let Some(home) = homes.get(question.tensor) else { continue };
            let step = question.wrong.len().div_ceil(MOST).max(1);
            for element in question.wrong.iter().step_by(step) {
                if let Some(NocPlace::Dram { bank, address }) = home.page_of(*element) {
                    let page = self.wrong.entry((bank, address)).or_default();
                    (page.bytes, page.wrong) = (home.tensor.page_bytes(), page.wrong + 1);
                }
            }
        }
    }

    /// The core that wrote most of it; `None` if it cannot be followed alone.
    pub fn core(&self) -> Option<usize> {
        let mut of_cores: BTreeMap<usize, u64> = BTreeMap::new();
        for page in self.wrong.values() {
            *of_cores.entry(page.by?).or_default() += page.wrong;
        }
        let most = of_cores.into_iter().max_by_key(|(core, count)| (*count, std::cmp::Reverse(*core)))?;
        (!self.meet && self.launches == 1).then_some(most.0)
    }
}

impl Observer for Scout {
    const ACTIVE: bool = true;

    fn launch(&mut self, _layout: &MemoryLayout) {
        self.launches += 1;
    }

    fn on(&mut self, event: &Event, _raised: &mut Raises) {
        match event.what {
            What::NocWrite { to: NocPlace::Dram { bank, address }, bytes, .. } => {
                self.written.entry(bank).or_default().overwrite(address, bytes, event.core);
                // A page may be written in parts.
                let page = self.wrong.range_mut(..=(bank, address)).next_back();
                let is_in = |first: u32, page: &Page| address - first < page.bytes;
                if let Some((_, page)) = page.filter(|((there, first), page)| *there == bank && is_in(*first, page)) {
                    self.meet |= page.by.is_some_and(|core| core != event.core);
                    page.by = Some(event.core);
                }
            }
            What::NocWrite { to: NocPlace::L1(core, _), .. } => self.meet |= core != event.core,
            What::NocRead { from: NocPlace::L1(core, _), .. } => self.meet |= core != event.core,
            What::NocRead { from: NocPlace::Dram { bank, address }, bytes, .. } => {
                let written = self.written.get(&bank);
                self.meet |= written.is_some_and(|w| w.touching(address, bytes).any(|(_, core)| *core != event.core));
            }
            What::InlineWrite { to: NocPlace::L1(core, _), .. } => self.meet |= core != event.core,
            What::SemaphoreInc { .. } => self.meet = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::abi::Site;
    use tileproof_model::event::NocEnd;
    use tileproof_model::thread::Thread;

    use super::*;

    const END: NocEnd = NocEnd { buffer: None, alignment: 16, skew: 0, free: None };

    fn write(address: u32, bytes: u32) -> What {
        let to = NocPlace::Dram { bank: 0, address };
        let (noc, from, posted, multicast, trid) = (0, 0, false, false, 0);
        let (end, far, is_same, word) = (END, None, false, None);
        What::NocWrite { noc, from, to, bytes, end, far, posted, multicast, trid, is_same, word }
    }

    fn read(address: u32, bytes: u32) -> What {
        let from = NocPlace::Dram { bank: 0, address };
        What::NocRead { noc: 0, from, to: 0, bytes, end: END, far: None, trid: 0 }
    }

    /// Two wrong pages of 64 bytes, of which the second has more wrong elements; what the cores do, in each of some launches.
    fn chosen(launches: usize, does: &[(usize, What)]) -> Option<usize> {
        let mut scout = Scout::default();
        scout.wrong.insert((0, 0), Page { bytes: 64, wrong: 1, by: None });
        scout.wrong.insert((0, 64), Page { bytes: 64, wrong: 5, by: None });
        for _ in 0..launches {
            scout.launch(&MemoryLayout::default());
            for (core, what) in does {
                let event = Event { core: *core, thread: Thread::Brisc, site: Site::default(), cycle: 0, what: *what };
                scout.on(&event, &mut Raises::default());
            }
        }
        scout.core()
    }

    #[test]
    fn the_core_that_wrote_most_of_what_is_wrong_is_chosen() {
        assert_eq!(chosen(1, &[(0, write(0, 64)), (1, write(64, 64))]), Some(1));
        // What a core reads back of its own is its own.
        assert_eq!(chosen(1, &[(0, write(0, 64)), (1, write(64, 64)), (1, read(96, 32))]), Some(1));
        assert_eq!(chosen(1, &[(0, write(0, 64))]), None, "nobody wrote the second page");
    }

    #[test]
    fn cores_that_have_something_from_each_other_are_not_followed_alone() {
        let wrote = [(0, write(0, 64)), (1, write(64, 64))];
        let with = |core, what| chosen(1, &[wrote[0], wrote[1], (core, what)]);
        assert_eq!(with(0, read(64, 64)), None);
        assert_eq!(with(0, read(96, 32)), None, "a part of a page");
        assert_eq!(with(1, read(32, 64)), None, "a piece that begins in the page of another");
        let flag = What::InlineWrite { noc: 0, to: NocPlace::L1(1, 0), is_semaphore: true, value: 1 };
        assert_eq!(with(0, flag), None);
        assert_eq!(chosen(2, &wrote), None, "two launches");
    }
}

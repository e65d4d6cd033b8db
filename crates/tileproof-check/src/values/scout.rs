//! Which core of a long run is worth to be followed by the datum: the one that writes most of what is wrong.
//!
//! It answers only where cores have nothing from each other, so that one can be followed alone. It must never look at a value.
//! Start at [`Scout::core`].

use std::collections::BTreeMap;

use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raises};

use super::shadow::{Home, Question};

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
    /// Who wrote where in DRAM last.
    written: BTreeMap<(u32, u32), usize>,
    /// A core has something from another, or there is more than one launch.
    meet: bool,
    launches: usize,
}

impl Scout {
    /// What is asked of which tensors, of some element by element.
    pub fn prepare(&mut self, homes: &[Home], questions: &[Question], audits: &[usize]) {
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
            What::NocWrite { to: NocPlace::Dram { bank, address }, .. } => {
                self.written.insert((bank, address), event.core);
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
            What::NocRead { from: NocPlace::Dram { bank, address }, .. } => {
                let below = self.written.range(..=(bank, address)).next_back();
                self.meet |= below.is_some_and(|(place, core)| *place == (bank, address) && *core != event.core);
            }
            What::SemaphoreInc { .. } => self.meet = true,
            _ => {}
        }
    }
}

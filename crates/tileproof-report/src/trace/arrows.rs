//! Which push let which wait for pages go on, and which pop which wait for room.
//!
//! Credits are counted: a wait for pages ends with the push that makes up the last page it needs. Start at [`Arrows::of`].

use std::collections::BTreeMap;

use tileproof_model::timeline::{CoreTimeline, Doing};

/// Numbers of arrows by the call that they leave and that they end at.
#[derive(Default)]
pub(super) struct Arrows {
    leaving: BTreeMap<usize, u64>,
    ending: BTreeMap<usize, u64>,
}

/// One side of a buffer: pages over all calls, after each call.
#[derive(Default)]
struct Side {
    pages: u64,
    calls: Vec<(u64, usize)>,
}

impl Side {
    fn add(&mut self, pages: u32, call: usize) {
        self.pages += u64::from(pages);
        self.calls.push((self.pages, call));
    }

    /// The call that made up so many pages.
    fn made(&self, pages: u64) -> Option<usize> {
        let at = self.calls.partition_point(|(sum, _)| *sum < pages);
        self.calls.get(at).map(|(_, call)| *call)
    }
}

impl Arrows {
    /// Those of a core; `new` gives a number.
    pub(super) fn of(core: &CoreTimeline, new: &mut dyn FnMut() -> u64) -> Arrows {
        let mut arrows = Arrows::default();
        let mut sides: BTreeMap<u32, (Side, Side)> = BTreeMap::new();
        // A call stands behind those that let it go on.
        for (number, call) in core.calls.iter().enumerate() {
            let from = match call.doing {
                Doing::Push => {
                    sides.entry(call.of).or_default().0.add(call.amount, number);
                    None
                }
                Doing::Pop => {
                    sides.entry(call.of).or_default().1.add(call.amount, number);
                    None
                }
                Doing::WaitFront => {
                    let (pushed, popped) = sides.entry(call.of).or_default();
                    pushed.made(popped.pages + u64::from(call.amount))
                }
                Doing::ReserveBack if call.waited > 0 => {
                    let (pushed, popped) = sides.entry(call.of).or_default();
                    let pages = core.buffers.iter().find(|b| b.cb == call.of).map_or(0, |b| b.pages());
                    popped.made((pushed.pages + u64::from(call.amount)).saturating_sub(pages.into()))
                }
                _ => None,
            };
            if let Some(from) = from {
                let arrow = *arrows.leaving.entry(from).or_insert_with(&mut *new);
                arrows.ending.insert(number, arrow);
            }
        }
        arrows
    }

    /// The arrow that leaves a call.
    pub(super) fn leaving(&self, call: usize) -> Option<u64> {
        self.leaving.get(&call).copied()
    }

    /// The arrow that ends at a call.
    pub(super) fn ending(&self, call: usize) -> Option<u64> {
        self.ending.get(&call).copied()
    }
}

//! What kernels print, kept up to a bound: one that prints for ever must not take the host's memory.
//!
//! Start at [`Prints::add`].

use tileproof_model::finding::Place;
use tileproof_model::record::Print;

/// Lines that are kept of a launch, and bytes of text.
const LINES: usize = 20_000;
const BYTES: usize = 4 << 20;

/// What kernels have printed.
#[derive(Default)]
pub(crate) struct Prints {
    kept: Vec<Print>,
    bytes: usize,
    /// Lines that were not kept.
    dropped: u64,
}

impl Prints {
    /// Keeps a line, as long as there is room; `place` is asked for only then.
    pub(crate) fn add(&mut self, place: impl FnOnce() -> Place, cycle: u64, text: String) {
        if self.kept.len() >= LINES || self.bytes + text.len() > BYTES {
            self.dropped += 1;
            return;
        }
        self.bytes += text.len();
        self.kept.push(Print { place: place(), cycle, text });
    }

    /// All of them; the last says how many were not kept.
    pub(crate) fn take(&mut self) -> Vec<Print> {
        let Prints { mut kept, dropped, .. } = std::mem::take(self);
        if dropped > 0
            && let Some(last) = kept.last().cloned()
        {
            let text = format!("(tileproof: {dropped} more lines were printed, which are not kept)");
            kept.push(Print { text, ..last });
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::thread::{CoreCoord, Thread};

    #[test]
    fn what_is_printed_for_ever_is_kept_up_to_a_bound_and_the_rest_counted() {
        let place =
            || Place { location: None, kernel: String::new(), core: CoreCoord { x: 0, y: 0 }, thread: Thread::Brisc };
        let mut prints = Prints::default();
        for cycle in 0..LINES as u64 + 5 {
            prints.add(place, cycle, "x".into());
        }
        let kept = prints.take();
        assert_eq!(kept.len(), LINES + 1);
        assert!(kept.last().is_some_and(|last| last.text.contains("5 more lines") && last.cycle == LINES as u64 - 1));
        assert!(prints.take().is_empty());
    }
}

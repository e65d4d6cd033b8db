//! A set of pages of a buffer, which several host threads may add to.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// One bit a page.
#[derive(Default)]
pub(crate) struct PageSet(Vec<AtomicU64>);

impl PageSet {
    /// None of so many pages.
    pub(crate) fn new(pages: u32) -> PageSet {
        PageSet((0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn insert(&self, page: u32) {
        let (word, bit) = (&self.0[page as usize / 64], 1 << (page % 64));
        // A look is cheaper than a locked instruction.
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    pub(crate) fn contains(&self, page: u32) -> bool {
        self.0[page as usize / 64].load(Relaxed) >> (page % 64) & 1 == 1
    }

    /// How many pages are in it.
    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|w| w.load(Relaxed).count_ones()).sum()
    }

    /// Sets all of its words.
    pub(crate) fn fill(&self, value: u64) {
        self.0.iter().for_each(|w| w.store(value, Relaxed));
    }

    /// A bit a page.
    pub(crate) fn words(&self) -> Vec<u64> {
        self.0.iter().map(|word| word.load(Relaxed)).collect()
    }

    /// How many words that takes.
    pub(crate) fn count_words(&self) -> usize {
        self.0.len()
    }

    /// Takes over a bit a page.
    pub(crate) fn set(&self, words: &[u64]) {
        self.0.iter().zip(words).for_each(|(to, word)| to.store(*word, Relaxed));
    }

    pub(crate) fn copy(&self) -> PageSet {
        PageSet(self.0.iter().map(|w| AtomicU64::new(w.load(Relaxed))).collect())
    }
}

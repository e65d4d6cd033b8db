//! Custom code of the vector unit: a program of steps, handed over at once.

#![allow(unsafe_code)]

use std::slice;

use tileproof_model::abi::Site;
use tileproof_model::observe::Observer;

use crate::engine::Engine;
use crate::turns::call;

/// Words of a step.
const WORDS: usize = 4;

pub(super) unsafe extern "C-unwind" fn sfpu_steps<O: Observer>(site: Site, steps: *const u32, count: u32) {
    call::<O, _>(site, |engine, by| {
        // SAFETY: the caller gives `count` steps of four readable words, which nothing writes during the call.
        let words = unsafe { slice::from_raw_parts(steps, count as usize * WORDS) };
        let Engine { cores, sink, .. } = engine;
        cores[by.core].custom(sink, by.site, words.as_chunks::<WORDS>().0, O::VALUES)
    });
}

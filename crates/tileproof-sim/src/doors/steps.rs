//! Custom code of the vector unit: a program of steps, handed over at once.

#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::slice;

use tileproof_model::abi::Site;
use tileproof_model::mutant::Change;
use tileproof_model::observe::Observer;

use crate::doors::befalls::{change, subject};
use crate::doors::parts;
use crate::engine::Engine;
use crate::turns::call;

/// Words of a step.
const WORDS: usize = 4;

pub(super) unsafe extern "C-unwind" fn sfpu_steps<O: Observer>(site: Site, steps: *const u32, count: u32) {
    call::<O, _>(site, |engine, by| {
        // A kernel may have no place for none.
        let steps = if count == 0 { NonNull::<u32>::dangling().as_ptr().cast_const() } else { steps };
        // SAFETY: the caller gives `count` steps of four readable words, which nothing writes during the call; of no steps the
        // place is not looked at, and is aligned and not null.
        let words = unsafe { slice::from_raw_parts(steps, count as usize * WORDS) };
        let Engine { cores, sink, .. } = engine;
        cores[by.core].custom(sink, by.site, words.as_chunks::<WORDS>().0, O::VALUES)
    });
}

/// The same in a program that runs with one thing wrong.
pub(super) unsafe extern "C-unwind" fn sfpu_steps_or_none<O: Observer>(site: Site, steps: *const u32, count: u32) {
    parts::add_up::<O>(site);
    if change::<O>(site, |_| subject("vector code", &[(true, Change::LeftOut)])).is_none() {
        // SAFETY: what the caller has given, for the same call.
        unsafe { sfpu_steps::<O>(site, steps, count) };
    }
}

//! What calls of either kind of kernel have in common: their site, and the arguments of the program.
//!
//! A site must be the address of a `&'static Location`, since [`crate::native`] reads it as one. Start at [`here`].

use std::panic::Location;

use tileproof_model::abi::Site;

/// The site of the call being made, for functions that are `#[track_caller]`.
#[track_caller]
pub(crate) fn here() -> Site {
    Site(std::ptr::from_ref(Location::caller()) as u64)
}

/// Argument `index` of a kernel, which must have one.
#[track_caller]
pub(crate) fn argument(args: &[u32], index: usize, kind: &str) -> u32 {
    match args.get(index) {
        Some(word) => *word,
        None => panic!("{kind} argument {index} was asked for, the program gives {}", args.len()),
    }
}

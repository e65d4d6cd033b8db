//! L1 and what is in it: [`unwritten`] pages that are read.

pub mod unwritten;

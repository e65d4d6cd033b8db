//! L1 and what is in it: [`unwritten`] pages that are read, [`unread`] ones, and [`transfers`] that do not fit their place.

pub mod transfers;
pub mod unread;
pub mod unwritten;

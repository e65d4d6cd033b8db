//! L1 and what is in it: [`unwritten`] pages that are read, [`unread`] ones, [`transfers`] that do not fit their place, and
//! what reaches [`free`] memory.

pub mod free;
pub mod transfers;
pub mod unread;
pub mod unwritten;

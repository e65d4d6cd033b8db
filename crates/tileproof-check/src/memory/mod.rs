//! L1 and what is in it: [`unwritten`] pages that are read, and what comes of [`undefined`] values, [`unread`] pages,
//! [`transfers`] that do not fit their place, and what reaches [`free`] memory.

pub mod free;
pub mod transfers;
mod undefined;
pub mod unread;
pub mod unwritten;

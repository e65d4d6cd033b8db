//! The NoC: [`address`]es, [`transfer`]s of all kinds, when they land ([`delivery`]), and what [`barrier`]s wait for.

pub(crate) mod address;
pub(crate) mod barrier;
pub(crate) mod calendar;
pub(crate) mod delivery;
pub(crate) mod ends;
mod multicast;
pub(crate) mod outbound;
pub(crate) mod outstanding;
pub(crate) mod pending;
mod refused;
mod routed;
mod shown;
pub(crate) mod torus;
pub(crate) mod traffic;
pub(crate) mod transfer;

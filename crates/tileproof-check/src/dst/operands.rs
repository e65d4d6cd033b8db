//! Operands on their way from UNPACK to the matrix unit, in order.
//!
//! Each call of UNPACK meets one of MATH, so a queue brings what is known of a page to the operation that takes it. It must
//! never hold a reference to L1: what is in it was true when the page was read. Start reading at [`Operands`].

use std::collections::VecDeque;

use tileproof_model::abi::Site;
use tileproof_model::event::Event;

/// What the check knows of the operands of each call of UNPACK.
#[derive(Debug)]
pub(crate) struct Operands<T>(VecDeque<(Site, u64, [Option<T>; 2])>);

impl<T> Default for Operands<T> {
    fn default() -> Self {
        Operands(VecDeque::new())
    }
}

impl<T: Copy> Operands<T> {
    /// An operand is read: a call on two operands is two events at the same moment.
    pub(crate) fn read(&mut self, event: &Event, known: T) {
        match self.0.back_mut() {
            Some((site, cycle, [_, second @ None])) if (*site, *cycle) == (event.site, event.cycle) => {
                *second = Some(known);
            }
            _ => self.0.push_back((event.site, event.cycle, [Some(known), None])),
        }
    }

    /// The operands that the matrix unit takes next.
    pub(crate) fn take(&mut self) -> [Option<T>; 2] {
        self.0.pop_front().map_or([None; 2], |(_, _, known)| known)
    }
}

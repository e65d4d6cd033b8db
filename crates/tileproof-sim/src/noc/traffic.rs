//! What the transfers of all cores share: ways of the NoCs, ports of their nodes, and banks of DRAM. The contention that a run by
//! default leaves out.
//!
//! A packet holds its whole way while it passes: routers keep no more than a packet, so that one that waits stands in the way of those
//! behind it. Nothing here is fitted to measurements. It never decides what moves, only when, and is told of transfers in the order of
//! time (`routed.rs`). Start at [`Traffic::carry`].

use tileproof_model::arch::Chip;
use tileproof_model::observe::Carriage;

use crate::cost::Carried;
use crate::noc::calendar::Calendar;
use crate::noc::torus::{Stretch, Torus};

/// When what transfers share is taken.
pub(crate) struct Traffic {
    pub(crate) chip: &'static Chip,
    pub(crate) torus: Torus,
    /// By number of the part of a way.
    parts: Vec<Calendar>,
    banks: Vec<Calendar>,
}

/// What a transfer takes of what is shared.
pub(crate) struct Route {
    way: Vec<Stretch>,
    packets: u64,
    /// It is the way of what a read brings: of an answer, which may overtake others.
    pub(crate) is_answer: bool,
}

impl Traffic {
    pub(crate) fn on(chip: &'static Chip) -> Traffic {
        let torus = Torus::of(chip);
        let calendars = |count| std::iter::repeat_with(Calendar::default).take(count).collect();
        Traffic { chip, torus, parts: calendars(torus.parts()), banks: calendars(chip.dram_banks as usize) }
    }

    /// Carries a transfer that is started at `now` and may leave at `from`.
    pub(crate) fn carry(&mut self, now: u64, from: u64, carried: Carried, route: &Route) -> Carriage {
        let Route { way, packets, is_answer } = route;
        let (mut at, mut from_bank) = (from, 0);
        if let (Some((bank, cycles)), true) = (carried.bank, is_answer) {
            // What a bank gives goes on as it comes.
            from_bank = self.at_bank(bank, at, cycles);
            at = from_bank;
        }
        let (mut first, mut sent) = (None, 0);
        for packet in 1..=*packets {
            let cycles = carried.port * packet / packets - sent;
            at = self.take_way(way, at, cycles);
            first.get_or_insert(at);
            (at, sent) = (at + cycles, sent + cycles);
        }
        let mut done = at;
        if let Some((bank, cycles)) = carried.bank {
            let from_bank = if *is_answer { from_bank } else { self.at_bank(bank, first.unwrap_or(at), cycles) };
            done = done.max(from_bank + cycles);
        }
        Carriage { start: now, port: (first.unwrap_or(from), at), lands: done + carried.latency }
    }

    fn at_bank(&mut self, bank: u32, from: u64, cycles: u64) -> u64 {
        let Some(bank) = self.banks.get_mut(bank as usize) else { return from };
        let at = bank.free_from(from, cycles);
        bank.take(at, cycles);
        at
    }

    /// Takes a way at the first moment from `from` on at which all of it is free when the packet gets there.
    fn take_way(&mut self, way: &[Stretch], from: u64, cycles: u64) -> u64 {
        let hop = self.chip.cycles.hop;
        let mut at = from;
        loop {
            let free = way.iter().fold(at, |at, (part, hops)| {
                let later = hop * hops;
                self.parts[*part].free_from(at + later, cycles) - later
            });
            if free == at {
                break;
            }
            at = free;
        }
        for (part, hops) in way {
            self.parts[*part].take(at + hop * hops, cycles);
        }
        at
    }
}

impl Route {
    /// A way, of a transfer of some packets.
    pub(crate) fn new(way: Vec<Stretch>, packets: u32, is_answer: bool) -> Route {
        Route { way, packets: u64::from(packets.max(1)), is_answer }
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::arch::Arch;

    use super::*;

    const PORT: Carried = Carried { issue: 0, latency: 200, port: 100, bank: None };

    fn carry(traffic: &mut Traffic, noc: u8, from: (u32, u32), to: (u32, u32)) -> u64 {
        let way = traffic.torus.way(noc, from, std::iter::once(to));
        traffic.carry(0, 0, PORT, &Route::new(way, 1, false)).lands
    }

    #[test]
    fn packets_that_share_a_part_of_their_ways_wait_and_others_do_not() {
        let mut traffic = Traffic::on(Arch::Wormhole.constants());
        // Along a row: the second way lies within the first.
        assert_eq!(carry(&mut traffic, 0, (1, 1), (4, 1)), 300);
        assert!(carry(&mut traffic, 0, (2, 1), (3, 1)) >= 390);
        // Another row, the other NoC, and the way on behind both are free.
        assert_eq!(carry(&mut traffic, 0, (1, 2), (4, 2)), 300);
        assert_eq!(carry(&mut traffic, 1, (4, 1), (1, 1)), 300);
        assert_eq!(carry(&mut traffic, 0, (6, 1), (8, 1)), 300);
    }

    #[test]
    fn a_bank_serves_one_after_the_other_in_whichever_rows_they_are() {
        let mut traffic = Traffic::on(Arch::Wormhole.constants());
        let from_bank = Carried { bank: Some((3, 150)), ..PORT };
        let mut lands = |to: (u32, u32)| {
            let way = traffic.torus.way(0, (0, 6), std::iter::once(to));
            traffic.carry(0, 0, from_bank, &Route::new(way, 1, true)).lands
        };
        assert_eq!((lands((1, 6)), lands((2, 7)), lands((3, 8))), (350, 500, 650));
    }
}

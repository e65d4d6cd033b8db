//! A thread's time as pieces of few kinds, no more of them than can be seen.
//!
//! Start at [`lane`].

use tileproof_model::thread::Thread;
use tileproof_model::timeline::{Call, CoreTimeline, Doing};

/// What a piece of time is, as colours tell it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Unit,
    Call,
    Own,
    Pages,
    Room,
    Operands,
    Dst,
    Transfers,
    Signals,
    Stuck,
}

impl Kind {
    pub(super) const ALL: [Kind; 10] = [
        Kind::Unit,
        Kind::Call,
        Kind::Own,
        Kind::Pages,
        Kind::Room,
        Kind::Operands,
        Kind::Dst,
        Kind::Transfers,
        Kind::Signals,
        Kind::Stuck,
    ];

    /// The class in the style sheet.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Kind::Unit => "unit",
            Kind::Call => "call",
            Kind::Own => "own",
            Kind::Pages => "pages",
            Kind::Room => "room",
            Kind::Operands => "operands",
            Kind::Dst => "dst",
            Kind::Transfers => "transfers",
            Kind::Signals => "signals",
            Kind::Stuck => "stuck",
        }
    }

    /// As the legend names it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Kind::Unit => "a unit works",
            Kind::Call => "calls",
            Kind::Own => "own code",
            Kind::Pages => "waits for pages",
            Kind::Room => "waits for room",
            Kind::Operands => "UNPACK and MATH wait for each other",
            Kind::Dst => "waits for Dst",
            Kind::Transfers => "waits for transfers",
            Kind::Signals => "waits for semaphores",
            Kind::Stuck => "stuck",
        }
    }

    /// What a call is when it works.
    fn of_work(doing: Doing) -> Kind {
        match doing {
            Doing::Poll => Kind::Own,
            doing if doing.unit().is_some() => Kind::Unit,
            _ => Kind::Call,
        }
    }

    /// What it is while it waits.
    pub(super) fn of_wait(doing: Doing) -> Kind {
        match doing {
            Doing::WaitFront => Kind::Pages,
            Doing::ReserveBack => Kind::Room,
            Doing::Acquire | Doing::SectionWait | Doing::Configure => Kind::Dst,
            Doing::ReadBarrier | Doing::WriteBarrier | Doing::OtherBarrier => Kind::Transfers,
            Doing::SemaphoreWait | Doing::Mailbox => Kind::Signals,
            _ => Kind::Operands,
        }
    }
}

/// A piece of a thread's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) kind: Kind,
    /// What its longest call did and of what; whether it waited; its line.
    pub(super) doing: Doing,
    pub(super) of: u32,
    pub(super) place: u32,
}

/// Where a stuck thread stands has no number.
pub(super) const NO_PLACE: u32 = u32::MAX;

/// The time of a thread, in at most so many pieces: short ones are drawn as what most of them are.
pub(super) fn lane(core: &CoreTimeline, thread: Thread, end: u64, most: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut longest = 0;
    for call in core.calls.iter().filter(|call| call.thread == thread) {
        for piece in of_call(call) {
            match pieces.last_mut() {
                // Calls of one kind that follow each other are one, unless it is worth to tell them apart.
                Some(last) if last.kind == piece.kind && last.to == piece.from && piece.kind == Kind::Call => {
                    let from = last.from;
                    if piece.to - piece.from > longest {
                        (*last, longest) = (piece, piece.to - piece.from);
                    }
                    (last.from, last.to) = (from, piece.to);
                }
                _ => {
                    longest = piece.to - piece.from;
                    pieces.push(piece);
                }
            }
        }
    }
    if let Some(stuck) = core.stuck.iter().find(|stuck| stuck.thread == thread) {
        let to = end.max(stuck.since + 1);
        let doing = if stuck.cb == u32::MAX { Doing::Poll } else { Doing::WaitFront };
        pieces.push(Piece { from: stuck.since, to, kind: Kind::Stuck, doing, of: stuck.cb, place: NO_PLACE });
    }
    let mut shortest = 1;
    while pieces.len() > most {
        shortest *= 2;
        pieces = coarser(&pieces, shortest);
    }
    pieces
}

fn of_call(call: &Call) -> impl Iterator<Item = Piece> {
    let Call { doing, of, place, start, waited, .. } = *call;
    let went_on = start + u64::from(waited);
    let wait = Piece { from: start, to: went_on, kind: Kind::of_wait(doing), doing, of, place };
    let work = Piece { from: went_on, to: call.end(), kind: Kind::of_work(doing), doing, of, place };
    [wait, work].into_iter().filter(|piece| piece.from < piece.to)
}

/// Pieces of at least so many cycles, each as the longest of those that it is made of.
fn coarser(pieces: &[Piece], shortest: u64) -> Vec<Piece> {
    let mut made: Vec<Piece> = Vec::new();
    let mut longest = 0;
    for piece in pieces {
        let length = piece.to - piece.from;
        match made.last_mut() {
            Some(last) if last.to - last.from < shortest && last.to == piece.from => {
                let from = last.from;
                if length > longest {
                    (*last, longest) = (*piece, length);
                }
                (last.from, last.to) = (from, piece.to);
            }
            _ => {
                made.push(*piece);
                longest = length;
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use tileproof_model::thread::CoreCoord;

    use super::*;

    fn core(calls: Vec<Call>) -> CoreTimeline {
        CoreTimeline {
            coord: CoreCoord { x: 0, y: 0 },
            buffers: Vec::new(),
            memory: Vec::new(),
            calls,
            transfers: Vec::new(),
            signals: Vec::new(),
            totals: Vec::new(),
            traffic: Vec::new(),
            stuck: Vec::new(),
        }
    }

    #[test]
    fn a_long_thread_has_as_many_pieces_as_are_asked_for_and_no_gap() {
        let call = |number: u64| Call {
            thread: Thread::Math,
            doing: if number.is_multiple_of(3) { Doing::Fpu } else { Doing::Acquire },
            place: 0,
            start: 20 * number,
            waited: 10,
            took: 10,
            of: u32::MAX,
            amount: 0,
        };
        let core = core((0..10_000).map(call).collect());
        let lane = lane(&core, Thread::Math, 200_000, 700);
        assert!((100..=700).contains(&lane.len()), "{}", lane.len());
        assert_eq!((lane[0].from, lane[lane.len() - 1].to), (0, 200_000));
        assert!(lane.windows(2).all(|pair| pair[0].to == pair[1].from));
    }
}

//! The transfers of a core that nobody has waited for, by the barrier that would. Start at [`OfCore`].

use std::collections::BTreeMap;

use tileproof_model::abi::{Site, barrier};
use tileproof_model::thread::Thread;

/// The transfers that a barrier waits for together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stream {
    pub(super) thread: Thread,
    pub(super) noc: u8,
    /// Posted writes have a counter of their own (tt-metal `dataflow_api.h`, `noc_async_posted_writes_flushed`).
    pub(super) posted: bool,
    /// The transaction id.
    pub(super) trid: u8,
}

/// What a barrier waits for: a NoC, a kind of [`barrier`], and one transaction id or all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) noc: u8,
    pub(super) kind: u32,
    pub(super) trid: Option<u8>,
}

impl Stream {
    /// Whether a barrier of the thread waits for these transfers, and if not, what it waits for.
    pub(super) fn is_ended_by(self, Scope { noc, kind, trid }: Scope) -> Result<(), String> {
        if self.noc != noc {
            return Err(format!("this barrier waits for NoC {noc} alone"));
        }
        if let Some(trid) = trid.filter(|trid| *trid != self.trid) {
            return Err(format!("this barrier waits for transaction id {trid} alone, not for {}", self.trid));
        }
        // The counter of an id takes in writes that leave, posted or not (ISA documentation, `NoC/Counters.md`).
        if trid.is_some() && kind == barrier::WRITES_FLUSHED {
            return Ok(());
        }
        match (kind, self.posted) {
            (barrier::FULL, _) | (barrier::POSTED_FLUSHED, true) => Ok(()),
            (barrier::POSTED_FLUSHED, false) => Err("this waits for posted writes alone".into()),
            (_, true) => Err("this does not wait for posted writes".into()),
            (_, false) => Ok(()),
        }
    }
}

/// A transfer, by the bytes of this core's L1 that it touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Transfer {
    pub(super) site: Site,
    pub(super) end: u32,
    /// The core whose L1 a write goes to, and whether it is one of a multicast.
    pub(super) to: Option<(usize, bool)>,
}

/// What is kept of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) number: u64,
    pub(super) reported: bool,
}

impl Met {
    /// What stands against `call`, which waits for such transfers, as the end of a sentence. A barrier of another thread is
    /// spoken of where that thread is the one that came too early.
    pub(super) fn without(&self, call: &str, by: Thread) -> String {
        match self.instead_for(by) {
            None if self.instead.is_some() => format!("no {call} of {} came between", self.stream.thread),
            None => format!("no {call} came between"),
            Some(_) => format!("no {call} that waits for it came between"),
        }
    }

    pub(super) fn instead_for(&self, by: Thread) -> Option<&Instead> {
        self.instead.as_ref().filter(|instead| instead.thread == self.stream.thread || instead.thread == by)
    }
}

/// A transfer that something came too early for.
#[derive(Clone, Debug)]
pub(super) struct Met {
    pub(super) stream: Stream,
    pub(super) site: Site,
    /// A later barrier that did not wait for it.
    pub(super) instead: Option<Instead>,
}

/// A barrier that waits for something else.
#[derive(Clone, Debug)]
pub(super) struct Instead {
    /// Transfers from this number on came after it.
    pub(super) before: u64,
    pub(super) thread: Thread,
    pub(super) site: Site,
    /// What it waits for instead.
    pub(super) text: String,
}

/// The transfers of a stream that nobody has waited for.
#[derive(Default, Debug)]
pub(super) struct Outstanding {
    /// By offset, the last of those that are alike but for their number: transfers are numbered as they are started.
    pub(super) transfers: BTreeMap<(u32, Transfer), Kept>,
    /// No transfer is longer.
    pub(super) longest: u32,
    /// The last barrier that waited for something else: one of the same thread rather than of another.
    pub(super) instead: Option<Instead>,
}

/// The transfers of a core, by stream: a handful.
#[derive(Default, Debug)]
pub(super) struct OfCore(BTreeMap<Stream, Outstanding>);

impl OfCore {
    pub(super) fn is_empty(&self) -> bool {
        self.0.values().all(|stream| stream.transfers.is_empty())
    }

    /// A transfer is started. One that is like another but for its number takes its place, so that there are never more than
    /// lines of the kernel, places in L1 and cores make.
    pub(super) fn add(&mut self, stream: Stream, offset: u32, transfer: Transfer, number: u64) {
        let Outstanding { transfers, longest, .. } = self.0.entry(stream).or_default();
        let bytes = transfer.end - offset;
        *longest = if transfers.is_empty() { bytes } else { bytes.max(*longest) };
        transfers.insert((offset, transfer), Kept { number, reported: false });
    }

    /// A barrier of `thread` went through; `number` is the next transfer's.
    pub(super) fn wait(&mut self, thread: Thread, scope: Scope, site: Site, number: u64) {
        for (stream, outstanding) in &mut self.0 {
            let is_own = stream.thread == thread;
            // The barriers of a loop differ in their numbers alone.
            if let Some(known) = outstanding.instead.as_mut().filter(|known| !is_own && known.site == site) {
                known.before = number;
                continue;
            }
            let text = match stream.is_ended_by(scope) {
                _ if !is_own => {
                    format!("this barrier waits for what {thread} started, not for what {} did", stream.thread)
                }
                Ok(()) => {
                    outstanding.transfers.clear();
                    continue;
                }
                Err(instead) => instead,
            };
            let is_known = outstanding.instead.as_ref().is_some_and(|known| known.thread == stream.thread && !is_own);
            if !outstanding.transfers.is_empty() && !is_known {
                outstanding.instead = Some(Instead { before: number, thread, site, text });
            }
        }
    }

    /// The first transfer that touches some bytes and was not reported. It counts as reported from here on, and so do those
    /// that the same barrier would have waited for.
    pub(super) fn meets(&mut self, offset: u32, bytes: u32) -> Option<Met> {
        self.meets_of(|_| true, offset, bytes)
    }

    /// The same among the streams of some threads.
    pub(super) fn meets_of(&mut self, is_meant: impl Fn(Thread) -> bool, offset: u32, bytes: u32) -> Option<Met> {
        let end = offset.saturating_add(bytes);
        let touches = |((_, transfer), kept): &(&(u32, Transfer), &mut Kept)| transfer.end > offset && !kept.reported;
        let mut first: Option<(u64, Stream)> = None;
        let streams = self.0.iter_mut().filter(|(stream, _)| is_meant(stream.thread));
        for (stream, outstanding) in streams.filter(|(_, outstanding)| !outstanding.transfers.is_empty()) {
            let numbers = outstanding.range_mut(offset, end).filter(touches).map(|(_, kept)| kept.number);
            first = first.into_iter().chain(numbers.min().map(|number| (number, *stream))).min();
        }
        let (number, stream) = first?;
        let outstanding = self.0.get_mut(&stream)?;
        let mut site = None;
        for ((_, transfer), kept) in outstanding.range_mut(offset, end).filter(touches) {
            kept.reported = true;
            if kept.number == number {
                site = Some(transfer.site);
            }
        }
        Some(outstanding.met(stream, number, site?))
    }

    /// The first transfer of a thread that was not reported.
    pub(super) fn of(&self, thread: Thread) -> Option<Met> {
        let streams = self.0.iter().filter(|(stream, _)| stream.thread == thread);
        let unreported = |outstanding: &Outstanding| {
            let all = outstanding.transfers.iter().filter(|(_, kept)| !kept.reported);
            all.map(|((_, transfer), kept)| (kept.number, transfer.site)).min()
        };
        let firsts = streams.filter_map(|(stream, outstanding)| Some((unreported(outstanding)?, *stream, outstanding)));
        let ((number, site), stream, outstanding) = firsts.min_by_key(|((number, _), ..)| *number)?;
        Some(outstanding.met(stream, number, site))
    }

    /// The writes of some streams to a core that were started before `number` are over.
    pub(super) fn arrived(&mut self, is_of: impl Fn(&Stream) -> bool, to: (usize, bool), number: u64) {
        for (_, Outstanding { transfers, .. }) in self.0.iter_mut().filter(|(stream, _)| is_of(stream)) {
            transfers.retain(|(_, transfer), kept| kept.number >= number || transfer.to != Some(to));
        }
    }
}

impl Outstanding {
    /// The transfers that can touch some bytes, by where they begin.
    pub(super) fn range_mut(&mut self, offset: u32, end: u32) -> impl Iterator<Item = (&(u32, Transfer), &mut Kept)> {
        let from = offset.saturating_sub(self.longest);
        self.transfers.range_mut((from, Transfer::default())..(end.max(from), Transfer::default()))
    }

    pub(super) fn met(&self, stream: Stream, number: u64, site: Site) -> Met {
        let instead = self.instead.as_ref().filter(|instead| number < instead.before);
        Met { stream, site, instead: instead.cloned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: Stream = Stream { thread: Thread::Brisc, noc: 0, posted: false, trid: 0 };

    #[test]
    fn transfers_of_one_place_are_kept_once_however_many_they_are() {
        let mut core = OfCore::default();
        for number in 0..1000 {
            let offset = 64 * (number % 4) as u32;
            core.add(STREAM, offset, Transfer { site: Site::default(), end: offset + 64, to: None }, number);
        }
        assert_eq!(core.0[&STREAM].transfers.len(), 4);
        // The last of a place is the one that a barrier must wait for.
        let other_noc = Scope { noc: 1, kind: barrier::WRITES, trid: None };
        core.wait(Thread::Brisc, other_noc, Site::default(), 999);
        let met = core.meets(3 * 64, 1).expect("number 999");
        assert!(met.stream == STREAM && met.instead.is_none());
        assert!(core.meets(4 * 64, 1).is_none());
    }
}

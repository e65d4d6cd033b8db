//! The transfers of a thread as components of clocks: how many of each kind have been started, and which barrier says that they
//! have come how far.
//!
//! A transfer has two moments: its source has been read, and its destination is written. Start at [`Transfers::end`] and
//! [`Transfers::wait`].

use tileproof_model::abi::{Site, barrier};

use super::clock::{Component, Known, Moment};

/// What a moment is the end of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum End {
    /// The data of a read have come.
    Read,
    /// The data of a write have left L1.
    Source { posted: bool },
    /// The data of a write are there: on a core, or in DRAM. Multicasts have a virtual channel of their own (ISA documentation,
    /// `NoC/Ordering.md`).
    Landing { posted: bool, multicast: bool, core: Option<usize> },
    /// The data of a multicast are at one of its cores: then they have been taken from where they were, and so have those of the
    /// multicasts before it, which go out on the same channel.
    Anywhere,
    /// An addition is there.
    Addition { posted: bool, core: usize },
}

/// The transfers that have come together when a barrier says so, of one thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kind {
    pub(super) end: End,
    pub(super) noc: u8,
    /// The transaction id.
    pub(super) trid: u8,
}

/// What a barrier waits for: a NoC, a kind of [`barrier`], and one transaction id or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scope {
    pub(super) noc: u8,
    pub(super) kind: u32,
    pub(super) trid: Option<u8>,
}

impl Scope {
    /// Whether a barrier waits for transfers of a kind, and if not, what it waits for.
    pub(super) fn covers(self, kind: Kind) -> Result<(), String> {
        let Scope { noc, kind: waits, trid } = self;
        let all = waits == barrier::FULL;
        // One counter of an id holds all that are not answered (ISA documentation, `NoC/Counters.md`,
        // `NIU_MST_REQS_OUTSTANDING_ID`).
        let answers = matches!(waits, barrier::READS | barrier::WRITES) && trid.is_some();
        let is_kind = match kind.end {
            End::Read => all || answers || waits == barrier::READS,
            End::Source { .. } | End::Landing { .. } | End::Anywhere => {
                all || answers || matches!(waits, barrier::WRITES | barrier::WRITES_FLUSHED | barrier::POSTED_FLUSHED)
            }
            End::Addition { .. } => all || answers || waits == barrier::ATOMICS,
        };
        if !is_kind {
            let what = match waits {
                barrier::READS => "reads",
                barrier::ATOMICS => "atomics",
                _ => "writes",
            };
            return Err(format!("this barrier waits for {what} alone"));
        }
        if kind.noc != noc {
            return Err(format!("this barrier waits for NoC {noc} alone"));
        }
        if let Some(trid) = trid.filter(|trid| *trid != kind.trid) {
            return Err(format!("this barrier waits for transaction id {trid} alone, not for {}", kind.trid));
        }
        let (posted, is_landing) = match kind.end {
            End::Read => return Ok(()),
            End::Source { posted } => (posted, false),
            End::Anywhere => (false, false),
            End::Landing { posted, .. } => (posted, true),
            End::Addition { posted: true, .. } => return Err("nobody acknowledges a posted atomic".into()),
            End::Addition { .. } => return Ok(()),
        };
        match (waits, posted) {
            // Nobody acknowledges a posted write.
            (barrier::POSTED_FLUSHED | barrier::FULL, true) if is_landing => {
                Err("nobody acknowledges a posted write: this says that it has left".into())
            }
            (barrier::FULL, _) | (barrier::POSTED_FLUSHED, true) => Ok(()),
            (barrier::POSTED_FLUSHED, false) => Err("this waits for posted writes alone".into()),
            (barrier::WRITES_FLUSHED, _) if is_landing => {
                Err("this says that the write has left, not that it has landed".into())
            }
            // The counter of an id takes in writes that leave, posted or not (ISA documentation, `NoC/Counters.md`).
            (barrier::WRITES_FLUSHED, true) if trid.is_some() => Ok(()),
            (_, true) => Err("this does not wait for posted writes".into()),
            (_, false) => Ok(()),
        }
    }
}

/// Transfers that end together.
#[derive(Debug)]
struct Stream {
    kind: Kind,
    component: Component,
    /// The last one that was started.
    last: u32,
    /// The last one that has left L1, of those that land: what goes the same way now comes behind it.
    flushed: u32,
    /// By call, the first and the last that no barrier has ended.
    open: Vec<(Site, u32, u32)>,
}

/// A barrier that went through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waited {
    pub(super) scope: Scope,
    pub(super) site: Site,
    /// The number of the last transfer before it.
    pub(super) after: u32,
}

/// The transfers of a thread.
#[derive(Default, Debug)]
pub(super) struct Transfers {
    streams: Vec<Stream>,
    /// How many were started.
    started: u32,
    /// The last barrier at each call.
    pub(super) waited: Vec<Waited>,
}

impl Transfers {
    /// A transfer is started.
    pub(super) fn begin(&mut self) {
        self.started += 1;
    }

    /// The moment of one end of the transfer that was started last. `next` gives components.
    pub(super) fn end(&mut self, kind: Kind, site: Site, next: &mut Component) -> Moment {
        let number = self.started;
        let at = self.streams.iter().position(|stream| stream.kind == kind).unwrap_or_else(|| {
            let component = *next;
            *next += 1;
            self.streams.push(Stream { kind, component, last: 0, flushed: 0, open: Vec::new() });
            self.streams.len() - 1
        });
        let stream = &mut self.streams[at];
        stream.last = number;
        match stream.open.iter_mut().find(|(open, ..)| *open == site) {
            Some((.., last)) => *last = number,
            None => stream.open.push((site, number, number)),
        }
        Moment { component: stream.component, number }
    }

    /// A barrier went through: what it has waited for is known.
    pub(super) fn wait(&mut self, scope: Scope, site: Site, known: &mut Known) {
        let after = self.started;
        match self.waited.iter_mut().find(|waited| waited.site == site && waited.scope == scope) {
            Some(waited) => waited.after = after,
            None => self.waited.push(Waited { scope, site, after }),
        }
        for stream in self.streams.iter_mut().filter(|stream| stream.kind.noc == scope.noc) {
            let kind = stream.kind;
            if scope.covers(kind).is_ok() {
                known.learn(Moment { component: stream.component, number: stream.last });
                stream.flushed = stream.last;
                stream.open.clear();
            } else if let End::Landing { posted, .. } = kind.end
                && scope.covers(Kind { end: End::Source { posted }, ..kind }).is_ok()
            {
                stream.flushed = stream.last;
                // A kernel may end with what has left: nothing of its own is in use any more.
                stream.open.clear();
            }
        }
    }

    /// What a signal to a core proves that goes over a NoC: all that keeps its order before it. Writes of one NoC and virtual
    /// channel do, whatever command buffer they come from, and what has left before the signal is sent (tt-metal documentation,
    /// `data_movement/ordering.rst`; ISA documentation, `NoC/Ordering.md`).
    pub(super) fn before_signal(&self, noc: u8, core: usize, by: Signal) -> impl Iterator<Item = Moment> {
        let there = self.streams.iter().filter_map(move |stream| {
            let Kind { end: End::Landing { multicast, core: to, .. }, noc: its, .. } = stream.kind else { return None };
            if its != noc || to != Some(core) {
                return None;
            }
            let is_same = matches!(by, Signal::Write { multicast: also } if also == multicast);
            let number = if is_same { stream.last } else { stream.flushed };
            (number > 0).then_some((stream, multicast, number))
        });
        there.flat_map(|(stream, multicast, number)| {
            let anywhere = Kind { end: End::Anywhere, ..stream.kind };
            let anywhere = self.streams.iter().find(|other| multicast && other.kind == anywhere);
            let moment = move |stream: &Stream| Moment { component: stream.component, number };
            std::iter::once(moment(stream)).chain(anywhere.map(moment))
        })
    }

    /// The moments of the transfer that was started last.
    pub(super) fn of_last(&self) -> impl Iterator<Item = (Kind, Moment)> {
        let is_end = |stream: &&Stream| stream.kind.end != End::Anywhere;
        let last = self.streams.iter().filter(|stream| stream.last == self.started && self.started > 0).filter(is_end);
        last.map(|stream| (stream.kind, Moment { component: stream.component, number: stream.last }))
    }

    /// How many transfers were started.
    pub(super) fn started(&self) -> u32 {
        self.started
    }

    /// The first call whose transfer is still under way, as far as anybody has said; with its kind.
    pub(super) fn left(&self, known: &Known) -> Option<(Site, Kind)> {
        let is_landing = |stream: &&Stream| matches!(stream.kind.end, End::Landing { .. } | End::Addition { .. });
        let streams = self.streams.iter().filter(is_landing);
        let open = streams.flat_map(|stream| stream.open.iter().map(move |open| (stream, open)));
        let is_open = |(stream, (.., last)): &(&Stream, &(Site, u32, u32))| {
            !known.has(Moment { component: stream.component, number: *last })
        };
        let (stream, (site, ..)) = open.filter(is_open).min_by_key(|(_, (_, first, _))| *first)?;
        Some((*site, stream.kind))
    }

    /// Whether the data of a write have left L1, as far as its thread has waited for that.
    pub(super) fn has_left(&self, landing: Moment) -> bool {
        self.streams.iter().any(|stream| stream.component == landing.component && stream.flushed >= landing.number)
    }

    /// The last multicast to a core over a NoC, of those that nothing says have left.
    pub(super) fn multicast_leaving(&self, noc: u8, core: usize) -> Option<Site> {
        let streams = self.streams.iter().filter(|stream| {
            let end = stream.kind.end;
            stream.kind.noc == noc && matches!(end, End::Landing { multicast: true, core: to, .. } if to == Some(core))
        });
        let leaving = streams.filter(|stream| stream.flushed < stream.last);
        let sites = leaving.flat_map(|stream| stream.open.iter().map(|(site, _, last)| (*last, *site)));
        sites.max_by_key(|(last, _)| *last).map(|(_, site)| site)
    }

    /// The kind of a moment.
    pub(super) fn kind_of(&self, moment: Moment) -> Option<Kind> {
        self.streams.iter().find(|stream| stream.component == moment.component).map(|stream| stream.kind)
    }

    /// The last barrier after a transfer that did not wait for it, and why not.
    pub(super) fn instead(&self, moment: Moment) -> Option<(Site, String)> {
        let kind = self.kind_of(moment)?;
        let after = self.waited.iter().filter(|waited| waited.after >= moment.number);
        // Every kernel has a barrier of its reads: of a write nobody takes it for one.
        let is_close =
            |waited: &&Waited| kind.end == End::Read || !matches!(waited.scope.kind, barrier::READS | barrier::ATOMICS);
        let others = after.filter(is_close).filter_map(|waited| Some((waited, waited.scope.covers(kind).err()?)));
        others.max_by_key(|(waited, _)| waited.after).map(|(waited, why)| (waited.site, why))
    }
}

/// What makes a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    Write {
        multicast: bool,
    },
    /// An addition goes out from another command buffer, and is promised no order with writes that have not left.
    Addition,
}

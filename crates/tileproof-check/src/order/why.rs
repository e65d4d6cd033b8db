//! Whether one line of a program comes before another, and by what: the engine's clocks, asked about two places.
//!
//! It runs the engine of [`super::races`] beside the run and adds nothing to it: what is said here is what the checks go by. First
//! it is asked for all calls, so that lines can be told from them; then for two sets of calls. Start at [`Why`].

use std::collections::{BTreeMap, BTreeSet};

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raised, Raises};
use tileproof_model::thread::Thread;

use super::chain::Chain;
use super::clock::Moment;
use super::races::Call;
use super::races::{Memory, Races, actor_of, thread_of};
use super::transfers::End;

/// A call of a run, whatever copy of its kernel it was made from: the launch, and the place among the calls of the launch, in the
/// order in which they were first made.
pub type CallNumber = (usize, usize);

/// How many times of a line are looked back at for the same bytes.
const LOOKED_BACK: usize = 4096;
/// The same where it runs on another core.
const LOOKED_BACK_FAR: usize = 64;

/// A fact of answers that leave something open.
pub const OPEN: &str = "open";
/// Facts of the notes that tell calls.
pub const LAUNCH: &str = "launch";
/// The second half of a [`CallNumber`].
pub const NUMBER: &str = "number";

/// What has to be over for a line to be: the call itself, or an end of the transfer that it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Called,
    Transfer(End),
}

impl Stage {
    fn fact(self) -> &'static str {
        match self {
            Stage::Called => "call",
            Stage::Transfer(End::Read) => "read",
            Stage::Transfer(End::Source { .. } | End::Landing { .. } | End::Anywhere) => "write",
            Stage::Transfer(End::Addition { .. }) => "increment",
        }
    }

    /// What is not known of a line.
    fn open(self, line: &str) -> String {
        match self {
            Stage::Called => format!("{line} has run"),
            Stage::Transfer(End::Read) => format!("the data of the read in {line} have come"),
            Stage::Transfer(End::Source { .. } | End::Anywhere) => format!("the data of the write in {line} have left"),
            Stage::Transfer(End::Landing { .. }) => format!("the data of the write in {line} have landed"),
            Stage::Transfer(End::Addition { .. }) => format!("what {line} adds has landed"),
        }
    }
}

/// A line has run, once.
#[derive(Clone, Debug)]
struct Time {
    call: Call,
    cycle: u64,
    stages: Vec<(Stage, Moment)>,
    /// The bytes that it touches, and whether it writes them.
    touches: Vec<(Memory, u32, u32, bool)>,
}

/// What is not known to be over when the other line runs.
#[derive(Clone, Debug)]
struct Open {
    first: Call,
    then: Call,
    stage: Stage,
    moment: Moment,
    /// The number of the time that the other line runs, from 1.
    number: usize,
    /// Both touch the same bytes.
    shares: bool,
}

/// One line behind the other, on two threads.
#[derive(Debug, Default)]
struct Relation {
    /// The calls of the first time that it was so, and the number of that time.
    behind: Option<(Call, Call, usize)>,
    open: Option<Open>,
    /// How often both touched the same bytes.
    shared: usize,
}

/// The observer.
#[derive(Default, Debug)]
pub struct Why {
    /// The calls of the two lines. With none all calls of the run are told instead, a note each.
    pub lines: [BTreeSet<CallNumber>; 2],
    /// How the two lines are called.
    pub names: [String; 2],
    races: Races,
    /// What the engine finds on the way: nobody asks for it here.
    aside: Raises,
    /// Calls of this launch, each with its number.
    calls: BTreeMap<Call, usize>,
    launch: usize,
    /// By line and thread, the times that it has run.
    times: [BTreeMap<usize, Vec<Time>>; 2],
    /// By line, the thread of its first time and that of the other line that runs now.
    relations: BTreeMap<(usize, usize, usize), Relation>,
    /// How word of the first time of a line has gone round, by line and thread.
    chains: BTreeMap<(usize, usize), Chain>,
    cores: usize,
}

impl Observer for Why {
    const ACTIVE: bool = true;

    fn launch(&mut self, layout: &MemoryLayout) {
        let Why { lines, names, launch, .. } = std::mem::take(self);
        *self = Why { lines, names, launch: launch + 1, cores: layout.cores.len(), ..Why::default() };
        self.races.launch(layout);
    }

    fn on(&mut self, event: &Event, _raised: &mut Raises) {
        let call = (event.core, event.thread, event.site);
        let next = self.calls.len();
        let number = *self.calls.entry(call).or_insert(next);
        if self.lines.iter().all(BTreeSet::is_empty) {
            return;
        }
        let me = actor_of(event.core, event.thread);
        let started = self.races.actors[me].transfers.started();
        let now = self.races.actors[me].known.now();
        self.races.on(event, &mut self.aside);
        self.aside.take();
        self.chains.values_mut().for_each(|chain| chain.on(event, &self.races));
        if matches!(event.what, What::Returned | What::PagesLeft { .. }) {
            return;
        }
        let is_asked = [0, 1].map(|line| self.lines[line].contains(&(self.launch, number)));
        if is_asked.contains(&true) {
            self.ran(is_asked, event, (me, now), started);
        }
    }

    fn end(&mut self, core: usize, raised: &mut Raises) {
        if core + 1 < self.cores {
            return;
        }
        if self.lines.iter().all(BTreeSet::is_empty) {
            for ((core, thread, site), number) in std::mem::take(&mut self.calls) {
                let mut note = Raised::of(core, (thread, site), Code::WHY, letters(self.launch, number));
                note.is_note = true;
                raised.push(note.fact(LAUNCH, self.launch).fact(NUMBER, number));
            }
        }
        if self.times.iter().all(|times| !times.is_empty()) {
            let mut note = self.answer();
            note.is_note = true;
            raised.push(note);
        }
    }
}

impl Why {
    /// One of the lines runs, or both, where they are one.
    fn ran(&mut self, is_asked: [bool; 2], event: &Event, (me, now): (usize, Moment), started: u32) {
        let transfers = &self.races.actors[me].transfers;
        let is_transfer = transfers.started() > started;
        let ends =
            transfers.of_last().filter(|_| is_transfer).map(|(kind, moment)| (Stage::Transfer(kind.end), moment));
        let mut stages: Vec<_> = ends.collect();
        if stages.is_empty() {
            stages.push((Stage::Called, now));
        }
        let call = (event.core, event.thread, event.site);
        let time = Time { call, cycle: event.cycle, stages, touches: touches(event) };
        let asked = [0, 1].into_iter().filter(|line| is_asked[*line]);
        let numbers: Vec<(usize, bool)> = asked.map(|line| (line, self.compare(line, me, &time))).collect();
        for (line, is_same) in numbers {
            let chain = || {
                let mut chain = Chain::new(me, time.stages.iter().map(|(_, moment)| *moment).collect());
                // The call may be one that hands itself on.
                chain.on(event, &self.races);
                chain
            };
            self.chains.entry((line, me)).or_insert_with(chain);
            let times = self.times[line].entry(me).or_default();
            match times.last_mut().filter(|_| is_same) {
                Some(last) => {
                    last.stages.extend(&time.stages);
                    last.touches.extend(&time.touches);
                }
                None => times.push(time.clone()),
            }
        }
    }

    /// Looks at the times of the other line so far: at all where both touch the same bytes, otherwise on the same core where it
    /// runs there. True if the line goes on with the call of its last time.
    fn compare(&mut self, line: usize, me: usize, then: &Time) -> bool {
        let before = self.times[line].get(&me);
        // A call that fetches two tiles is two events.
        let is_same = before.and_then(|times| times.last()).is_some_and(|last| last.is_same_call(then));
        let number = before.map_or(0, Vec::len) + usize::from(!is_same);
        let (first, is_one_line) = (1 - line, self.lines[0] == self.lines[1]);
        let Why { times, relations, races, .. } = self;
        let known = &races.actors[me].known;
        let is_near = |actor: usize| thread_of(actor as u32).0 == then.call.0;
        let has_near = !is_one_line && times[first].keys().any(|actor| is_near(*actor));
        for (from, earlier) in times[first].iter().filter(|(from, _)| **from != me || !is_one_line) {
            let near = !has_near || is_near(*from);
            let relation = relations.entry((first, *from, me)).or_default();
            let looked_back = if near { LOOKED_BACK } else { LOOKED_BACK_FAR };
            for (back, time) in earlier.iter().rev().enumerate().take(looked_back) {
                let shares = time.conflicts(then);
                relation.shared += usize::from(shares);
                let open = time.stages.iter().find(|(_, moment)| !known.has(*moment));
                let Some((stage, moment)) = open else {
                    if near || shares {
                        relation.behind.get_or_insert((time.call, then.call, number));
                    }
                    // Those before it are over as well.
                    break;
                };
                let is_better = relation.open.as_ref().is_none_or(|known| shares && !known.shares);
                // The last time, or one with the same bytes: a thread that runs ahead is no news.
                if is_better && (near && back == 0 || shares) {
                    let (first, then) = (time.call, then.call);
                    relation.open = Some(Open { first, then, stage: *stage, moment: *moment, number, shares });
                }
            }
        }
        is_same
    }

    /// What there is to say of both lines.
    fn answer(&self) -> Raised {
        let races = self.relations.iter().filter(|(_, relation)| relation.open.as_ref().is_some_and(|o| o.shares));
        if let Some(((line, from, to), relation)) = races.into_iter().next()
            && let Some(open) = &relation.open
        {
            return self.not_ordered(*line, (*from, *to), open);
        }
        let behind = |line: usize| {
            let behind = |(place, relation): (&'_ _, &Relation)| Some((*place, relation.behind?, relation.shared == 0));
            let relations = self.relations.iter().filter(move |((first, ..), _)| *first == line).filter_map(behind);
            // Those that touch the same bytes say more, and two threads more than one.
            relations.min_by_key(|((_, from, to), _, shares_none)| (*shares_none, from == to))
        };
        for line in 0..2 {
            if let Some(((_, from, to), (first, then, number), _)) = behind(line) {
                return self.ordered(line, (from, to), (first, then), number);
            }
        }
        let mut open = self.relations.iter().filter_map(|(place, relation)| Some((place, relation.open.as_ref()?)));
        match open.next() {
            Some(((line, from, to), open)) => self.not_ordered(*line, (*from, *to), open),
            None => unreachable_pair(self),
        }
    }

    fn ordered(&self, line: usize, (from, to): (usize, usize), (first, then): (Call, Call), number: usize) -> Raised {
        let [a, b] = [&self.names[line], &self.names[1 - line]];
        let message = match number {
            1 => format!("ordered: {a} comes before {b}"),
            _ => format!("ordered: {a} comes before {b} from the {} time on that the latter runs", nth(number)),
        };
        let mut note = at(then, message).text("comes behind").label_on(first.0, (first.1, first.2), "comes first");
        if from == to {
            note = note.remark("both are calls of one thread, which makes them one after the other");
        }
        if let Some(chain) = self.chains.get(&(line, from)) {
            note = chain.tell(to, note);
        }
        let back = self.relations.get(&(1 - line, to, from)).and_then(|relation| relation.behind);
        if let Some((.., number)) = back.filter(|_| from != to) {
            note = note.remark(format!("{b} comes before {a} too, from the {} time on that this runs", nth(number)));
        }
        self.shared(note)
    }

    /// Says whether both touch the same bytes, where both touch any.
    fn shared(&self, note: Raised) -> Raised {
        let touches = |line: usize| self.times[line].values().flatten().any(|time| !time.touches.is_empty());
        if self.relations.values().any(|relation| relation.shared > 0) {
            note.remark("they touch the same bytes, and one of them writes")
        } else if touches(0) && touches(1) {
            note.remark("they touch no bytes in common, or only read them: nothing depends on their order")
        } else {
            note
        }
    }

    fn not_ordered(&self, line: usize, (from, to): (usize, usize), open: &Open) -> Raised {
        let [a, b] = [&self.names[line], &self.names[1 - line]];
        let message = format!(
            "not ordered: when {b} runs for the {} time, nothing says that {}",
            nth(open.number),
            open.stage.open(a)
        );
        let first = open.first;
        let note = at(open.then, message).text("may come first").fact(OPEN, open.stage.fact());
        let mut note = note.label_on(first.0, (first.1, first.2), "may be under way still");
        let owner = &self.races.actors[from];
        let has_waited = owner.known.has(open.moment) || open.stage == Stage::Called;
        if let Some((site, why)) = owner.transfers.instead(open.moment).filter(|_| !has_waited) {
            note = note.label_on(first.0, (first.1, site), why);
        }
        note = self.shared(note);
        let (there, thread) = thread_of(to as u32);
        note = if has_waited {
            note.help(match there == first.0 {
                true => format!(
                    "let {} hand on what it has done, by a page that it pushes or a semaphore that it raises, and {thread} wait for that",
                    first.1
                ),
                false => format!("let {} raise a semaphore of the other core behind it, and {thread} wait for that", first.1),
            })
        } else {
            note.help(match open.stage {
                Stage::Transfer(End::Read) => {
                    "call noc_async_read_barrier behind the read, before anything is handed on"
                }
                Stage::Transfer(End::Source { .. }) => {
                    "call noc_async_writes_flushed behind the write, before anything is handed on"
                }
                Stage::Transfer(End::Addition { .. }) => "call noc_async_atomic_barrier behind the increment",
                _ => "call noc_async_write_barrier behind the write, before anything is handed on",
            })
        };
        note
    }
}

/// Both lines have run, and neither was there when the other ran on a core where it is compared.
#[cold]
fn unreachable_pair(why: &Why) -> Raised {
    let last = why.times[1].values().flatten().next().map_or((0, Thread::Brisc, Site::default()), |time| time.call);
    let [a, b] = &why.names;
    at(last, format!("not ordered: {a} and {b} run on threads that are not to be compared")).fact(OPEN, "call")
}

fn at((core, thread, site): Call, message: String) -> Raised {
    Raised::of(core, (thread, site), Code::WHY, message)
}

/// The number of a call in letters: notes that differ in numbers alone are one.
fn letters(launch: usize, number: usize) -> String {
    let letter = |digit: u8| if digit.is_ascii_digit() { char::from(digit - b'0' + b'a') } else { ' ' };
    format!("{launch} {number}").bytes().map(letter).collect()
}

fn nth(number: usize) -> String {
    match number {
        1 => "first".into(),
        2 => "second".into(),
        3 => "third".into(),
        n => format!("{n}th"),
    }
}

impl Time {
    fn is_same_call(&self, other: &Time) -> bool {
        (self.call, self.cycle) == (other.call, other.cycle)
    }

    fn conflicts(&self, then: &Time) -> bool {
        self.touches.iter().any(|(memory, from, end, writes)| {
            then.touches
                .iter()
                .any(|(other, start, until, also)| memory == other && from < until && start < end && (*writes || *also))
        })
    }
}

/// The bytes that an event touches: memory, from, end, whether it writes.
fn touches(event: &Event) -> Vec<(Memory, u32, u32, bool)> {
    let own = Memory::L1(event.core);
    let piece = |memory, from: u32, bytes: u32, writes| (memory, from, from.saturating_add(bytes), writes);
    let far = |place, bytes, writes| match place {
        NocPlace::L1(core, offset) => Some(piece(Memory::L1(core), offset, bytes, writes)),
        NocPlace::Dram { bank, address } => Some(piece(Memory::Dram(bank), address, bytes, writes)),
        NocPlace::Nowhere => None,
    };
    match event.what {
        What::Unpack { access } => vec![piece(own, access.offset, access.bytes, false)],
        What::Pack { access, .. } => vec![piece(own, access.offset, access.bytes, true)],
        What::Load { offset, bytes, .. } => vec![piece(own, offset, bytes, false)],
        What::Store { offset, bytes, .. } => vec![piece(own, offset, bytes, true)],
        What::NocRead { from, to, bytes, .. } => {
            far(from, bytes, false).into_iter().chain([piece(own, to, bytes, true)]).collect()
        }
        What::NocWrite { from, to, bytes, .. } => {
            far(to, bytes, true).into_iter().chain([piece(own, from, bytes, false)]).collect()
        }
        What::InlineWrite { to, .. } | What::SemaphoreInc { to, .. } => far(to, 4, true).into_iter().collect(),
        What::SemaphoreWait { offset, .. } => vec![piece(own, offset, 4, false)],
        _ => Vec::new(),
    }
}

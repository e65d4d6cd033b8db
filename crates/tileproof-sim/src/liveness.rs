//! Why nothing can run: the wait graph of a core, and the edge to blame.
//!
//! Every blocked thread waits for something that one other thread can provide. Following these edges ends at a starved one
//! (its provider has ended, or there is none) or comes round in a circle. That is the finding; the other waits follow
//! from it and are listed with it.

use tileproof_model::abi::{Site, compare};
use tileproof_model::finding::{Code, Finding, Label};
use tileproof_model::observe::Observer;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::wording::{cb_name, count};

use crate::core::Core;
use crate::engine::Engine;
use crate::hart::{State, Wait};

use crate::senders::WordWait;

/// Who could end a wait.
enum Provider {
    /// This thread, and the last call by which it provided something, if it ever did.
    Thread(Thread, Option<Site>),
    /// This thread by custom: it has not touched the buffer yet, and is itself held up.
    Likely(Thread),
    /// Nobody that is known.
    Nobody,
}

/// Adds a finding for every core that is stuck.
pub(crate) fn explain<O: Observer>(engine: &mut Engine<O>) {
    let mut stuck: Vec<Stuck> = Vec::new();
    for core in engine.cores.iter().filter(|c| c.is_busy()) {
        stuck.extend(core.deadlock(engine));
    }
    // A core whose report names who is to blame comes before those that only wait for it.
    stuck.sort_by_key(|stuck| stuck.rank);
    let mut told: Vec<(CoreCoord, Rank)> = Vec::new();
    while !stuck.is_empty() {
        // A core that waits for others comes behind those that it waits for.
        let is_next =
            |s: &Stuck| s.rank != Rank::WaitsForOther || told.iter().any(|(core, _)| s.writers.contains(core));
        let mut next = stuck.remove(stuck.iter().position(is_next).unwrap_or(0));
        next.follows(&told);
        told.push((next.finding.primary.core, next.rank));
        engine.sink.raise(next.core, Site::default(), next.finding);
    }
}

/// How much the report of a core explains, most first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It names the core that is to blame.
    NamesCulprit,
    /// What is missing is the core's own, or was there and is gone.
    Own,
    /// Another core has to write, and it is not known why none does.
    WaitsForOther,
}

/// A core on which nothing can run.
struct Stuck {
    core: usize,
    rank: Rank,
    /// Cores that have written the word that it waits for.
    writers: Vec<CoreCoord>,
    finding: Finding,
}

impl Stuck {
    /// Says of a core that waits for others that its deadlock follows from an earlier one: whoever is stuck writes no more.
    fn follows(&mut self, earlier: &[(CoreCoord, Rank)]) {
        let Some((first, rank)) = earlier.first().copied().filter(|_| self.rank == Rank::WaitsForOther) else { return };
        let writer = earlier.iter().map(|(core, _)| *core).find(|core| self.writers.contains(core));
        let (note, help) = match writer {
            Some(core) if core == first => (
                format!(
                    "this follows from the first deadlock: core {core}, which writes what is waited for, is stuck there"
                ),
                format!("mend the deadlock of core {first} first"),
            ),
            Some(core) => (
                format!("this follows from the deadlock of core {core}, which writes what is waited for"),
                format!("mend the deadlock of core {first} first"),
            ),
            None if rank == Rank::WaitsForOther => return,
            None => (
                format!("this may follow from the first deadlock, of core {first}: who waits cannot write"),
                format!("mend the deadlock of core {first} first"),
            ),
        };
        self.finding.notes.push(note);
        self.finding.help = Some(help);
    }
}

impl Core {
    pub(crate) fn wait_of(&self, thread: Thread) -> Option<Wait> {
        match self.harts[thread as usize].as_ref()?.state {
            State::Blocked(wait) => Some(wait),
            _ => None,
        }
    }

    pub(crate) fn site_of(&self, thread: Thread) -> Site {
        self.harts[thread as usize].as_ref().map_or(Site::default(), |h| h.site)
    }

    fn has(&self, thread: Thread) -> bool {
        self.harts[thread as usize].is_some()
    }

    fn is_finished(&self, thread: Thread) -> bool {
        self.harts[thread as usize].as_ref().is_none_or(|h| h.is_finished())
    }

    /// The first thread that waits, and for what.
    pub(crate) fn first_wait(&self) -> Option<(Thread, String)> {
        Thread::ALL.into_iter().find_map(|thread| Some((thread, self.describe(self.wait_of(thread)?))))
    }

    /// Who could end the wait of `waiter`.
    fn provider(&self, waiter: Thread, wait: Wait) -> Provider {
        let engine_thread = |t: Thread| if self.has(t) { Provider::Thread(t, None) } else { Provider::Nobody };
        match wait {
            Wait::CbFront { cb, .. } => self.side(waiter, cb, true),
            Wait::CbBack { cb, .. } => self.side(waiter, cb, false),
            Wait::SrcTaken { .. } => engine_thread(Thread::Math),
            Wait::SrcValid { .. } => engine_thread(Thread::Unpack),
            Wait::DstFree | Wait::DstDrained => engine_thread(Thread::Pack),
            Wait::DstCommitted => engine_thread(Thread::Math),
            Wait::Semaphore { .. } | Wait::Landing { .. } => Provider::Nobody,
            Wait::MailboxWord { from, .. } => engine_thread(from),
            Wait::MailboxRoom { from } => self.mailboxes.reader_of(from).map_or(Provider::Nobody, engine_thread),
        }
    }

    /// The thread that could end a wait, if one is known.
    pub(crate) fn provider_of(&self, waiter: Thread, wait: Wait) -> Option<Thread> {
        match self.provider(waiter, wait) {
            Provider::Thread(thread, _) | Provider::Likely(thread) => Some(thread),
            Provider::Nobody => None,
        }
    }

    /// The thread that pushes to a buffer (`producing`) or pops from it, as far as it has done so, or has asked to. A side that
    /// nobody has used yet is guessed from who else waits for the other side of the same buffer, then from custom.
    fn side(&self, waiter: Thread, cb: u32, producing: bool) -> Provider {
        let Some(buffer) = &self.cbs[cb as usize] else { return Provider::Nobody };
        let side = if producing { buffer.producer } else { buffer.consumer };
        if let Some((thread, site)) = side.last() {
            return Provider::Thread(thread, Some(site));
        }
        // Who has reserved pages means to push them, and who has waited for some means to pop them.
        let asks = if producing { BufferAction::Reserve } else { BufferAction::Wait };
        if let Some(call) = buffer.calls.iter().find(|call| call.action == asks && self.has(call.thread)) {
            return Provider::Thread(call.thread, Some(call.site));
        }
        let waits_there = |t: &Thread| match self.wait_of(*t) {
            Some(Wait::CbBack { cb: other, .. }) => producing && other == cb,
            Some(Wait::CbFront { cb: other, .. }) => !producing && other == cb,
            _ => false,
        };
        match Thread::ALL.iter().copied().find(waits_there) {
            Some(thread) => Provider::Thread(thread, None),
            None => self.likely(waiter, producing).map_or(Provider::Nobody, Provider::Likely),
        }
    }

    /// The blocked thread that customarily pushes to a buffer from which `waiter` reads (`producing`), or pops from one that
    /// it fills: compute kernels stand between those that move data. One that waits for the same kind of thing itself is
    /// further down the same line.
    fn likely(&self, waiter: Thread, producing: bool) -> Option<Thread> {
        let upstream = |t: Thread| match self.wait_of(t) {
            Some(Wait::CbFront { .. }) => !producing,
            Some(Wait::CbBack { .. }) => producing,
            other => other.is_some(),
        };
        let compute = if producing { Thread::Pack } else { Thread::Unpack };
        let order = match waiter {
            Thread::Unpack | Thread::Math | Thread::Pack => [Thread::Ncrisc, Thread::Brisc, compute],
            Thread::Brisc | Thread::Ncrisc => [compute, Thread::Ncrisc, Thread::Brisc],
        };
        order.into_iter().find(|t| *t != waiter && self.wait_of(*t).is_some() && (*t == compute || upstream(*t)))
    }

    /// What a thread waits for, and how much of it is there.
    pub(crate) fn describe(&self, wait: Wait) -> String {
        match wait {
            Wait::CbFront { cb, pages } => {
                let there = self.cbs[cb as usize].as_ref().map_or(0, |b| b.pages());
                format!(
                    "waits in cb_wait_front for {} in {}; {} there",
                    count(pages.into(), "page"),
                    cb_name(cb),
                    is_are(there)
                )
            }
            Wait::CbBack { cb, pages } => {
                let (used, of) = self.cbs[cb as usize].as_ref().map_or((0, 0), |b| (b.pages(), b.num_pages));
                format!(
                    "waits in cb_reserve_back for {} of {}; {} of {of} free",
                    count(pages.into(), "free page"),
                    cb_name(cb),
                    of.saturating_sub(used),
                )
            }
            Wait::SrcTaken { a, b } => {
                let which = match (a, b) {
                    (true, false) => "SrcA",
                    (false, true) => "SrcB",
                    _ => "SrcA and SrcB",
                };
                format!("waits for a free bank of {which}: MATH has not begun with what was handed over")
            }
            Wait::SrcValid { a, b } => {
                let missing = |used: bool, queue: &crate::tensix::source::SourceQueue| used && queue.front().is_none();
                let which = match (missing(a, &self.tensix.src_a), missing(b, &self.tensix.src_b)) {
                    (true, false) => "SrcA",
                    (false, true) => "SrcB",
                    _ => "SrcA and SrcB",
                };
                format!("waits for an operand in {which}")
            }
            Wait::DstFree => {
                let window = &self.tensix.math_pack;
                format!(
                    "waits in tile_regs_acquire for a free Dst section; {} of {} in use",
                    window.value(),
                    window.max
                )
            }
            Wait::DstDrained => "waits in a start-up until PACK has released all of Dst".into(),
            Wait::DstCommitted => "waits in tile_regs_wait for a committed Dst section".into(),
            Wait::Semaphore { offset, how, value } => {
                let relation = if how == compare::EQUAL { "==" } else { ">=" };
                let name = self.word_name(offset);
                let now =
                    if self.is_undefined(offset) { "undefined".into() } else { self.l1.read_word(offset).to_string() };
                format!("waits until {name} is {relation} {value}; it is {now}")
            }
            Wait::MailboxWord { from, .. } => format!("waits in mailbox_read for a word from {from}"),
            Wait::MailboxRoom { from } => {
                let reader = self.mailboxes.reader_of(from).map_or("nobody", Thread::name);
                format!("waits in mailbox_write: four words are under way, the oldest for {reader}")
            }
            Wait::Landing { .. } => "waits for what it has sent to other cores".into(),
        }
    }

    /// What a kernel knows a word of L1 as.
    pub(crate) fn word_name(&self, offset: u32) -> String {
        if self.is_semaphore(offset) {
            return format!("semaphore {}", (offset - self.semaphore_base) / 16);
        }
        match self.buffer_at(offset) {
            Some(cb) => format!("the word at {offset:#x}, in {}", cb_name(cb)),
            None => format!("the word at {offset:#x}"),
        }
    }

    /// Why the provider of a wait will not end it, when it is not itself blocked.
    fn starved(&self, wait: Wait, provider: &Provider) -> String {
        let who = match provider {
            Provider::Thread(thread, _) => *thread,
            Provider::Likely(_) | Provider::Nobody => {
                return match wait {
                    Wait::CbFront { cb, .. } => format!("no thread of this core has pushed to {}", cb_name(cb)),
                    Wait::CbBack { cb, .. } => format!("no thread of this core has popped from {}", cb_name(cb)),
                    _ => "no kernel runs on the thread that could provide it".into(),
                };
            }
        };
        let window = &self.tensix.math_pack;
        match wait {
            Wait::CbFront { cb, .. } => {
                let pushed = self.cbs[cb as usize].as_ref().map_or(0, |b| b.producer.pages);
                format!("{who} has ended after pushing {}", count(pushed, "page"))
            }
            Wait::CbBack { cb, .. } => {
                let popped = self.cbs[cb as usize].as_ref().map_or(0, |b| b.consumer.pages);
                format!("{who} has ended after popping {}", count(popped, "page"))
            }
            Wait::SrcValid { .. } => format!(
                "{who} has ended after {} to SrcA and {} to SrcB",
                count(self.tensix.src_a.given(), "tile"),
                count(self.tensix.src_b.given(), "tile")
            ),
            Wait::SrcTaken { .. } => format!(
                "{who} has ended after taking {} from SrcA and {} from SrcB",
                count(self.tensix.src_a.taken(), "tile"),
                count(self.tensix.src_b.taken(), "tile")
            ),
            Wait::DstCommitted => format!("{who} has ended after {}", count(window.commits(), "tile_regs_commit call")),
            Wait::DstFree | Wait::DstDrained => {
                format!("{who} has ended after {}", count(window.releases(), "tile_regs_release call"))
            }
            Wait::Semaphore { .. } | Wait::Landing { .. } => format!("{who} has ended"),
            Wait::MailboxWord { .. } => format!("{who} has ended without sending it"),
            Wait::MailboxRoom { .. } => format!("{who} has ended without taking what was sent to it"),
        }
    }

    /// Follows providers from `thread` to the end: the threads on the way, and whether they form a circle.
    fn chain(&self, start: Thread) -> (Vec<Thread>, bool) {
        let mut chain = vec![start];
        loop {
            let last = chain[chain.len() - 1];
            let Some(wait) = self.wait_of(last) else { return (chain, false) };
            match self.provider(last, wait) {
                Provider::Thread(next, _) | Provider::Likely(next) if !self.is_finished(next) => {
                    if let Some(at) = chain.iter().position(|t| *t == next) {
                        return (chain.split_off(at), true);
                    }
                    chain.push(next);
                }
                _ => return (chain, false),
            }
        }
    }

    /// True for a wait that no amount of providing can end.
    fn is_impossible(&self, wait: Wait) -> bool {
        match wait {
            Wait::CbFront { cb, pages } | Wait::CbBack { cb, pages } => {
                self.cbs[cb as usize].as_ref().is_some_and(|b| pages > b.num_pages)
            }
            _ => false,
        }
    }

    /// A circle, beginning with a wait in it for a circular buffer: kernels choose those, the waits for Dst and for operands
    /// follow from them.
    fn begun_at_a_buffer(&self, mut circle: Vec<Thread>) -> Vec<Thread> {
        let waits = |t: &Thread| matches!(self.wait_of(*t), Some(Wait::CbFront { .. } | Wait::CbBack { .. }));
        if let Some(first) = circle.iter().position(waits) {
            circle.rotate_left(first);
        }
        circle
    }

    /// The thread to blame, and the circle it stands in, if it does. What explains most comes first: a wait that can never
    /// end, a provider that has ended, a circle, a circle that custom closes, and only then a wait whose provider is not known.
    fn root(&self, blocked: &[Thread]) -> Option<(Thread, Vec<Thread>)> {
        if let Some(thread) = blocked.iter().find(|t| self.wait_of(**t).is_some_and(|w| self.is_impossible(w))) {
            return Some((*thread, Vec::new()));
        }
        let candidate = |thread: &Thread| {
            let (chain, is_circle) = self.chain(*thread);
            let known =
                |t: Thread| self.wait_of(t).is_some_and(|w| matches!(self.provider(t, w), Provider::Thread(..)));
            if is_circle && chain.iter().all(|t| known(*t)) {
                let chain = self.begun_at_a_buffer(chain);
                return (1, (chain[0], chain));
            }
            if is_circle {
                // What is known for certain is blamed: the last wait for a thread that then goes no further.
                let next = |at: usize| chain[(at + 1) % chain.len()];
                let certain = (0..chain.len()).find(|at| known(chain[*at]) && !known(next(*at)));
                return (2, (chain[certain.unwrap_or(0)], Vec::new()));
            }
            let last = chain[chain.len() - 1];
            (if known(last) { 0 } else { 3 }, (last, Vec::new()))
        };
        blocked.iter().map(candidate).min_by_key(|(rank, _)| *rank).map(|(_, root)| root)
    }

    /// The finding for a core on which nothing can run.
    fn deadlock<O: Observer>(&self, engine: &Engine<O>) -> Option<Stuck> {
        let blocked: Vec<Thread> = Thread::ALL.into_iter().filter(|t| self.wait_of(*t).is_some()).collect();
        let (root, circle) = self.root(&blocked)?;
        let is_circle = !circle.is_empty();
        let wait = self.wait_of(root)?;
        let provider = self.provider(root, wait);
        let held_up = match &provider {
            Provider::Thread(thread, _) => self.wait_of(*thread).map(|wait| (*thread, wait)),
            _ => None,
        };
        let word = match wait {
            Wait::Semaphore { offset, how, value } => Some(WordWait { offset, how, value }),
            _ => None,
        };
        let senders = word.map(|word| engine.senders(self, word));
        let message = if is_circle {
            let mut names: Vec<&str> = circle.iter().map(|t| t.name()).collect();
            names.push(names[0]);
            format!("deadlock: {}; {root} {}", names.join(" waits for "), self.describe(wait))
        } else if self.is_impossible(wait) {
            format!("deadlock: {root} {}, and it can never have as many", self.describe(wait))
        } else if let Some(senders) = &senders {
            format!("deadlock: {root} {}, and {}", self.describe(wait), senders.because)
        } else if let Some((thread, its)) = held_up {
            format!("deadlock: {root} {}, and {thread}, which provides it, {}", self.describe(wait), self.describe(its))
        } else {
            format!("deadlock: {root} {}, and {}", self.describe(wait), self.starved(wait, &provider))
        };
        let mut finding = self.finding(Code::DEADLOCK, root, self.site_of(root), message);
        finding.primary_text = self.describe(wait);
        finding.labels.extend(self.provider_label(wait, &provider));
        if let (Some(word), Some(senders)) = (word, &senders) {
            engine.tell_senders(self, word, senders, &mut finding);
        }
        let also: Vec<Thread> = blocked.iter().copied().filter(|t| *t != root).collect();
        for thread in also {
            if let Some(wait) = self.wait_of(thread) {
                finding.labels.push(self.label(
                    thread,
                    self.site_of(thread),
                    format!("{thread} {}", self.describe(wait)),
                ));
            }
        }
        for (key, value) in self.facts(wait) {
            finding.facts.insert(key.into(), value);
        }
        finding.facts.insert("cycle".into(), self.clock().to_string());
        if is_circle {
            finding.notes.extend(self.own_order(root, wait, &provider));
        }
        let rank = match &senders {
            Some(senders) if !senders.missing.is_empty() => Rank::NamesCulprit,
            Some(_) if word.is_some_and(|word| engine.is_told_by_another_word(self, word)) => Rank::Own,
            Some(senders) if !senders.is_gone => Rank::WaitsForOther,
            _ => Rank::Own,
        };
        finding.help = Some(senders.map_or_else(|| self.help(wait, is_circle), |senders| senders.help));
        let writers = word.map_or(Vec::new(), |word| self.signals.writers(word.offset).collect());
        Some(Stuck { core: self.index, rank, writers, finding })
    }

    /// Said of a compute kernel that waits for what it provides itself, further down.
    fn own_order(&self, root: Thread, wait: Wait, provider: &Provider) -> Option<String> {
        let (Provider::Thread(thread, _), false) = (provider, root.is_data_movement()) else { return None };
        let (cb, own) = match wait {
            Wait::CbFront { cb, .. } => (cb, "push"),
            Wait::CbBack { cb, .. } => (cb, "pop"),
            _ => return None,
        };
        (!thread.is_data_movement()).then(|| {
            format!("{root} and {thread} run the same kernel: it waits for {} before its own {own}", cb_name(cb))
        })
    }

    /// Where the provider did its last part.
    fn provider_label(&self, wait: Wait, provider: &Provider) -> Option<Label> {
        let Provider::Thread(thread, site) = provider else { return None };
        let (site, text) = match (site, wait) {
            (Some(site), Wait::CbFront { cb, .. }) => (*site, self.pushed_text(*thread, cb)),
            (Some(site), Wait::CbBack { cb, .. }) => match self.cbs[cb as usize].as_ref().map(|b| b.consumer.last()) {
                Some(None) => (*site, format!("{thread} waited for {} here and has popped nothing", cb_name(cb))),
                _ => (*site, format!("{thread} popped from {} here last", cb_name(cb))),
            },
            (Some(site), _) => (*site, format!("last call of {thread}")),
            (None, _) if self.is_finished(*thread) => {
                (self.site_of(*thread), format!("last call of {thread}, which has ended"))
            }
            (None, _) => return None,
        };
        (site != Site::default()).then(|| self.label(*thread, site, text))
    }

    /// What a producer has done last at a buffer that has too few pages.
    fn pushed_text(&self, thread: Thread, cb: u32) -> String {
        let name = cb_name(cb);
        if self.cbs[cb as usize].as_ref().is_some_and(|b| b.producer.last().is_some()) {
            return format!("{thread} pushed to {name} here last");
        }
        let tiles = self.harts[thread as usize]
            .as_ref()
            .and_then(|hart| hart.cbs.get(cb as usize))
            .map_or(0, |cb| cb.fifo_wr_tile_ptr / cb.fifo_page_size.max(1));
        match tiles {
            0 => format!("{thread} reserved {name} here and has pushed nothing"),
            n => format!("{thread} reserved {name} here, packed {} and has pushed nothing", count(n.into(), "tile")),
        }
    }

    fn facts(&self, wait: Wait) -> Vec<(&'static str, String)> {
        match wait {
            Wait::CbFront { cb, pages } | Wait::CbBack { cb, pages } => {
                let Some(buffer) = &self.cbs[cb as usize] else { return Vec::new() };
                vec![
                    ("cb", cb_name(cb)),
                    ("needed", pages.to_string()),
                    ("pages", buffer.pages().to_string()),
                    ("capacity", buffer.num_pages.to_string()),
                    ("pushed", buffer.producer.pages.to_string()),
                    ("popped", buffer.consumer.pages.to_string()),
                ]
            }
            Wait::DstFree | Wait::DstCommitted | Wait::DstDrained => vec![
                ("commits", self.tensix.math_pack.commits().to_string()),
                ("releases", self.tensix.math_pack.releases().to_string()),
            ],
            _ => Vec::new(),
        }
    }

    fn help(&self, wait: Wait, circle: bool) -> String {
        match wait {
            Wait::CbFront { cb, pages } | Wait::CbBack { cb, pages } if self.is_impossible(wait) => {
                let capacity = self.cbs[cb as usize].as_ref().map_or(0, |b| b.num_pages);
                format!("{} can never hold {pages} pages: it has {capacity}", cb_name(cb))
            }
            _ if circle => "one of them must provide before it waits, or a buffer between them must be deeper".into(),
            Wait::CbFront { cb, .. } => {
                format!("push as many pages to {} as are waited for, or wait for fewer", cb_name(cb))
            }
            Wait::CbBack { cb, .. } => format!("pop from {} what was pushed to it, or make it deeper", cb_name(cb)),
            Wait::DstCommitted => "MATH must call tile_regs_commit once for each tile_regs_wait of PACK".into(),
            Wait::DstFree | Wait::DstDrained => {
                "PACK must call tile_regs_release once for each section that MATH commits".into()
            }
            Wait::SrcValid { .. } => {
                "UNPACK must hand over what the operation of MATH reads: compare the inits of both".into()
            }
            Wait::SrcTaken { .. } => "MATH must run one operation for each tile that UNPACK hands over".into(),
            Wait::Semaphore { .. } => "a thread must write the awaited value".into(),
            Wait::Landing { .. } => "it lands by itself".into(),
            Wait::MailboxWord { from, .. } => format!("{from} must send one word for each that is read"),
            Wait::MailboxRoom { .. } => {
                "every word that is sent must be read: a core has one queue a pair of threads".into()
            }
        }
    }
}

fn is_are(n: u32) -> String {
    match n {
        0 => "none is".into(),
        1 => "1 is".into(),
        n => format!("{n} are"),
    }
}

//! Who has written the words that threads wait for: semaphores and flags.
//!
//! A wait for a word says nothing of who should write it. But cores that run the same kernel do the same part, so what the
//! others have added tells whose part is missing. This is kept for deadlock reports alone and must never change a run. Start
//! at [`Engine::tell_senders`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tileproof_model::abi::{Site, compare};
use tileproof_model::finding::{Finding, Label};
use tileproof_model::observe::Observer;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::wording::count;

use crate::core::Core;
use crate::machine::Engine;

/// Cores that a sentence lists before it only counts them.
const LISTED: usize = 6;

/// One write of a word.
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) core: CoreCoord,
    pub(crate) thread: Thread,
    pub(crate) site: Site,
    /// What was added, a negative number as its two's complement; 0 for a store.
    pub(crate) added: u32,
}

/// A write that left less in a counted word than there was.
#[derive(Clone, Copy, Debug)]
struct Taken {
    core: CoreCoord,
    thread: Thread,
    site: Site,
    from: u32,
    to: u32,
    /// What had been waited for by then.
    met: u32,
}

/// What is known of the value of a word.
#[derive(Default, Debug)]
struct Count {
    /// What it holds since the last write that is known.
    value: u32,
    /// What the last wait asked for that was met.
    met: u32,
    /// The last write that took something away.
    taken: Option<Taken>,
}

/// One thread that has written a word.
#[derive(Debug)]
pub(crate) struct Sender {
    core: CoreCoord,
    thread: Thread,
    /// The last write, and its number among all.
    site: Site,
    number: u64,
    /// All that it has added; 0 if it stored values.
    added: u64,
}

/// The senders of a core's words, by offset in its L1: of words that are counted up, of semaphores, and of those that a thread
/// has waited for. Any other word of four bytes may be data, of which there are many.
#[derive(Default, Debug)]
pub(crate) struct Signals {
    words: BTreeMap<u32, BTreeMap<(CoreCoord, Thread), Sender>>,
    counts: BTreeMap<u32, Count>,
    awaited: BTreeSet<u32>,
    writes: u64,
}

impl Signals {
    /// A word was written, and holds `value` now.
    pub(crate) fn wrote(&mut self, offset: u32, is_semaphore: bool, value: u32, sent: Sent) {
        let Sent { core, thread, site, added } = sent;
        if added == 0 && !is_semaphore && !self.awaited.contains(&offset) {
            return;
        }
        let number = self.writes;
        self.writes += 1;
        let count = self.counts.entry(offset).or_default();
        if value < count.value {
            count.taken = Some(Taken { core, thread, site, from: count.value, to: value, met: count.met });
        }
        count.value = value;
        // What is counted down is no part in what is waited for.
        let added = if (added as i32) < 0 { 0 } else { added };
        let new = Sender { core, thread, site, number, added: 0 };
        let sender = self.words.entry(offset).or_default().entry((core, thread)).or_insert(new);
        (sender.site, sender.number) = (site, number);
        sender.added += u64::from(added);
    }

    /// A semaphore begins with `value`.
    pub(crate) fn begins(&mut self, offset: u32, value: u32) {
        self.counts.entry(offset).or_default().value = value;
    }

    /// A wait for `value` of a word is met.
    pub(crate) fn met(&mut self, offset: u32, value: u32) {
        self.counts.entry(offset).or_default().met = value;
    }

    /// A thread begins to wait for a word.
    pub(crate) fn awaits(&mut self, offset: u32) {
        self.awaited.insert(offset);
    }

    fn senders(&self, offset: u32) -> impl Iterator<Item = &Sender> {
        self.words.get(&offset).into_iter().flat_map(BTreeMap::values)
    }

    /// The last write that left less in a word than there was.
    fn taken(&self, offset: u32) -> Option<Taken> {
        self.counts.get(&offset)?.taken
    }

    /// The cores that have written a word.
    pub(crate) fn writers(&self, offset: u32) -> impl Iterator<Item = CoreCoord> {
        self.senders(offset).map(|sender| sender.core)
    }

    pub(crate) fn clear(&mut self) {
        *self = Signals::default();
    }
}

/// A wait for a word.
#[derive(Clone, Copy)]
pub(crate) struct WordWait {
    pub(crate) offset: u32,
    pub(crate) how: u32,
    pub(crate) value: u32,
}

/// What is known of the senders of an awaited word.
pub(crate) struct Senders {
    /// Ends the sentence that says what the thread waits for.
    pub(crate) because: String,
    pub(crate) help: String,
    /// Cores whose part is missing; empty if nothing tells.
    pub(crate) missing: Vec<CoreCoord>,
    /// What is waited for was there once, and is gone.
    pub(crate) is_gone: bool,
}

impl<O: Observer> Engine<O> {
    /// Why nobody ends the wait of a thread of `core`.
    pub(crate) fn senders(&self, core: &Core, wait: WordWait) -> Senders {
        let now = core.l1.read_word(wait.offset);
        let adding: Vec<&Sender> = core.signals.senders(wait.offset).filter(|s| s.added > 0).collect();
        let told = |because: String, help: String| Senders { because, help, missing: Vec::new(), is_gone: false };
        let gone = |because: String, help: &str| Senders { is_gone: true, ..told(because, help.into()) };
        if wait.how == compare::EQUAL && now > wait.value && !core.is_undefined(wait.offset) {
            return gone(
                "it has gone past that".into(),
                "wait with noc_semaphore_wait_min, or set the semaphore back before it is counted up again",
            );
        }
        let help = "whoever should write it waits too, has ended, or writes another word: compare ids and coordinates";
        let taken = core.signals.taken(wait.offset).filter(|_| !adding.is_empty());
        if let Some(Taken { core: by, thread, from, to, .. }) = taken.filter(|taken| {
            let lost = taken.from.saturating_sub(taken.met.max(taken.to));
            lost > 0 && now.saturating_add(lost) >= wait.value
        }) {
            let because = format!("core {by}, {thread} has set it from {from} to {to}, more than was waited for");
            return gone(
                because,
                "take from the word no more than was waited for, or wait for a count that only grows",
            );
        }
        if adding.is_empty() {
            // Of a word that is no semaphore it is not known who wrote it before somebody waited.
            let is_known = core.is_semaphore(wait.offset) || !core.arrivals.contains_key(&wait.offset);
            let is_written = !is_known || core.signals.senders(wait.offset).any(|s| s.core != core.coord);
            let because = if is_written { "nothing that still runs writes it" } else { "no other core has written it" };
            return told(because.into(), help.into());
        }
        let missing = self.missing(core, &adding, u64::from(wait.value - now));
        if missing.is_empty() {
            let cores = count(adding.len() as u64, "core");
            let (has, all) =
                if adding.len() == 1 { ("has", "the only one that does") } else { ("have", "all that do") };
            let help = match taken {
                Some(_) => "count it up anew after each time that it is set back, or do not set it back".into(),
                None => format!("count it up by {} more, or wait for {now}", wait.value - now),
            };
            return told(format!("{cores} {has} counted it up, {all}"), help);
        }
        let others = adding.iter().filter(|s| !missing.contains(&s.core)).count();
        let late = if adding.iter().any(|s| missing.contains(&s.core)) { "not as often" } else { "not" };
        let (runs, has) = if missing.len() == 1 { ("runs", "has") } else { ("run", "have") };
        let missed = list(&missing);
        Senders {
            because: format!(
                "{} {} counted it up; {missed}, which {runs} the same kernel, {has} {late}",
                count(others as u64, "core"),
                if others == 1 { "has" } else { "have" },
            ),
            help: format!("{missed} must count it up too, or wait for {now}"),
            missing,
            is_gone: false,
        }
    }

    /// The cores that owe `deficit` together, if each core with the senders' kernel were to add what the busiest has.
    fn missing(&self, waiting: &Core, adding: &[&Sender], deficit: u64) -> Vec<CoreCoord> {
        let most = adding.iter().map(|s| s.added).max().unwrap_or(0);
        let behind: Vec<(CoreCoord, u64)> =
            adding.iter().filter(|s| s.added < most).map(|s| (s.core, most - s.added)).collect();
        let owed = |who: &[(CoreCoord, u64)]| who.iter().map(|(_, owed)| owed).sum::<u64>();
        let Some(first) = adding.first() else { return Vec::new() };
        let of = |coord: CoreCoord| self.cores.iter().find(|c| c.coord == coord);
        let Some(kernel) = of(first.core).and_then(|c| c.harts[first.thread as usize].as_ref()).map(|h| &h.kernel)
        else {
            return Vec::new();
        };
        let idle = self.cores.iter().filter(|c| {
            let runs_it = c.harts[first.thread as usize].as_ref().is_some_and(|h| Arc::ptr_eq(&h.kernel, kernel));
            runs_it && c.coord != waiting.coord && adding.iter().all(|s| s.core != c.coord)
        });
        let with_idle: Vec<(CoreCoord, u64)> = behind.iter().copied().chain(idle.map(|c| (c.coord, most))).collect();
        let names = |who: &[(CoreCoord, u64)]| who.iter().map(|(core, _)| *core).collect();
        // The sums decide: cores that have another part in the kernel would spoil them.
        [behind, with_idle].iter().find(|who| owed(who) == deficit).map_or(Vec::new(), |who| names(who))
    }

    /// Labels where the word was counted up last and where the missing cores stand, and facts.
    pub(crate) fn tell_senders(&self, core: &Core, wait: WordWait, senders: &Senders, finding: &mut Finding) {
        let at = |coord: CoreCoord| self.cores.iter().find(|c| c.coord == coord);
        let adding: Vec<&Sender> = core.signals.senders(wait.offset).filter(|s| s.added > 0).collect();
        if let Some(last) = adding.iter().max_by_key(|s| s.number)
            && let Some(on) = at(last.core)
        {
            let text = format!("{} counted it up here", count(adding.len() as u64, "core"));
            finding.labels.push(on.label(last.thread, last.site, text));
        }
        if let Some(taken) = core.signals.taken(wait.offset).filter(|_| !adding.is_empty())
            && let Some(on) = at(taken.core)
        {
            let text = format!("set from {} to {} here", taken.from, taken.to);
            finding.labels.push(on.label(taken.thread, taken.site, text));
        }
        let by: Vec<CoreCoord> = adding.iter().map(|s| s.core).collect();
        if !by.is_empty() {
            finding.facts.insert("counted_up_by".into(), list(&by));
        }
        if !senders.missing.is_empty() {
            finding.facts.insert("missing".into(), list(&senders.missing));
        }
        for coord in senders.missing.iter().take(LISTED) {
            finding.labels.extend(at(*coord).and_then(Core::stands));
        }
    }
}

impl Core {
    /// Where the first thread of this core stands that waits.
    fn stands(&self) -> Option<Label> {
        let (thread, text) = self.first_wait()?;
        Some(self.label(thread, self.site_of(thread), format!("core {} stands here: {thread} {text}", self.coord)))
    }
}

/// "core (5,3)", "cores (1,0) (2,0)".
fn list(cores: &[CoreCoord]) -> String {
    let names: Vec<String> = cores.iter().take(LISTED).map(CoreCoord::to_string).collect();
    let more = if cores.len() > LISTED { format!(" and {} more", cores.len() - LISTED) } else { String::new() };
    format!("{} {}{more}", if cores.len() == 1 { "core" } else { "cores" }, names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_four_bytes_is_not_kept_until_somebody_waits_for_it() {
        let mut signals = Signals::default();
        let sent = |x, added| Sent { core: CoreCoord { x, y: 0 }, thread: Thread::Brisc, site: Site::default(), added };
        (0..1000).for_each(|word| signals.wrote(4 * word, false, 1, sent(1, 0)));
        assert!(signals.words.is_empty());
        signals.awaits(8);
        signals.wrote(8, false, 1, sent(1, 0));
        signals.wrote(12, true, 1, sent(1, 0));
        signals.wrote(16, false, 3, sent(2, 3));
        signals.wrote(16, false, 6, sent(1, 3));
        signals.wrote(16, false, 9, sent(2, 3));
        let kept: Vec<_> = signals.words.keys().copied().collect();
        assert_eq!(kept, [8, 12, 16]);
        let added: Vec<_> = signals.senders(16).map(|s| (s.core.x, s.added)).collect();
        assert_eq!(added, [(1, 3), (2, 6)]);
        assert_eq!(signals.senders(16).max_by_key(|s| s.number).map(|s| s.core.x), Some(2));
    }
}

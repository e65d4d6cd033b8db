//! Whose part of an awaited word is missing: cores that run the same kernel do the same part. Start at
//! [`Engine::senders`].

use std::sync::Arc;

use tileproof_model::abi::compare;
use tileproof_model::finding::{Finding, Label};
use tileproof_model::observe::Observer;
use tileproof_model::thread::CoreCoord;
use tileproof_model::wording::count;

use crate::core::Core;
use crate::engine::Engine;

use crate::signals::{Sender, Taken};

/// Cores that a sentence lists before it only counts them.
const LISTED: usize = 6;

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
            let is_known = core.is_semaphore(wait.offset) || !core.arrivals.knows(wait.offset);
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

    /// A word that is signalled and that no call waits for, where nobody signals the one that is waited for: another of the same
    /// core, or the same of another core. With the core that it is on.
    fn unheard(&self, core: &Core, wait: WordWait) -> Option<(&Core, u32, &Sender)> {
        if core.signals.senders(wait.offset).any(|sender| sender.added > 0 || sender.core != core.coord) {
            return None;
        }
        let on = |other: &'_ Core| other.coord == core.coord;
        let words =
            self.cores.iter().flat_map(|other| other.signals.unheard(other.coord).map(move |word| (other, word)));
        let candidates = words.filter(|(other, (offset, _))| on(other) || *offset == wait.offset);
        let nearest = candidates.min_by_key(|(other, (_, sender))| (!on(other), std::cmp::Reverse(sender.number)));
        nearest.map(|(other, (offset, sender))| (other, offset, sender))
    }

    /// Whether another word of the core is signalled in place of the one that is waited for, as far as anybody can know.
    pub(crate) fn is_told_by_another_word(&self, core: &Core, wait: WordWait) -> bool {
        self.unheard(core, wait).is_some_and(|(other, ..)| other.coord == core.coord)
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
        if let Some((other, offset, sender)) = self.unheard(core, wait)
            && let Some(on) = at(sender.core)
        {
            let does = if sender.added > 0 { "counts up" } else { "writes" };
            let word = format!("{} of core {}", other.word_name(offset), other.coord);
            let text = format!("core {} {does} {word} here, and no call waits for that", sender.core);
            finding.labels.push(on.label(sender.thread, sender.site, text));
            finding.facts.insert("signalled".into(), word);
        }
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

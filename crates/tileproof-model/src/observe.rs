//! What checks are to the machine, and what they hand back.
//!
//! The machine is compiled once for each set of observers, so that a run without checks pays nothing: it must never make an
//! event for an observer that is not active. Start reading at [`Observer`].

use std::collections::{BTreeMap, BTreeSet};

use crate::abi::Site;
use crate::event::{Carried, Event, Values};
use crate::finding::{Certainty, Code};
use crate::kernel::SourceLocation;
use crate::layout::MemoryLayout;
use crate::thread::Thread;

/// Watches a run. Observers change neither outputs nor cycles.
pub trait Observer: Default + 'static {
    /// False for the observer that sees nothing.
    const ACTIVE: bool;
    /// True for one that is to see what goes through the compute units, which takes time.
    const VALUES: bool = false;
    /// True for one that is told what calls took.
    const TIMES: bool = false;

    /// A launch begins: sites and state of the one before mean nothing any more. Cores that run apart
    /// from each other have an observer each, to which they are core 0.
    fn launch(&mut self, layout: &MemoryLayout);

    /// A thread passes a point at which a schedule may depart: before and after each call, where one is followed.
    fn point(&mut self, _core: usize, _thread: Thread, _point: u64) {}

    /// Something happened. What is wrong with it goes to `raised`.
    fn on(&mut self, event: &Event, raised: &mut Raises);

    /// What went through a compute unit in the call of the event before.
    fn values(&mut self, _event: &Event, _values: &Values<'_>, _raised: &mut Raises) {}

    /// What UNPACK or PACK carried in the call of the event before.
    fn carried(&mut self, _event: &Event, _carried: &Carried<'_>) {}

    /// A transfer has a place on its port: the events that tell of it come next.
    fn carried_over(&mut self, _core: usize, _thread: Thread, _carriage: Carriage) {}

    /// A call is done. The events of its thread since the last one were its own.
    fn took(&mut self, _call: &Took) {}

    /// All kernels have ended by themselves. Each core has a copy of its kernels, with sites of its own: `place` says where in its
    /// source a thread of a core made a call.
    fn places(&mut self, _place: &dyn Fn(usize, Thread, Site) -> Option<SourceLocation>) {}

    /// All kernels have ended by themselves; asked of one core after the other. What it raises is about that core alone, so
    /// that the order of findings does not tell which cores ran apart.
    fn end(&mut self, _core: usize, _raised: &mut Raises) {}

    /// What is to be known of it once all launches are over, for [`Observer::take_over`] in another process; of most nothing.
    fn left(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Takes over what one of its kind has left. False if none leaves that.
    #[must_use]
    fn take_over(&mut self, left: &[u64]) -> bool {
        left.is_empty()
    }
}

/// What a call took, in cycles of its thread's clock.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// Index of the core in this launch.
    pub core: usize,
    /// Thread that made it.
    pub thread: Thread,
    /// Where in its kernel.
    pub site: Site,
    /// When it was made.
    pub start: u64,
    /// When what it waited for was there; 0 where it waits for nothing.
    pub went_on: u64,
    /// When it was done.
    pub end: u64,
}

/// How a transfer goes, in cycles.
#[derive(Clone, Copy, Debug)]
pub struct Carriage {
    /// When it was started.
    pub start: u64,
    /// When its port begins with it, and is free again.
    pub port: (u64, u64),
    /// When its last byte is there.
    pub lands: u64,
}

/// Checks off.
#[derive(Default, Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    const ACTIVE: bool = false;

    fn launch(&mut self, _layout: &MemoryLayout) {}

    fn on(&mut self, _event: &Event, _raised: &mut Raises) {}
}

/// What was raised in a run: the same thing of the same call once, however often the call is made.
#[derive(Default, Debug)]
pub struct Raises {
    /// What was said of each call.
    told: BTreeMap<(Code, usize, Thread, Site), BTreeSet<String>>,
    /// What the machine has not taken yet.
    waiting: Vec<Raised>,
}

impl Raises {
    /// True while nothing with this code was raised at the call of an event. Not to be asked on the way of a right kernel,
    /// only where something is wrong and finding words for it would take time.
    pub fn first(&self, code: Code, event: &Event) -> bool {
        !self.told.contains_key(&(code, event.core, event.thread, event.site))
    }

    /// Takes what an observer found, unless it was said of that call before.
    pub fn push(&mut self, raised: Raised) {
        if self.is_new(raised.code, raised.core, (raised.thread, raised.site), &raised.message) {
            self.waiting.push(raised);
        }
    }

    /// True the first time that a message with this code is for this call.
    pub fn is_new(&mut self, code: Code, core: usize, (thread, site): (Thread, Site), message: &str) -> bool {
        let told = self.told.entry((code, core, thread, site)).or_default();
        !told.contains(message) && told.insert(message.into())
    }

    /// Takes what an observer found, unless anything with its code was said of that call before.
    pub fn push_first(&mut self, raised: Raised) {
        if !self.told.contains_key(&(raised.code, raised.core, raised.thread, raised.site)) {
            self.push(raised);
        }
    }

    /// What was raised since the machine took what there was: at the event in hand.
    pub fn waiting(&self) -> &[Raised] {
        &self.waiting
    }

    /// What was raised since the last time.
    pub fn take(&mut self) -> Vec<Raised> {
        std::mem::take(&mut self.waiting)
    }
}

impl Extend<Raised> for Raises {
    fn extend<I: IntoIterator<Item = Raised>>(&mut self, found: I) {
        found.into_iter().for_each(|raised| self.push(raised));
    }
}

/// What an observer found. Only the machine can turn its sites into places, and so it into a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raised {
    /// Registered code.
    pub code: Code,
    /// How sure it is.
    pub certainty: Certainty,
    /// True if it does not fail the run.
    pub is_note: bool,
    /// Index of the core.
    pub core: usize,
    /// Thread to blame.
    pub thread: Thread,
    /// Call to blame.
    pub site: Site,
    /// One terse sentence.
    pub message: String,
    /// What the call did, a few words under its source line.
    pub primary_text: String,
    /// Other calls, each with its core, whose kernel alone can read its site; in the order in which they are told.
    pub labels: Vec<(usize, Thread, Site, String)>,
    /// Numbers and names.
    pub facts: Vec<(&'static str, String)>,
    /// Longer remarks.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Raised {
    /// True if it is this code at the call of an event.
    pub fn is_of(&self, code: Code, event: &Event) -> bool {
        (self.code, self.core, self.thread, self.site) == (code, event.core, event.thread, event.site)
    }

    /// Something that happened at an event.
    pub fn at(event: &Event, code: Code, message: String) -> Raised {
        Raised::of(event.core, (event.thread, event.site), code, message).fact("cycle", event.cycle)
    }

    /// Something that a call of a thread did, found out later.
    pub fn of(core: usize, (thread, site): (Thread, Site), code: Code, message: String) -> Raised {
        Raised {
            code,
            certainty: Certainty::Happened,
            is_note: false,
            core,
            thread,
            site,
            message,
            primary_text: String::new(),
            labels: Vec::new(),
            facts: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Says what the call did.
    pub fn text(mut self, text: impl Into<String>) -> Raised {
        self.primary_text = text.into();
        self
    }

    /// Names another call, if it is known.
    pub fn label(mut self, call: Option<(Thread, Site)>, text: impl Into<String>) -> Raised {
        if let Some((thread, site)) = call {
            self.labels.push((self.core, thread, site, text.into()));
        }
        self
    }

    /// Names a call of any core.
    pub fn label_on(mut self, core: usize, (thread, site): (Thread, Site), text: impl Into<String>) -> Raised {
        self.labels.push((core, thread, site, text.into()));
        self
    }

    /// Adds a fact.
    pub fn fact(mut self, name: &'static str, value: impl ToString) -> Raised {
        self.facts.push((name, value.to_string()));
        self
    }

    /// Adds a remark.
    pub fn remark(mut self, text: impl Into<String>) -> Raised {
        self.notes.push(text.into());
        self
    }

    /// Says what to do about it.
    pub fn help(mut self, text: impl Into<String>) -> Raised {
        self.help = Some(text.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::What;

    fn event(core: usize, site: u64) -> Event {
        Event { core, thread: Thread::Pack, site: Site(site), cycle: 0, what: What::SectionWait }
    }

    #[test]
    fn a_call_says_a_thing_once_and_another_thing_too() {
        let mut raises = Raises::default();
        let say = |raises: &mut Raises, core, site, text: &str| {
            raises.push(Raised::at(&event(core, site), Code::UNORDERED, text.into()));
            raises.take().len()
        };
        assert_eq!(say(&mut raises, 0, 7, "c_0"), 1);
        assert_eq!(say(&mut raises, 0, 7, "c_0"), 0);
        assert_eq!(say(&mut raises, 0, 7, "c_1"), 1);
        assert_eq!(say(&mut raises, 0, 8, "c_0"), 1);
        assert_eq!(say(&mut raises, 1, 7, "c_0"), 1);
    }

    #[test]
    fn a_call_is_first_until_its_code_was_raised_with_any_message() {
        let mut raises = Raises::default();
        raises.push(Raised::at(&event(0, 7), Code::UNORDERED, "one".into()));
        assert!(!raises.first(Code::UNORDERED, &event(0, 7)));
        assert!(raises.first(Code::UNORDERED, &event(0, 8)) && raises.first(Code::FREE_L1, &event(0, 7)));
        raises.push_first(Raised::at(&event(0, 7), Code::UNORDERED, "two".into()));
        assert_eq!(raises.waiting().len(), 1);
    }
}

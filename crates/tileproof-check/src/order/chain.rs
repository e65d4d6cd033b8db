//! How word of one call goes from thread to thread, until another may rely on it.
//!
//! Start at [`Chain::on`], and at [`Chain::tell`] for the way to a thread.

use std::collections::BTreeMap;

use tileproof_model::abi::barrier;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use super::clock::Moment;
use super::races::{Call, FLAG_BYTES, Races, actor_of};

/// What is handed from thread to thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Edge {
    Pushed(usize, u32),
    Popped(usize, u32),
    Word(usize, u32),
    Mail(usize, Thread, Thread),
    /// What a thread of a compute kernel has done so far, which another comes behind.
    Follows(usize, Thread),
}

/// A thread has learned that the call is over.
#[derive(Debug)]
struct Step {
    call: Call,
    text: String,
    /// Who handed it on, with which call, and how that is called.
    by: Option<(usize, Call, String)>,
}

/// The way of one call's moments.
#[derive(Debug)]
pub(super) struct Chain {
    from: usize,
    moments: Vec<Moment>,
    learned: BTreeMap<usize, Step>,
    /// The first call that handed it on along each edge.
    carried: BTreeMap<Edge, (usize, Call, String)>,
}

impl Chain {
    pub(super) fn new(from: usize, moments: Vec<Moment>) -> Chain {
        Chain { from, moments, learned: BTreeMap::new(), carried: BTreeMap::new() }
    }

    /// An event, of which the engine knows already.
    pub(super) fn on(&mut self, event: &Event, races: &Races) {
        let me = actor_of(event.core, event.thread);
        let call = (event.core, event.thread, event.site);
        let knows = |actor: usize| self.moments.iter().all(|moment| races.actors[actor].known.has(*moment));
        let knew = self.learned.contains_key(&me);
        if !knew && knows(me) {
            let (text, edge) = learns(event);
            let by = edge.and_then(|edge| match edge {
                Edge::Follows(core, thread) => {
                    let giver = actor_of(core, thread);
                    let known = self.learned.get(&giver).map(|step| step.call);
                    known.map(|call| (giver, call, String::new()))
                }
                edge => self.carried.get(&edge).cloned(),
            });
            self.learned.insert(me, Step { call, text, by });
        }
        let Some((edge, text)) = hands_on(event) else { return };
        let carries = match edge {
            // A flag behind its data says more than its thread knows.
            Edge::Word(core, offset) => {
                let word = races.words.get(&(core, offset)).filter(|_| knew || me == self.from);
                word.is_some_and(|word| self.moments.iter().all(|moment| word.tells(*moment)))
            }
            _ => knew || me == self.from && knows(me),
        };
        if carries {
            self.carried.entry(edge).or_insert((me, call, text));
        }
    }

    /// The way to a thread, as labels in the order of time.
    pub(super) fn tell(&self, to: usize, mut note: Raised) -> Raised {
        let mut way = Vec::new();
        let mut at = to;
        while let Some(step) = self.learned.get(&at) {
            // Where it began, a barrier of its own is part of the way; what came back to it later is not.
            if at == self.from && step.by.is_some() {
                break;
            }
            if !step.text.is_empty() {
                way.push((step.call, step.text.clone()));
            }
            let Some((giver, call, text)) = &step.by else { break };
            if !text.is_empty() {
                way.push((*call, text.clone()));
            }
            // Nobody learns of it from whom it has told itself; a way is never longer than there are threads.
            if *giver == at || way.len() > 2 * self.learned.len() {
                break;
            }
            at = *giver;
        }
        for ((core, thread, site), text) in way.into_iter().rev() {
            note = note.label_on(core, (thread, site), text);
        }
        note
    }
}

/// How a thread may have learned something at an event, and along what.
fn learns(event: &Event) -> (String, Option<Edge>) {
    let core = event.core;
    match event.what {
        What::Buffer { action: BufferAction::Wait, cb, .. } => {
            (format!("waits for the page of {}", cb_name(cb)), Some(Edge::Pushed(core, cb)))
        }
        What::Buffer { action: BufferAction::Reserve, cb, .. } => {
            (format!("waits for room in {}", cb_name(cb)), Some(Edge::Popped(core, cb)))
        }
        What::SemaphoreWait { offset, .. } => ("waits for the semaphore".into(), Some(Edge::Word(core, offset))),
        What::Load { offset, .. } => ("sees the word".into(), Some(Edge::Word(core, offset))),
        What::NocRead { from: NocPlace::L1(core, offset), .. } => {
            ("sees the word".into(), Some(Edge::Word(core, offset)))
        }
        What::MailboxRead { from } => {
            ("takes the word out of its mailbox".into(), Some(Edge::Mail(core, from, event.thread)))
        }
        What::Math { .. } => {
            ("takes what UNPACK has brought to SrcA and SrcB".into(), Some(Edge::Follows(core, Thread::Unpack)))
        }
        What::SectionWait => ("waits for the section of Dst".into(), Some(Edge::Follows(core, Thread::Math))),
        What::Acquire => ("waits for a free section of Dst".into(), Some(Edge::Follows(core, Thread::Pack))),
        What::NocBarrier { kind, .. } => {
            let what = match kind {
                barrier::READS => "waits until its reads have come",
                barrier::WRITES => "waits until its writes have landed",
                barrier::WRITES_FLUSHED | barrier::POSTED_FLUSHED => "waits until its writes have left",
                barrier::ATOMICS => "waits until its increments have landed",
                _ => "waits for all of its transfers",
            };
            (what.into(), None)
        }
        _ => (String::new(), None),
    }
}

/// Along what a thread hands on what it knows.
fn hands_on(event: &Event) -> Option<(Edge, String)> {
    let core = event.core;
    Some(match event.what {
        What::Buffer { action: BufferAction::Push, cb, .. } => {
            (Edge::Pushed(core, cb), format!("pushes the page of {}", cb_name(cb)))
        }
        What::Buffer { action: BufferAction::Pop, cb, .. } => {
            (Edge::Popped(core, cb), format!("pops the page of {}", cb_name(cb)))
        }
        What::SemaphoreInc { to: NocPlace::L1(to, offset), .. } => {
            (Edge::Word(to, offset), "raises the semaphore".into())
        }
        What::InlineWrite { to: NocPlace::L1(to, offset), .. } => (Edge::Word(to, offset), "sets the semaphore".into()),
        What::NocWrite { to: NocPlace::L1(to, offset), bytes, .. } if bytes <= FLAG_BYTES => {
            (Edge::Word(to, offset), "sends the flag".into())
        }
        What::Store { offset, .. } => (Edge::Word(core, offset), "sets the word".into()),
        What::MailboxWrite { to } => (Edge::Mail(core, event.thread, to), "puts a word into the mailbox".into()),
        _ => return None,
    })
}

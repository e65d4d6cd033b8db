//! A run that does not end: a thread goes round and round, and nobody else does anything about it.

use tileproof_model::finding::{Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::thread::Thread;

use crate::engine::Engine;
use crate::hart::State;

/// Adds the finding, after so many seconds in which others may have changed something.
pub(crate) fn over_limit<O: Observer>(engine: &mut Engine<O>, core: usize, thread: Thread, seconds: u32) {
    let on = &engine.cores[core];
    let Some(hart) = &on.harts[thread as usize] else { return };
    let site = hart.site;
    let message = format!("kernel on {thread} did not end within the limit of {seconds} s");
    let mut finding = on.finding(Code::STEP_LIMIT, thread, site, message);
    finding.primary_text = "its last call".into();
    finding.facts.insert("limit".into(), format!("{seconds} s"));
    tell_others(engine, core, thread, &mut finding);
    finding.help = Some("if it would end after all, give it more time with --limit".into());
    engine.sink.raise(core, site, finding);
}

/// Adds the finding, after `turns` turns in a row that have changed nothing.
pub(crate) fn explain<O: Observer>(engine: &mut Engine<O>, core: usize, thread: Thread, turns: u32) {
    let on = &engine.cores[core];
    let Some(hart) = &on.harts[thread as usize] else { return };
    let site = hart.site;
    let mut finding = on.finding(
        Code::STEP_LIMIT,
        thread,
        site,
        format!("kernel on {thread} does not end: it goes round here, and no thread changes anything any more"),
    );
    finding.primary_text = "goes round here".into();
    finding.facts.insert("turns".into(), turns.to_string());
    let address = hart.looked_for.get();
    let offset = on.l1.offset(address);
    // Arguments are loaded in every turn of many loops, and nobody waits for them.
    if address == on.l1.base() + offset && on.l1.contains(offset, 4) && !on.is_argument(offset) {
        let (name, value) = (on.word_name(offset), on.l1.read_word(offset));
        finding.notes.push(format!("it looks at {name}, which is {value:#x}"));
    }
    tell_others(engine, core, thread, &mut finding);
    finding.help = Some("wait with cb_wait_front or noc_semaphore_wait: then the report says for what".into());
    engine.sink.raise(core, site, finding);
}

/// What the other threads do meanwhile: those of the core by their places, those of other cores by their number.
fn tell_others<O: Observer>(engine: &Engine<O>, core: usize, thread: Thread, finding: &mut Finding) {
    let (mut wait, mut go_round) = (0, 0);
    for (index, other) in engine.cores.iter().enumerate() {
        for (who, hart) in Thread::ALL.into_iter().zip(&other.harts) {
            let Some(hart) = hart.as_ref().filter(|_| (index, who) != (core, thread)) else { continue };
            let what = match hart.state {
                State::Finished => continue,
                State::Blocked(wait) => other.describe(wait),
                State::Ready => "goes round here, too".into(),
            };
            if index == core {
                finding.labels.push(other.label(who, hart.site, format!("{who} {what}")));
            } else {
                wait += u32::from(matches!(hart.state, State::Blocked(_)));
                go_round += u32::from(matches!(hart.state, State::Ready));
            }
        }
    }
    if engine.cores.len() > 1 {
        finding.notes.push(match (wait, go_round) {
            (0, 0) => "the kernels of all other cores have ended".into(),
            (wait, 0) => format!("of the threads of other cores {wait} wait, the rest have ended"),
            (0, round) => format!("of the threads of other cores {round} go round too, the rest have ended"),
            (wait, round) => format!("of the threads of other cores {wait} wait and {round} go round too"),
        });
    }
}

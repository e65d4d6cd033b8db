//! Schedules: in which order the threads of a run go, and when transfers land, as a token that replays it.
//!
//! A schedule is the default order and a list of departures from it, each of which the hardware may make as well: threads
//! have no order among each other but what their waits give them, and a NoC transfer takes the time that it takes. An empty
//! list is the default. Start at [`Schedule::parse`]; the machine follows it in `order.rs` and
//! `noc/pending.rs`.

use std::fmt;
use std::str::FromStr;

use crate::thread::{CoreCoord, Thread};

/// Version and beginning of every token.
const PREFIX: &str = "tp1:";
/// The token of the schedule that runs when none is asked for.
pub const DEFAULT_SCHEDULE: &str = "tp1:0";

/// Departures from the default order.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// What is other than by default.
    pub departures: Vec<Departure>,
}

/// One way in which a run departs from the default order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Departure {
    /// Goes before all others whenever it can.
    First(Who),
    /// Goes only when no other can.
    Last(Who),
    /// Every thread of every core has a priority of its own, drawn from a seed.
    Priorities(u32),
    /// At the call with this number the thread that makes it falls behind all others.
    Yield(u64),
    /// At the call with this number another thread goes before all others from here on.
    Raise(u64, CoreCoord, Thread),
    /// Data of NoC reads land at their barrier, and no sooner.
    LateReads,
    /// NoC writes take their data when they are waited for, and no sooner.
    LateWrites,
    /// Latencies of transfers are drawn from a seed.
    Latencies(u32),
    /// Transfers of all cores wait for each other, on the NoCs and at the banks of DRAM, in the order of time.
    Contention,
}

/// Whom a departure speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// A thread, on all cores.
    Thread(Thread),
    /// All threads of a core.
    Core(CoreCoord),
}

impl Schedule {
    /// True for the schedule that runs when none is asked for.
    pub fn is_default(&self) -> bool {
        self.departures.is_empty()
    }

    /// Reads a token.
    ///
    /// # Errors
    /// One sentence, if it is none.
    pub fn parse(token: &str) -> Result<Schedule, String> {
        let refused =
            || format!("\"{token}\": expected {DEFAULT_SCHEDULE}, the default, or a token that --explore has printed");
        if token == DEFAULT_SCHEDULE {
            return Ok(Schedule::default());
        }
        let list = token.strip_prefix(PREFIX).ok_or_else(refused)?;
        let departures: Option<Vec<Departure>> = list.split('.').map(departure).collect();
        Ok(Schedule { departures: departures.ok_or_else(refused)? })
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(token: &str) -> Result<Schedule, String> {
        Schedule::parse(token)
    }
}

fn departure(text: &str) -> Option<Departure> {
    let kind = text.chars().next()?;
    let rest = &text[kind.len_utf8()..];
    // What is printed has no signs and no leading zeros: a token has one spelling.
    let parsed = match kind {
        'f' => Departure::First(who(rest)?),
        'l' => Departure::Last(who(rest)?),
        'p' => Departure::Priorities(u32::from_str_radix(rest, 16).ok()?),
        'y' => Departure::Yield(rest.parse().ok()?),
        'g' => raise(rest)?,
        't' => Departure::Latencies(u32::from_str_radix(rest, 16).ok()?),
        'r' if rest.is_empty() => Departure::LateReads,
        'w' if rest.is_empty() => Departure::LateWrites,
        'c' if rest.is_empty() => Departure::Contention,
        _ => return None,
    };
    (parsed.to_string() == text).then_some(parsed)
}

fn raise(text: &str) -> Option<Departure> {
    let (point, who) = text.split_once('-')?;
    let (core, thread) = who.rsplit_once('-')?;
    let (x, y) = core.split_once('-')?;
    let thread = Thread::ALL.into_iter().find(|known| known.name() == thread)?;
    Some(Departure::Raise(point.parse().ok()?, CoreCoord { x: x.parse().ok()?, y: y.parse().ok()? }, thread))
}

fn who(text: &str) -> Option<Who> {
    if let Some(thread) = Thread::ALL.into_iter().find(|thread| thread.name() == text) {
        return Some(Who::Thread(thread));
    }
    let (x, y) = text.split_once('-')?;
    Some(Who::Core(CoreCoord { x: x.parse().ok()?, y: y.parse().ok()? }))
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_default() {
            return f.write_str(DEFAULT_SCHEDULE);
        }
        let list: Vec<String> = self.departures.iter().map(Departure::to_string).collect();
        write!(f, "{PREFIX}{}", list.join("."))
    }
}

/// As tokens spell it.
impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = |who: &Who| match who {
            Who::Thread(thread) => thread.name().to_string(),
            Who::Core(core) => format!("{}-{}", core.x, core.y),
        };
        match self {
            Departure::First(whom) => write!(f, "f{}", who(whom)),
            Departure::Last(whom) => write!(f, "l{}", who(whom)),
            Departure::Priorities(seed) => write!(f, "p{seed:x}"),
            Departure::Yield(point) => write!(f, "y{point}"),
            Departure::Raise(point, core, thread) => write!(f, "g{point}-{}-{}-{}", core.x, core.y, thread.name()),
            Departure::LateReads => write!(f, "r"),
            Departure::LateWrites => write!(f, "w"),
            Departure::Latencies(seed) => write!(f, "t{seed:x}"),
            Departure::Contention => write!(f, "c"),
        }
    }
}

impl Departure {
    /// What it does, for people.
    pub fn describe(&self) -> String {
        let who = |who: &Who| match who {
            Who::Thread(thread) => thread.name().to_string(),
            Who::Core(core) => format!("core {core}"),
        };
        match self {
            Departure::First(whom) => format!("{} goes first whenever it can", who(whom)),
            Departure::Last(whom) => format!("{} goes only when no other can", who(whom)),
            Departure::Priorities(seed) => format!("every thread has a priority, by seed {seed:x}"),
            Departure::Yield(point) => format!("the thread at point {point} lets all others go first"),
            Departure::Raise(point, core, thread) => {
                format!("from point {point} on {thread} of core {core} goes first whenever it can")
            }
            Departure::LateReads => "data of NoC reads land at their barrier".into(),
            Departure::LateWrites => "NoC writes take their data when they are waited for".into(),
            Departure::Latencies(seed) => format!("latencies of the NoC vary, by seed {seed:x}"),
            Departure::Contention => {
                "transfers of all cores wait for each other on the NoCs and at the banks of DRAM".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_as_it_prints() {
        let departures = vec![
            Departure::First(Who::Thread(Thread::Ncrisc)),
            Departure::Last(Who::Core(CoreCoord { x: 3, y: 0 })),
            Departure::Priorities(0x1f),
            Departure::Yield(120),
            Departure::Raise(7, CoreCoord { x: 1, y: 2 }, Thread::Brisc),
            Departure::LateReads,
            Departure::LateWrites,
            Departure::Latencies(7),
            Departure::Contention,
        ];
        let schedule = Schedule { departures };
        assert_eq!(schedule.to_string(), "tp1:fNCRISC.l3-0.p1f.y120.g7-1-2-BRISC.r.w.t7.c");
        assert_eq!(Schedule::parse(&schedule.to_string()), Ok(schedule));
        assert_eq!(Schedule::parse("tp1:0"), Ok(Schedule::default()));
        assert_eq!(Schedule::default().to_string(), "tp1:0");
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for text in [
            "",
            "tp1:",
            "tp2:0",
            "tp1:9f3c20",
            "tp1:r.",
            "tp1:y-1",
            "tp1:y01",
            "tp1:fT",
            "tp1:g7-1-2",
            "tp1:g7-1-2-T",
            "tp1:rr",
            "tp1:l3",
        ] {
            let error = Schedule::parse(text).unwrap_err();
            assert!(error.contains("tp1:0"), "{error}");
        }
    }
}

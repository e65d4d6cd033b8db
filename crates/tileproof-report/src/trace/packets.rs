//! Packets of a Perfetto trace: tracks, slices, instants, counters, and the names that they share.
//!
//! The numbers of fields are those of `trace_packet.proto`, `track_event.proto`, `track_descriptor.proto`, `interned_data.proto` and
//! `debug_annotation.proto` of google/perfetto. A cycle is written as a nanosecond. It must never know what a kernel is. Start at
//! [`Packets`].

use std::collections::BTreeMap;

use super::proto::Message;

/// The one sequence that all packets are of.
const SEQUENCE: u64 = 1;

/// A track, by its number in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Track(pub(super) u64);

/// A slice that begins, or an instant.
#[derive(Default)]
pub(super) struct Begin<'a> {
    pub(super) name: &'a str,
    pub(super) category: &'a str,
    /// File and line.
    pub(super) place: Option<(&'a str, u32)>,
    /// Arrows that leave it or end at it.
    pub(super) flows: &'a [u64],
    pub(super) ending_flows: &'a [u64],
    pub(super) numbers: &'a [(&'static str, u64)],
    pub(super) texts: &'a [(&'static str, &'a str)],
}

/// Names by their number, which is written with the packet that uses it first.
struct Names<T>(BTreeMap<T, u64>);

impl<T: Ord> Names<T> {
    /// The number of a name, and whether it is new.
    fn number(&mut self, name: T) -> (u64, bool) {
        let next = self.0.len() as u64 + 1;
        let number = *self.0.entry(name).or_insert(next);
        (number, number == next)
    }
}

impl<T> Default for Names<T> {
    fn default() -> Names<T> {
        Names(BTreeMap::new())
    }
}

/// The trace so far.
#[derive(Default)]
pub(super) struct Packets {
    bytes: Vec<u8>,
    names: Names<String>,
    categories: Names<String>,
    annotations: Names<&'static str>,
    places: Names<(String, u32)>,
    tracks: u64,
    flows: u64,
}

impl Packets {
    /// The bytes of the trace.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// A number for a new arrow.
    pub(super) fn flow(&mut self) -> u64 {
        self.flows += 1;
        self.flows
    }

    /// A process, under which tracks lie.
    pub(super) fn process(&mut self, pid: u64, name: &str) -> Track {
        let process = Message::default().number(1, pid).text(6, name);
        self.track(None, name, |track| track.message(3, process))
    }

    /// A thread of a process.
    pub(super) fn thread(&mut self, of: Track, (pid, tid): (u64, u64), name: &str) -> Track {
        let thread = Message::default().number(1, pid).number(2, tid).text(5, name);
        self.track(Some(of), name, |track| track.message(4, thread))
    }

    /// A track of slices that is no thread.
    pub(super) fn slices(&mut self, of: Option<Track>, name: &str) -> Track {
        self.track(of, name, |track| track)
    }

    /// A track of numbers.
    pub(super) fn counter(&mut self, of: Track, name: &str) -> Track {
        // UNIT_COUNT.
        let counter = Message::default().number(3, 2);
        self.track(Some(of), name, |track| track.message(8, counter))
    }

    fn track(&mut self, of: Option<Track>, name: &str, kind: impl FnOnce(Message) -> Message) -> Track {
        self.tracks += 1;
        let mut track = Message::default().number(1, self.tracks).text(2, name);
        if let Some(of) = of {
            track = track.number(5, of.0);
        }
        // SEQ_INCREMENTAL_STATE_CLEARED in the first packet, SEQ_NEEDS_INCREMENTAL_STATE in all.
        let flags = if self.bytes.is_empty() { 3 } else { 2 };
        self.packet(0, Message::default().number(13, flags).message(60, kind(track)));
        Track(self.tracks)
    }

    /// A slice from one time to another.
    pub(super) fn slice(&mut self, track: Track, (from, to): (u64, u64), slice: &Begin<'_>) {
        // TYPE_SLICE_BEGIN, TYPE_SLICE_END.
        self.event(track, from, 1, slice);
        let end = Message::default().number(9, 2).number(11, track.0);
        self.packet(to, Message::default().message(11, end));
    }

    /// A moment.
    pub(super) fn instant(&mut self, track: Track, at: u64, instant: &Begin<'_>) {
        self.event(track, at, 3, instant);
    }

    /// The value of a counter from a time on.
    pub(super) fn value(&mut self, track: Track, at: u64, value: u64) {
        let event = Message::default().number(9, 4).number(11, track.0).number(30, value);
        self.packet(at, Message::default().message(11, event));
    }

    fn event(&mut self, track: Track, at: u64, kind: u64, begin: &Begin<'_>) {
        let mut interned = Message::default();
        let mut is_new = false;
        let mut add = |field: u32, (number, new): (u64, bool), message: &dyn Fn(Message) -> Message| {
            if new {
                let entry = message(Message::default().number(1, number));
                interned = std::mem::take(&mut interned).message(field, entry);
                is_new = true;
            }
            number
        };
        let mut event = Message::default();
        let category = add(1, self.categories.number(begin.category.into()), &|m| m.text(2, begin.category));
        event = event.number(3, category);
        for (name, value) in begin.numbers {
            let name = add(3, self.annotations.number(name), &|m| m.text(2, name));
            event = event.message(4, Message::default().number(1, name).number(3, *value));
        }
        for (name, text) in begin.texts {
            let name = add(3, self.annotations.number(name), &|m| m.text(2, name));
            event = event.message(4, Message::default().number(1, name).text(6, text));
        }
        let name = add(2, self.names.number(begin.name.into()), &|m| m.text(2, begin.name));
        event = event.number(9, kind).number(10, name).number(11, track.0);
        if let Some((file, line)) = begin.place {
            let place = self.places.number((file.into(), line));
            let place = add(4, place, &|m| m.text(2, file).number(4, u64::from(line)));
            event = event.number(34, place);
        }
        event = begin.flows.iter().fold(event, |event, flow| event.fixed(47, *flow));
        event = begin.ending_flows.iter().fold(event, |event, flow| event.fixed(48, *flow));
        let mut packet = Message::default().message(11, event);
        if is_new {
            packet = packet.message(12, interned);
        }
        self.packet(at, packet.number(13, 2));
    }

    /// Adds a packet: `Trace` has them as its field 1.
    fn packet(&mut self, at: u64, packet: Message) {
        let packet = packet.number(8, at).number(10, SEQUENCE);
        self.bytes.extend(Message::default().message(1, packet).into_bytes());
    }
}

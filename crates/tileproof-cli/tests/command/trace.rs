//! `--trace`: the file is decoded here by rules of its own, those of protobuf.dev, and read as the Perfetto UI reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::run::{ROOT, changed_add, folder, json_of, tileproof};

/// The value of a field.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message.
struct Fields<'a>(Vec<(u64, Value<'a>)>);

impl<'a> Fields<'a> {
    fn read(mut bytes: &'a [u8]) -> Fields<'a> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = match key & 7 {
                0 => Value::Number(varint(&mut bytes)),
                1 => {
                    let (fixed, rest) = bytes.split_at(8);
                    bytes = rest;
                    Value::Number(u64::from_le_bytes(fixed.try_into().unwrap()))
                }
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (inside, rest) = bytes.split_at(length);
                    bytes = rest;
                    Value::Bytes(inside)
                }
                other => panic!("wire type {other}"),
            };
            fields.push((key >> 3, value));
        }
        Fields(fields)
    }

    fn numbers(&self, field: u64) -> Vec<u64> {
        let of = self.0.iter().filter(|(number, _)| *number == field);
        of.map(|(_, value)| if let Value::Number(number) = value { *number } else { panic!("field {field}") }).collect()
    }

    fn number(&self, field: u64) -> Option<u64> {
        self.numbers(field).first().copied()
    }

    fn bytes(&self, field: u64) -> Vec<&'a [u8]> {
        let of = self.0.iter().filter(|(number, _)| *number == field);
        of.map(|(_, value)| if let Value::Bytes(bytes) = value { *bytes } else { panic!("field {field}") }).collect()
    }

    fn message(&self, field: u64) -> Option<Fields<'a>> {
        self.bytes(field).first().map(|bytes| Fields::read(bytes))
    }

    fn text(&self, field: u64) -> Option<String> {
        self.bytes(field).first().map(|bytes| String::from_utf8(bytes.to_vec()).expect("UTF-8"))
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().expect("a number goes on");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a number of more than ten bytes");
}

/// A slice or an instant.
struct Slice {
    name: String,
    category: String,
    from: u64,
    /// `None` for an instant.
    to: Option<u64>,
    place: Option<(String, u64)>,
    leaving: Vec<u64>,
    ending: Vec<u64>,
}

/// A trace as it is read.
#[derive(Default)]
struct Trace {
    /// Name and parent of each track.
    tracks: BTreeMap<u64, (String, Option<u64>)>,
    slices: BTreeMap<u64, Vec<Slice>>,
    counters: BTreeMap<u64, Vec<(u64, u64)>>,
}

impl Trace {
    fn read(bytes: &[u8]) -> Trace {
        let mut trace = Trace::default();
        // Names, categories, annotations and places by number: fields 2, 1, 3 and 4 of `InternedData`.
        let mut interned: BTreeMap<(u64, u64), (String, u64)> = BTreeMap::new();
        for (number, packet) in Fields::read(bytes).bytes(1).into_iter().enumerate() {
            let packet = Fields::read(packet);
            let flags = packet.number(13).unwrap_or(0);
            assert_eq!(packet.numbers(10), [1], "one sequence");
            assert!(number > 0 || flags & 1 != 0, "the first packet clears what was interned");
            if let Some(data) = packet.message(12) {
                for field in 1..=4 {
                    for entry in data.bytes(field) {
                        let entry = Fields::read(entry);
                        let key = (field, entry.number(1).expect("a number"));
                        let value = (entry.text(2).expect("a name"), entry.number(4).unwrap_or(0));
                        assert!(interned.insert(key, value).is_none(), "told once");
                    }
                }
            }
            if let Some(track) = packet.message(60) {
                let name = track.text(2).expect("a name");
                let parent = track.number(5);
                assert!(parent.is_none_or(|parent| trace.tracks.contains_key(&parent)));
                assert!(trace.tracks.insert(track.number(1).unwrap(), (name, parent)).is_none());
            }
            if let Some(event) = packet.message(11) {
                assert!(flags & 2 != 0 || event.number(10).is_none(), "what is interned is needed");
                trace.event(packet.number(8).expect("a time"), &event, &interned);
            }
        }
        for slices in trace.slices.values() {
            assert!(slices.iter().all(|slice| slice.to != Some(u64::MAX)), "all slices end");
        }
        trace
    }

    fn event(&mut self, at: u64, event: &Fields<'_>, interned: &BTreeMap<(u64, u64), (String, u64)>) {
        let track = event.number(11).expect("a track");
        assert!(self.tracks.contains_key(&track));
        let told = |table: u64, number: u64| interned[&(table, number)].clone();
        let slices = self.slices.entry(track).or_default();
        match event.number(9).expect("a kind") {
            kind @ (1 | 3) => slices.push(Slice {
                name: told(2, event.number(10).expect("a name")).0,
                category: told(1, event.number(3).expect("a category")).0,
                from: at,
                to: (kind == 1).then_some(u64::MAX),
                place: event.number(34).map(|place| told(4, place)),
                leaving: event.numbers(47),
                ending: event.numbers(48),
            }),
            2 => {
                let open = slices.iter_mut().rev().find(|slice| slice.to == Some(u64::MAX)).expect("a slice that ends");
                assert!(open.from <= at);
                open.to = Some(at);
            }
            4 => self.counters.entry(track).or_default().push((at, event.number(30).expect("a value"))),
            other => panic!("event of type {other}"),
        }
    }

    fn named(&self, name: &str) -> Vec<u64> {
        self.tracks.iter().filter(|(_, (track, _))| track == name).map(|(number, _)| *number).collect()
    }

    fn slices_of(&self, name: &str) -> impl Iterator<Item = &Slice> {
        self.named(name).into_iter().filter_map(|track| self.slices.get(&track)).flatten()
    }

    fn all(&self) -> impl Iterator<Item = &Slice> {
        self.slices.values().flatten()
    }
}

const THREADS: [&str; 5] = ["BRISC", "NCRISC", "UNPACK", "MATH", "PACK"];

/// The trace of an example, and the document of the same run.
fn traced(program: &str, more: &[&str]) -> (Vec<u8>, serde_json::Value) {
    let file = folder(&format!("trace_{}", program.replace('/', "_"))).join("run.pftrace");
    let path = Path::new(ROOT).join(program);
    let arguments = ["run", path.to_str().unwrap(), "--format", "json", "--trace", file.to_str().unwrap()];
    let output = tileproof(&[&arguments, more].concat());
    (fs::read(&file).expect("a trace"), json_of(&output))
}

#[test]
fn each_thread_is_told_of_from_its_start_to_its_end_without_a_gap() {
    let (bytes, document) = traced("examples/programs/add/program.toml", &[]);
    let trace = Trace::read(&bytes);
    let mut last = 0;
    for thread in THREADS {
        let slices: Vec<&Slice> = trace.slices_of(thread).collect();
        let mut now = 0;
        for slice in &slices {
            assert_eq!(slice.from, now, "{thread}: {}", slice.name);
            now = slice.to.expect("a slice");
        }
        assert!(slices.iter().any(|slice| slice.category == "wait"), "{thread} waits");
        last = last.max(now);
    }
    assert_eq!(document["cycles"], last);
    let launch: Vec<_> = trace.slices_of("launches (a nanosecond is a cycle)").map(|s| (s.from, s.to)).collect();
    assert_eq!(launch, [(0, Some(last))]);
    // What units did is what their threads did.
    for (unit, thread) in [("unpacker", "UNPACK"), ("FPU", "MATH"), ("packer", "PACK")] {
        let of_thread = trace.slices_of(thread).filter(|slice| slice.category == "unit");
        assert!(of_thread.map(|s| (s.from, s.to)).eq(trace.slices_of(unit).map(|s| (s.from, s.to))), "{unit}");
    }
    let places: BTreeSet<&str> = trace.all().filter_map(|s| s.place.as_ref()).map(|(file, _)| file.as_str()).collect();
    let ends = |name: &str| places.iter().any(|file| file.ends_with(name));
    assert!(ends("reader.cpp") && ends("add.cpp") && ends("writer.cpp"), "{places:?}");
}

#[test]
fn arrows_go_from_what_was_pushed_to_who_waited_and_buffers_fill_and_empty() {
    let (bytes, _) = traced("examples/programs/softmax/program.toml", &[]);
    let trace = Trace::read(&bytes);
    let mut from: BTreeMap<u64, &Slice> = BTreeMap::new();
    for slice in trace.all() {
        for flow in &slice.leaving {
            assert!(from.insert(*flow, slice).is_none(), "an arrow leaves one slice");
        }
    }
    let mut pushes = 0;
    for slice in trace.all() {
        for flow in &slice.ending {
            let source = from[flow];
            assert!(source.from <= slice.from, "{} before {}", source.name, slice.name);
            let (call, buffer) = slice.name.split_once(' ').expect("a call and a buffer");
            let other = if call == "cb_wait_front" { "cb_push_back" } else { "cb_pop_front" };
            assert_eq!(source.name, format!("{other} {buffer}"));
            pushes += usize::from(call == "cb_wait_front");
        }
    }
    let waits = trace.all().filter(|slice| slice.name.starts_with("cb_wait_front")).count();
    assert_eq!(pushes, waits, "each wait for pages has an arrow");
    // Eight pages of 2 KiB at most are in any buffer of this program, and none is left but the constants.
    let levels: Vec<_> = trace.counters.iter().map(|(track, values)| (&trace.tracks[track].0, values)).collect();
    assert!(levels.len() >= 5, "a counter a buffer");
    for (name, values) in levels {
        assert!(name.ends_with(" pages") && values.iter().all(|(_, value)| *value <= 8), "{name}: {values:?}");
        assert!(values.is_sorted_by_key(|(at, _)| *at), "{name}");
    }
}

#[test]
fn semaphores_count_up_and_transfers_lie_on_the_port_of_their_thread() {
    let (bytes, _) = traced("examples/programs/matmul_grid/program.toml", &[]);
    let trace = Trace::read(&bytes);
    let semaphore = trace.tracks.iter().find(|(_, (name, _))| name == "semaphore 0").expect("a semaphore");
    assert!(trace.counters[semaphore.0].iter().any(|(_, value)| *value > 1), "it counts up");
    let cores = trace.tracks.values().filter(|(name, _)| name.starts_with("core ")).count();
    assert_eq!(cores, 8);
    let ports = trace.tracks.iter().filter(|(_, (name, _))| name.starts_with("NoC "));
    for (track, (name, _)) in ports {
        let slices = &trace.slices[track];
        assert!(slices.is_sorted_by_key(|slice| slice.from), "{name}");
        assert!(slices.windows(2).all(|pair| pair[0].to <= Some(pair[1].from)), "{name}: one at a time");
    }
    assert!(trace.all().any(|slice| slice.name.starts_with("read from DRAM bank ")));
    assert!(trace.all().any(|slice| slice.name.starts_with("write to core ")));
}

#[test]
fn a_semaphore_holds_what_it_begins_with() {
    let more = "[[semaphore]]\nid = 3\ncore_ranges = [[[0, 0], [0, 0]]]\ninitial_value = 4294967295\n\n[[expect]]";
    let program = changed_add("trace_semaphore", &[("program.toml", "[[expect]]", more)]);
    let (bytes, _) = traced(program.to_str().unwrap(), &[]);
    let trace = Trace::read(&bytes);
    let [track] = trace.named("semaphore 3")[..] else { panic!("one semaphore") };
    assert_eq!(trace.counters[&track], [(0, 4_294_967_295)]);
}

#[test]
fn who_is_stuck_is_shown_to_the_end_and_findings_are_moments_of_their_thread() {
    let (bytes, document) = traced("examples/programs/hang/program.toml", &[]);
    let trace = Trace::read(&bytes);
    let stuck: Vec<&Slice> = trace.all().filter(|slice| slice.category == "stuck").collect();
    assert!(!stuck.is_empty());
    let found = document["findings"][0].clone();
    let name = format!("{}: {}", found["code"].as_str().unwrap(), found["message"].as_str().unwrap());
    let thread = found["thread"].as_str().unwrap();
    let moments: Vec<&Slice> = trace.slices_of(thread).filter(|slice| slice.category == "finding").collect();
    assert!(matches!(&moments[..], [one] if one.name == name && one.to.is_none()), "{name} on {thread}");
    assert!(stuck.iter().any(|slice| slice.from == moments[0].from), "when it got stuck");
}

#[test]
fn a_trace_has_the_same_bytes_each_time_and_on_the_schedule_that_is_asked_for() {
    let program = "examples/programs/ping_pong/program.toml";
    let once = traced(program, &[]).0;
    assert!(once == traced(program, &[]).0 && once == traced(program, &["--threads", "1", "--in-process"]).0);
    let late = traced(program, &["--schedule", "tp1:t7"]).0;
    assert!(once != late, "other latencies, another trace");
}

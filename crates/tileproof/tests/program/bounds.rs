//! What a run is bound by, on programs that are built to be bound by one thing each: it is named, and stays so when there is twice as
//! much to do. Their kernels are in `tests/bounds`.

use std::fs;
use std::path::Path;

use tileproof::model::timeline::Timeline;
use tileproof::run_file::{ChosenChecks, RunOptions, run_program_file};
use tileproof::timing::{Bound, Resource, Timing};

use crate::support;

pub(crate) const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bounds");

/// A program: its kernels with their defines, formats and depths of its buffers.
#[derive(Clone, Copy)]
pub(crate) struct Built<'a> {
    pub(crate) compute: &'a [&'a str],
    pub(crate) mover: &'a [&'a str],
    /// Pages and bytes of a page of c_0.
    pub(crate) front: (u32, u32),
    pub(crate) format: &'a str,
    pub(crate) times: u32,
}

pub(crate) const FILL: &[&str] = &["FILL"];

fn kernel(file: &str, config: &str, defines: &[&str], times: u32, arguments: &str) -> String {
    let defines: Vec<String> = defines
        .iter()
        .map(|define| define.split_once('=').unwrap_or((define, "1")))
        .map(|(name, value)| format!("[\"{name}\", \"{value}\"]"))
        .collect();
    format!(
        "[[kernel]]\nkernel_source = \"{KERNELS}/{file}\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = {config}\n\
         defines = [{}]\ncompile_time_args = [{times}]\nruntime_args = [{{ core = [0, 0], args = [{arguments}] }}]\n",
        defines.join(", ")
    )
}

fn buffer(index: u32, format: &str, (pages, page): (u32, u32), cores: &str) -> String {
    format!(
        "[[cb]]\ntotal_size = {}\ncore_ranges = [[[0, 0], {cores}]]\n\
         format_descriptors = [{{ buffer_index = {index}, data_format = \"{format}\", page_size = {page} }}]\n",
        pages * page
    )
}

impl Built<'_> {
    pub(crate) fn text(&self, times: u32) -> String {
        let Built { compute, mover, front, format, .. } = *self;
        let mut text = format!(
            "[[tensor]]\nname = \"x\"\nshape = [48, 64, 64]\ndtype = \"{format}\"\nlayout = \"tile\"\nfill = \"uniform:0,1\"\n"
        );
        let to_core = mover.contains(&"TO_CORE") || mover.contains(&"FROM_CORE");
        text += &buffer(0, format, front, if to_core { "[1, 0]" } else { "[0, 0]" });
        let arguments =
            if to_core { "{ address = \"x\" }, { noc_x = [1, 0] }, { noc_y = [1, 0] }" } else { "{ address = \"x\" }" };
        text += &kernel("mover.cpp", "\"reader\"", mover, times, arguments);
        if to_core {
            // Whoever is written to has a kernel too.
            text += &kernel("drain.cpp", "\"writer\"", &[], 0, "").replace("[0, 0]", "[1, 0]");
        }
        if !compute.is_empty() {
            let page = front.1;
            text += &buffer(1, format, (1, page), "[0, 0]");
            text += &buffer(16, "bfloat16", (2, 2048), "[0, 0]");
            let pages = if compute.contains(&"FLOWS") { times } else { 1 };
            text += &kernel("compute.cpp", "{ compute = { math_fidelity = \"HiFi4\" } }", compute, times, "");
            text += &kernel("drain.cpp", "\"writer\"", &[], pages, "");
        }
        text
    }
}

fn bound_of(name: &str, text: &str) -> Bound {
    let folder = support::folder(&format!("bounds-{name}"));
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    bound(&path)
}

/// What each thread of a program does when; it has no fault.
pub(crate) fn timeline(path: &Path) -> Timeline {
    let options = RunOptions { checks: ChosenChecks::None, timeline: true, ..RunOptions::default() };
    let result = run_program_file(path, &options).unwrap();
    assert!(result.record.is_clean(), "{:?}", result.record);
    result.timeline.expect("it was asked for").expect("it was recorded")
}

fn bound(path: &Path) -> Bound {
    let timeline = timeline(path);
    let timing = Timing::of(&timeline);
    let launch = &timing.launches[0];
    let all: u64 = launch.path.spent().values().sum();
    assert_eq!(all, timeline.launches[0].cycles, "each cycle is on the path once");
    let bound = launch.bound.clone().expect("a bound");
    // Those who take turns at a buffer do something meanwhile.
    let most = launch.path.spent().get(&bound.resource).copied().unwrap_or_default();
    assert!(bound.turns_at.is_some() || 2 * most > all, "{}: {most} of {all}", bound.sentence);
    bound
}

/// Runs a program as it is and with twice as much to do.
fn is_bound_by(name: &str, built: &Built<'_>, resource: Resource) {
    for times in [built.times, 2 * built.times] {
        let bound = bound_of(&format!("{name}-{times}"), &built.text(times));
        assert_eq!(bound.resource, resource, "{name}, {times} times: {}", bound.sentence);
    }
}

#[test]
fn the_matrix_unit_bounds_products_of_small_operands_in_four_phases() {
    // bfloat8_b: the unpackers bring two operands in 40 cycles, the product takes 70.
    let built = Built { compute: &["MATMUL"], mover: FILL, front: (1, 1088), format: "bfloat8_b", times: 60 };
    is_bound_by("fpu", &built, Resource::Fpu);
}

#[test]
fn the_vector_unit_bounds_exponentials() {
    let built = Built { compute: &["EXP"], mover: FILL, front: (1, 2048), format: "bfloat16", times: 20 };
    is_bound_by("sfpu", &built, Resource::Sfpu);
}

#[test]
fn the_unpackers_bound_sums_of_two_operands() {
    // 70 cycles to bring both, 14 to add, 38 to pack.
    let built = Built { compute: &["ADD"], mover: FILL, front: (1, 2048), format: "bfloat16", times: 100 };
    is_bound_by("unpack", &built, Resource::Unpack);
}

#[test]
fn the_packers_bound_what_is_packed_again_and_again() {
    let built = Built { compute: &["COPY", "PACKS=4"], mover: FILL, front: (1, 2048), format: "bfloat16", times: 60 };
    is_bound_by("pack", &built, Resource::Pack);
}

#[test]
fn latency_bounds_reads_that_wait_for_each_other_and_bandwidth_those_that_do_not() {
    let reads = |mover, bytes, times| Built { compute: &[], mover, front: (16, bytes), format: "bfloat16", times };
    is_bound_by("latency", &reads(&["BLOCK=1", "BYTES=2048"], 2048, 30), Resource::DramLatency);
    // 64 reads of 2 KiB: 4,416 cycles to carry them, and one latency.
    is_bound_by("bandwidth", &reads(&["BLOCK=64", "BYTES=2048"], 2048, 4), Resource::DramBandwidth);
    // 64 reads of 32 bytes: 1,792 cycles to start them, and one latency.
    is_bound_by("issue", &reads(&["BLOCK=64", "BYTES=32"], 2048, 8), Resource::NocIssue);
}

#[test]
fn the_noc_bounds_writes_to_a_neighbour() {
    let writes = Built {
        compute: &[],
        mover: &["TO_CORE", "BLOCK=8", "BYTES=8192"],
        front: (1, 16384),
        format: "bfloat16",
        times: 8,
    };
    is_bound_by("noc", &writes, Resource::NocBandwidth);
}

#[test]
fn credits_bound_two_that_take_turns_at_a_buffer_of_one_page_and_no_longer_where_it_has_two() {
    let flows = |pages, times| Built {
        compute: &["FLOWS"],
        mover: &["FLOWS"],
        front: (pages, 2048),
        format: "bfloat16",
        times,
    };
    is_bound_by("credits", &flows(1, 20), Resource::Credits);
    let bound = bound_of("credits-one", &flows(1, 20).text(20));
    assert_eq!(bound.turns_at, Some(0));
    assert!(bound.sentence.contains("c_0: it holds 1 page, and NCRISC and UNPACK take turns"), "{}", bound.sentence);
    is_bound_by("deeper", &flows(2, 20), Resource::DramLatency);
}

#[test]
fn the_way_between_two_cores_bounds_those_that_wait_for_each_other() {
    for times in [10, 20] {
        let turn = |core: &str, other: &str, begins: u32| {
            format!("{{ core = {core}, args = [{{ noc_x = {other} }}, {{ noc_y = {other} }}, {begins}] }}")
        };
        let text = format!(
            "[[semaphore]]\nid = 0\ncore_ranges = [[[0, 0], [1, 0]]]\ninitial_value = 0\n\
             [[kernel]]\nkernel_source = \"{KERNELS}/turns.cpp\"\ncore_ranges = [[[0, 0], [1, 0]]]\nconfig = \"reader\"\n\
             compile_time_args = [{times}]\nruntime_args = [{}, {}]\n",
            turn("[0, 0]", "[1, 0]", 1),
            turn("[1, 0]", "[0, 0]", 0)
        );
        let bound = bound_of(&format!("turns-{times}"), &text);
        assert_eq!(bound.resource, Resource::NocLatency, "{}", bound.sentence);
    }
}

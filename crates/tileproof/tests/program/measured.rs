//! The cost model beside what was measured on devices: points that a small program can make again. The table is printed; the README has
//! the median error.
//!
//! Latencies are those of tt-metal's `noc_latencies.yaml` (Wormhole, one pair of cores in different rows and columns, from the first call
//! to the end of the barrier), the mean over a column those of tt-metal issue 54349, the sums those of published traces of Blackhole.

use std::fs;

use tileproof::model::timeline::{Call, Doing, LaunchTimeline};

use crate::bounds::{Built, FILL, timeline};
use crate::support;

/// The most that the median error may be, in percent: what it was when this was written, rounded up.
const MEDIAN: f64 = 7.0;

/// A measured point.
struct Point {
    name: String,
    model: f64,
    measured: f64,
}

impl Point {
    fn error(&self) -> f64 {
        100.0 * (self.model / self.measured - 1.0)
    }
}

fn launch(name: &str, text: &str) -> LaunchTimeline {
    let folder = support::folder(&format!("measured-{}", name.replace([' ', ','], "-")));
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    timeline(&path).launches.remove(0)
}

/// Cycles from the first transfer that a thread starts to the end of its barrier.
fn moved(name: &str, mover: &str, block: u32, bytes: u32) -> f64 {
    let (block, size) = (format!("BLOCK={block}"), format!("BYTES={bytes}"));
    let defines = [mover, &block, &size];
    let built = Built { compute: &[], mover: &defines, front: (1, 2 * bytes), format: "bfloat16", times: 1 };
    let launch = launch(name, &built.text(1));
    let calls: Vec<&Call> = launch.cores[0].calls.iter().collect();
    let starts = |call: &&&Call| matches!(call.doing, Doing::NocRead | Doing::NocWrite);
    let ends = |call: &&&Call| matches!(call.doing, Doing::ReadBarrier | Doing::WriteBarrier);
    let first = calls.iter().find(starts).expect("a transfer").start;
    (calls.iter().rev().find(ends).expect("a barrier").end() - first) as f64
}

/// Cycles a tile where twice as many are done, beyond what the first half takes.
fn slope(name: &str, built: Built<'_>, arch: &str) -> f64 {
    let cycles = |times: u32| {
        let text = format!("arch = \"{arch}\"\n{}", built.text(times));
        launch(&format!("{name} {times}"), &text).cycles as f64
    };
    (cycles(2 * built.times) - cycles(built.times)) / f64::from(built.times)
}

/// What is moved, the define of the mover, transfers before a barrier, and cycles by the bytes of each.
type Row<'a> = (&'a str, &'a str, u32, &'a [(u32, f64)]);

fn points() -> Vec<Point> {
    let mut points = Vec::new();
    let rows: [Row<'_>; 8] = [
        ("read from L1", "FROM_CORE", 1, &[(64, 293.0), (512, 309.0), (2048, 366.0), (8192, 581.0), (65536, 2589.0)]),
        ("read from L1", "FROM_CORE", 16, &[(64, 587.0), (1024, 899.0), (2048, 1460.0), (8192, 4883.0)]),
        ("read from L1", "FROM_CORE", 256, &[(64, 6674.0), (2048, 18803.0), (8192, 73634.0)]),
        ("write to L1", "TO_CORE", 1, &[(64, 293.0), (512, 318.0), (2048, 375.0), (8192, 613.0), (65536, 2501.0)]),
        ("write to L1", "TO_CORE", 64, &[(64, 1684.0), (1024, 2556.0), (2048, 4611.0), (8192, 17250.0)]),
        ("read from DRAM", "PLAIN", 1, &[(512, 412.0), (2048, 485.0), (4096, 565.0), (8192, 732.0)]),
        ("read from DRAM", "PLAIN", 16, &[(64, 721.0), (1024, 1097.0), (2048, 1914.0), (8192, 6249.0)]),
        ("read from DRAM", "PLAIN", 64, &[(512, 1897.0), (2048, 6274.0), (8192, 23785.0)]),
    ];
    for (what, mover, block, sizes) in rows {
        for (bytes, measured) in sizes {
            let name = format!("{what}, {block} of {bytes} bytes");
            points.push(Point { model: moved(&name, mover, block, *bytes), name, measured: *measured });
        }
    }
    let flows = Built { compute: &["FLOWS"], mover: &["FLOWS"], front: (2, 2048), format: "bfloat16", times: 40 };
    let adds = Built { compute: &["ADD"], mover: FILL, front: (1, 2048), format: "bfloat16", times: 100 };
    for (name, built, arch, measured) in [
        ("a tile after the other from DRAM", flows, "wormhole", 510.0),
        ("add of tiles in L1, Blackhole", adds, "blackhole", 70.0),
    ] {
        points.push(Point { model: slope(name, built, arch), name: name.into(), measured });
    }
    points
}

#[test]
fn the_cost_model_is_near_what_was_measured() {
    let points = points();
    println!("{:<44} {:>9} {:>9} {:>7}", "cycles", "model", "measured", "ratio");
    for Point { name, model, measured } in &points {
        println!("{name:<44} {model:>9.0} {measured:>9.0} {:>7.2}", model / measured);
    }
    let mut errors: Vec<f64> = points.iter().map(|point| point.error().abs()).collect();
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    println!("median of the absolute errors of {} points: {median:.1} %", points.len());
    assert!(median <= MEDIAN, "{median:.1} %");
    assert!(errors[errors.len() - 1] < 25.0, "{errors:?}");
}

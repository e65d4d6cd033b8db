//! The roofline of a launch: work a byte of DRAM against work a cycle, beside what the chip can.
//!
//! Start at [`roofline`].

use maud::{Markup, html};
use tileproof_model::arch::Arch;
use tileproof_model::timeline::{Doing, FarEnd, LaunchTimeline};
use tileproof_timing::bound::grouped;

use super::drawing::{fixed, log2};

const SIZE: (f64, f64) = (560.0, 300.0);
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 36.0;

/// The section. Work is cycles in which a compute unit is busy: one a core and cycle at most.
pub(super) fn roofline(arch: Arch, launch: &LaunchTimeline) -> Markup {
    let is_compute = |doing: Doing| matches!(doing, Doing::Fpu | Doing::Sfpu);
    let totals = launch.cores.iter().flat_map(|core| &core.totals);
    let work: u64 = totals.filter(|total| is_compute(total.doing)).map(|total| total.took).sum();
    let traffic = launch.cores.iter().flat_map(|core| &core.traffic);
    let bytes: u64 = traffic.filter(|t| matches!(t.far, FarEnd::Dram(_))).map(|t| t.bytes).sum();
    if work == 0 || bytes == 0 || launch.cycles == 0 {
        return html! { p { "None: the launch does not both compute and move data from or to DRAM." } };
    }
    let chip = arch.constants();
    let roof = launch.cores.len() as f64;
    let slope = f64::from(chip.dram_banks) * chip.cycles.dram_bank_bytes as f64;
    let (intensity, reached) = (work as f64 / bytes as f64, work as f64 / launch.cycles as f64);
    let possible = roof.min(slope * intensity);
    let side = if slope * intensity < roof { "DRAM" } else { "compute" };
    html! {
        p {
            (format!("{intensity:.3}")) " cycles of compute a byte of DRAM: on the side of " (side) ". "
            (format!("{reached:.2}")) " cores' worth of compute at a time, where " (format!("{possible:.2}")) " would be possible, "
            (format!("{:.0} %", 100.0 * reached / possible)) ". (" (grouped(work)) " cycles of FPU and SFPU, " (grouped(bytes)) " bytes.)"
        }
        (drawing(slope, roof, (intensity, reached)))
    }
}

/// Both axes by powers of ten.
fn drawing(slope: f64, roof: f64, (intensity, reached): (f64, f64)) -> Markup {
    let ridge = roof / slope;
    let (left, right) = (intensity.min(ridge) / 20.0, intensity.max(ridge) * 20.0);
    let (low, high) = (reached.min(roof) / 20.0, roof * 3.0);
    let along = |value: f64, (from, to): (f64, f64)| (log2(value) - log2(from)) / (log2(to) - log2(from));
    let x = |value: f64| LEFT + (SIZE.0 - LEFT - 10.0) * along(value, (left, right));
    let y = |value: f64| 10.0 + (SIZE.1 - BOTTOM - 10.0) * (1.0 - along(value, (low, high)));
    let tens = |from: f64, to: f64| {
        let all = std::iter::successors(Some(1e-9), |power| Some(power * 10.0)).take(20);
        all.filter(|power| (from..=to).contains(power)).collect::<Vec<f64>>()
    };
    // Where the slope comes into the drawing: from the left, or from below.
    let begin = if left * slope > low { (left, left * slope) } else { (low / slope, low) };
    html! {
        figure {
            svg.roof viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } role="img" aria-label="Roofline" {
                @for mark in tens(left, right) {
                    line.axis x1=(fixed(x(mark))) x2=(fixed(x(mark))) y1="10" y2=(fixed(SIZE.1 - BOTTOM)) {}
                    text.mark x=(fixed(x(mark))) y=(fixed(SIZE.1 - BOTTOM + 14.0)) text-anchor="middle" { (format!("{mark:.6}").trim_end_matches('0').trim_end_matches('.')) }
                }
                @for mark in tens(low, high) {
                    line.axis x1=(LEFT) x2=(fixed(SIZE.0 - 10.0)) y1=(fixed(y(mark))) y2=(fixed(y(mark))) {}
                    text.mark x=(LEFT - 6.0) y=(fixed(y(mark) + 4.0)) text-anchor="end" { (format!("{mark:.6}").trim_end_matches('0').trim_end_matches('.')) }
                }
                polyline.roof-line points={ (fixed(x(begin.0))) "," (fixed(y(begin.1))) " " (fixed(x(ridge))) "," (fixed(y(roof))) " " (fixed(SIZE.0 - 10.0)) "," (fixed(y(roof))) } {}
                line.reach x1=(fixed(x(intensity))) x2=(fixed(x(intensity))) y1=(fixed(y(reached))) y2=(fixed(y(roof.min(slope * intensity)))) {}
                circle.point cx=(fixed(x(intensity))) cy=(fixed(y(reached))) r="6" {}
                text.mark x=(fixed((LEFT + SIZE.0) / 2.0)) y=(fixed(SIZE.1 - 6.0)) text-anchor="middle" { "cycles of compute a byte of DRAM" }
            }
            figcaption { "Cores' worth of compute at a time (upwards): the line is what DRAM and the cores allow, the point what the run reaches." }
        }
    }
}

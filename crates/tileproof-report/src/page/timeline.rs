//! The timeline: a drawing that needs no script, and the data with which the script draws all cores, to be zoomed.
//!
//! Start at [`timeline`].

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use tileproof_model::finding::Finding;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::timeline::{CoreTimeline, LaunchTimeline};
use tileproof_model::wording::count;
use tileproof_timing::LaunchTiming;
use tileproof_timing::bound::grouped;
use tileproof_timing::waits::ORDER;

use super::drawing::{file_name, fixed, marks};
use super::lanes::{Kind, NO_PLACE, Piece, lane};
use crate::outside::visible;
use crate::source::Sources;

/// Cores that the drawing without a script has, and pieces of each of its threads.
const DRAWN: usize = 4;
const DRAWN_PIECES: usize = 500;
/// Pieces that the data have in all, and of a thread.
const PIECES: usize = 200_000;
const MOST_PIECES: usize = 8_000;
/// Steps of the critical path that the data have.
const STEPS: usize = 20_000;

const LEFT: f64 = 90.0;
const WIDTH: f64 = 1000.0;
const ROW: f64 = 18.0;

/// The section.
pub(super) fn timeline(
    which: &str,
    launch: &LaunchTimeline,
    (figures, findings): (&LaunchTiming, &[Finding]),
    sources: &dyn Sources,
) -> Markup {
    let (shown, named) = shown(launch, figures, findings);
    let first = if named { "those that findings name first" } else { "the one that ends last first" };
    let dropped = (launch.dropped > 0).then(|| {
        let left_out = grouped(launch.dropped);
        format!("The recording holds the beginning: {left_out} later calls and transfers are in the sums alone. ")
    });
    html! {
        p {
            (which) (dropped.unwrap_or_default())
            "Each row is a thread; time runs to the right, in cycles. Wide strokes are work, thin ones waits."
            @if shown.len() < launch.cores.len() {
                " Without a script " (shown.len()) " of " (launch.cores.len()) " cores are drawn, " (first) "."
            }
        }
        ul.legend aria-label="Colours" {
            @for kind in Kind::ALL { li { span class={ "key k-" (kind.class()) } {} (kind.name()) } }
        }
        div.timeline {
            figure {
                (drawing(launch, &shown))
                figcaption.visually-hidden { "Timeline of " (count(shown.len() as u64, "core")) "; the table below tells the same in figures." }
            }
        }
        script type="application/json" id="timeline-data" { (PreEscaped(data(launch, figures, (&shown, named), sources))) }
    }
}

/// The cores that are drawn without a script: those that findings name, the one that ends last, others of its path, the first. And
/// whether findings name one.
fn shown(launch: &LaunchTimeline, figures: &LaunchTiming, findings: &[Finding]) -> (Vec<usize>, bool) {
    let mut shown: Vec<usize> = Vec::new();
    // First where each was found, then who else had a part in it.
    let found = findings.iter().map(|finding| finding.primary.core);
    let others = findings.iter().flat_map(|finding| finding.labels.iter().map(|label| label.place.core));
    let is_there = |core: CoreCoord| launch.cores.iter().position(|other| other.coord == core);
    let named: Vec<usize> = found.chain(others).filter_map(is_there).collect();
    let on_path = figures.path.steps.iter().rev().map(|step| step.core);
    for core in named.iter().copied().chain(on_path).chain(0..launch.cores.len()) {
        if shown.len() == DRAWN {
            break;
        }
        if !shown.contains(&core) {
            shown.push(core);
        }
    }
    (shown, !named.is_empty())
}

fn threads_of(core: &CoreTimeline) -> Vec<Thread> {
    let runs = |thread: &Thread| {
        core.totals.iter().any(|total| total.thread == *thread) || core.stuck.iter().any(|s| s.thread == *thread)
    };
    ORDER.into_iter().filter(runs).collect()
}

fn drawing(launch: &LaunchTimeline, shown: &[usize]) -> Markup {
    let end = launch.cycles.max(1);
    let x = |cycle: u64| LEFT + (WIDTH - LEFT - 10.0) * cycle as f64 / end as f64;
    let mut y = 4.0;
    let mut rows = Vec::new();
    for core in shown.iter().map(|core| &launch.cores[*core]) {
        y += ROW;
        rows.push(html! { text.core x="0" y=(fixed(y - 5.0)) { "core " (core.coord.to_string()) } });
        for thread in threads_of(core) {
            rows.push(html! {
                text.thread x="8" y=(fixed(y + 12.0)) { (thread.name()) }
                @for piece in lane(core, thread, end, DRAWN_PIECES) { (stroke(launch, &piece, (y, &x))) }
            });
            y += ROW;
        }
    }
    let height = y + 24.0;
    html! {
        svg.drawing viewBox={ "0 0 " (WIDTH) " " (fixed(height)) } role="img" aria-label="Timeline of threads" {
            @for mark in marks(end) {
                line.axis x1=(fixed(x(mark))) x2=(fixed(x(mark))) y1="0" y2=(fixed(y + 4.0)) {}
                text.mark x=(fixed(x(mark))) y=(fixed(height - 6.0)) text-anchor="middle" { (grouped(mark)) }
            }
            @for row in rows { (row) }
        }
    }
}

/// A piece: waits are thin, so that they are told apart without colours.
fn stroke(launch: &LaunchTimeline, piece: &Piece, (y, x): (f64, &dyn Fn(u64) -> f64)) -> Markup {
    let (from, to) = (x(piece.from), x(piece.to));
    let is_wait = !matches!(piece.kind, Kind::Unit | Kind::Call | Kind::Own);
    let (top, height) = if is_wait { (y + 6.0, 5.0) } else { (y + 2.0, 13.0) };
    html! {
        rect class={ "k-" (piece.kind.class()) } x=(fixed(from)) y=(fixed(top)) width=(fixed((to - from).max(0.3))) height=(fixed(height)) {
            title { (label(launch, piece)) ", " (grouped(piece.from)) " to " (grouped(piece.to)) }
        }
    }
}

fn label(launch: &LaunchTimeline, piece: &Piece) -> String {
    let what = match piece.kind {
        Kind::Unit | Kind::Call | Kind::Own => piece.doing.title(piece.of),
        Kind::Stuck => "stuck".into(),
        _ => format!("waits for {}", piece.doing.waits_for(piece.of)),
    };
    let place = launch.places.get(piece.place as usize).and_then(|place| place.location.as_ref());
    match place {
        Some(location) => format!("{what}, {}:{}", file_name(&location.file), location.line),
        None => what,
    }
}

/// All cores as JSON: labels once, each thread a list of numbers, three a piece: how far behind the last one, how long, which label.
fn data(
    launch: &LaunchTimeline,
    figures: &LaunchTiming,
    (shown, named): (&[usize], bool),
    sources: &dyn Sources,
) -> String {
    let threads: usize = launch.cores.iter().map(|core| threads_of(core).len()).sum();
    let most = (PIECES / threads.max(1)).min(MOST_PIECES);
    let mut labels = Labels { launch, sources, numbers: BTreeMap::new(), told: Vec::new() };
    let mut cores = Vec::new();
    for core in &launch.cores {
        let mut lanes = Vec::new();
        for thread in threads_of(core) {
            let mut at = 0;
            let mut numbers = Vec::new();
            for piece in lane(core, thread, launch.cycles, most) {
                numbers.push((piece.from - at).to_string());
                numbers.push((piece.to - piece.from).to_string());
                numbers.push(labels.number((core, thread), &piece).to_string());
                at = piece.to;
            }
            lanes.push(format!("{{\"thread\":\"{}\",\"pieces\":[{}]}}", thread.name(), numbers.join(",")));
        }
        cores.push(format!("{{\"core\":\"{}\",\"lanes\":[{}]}}", core.coord, lanes.join(",")));
    }
    let path: Vec<String> = steps(figures).iter().map(|numbers| format!("[{}]", numbers.join(","))).collect();
    let kinds: Vec<String> = Kind::ALL.iter().map(|kind| format!("\"{}\"", kind.class())).collect();
    let shown: Vec<String> = shown.iter().map(usize::to_string).collect();
    format!(
        "{{\"cycles\":{},\"kinds\":[{}],\"shown\":[{}],\"named\":{named},\"labels\":[{}],\"cores\":[{}],\"path\":[{}]}}",
        launch.cycles,
        kinds.join(","),
        shown.join(","),
        labels.told.join(","),
        cores.join(","),
        path.join(",")
    )
}

/// The critical path: core, thread's name by its place in [`ORDER`], from, to; neighbours on one thread joined.
fn steps(figures: &LaunchTiming) -> Vec<[String; 4]> {
    let mut joined: Vec<(usize, Thread, u64, u64)> = Vec::new();
    for step in &figures.path.steps {
        match joined.last_mut() {
            Some((core, thread, _, to)) if (*core, *thread, *to) == (step.core, step.thread, step.from) => {
                *to = step.to
            }
            _ => joined.push((step.core, step.thread, step.from, step.to)),
        }
    }
    joined.truncate(STEPS);
    let order = |thread: Thread| ORDER.iter().position(|other| *other == thread).unwrap_or(0);
    let told = |(core, thread, from, to): (usize, Thread, u64, u64)| {
        [core.to_string(), order(thread).to_string(), from.to_string(), to.to_string()]
    };
    joined.into_iter().map(told).collect()
}

/// What pieces are called, each once.
struct Labels<'a> {
    launch: &'a LaunchTimeline,
    sources: &'a dyn Sources,
    /// By what they say and the line: of two files of one name the lines are others.
    numbers: BTreeMap<(Kind, String, u32), usize>,
    told: Vec<String>,
}

impl Labels<'_> {
    fn number(&mut self, (core, thread): (&CoreTimeline, Thread), piece: &Piece) -> usize {
        let stuck = || core.stuck.iter().find(|stuck| stuck.thread == thread);
        let text = match piece.kind {
            Kind::Stuck => stuck().map_or(String::new(), |stuck| stuck.text.clone()),
            _ => label(self.launch, piece),
        };
        let key = (piece.kind, text, piece.place);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let kind = Kind::ALL.iter().position(|kind| *kind == piece.kind).unwrap_or(0);
        let source = if piece.place == NO_PLACE { None } else { self.line(piece.place) };
        let number = self.told.len();
        self.told.push(format!("[{kind},{},{}]", json_text(&key.1), json_text(&source.unwrap_or_default())));
        self.numbers.insert(key, number);
        number
    }

    /// The source line of a call.
    fn line(&self, place: u32) -> Option<String> {
        let location = self.launch.places.get(place as usize)?.location.as_ref()?;
        let text = self.sources.text(&location.file)?;
        text.lines().nth(location.line.checked_sub(1)? as usize).map(|line| line.trim().to_string())
    }
}

/// A text in JSON that may stand in a script element: no `<` ends it, or begins a comment.
fn json_text(text: &str) -> String {
    let text = serde_json::to_string(&*visible(text)).unwrap_or_else(|_| "\"\"".into());
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_others_cannot_end_the_script_that_it_stands_in() {
        assert_eq!(json_text("</script><!--"), "\"\\u003c/script>\\u003c!--\"");
        let back: String = serde_json::from_str(&json_text("a<b \"c\"")).unwrap();
        assert_eq!(back, "a<b \"c\"");
    }
}

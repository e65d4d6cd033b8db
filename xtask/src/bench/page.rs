//! What was measured as a page, in the look of the pages of `--report`.
//!
//! It must never name another file or host: a page is whole. Start at [`page`].

use std::fmt::Write as _;

use serde_json::Value;

use super::history;
use super::measure::Row;

/// What pages look like.
const STYLE: &str = include_str!("../../../crates/tileproof-report/src/page/style.css");
/// Widths of a bar and of a drawing of earlier runs, and its height.
const BAR: f64 = 100.0;
const LINE: (f64, f64) = (120.0, 24.0);

/// The page.
pub(super) fn page(rows: &[Row], earlier: &[Value]) -> String {
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict() == verdict).count();
    let (goal, floor, missed) = (count("goal"), count("floor"), count("MISSED"));
    let (class, verdict) = if missed == 0 { ("pass", "no floor is missed") } else { ("fail", "floors are missed") };
    let mut subjects: Vec<&str> = rows.iter().map(|row| row.of.as_str()).collect();
    subjects.dedup();
    let mut sections = String::new();
    let mut links = String::new();
    for (number, subject) in subjects.iter().enumerate() {
        let title = escaped(subject);
        let _ = write!(links, "<li><a href=\"#s{number}\">{title}</a></li>");
        let _ = write!(
            sections,
            "<section id=\"s{number}\" aria-labelledby=\"s{number}-title\"><h2 id=\"s{number}-title\">{title}</h2>\
             <div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">what</th>\
             <th class=\"number\" scope=\"col\">measured</th><th class=\"number\" scope=\"col\">floor</th>\
             <th class=\"number\" scope=\"col\">goal</th><th scope=\"col\">of the goal</th><th scope=\"col\">verdict</th>\
             <th scope=\"col\">earlier runs</th></tr></thead><tbody>{}</tbody></table></div></section>",
            rows.iter().filter(|row| row.of == **subject).map(|row| line(row, earlier)).collect::<String>()
        );
    }
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>Times beside the targets · Tileproof</title><style>{STYLE}</style></head><body>\
         <a class=\"skip\" href=\"#content\">Skip to the content</a><header><p class=\"brand\">Tileproof</p>\
         <h1>Times beside the targets</h1><p class=\"verdict {class}\">{verdict}</p><dl class=\"facts\">\
         <div><dt>goals reached</dt><dd>{goal}</dd></div><div><dt>floors, not goals</dt><dd>{floor}</dd></div>\
         <div><dt>missed</dt><dd>{missed}</dd></div><div><dt>earlier runs</dt><dd>{}</dd></div></dl>\
         <nav aria-label=\"Sections\"><ul>{links}</ul></nav></header><main id=\"content\">{sections}</main></body></html>\n",
        earlier.len()
    )
}

fn line(row: &Row, earlier: &[Value]) -> String {
    let (floor, goal) = row.targets.map_or(Default::default(), |(floor, goal)| (floor.to_string(), goal.to_string()));
    let share = row.targets.map(|(_, goal)| if row.more_is_better { row.measured / goal } else { goal / row.measured });
    let bar = share.map_or(String::new(), |share| {
        let width = (BAR * share).clamp(0.0, BAR);
        format!(
            "<div class=\"bar\"><span class=\"k-unit\" style=\"width:{width:.1}%\"></span></div><small>{:.0} %</small>",
            100.0 * share
        )
    });
    let verdict = match row.verdict() {
        "MISSED" => "<b class=\"old\">MISSED</b>",
        verdict => verdict,
    };
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.3} {}</td><td class=\"number\">{floor}</td>\
         <td class=\"number\">{goal}</td><td class=\"bar-cell\">{bar}</td><td>{verdict}</td><td>{}</td></tr>",
        escaped(&row.what),
        row.measured,
        row.unit,
        course(row, earlier)
    )
}

/// How the measure went over the runs before, and now.
fn course(row: &Row, earlier: &[Value]) -> String {
    let mut values = history::of(row, earlier);
    if values.is_empty() {
        return String::new();
    }
    values.push(row.measured);
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let step = LINE.0 / (values.len() - 1) as f64;
    let point = |(at, value): (usize, &f64)| {
        format!("{:.1},{:.1} ", at as f64 * step, LINE.1 - 2.0 - (LINE.1 - 4.0) * value / most)
    };
    let points: String = values.iter().enumerate().map(point).collect();
    format!(
        "<svg viewBox=\"0 0 {} {}\" style=\"width:{}px\" role=\"img\" aria-label=\"{} runs, from {:.3} to {:.3}\">\
         <polyline class=\"roof-line\" points=\"{}\"></polyline></svg>",
        LINE.0,
        LINE.1,
        LINE.0,
        values.len(),
        values[0],
        row.measured,
        points.trim_end()
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_has_each_row_under_its_heading_and_what_it_was_before() {
        let row = |of: &str, what: &str, measured| Row {
            of: of.into(),
            what: what.into(),
            measured,
            unit: "x",
            targets: Some((2.0, 10.0)),
            more_is_better: true,
        };
        let rows = [row("speed", "a <b> & c", 5.0), row("speed", "slow", 1.0), row("size", "small", 20.0)];
        let earlier = [json!({ "measured": { "speed: slow": 0.5 } })];
        let page = page(&rows, &earlier);
        assert!(page.contains("a &lt;b&gt; &amp; c") && page.contains("<b class=\"old\">MISSED</b>"), "{page}");
        assert_eq!(page.matches("<section").count(), 2);
        // From half as fast to twice that: the line goes up, from the middle of the drawing to its top.
        assert!(page.contains("points=\"0.0,12.0 120.0,2.0\""), "{page}");
        assert_eq!(page.matches("<polyline").count(), 1);
        assert!(!page.contains("http:") && !page.contains("https:"), "{page}");
    }
}

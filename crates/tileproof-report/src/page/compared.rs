//! Two runs of programs side by side: what takes less time in the second, and where.
//!
//! It works nothing out but differences and parts of what the document has. Start at [`render_compared_page`].

use maud::{Markup, html};
use tileproof_timing::bound::{grouped, percent};

use super::charts::one_bar;
use super::document::{Section, render_document};
use super::drawing::amount;
use crate::json::compare_runs::{CompareRunsDocument, OutputEntry, PathEntry, ThreadEntry};
use crate::outside::visible;

/// The page of a comparison, and the command that makes it again.
pub fn render_compared_page(both: &CompareRunsDocument, command: &str) -> String {
    let mut sections = vec![Section::new("bound", "What bounds them", bounds(both))];
    if !both.new.is_empty() || !both.gone.is_empty() {
        sections.push(Section::new("findings", "Findings", findings(both)));
    }
    if !both.path.is_empty() {
        sections.push(Section::new("path", "Where the time goes", path(&both.path)));
    }
    if !both.threads.is_empty() {
        sections.push(Section::new("threads", "What threads do", threads(&both.threads)));
    }
    if !both.outputs.is_empty() {
        sections.push(Section::new("outputs", "Outputs", outputs(&both.outputs)));
    }
    sections.push(Section::new("again", "Run it again", html! { pre tabindex="0" { code { (visible(command)) } } }));
    let title = format!("{}, then {}", both.a, both.b);
    render_document(&visible(&title), &header(both), &sections)
}

fn header(both: &CompareRunsDocument) -> Markup {
    html! {
        p class=(if both.pass { "verdict pass" } else { "verdict fail" }) { (if both.pass { "pass" } else { "FAIL" }) }
        dl.facts {
            div { dt { "first" } dd { (visible(&both.a)) ", " (both.status[0]) } }
            div { dt { "second" } dd { (visible(&both.b)) ", " (both.status[1]) } }
            div { dt { "cycles" } dd { (grouped(both.cycles[0])) ", then " (grouped(both.cycles[1])) } }
            div { dt { "change" } dd { (changed(both.cycles)) } }
        }
    }
}

/// "12 % fewer".
fn changed([a, b]: [u64; 2]) -> String {
    if a == b {
        return "as many".into();
    }
    let share = a.abs_diff(b) as f64 / a.max(1) as f64;
    format!("{} {}", percent(share), if b < a { "fewer" } else { "more" })
}

fn bounds(both: &CompareRunsDocument) -> Markup {
    html! {
        @for (which, sentence) in ["The first", "The second"].iter().zip(&both.bound) {
            h3 { (which) }
            @if sentence.is_empty() { p { "It did not complete." } } @else { p.bound { (visible(sentence)) } }
        }
    }
}

fn findings(both: &CompareRunsDocument) -> Markup {
    html! {
        @if !both.new.is_empty() { p { b { "In the second alone: " } (both.new.join(", ")) } }
        @if !both.gone.is_empty() { p { b { "In the first alone: " } (both.gone.join(", ")) } }
    }
}

fn path(path: &[PathEntry]) -> Markup {
    let most = path.iter().flat_map(|entry| [entry.a, entry.b]).max().unwrap_or(1);
    html! {
        p { "Cycles of the critical paths by what they go to, what changed most first." }
        div.wide tabindex="0" {
            table {
                thead { tr { th scope="col" { "goes to" } th.number scope="col" { "first" } th.number scope="col" { "second" } th.number scope="col" { "change" } th scope="col" { "first and second, of the largest" } } }
                tbody {
                    @for entry in path {
                        tr {
                            th scope="row" { (visible(&entry.resource)) }
                            td.number { (grouped(entry.a)) }
                            td.number { (grouped(entry.b)) }
                            td.number { (signed(entry.a, entry.b)) }
                            td.bar-cell { (one_bar(entry.a, most, "call")) (one_bar(entry.b, most, "unit")) }
                        }
                    }
                }
            }
        }
    }
}

/// "+1,200", "-40", "0".
fn signed(a: u64, b: u64) -> String {
    let sign = match b.cmp(&a) {
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", grouped(a.abs_diff(b)))
}

fn threads(threads: &[ThreadEntry]) -> Markup {
    let part = |part: Option<f64>| part.map_or("no kernel".into(), percent);
    html! {
        div.wide tabindex="0" {
            table {
                thead { tr { th scope="col" { "thread" } th scope="col" { "run" } th.number scope="col" { "works" } th.number scope="col" { "waits" } th scope="col" { "most for" } } }
                tbody {
                    @for thread in threads {
                        @for (run, which) in ["first", "second"].iter().enumerate() {
                            tr {
                                th scope="row" { (thread.thread) }
                                td { (which) }
                                td.number { (part(thread.works[run])) }
                                td.number { (part(thread.waits[run])) }
                                td { (visible(&thread.waits_for[run])) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn outputs(outputs: &[OutputEntry]) -> Markup {
    let off = |difference: Option<f64>| difference.map_or("not compared".into(), amount);
    html! {
        p { "The largest difference of each from what it should be." }
        div.wide tabindex="0" {
            table {
                thead { tr { th scope="col" { "output" } th.number scope="col" { "first" } th.number scope="col" { "second" } } }
                tbody {
                    @for output in outputs {
                        tr { th scope="row" { (visible(&output.name)) } td.number { (off(output.max_diff[0])) } td.number { (off(output.max_diff[1])) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_told_with_its_sign_and_as_a_part() {
        assert_eq!([signed(1000, 2200), signed(90, 50), signed(7, 7)], ["+1,200", "-40", "0"].map(String::from));
        assert_eq!(changed([1000, 880]), "12 % fewer");
        assert_eq!(changed([1000, 1002]), "under 1 % more");
        assert_eq!(changed([5, 5]), "as many");
    }
}

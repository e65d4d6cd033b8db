//! The frame of every page: head, style, sections that can be jumped to.
//!
//! It must never name another file or host: a page is whole. Start at [`render_document`].

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// What pages look like.
const STYLE: &str = include_str!("style.css");
/// Zoom, pan and filters of timelines; sorting of nothing: all can be read without it.
const SCRIPT: &str = include_str!("page.js");

/// A section of a page.
pub(super) struct Section {
    /// What links name.
    pub(super) id: String,
    /// Its heading.
    pub(super) title: String,
    /// What is in it.
    pub(super) content: Markup,
}

impl Section {
    /// A section.
    pub(super) fn new(id: impl Into<String>, title: impl Into<String>, content: Markup) -> Section {
        Section { id: id.into(), title: title.into(), content }
    }
}

/// A page.
pub(super) fn render_document(title: &str, header: &Markup, sections: &[Section]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Nothing is fetched, whatever text of others may say.
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
                meta name="color-scheme" content="light dark";
                title { (title) " · Tileproof" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header {
                    p.brand { "Tileproof" }
                    h1 { (title) }
                    (header)
                    nav aria-label="Sections" {
                        ul { @for section in sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                    }
                }
                main #content {
                    @for section in sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (section.content)
                        }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

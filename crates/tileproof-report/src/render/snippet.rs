//! The only file that knows `annotate-snippets`: titles, source lines, labels and remarks in, rustc's look out.
//!
//! It knows nothing of findings, so that a change of that crate's interface ends here. Start at [`Block::render`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::outside::visible;
use crate::severity::Severity;
use crate::source::Sources;
use crate::style::Style;

/// Wider than any line; the renderer doubles it.
const UNCUT: usize = 1 << 30;

/// A place in a file, and what is said of it.
pub(crate) struct Mark<'a> {
    pub(crate) file: &'a str,
    /// From 1.
    pub(crate) line: u32,
    /// From 1; 0 when unknown.
    pub(crate) column: u32,
    pub(crate) text: Cow<'a, str>,
}

/// Everything that is printed of one finding.
pub(crate) struct Block<'a> {
    pub(crate) severity: Severity,
    pub(crate) id: String,
    pub(crate) title: Cow<'a, str>,
    /// The place to blame; `None` when it is not known.
    pub(crate) primary: Option<Mark<'a>>,
    pub(crate) labels: Vec<Mark<'a>>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Option<Cow<'a, str>>,
}

impl Block<'_> {
    pub(crate) fn render(&self, sources: &dyn Sources, style: Style) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut files: Vec<(&str, Rc<str>)> = Vec::new();
        for mark in self.primary.iter().chain(&self.labels) {
            if !files.iter().any(|(file, _)| *file == mark.file)
                && let Some(text) = sources.text(mark.file)
            {
                files.push((mark.file, text));
            }
        }
        let width = style.width.max(40);
        for (file, text) in &mut files {
            let marks = self.primary.iter().chain(&self.labels).filter(|mark| mark.file == *file);
            if let Some(shorter) = without_tails(text, marks, width) {
                *text = shorter.into();
            }
        }
        let mut elements: Vec<Element<'_>> = Vec::new();
        // A mark without a source line to stand under becomes a remark, so that nothing that was said is lost.
        let mut remarks = Vec::new();
        if let Some(primary) = &self.primary
            && span_in(&files, primary).is_none()
        {
            let mut origin = Origin::path(visible(primary.file)).line(primary.line as usize);
            if primary.column > 0 {
                origin = origin.char_column(primary.column as usize);
            }
            elements.push(origin.into());
            if !primary.text.is_empty() {
                remarks.push(primary.text.to_string());
            }
        }
        for (file, text) in &files {
            let mut snippet = Snippet::source(&**text).path(visible(file));
            let mut marks = 0;
            for (index, mark) in self.primary.iter().chain(&self.labels).enumerate() {
                let Some(span) = span_in(&files, mark).filter(|_| mark.file == *file) else {
                    continue;
                };
                let is_primary = index == 0 && self.primary.is_some();
                let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let annotation = kind.span(span);
                snippet = snippet.annotation(if mark.text.is_empty() {
                    annotation
                } else {
                    annotation.label(mark.text.as_ref())
                });
                marks += 1;
            }
            if marks > 0 {
                elements.push(snippet.into());
            }
        }
        for label in self.labels.iter().filter(|l| span_in(&files, l).is_none()) {
            remarks.push(format!("{}:{}: {}", label.file, label.line, label.text));
        }
        let notes = remarks.into_iter().chain(self.notes.iter().cloned());
        elements.extend(notes.map(|n| Level::NOTE.message(n).into()));
        elements.extend(self.help.as_deref().map(|h| Level::HELP.message(h).into()));
        let title = level.primary_title(self.title.as_ref()).id(self.id.as_str());
        let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
        // Lines are cut above, at their ends: the renderer would take their beginnings away.
        let mut text = renderer.term_width(UNCUT).render(&[Group::with_title(title).elements(elements)]);
        text.push('\n');
        text
    }
}

/// The bytes that a mark underlines, if its file and line are there.
fn span_in(files: &[(&str, Rc<str>)], mark: &Mark<'_>) -> Option<Range<usize>> {
    let (_, text) = files.iter().find(|(file, _)| *file == mark.file)?;
    let start: usize = text.split_inclusive('\n').take((mark.line as usize).checked_sub(1)?).map(str::len).sum();
    let line = text.get(start..)?.split('\n').next().filter(|l| !l.trim().is_empty())?;
    let span = statement(line, mark.column as usize);
    Some(start + span.start..start + span.end)
}

/// A text whose lines are no wider than `width`, except that those that bear marks end no sooner than these. `None` if all fit.
fn without_tails<'a>(text: &str, marks: impl Iterator<Item = &'a Mark<'a>>, width: usize) -> Option<String> {
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    for mark in marks {
        let end = ends.entry(mark.line as usize).or_default();
        let Some(line) = (mark.line as usize).checked_sub(1).and_then(|n| text.split('\n').nth(n)) else { continue };
        // Without a column the whole line is meant, and its beginning says enough.
        *end = (*end).max(if mark.column > 0 { statement(line, mark.column as usize).end } else { 0 });
    }
    let is_wide = |line: &str| line.len() > width && line.chars().count() > width;
    let mut cut = false;
    let lines = text.split('\n').enumerate().map(|(index, line)| {
        if !is_wide(line) {
            return Cow::Borrowed(line);
        }
        let end = ends.get(&(index + 1)).copied().unwrap_or(0);
        let at = line.char_indices().nth(width - TAIL.len()).map_or(line.len(), |(at, _)| at).max(end);
        if at + TAIL.len() >= line.len() {
            return Cow::Borrowed(line);
        }
        cut = true;
        Cow::Owned(format!("{}{TAIL}", &line[..at]))
    });
    let lines: Vec<Cow<'_, str>> = lines.collect();
    cut.then(|| lines.join("\n"))
}

/// Stands for the end of a line that is cut.
const TAIL: &str = "...";

/// The call at `column` (from 1) to its closing parenthesis; without a column the line's code.
fn statement(line: &str, column: usize) -> Range<usize> {
    let indent = line.len() - line.trim_start().len();
    let code_end = line.find("//").map_or(line.len(), |at| if line[..at].trim().is_empty() { line.len() } else { at });
    let code_end = line[..code_end].trim_end().trim_end_matches(';').len().max(indent + 1);
    let start = match column.checked_sub(1).and_then(|c| line.char_indices().nth(c)) {
        Some((byte, c)) if byte < code_end && !c.is_whitespace() => byte,
        _ => return indent..code_end,
    };
    let mut depth = 0;
    for (at, c) in line[start..code_end].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth <= 0 {
                    return start..start + at + if depth == 0 { 1 } else { 0 };
                }
            }
            ';' if depth == 0 => return start..start + at,
            _ => {}
        }
    }
    start..code_end
}

#[cfg(test)]
mod tests {
    use super::statement;

    fn underlined(line: &str, column: usize) -> &str {
        &line[statement(line, column)]
    }

    #[test]
    fn a_call_is_underlined_to_its_closing_parenthesis() {
        assert_eq!(underlined("  cb.wait(f(1), 2); pop(3);", 6), "wait(f(1), 2)");
        assert_eq!(underlined("  copy_tile(c_0, 0, 0);  // first", 3), "copy_tile(c_0, 0, 0)");
        assert_eq!(underlined("f(g(x));", 3), "g(x)");
    }

    #[test]
    fn a_call_that_goes_on_in_the_next_line_is_underlined_to_the_end_of_this_one() {
        assert_eq!(underlined("    matmul_tiles(c_0, c_1,", 5), "matmul_tiles(c_0, c_1,");
    }

    #[test]
    fn without_a_column_the_code_of_the_line_is_underlined() {
        assert_eq!(underlined("\tcb_push_back(c_0, 1);", 0), "cb_push_back(c_0, 1)");
        assert_eq!(underlined("    ;", 0), ";");
        assert_eq!(underlined("    // only a comment", 0), "// only a comment");
    }

    #[test]
    fn a_column_beyond_the_line_does_not_panic() {
        assert_eq!(underlined("  f();", 99), "f()");
    }
}

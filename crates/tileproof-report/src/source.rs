//! Where source lines come from, and how a place in them is named.
//!
//! Renderers never open a file: a kernel's path may be relative to somewhere the user has not got, and texts that were
//! compiled may have changed on disk since. Whoever loaded the kernel knows its text; see [`Sources`].

use std::rc::Rc;

use tileproof_model::finding::Place;
use tileproof_model::kernel::SourceLocation;

/// Looks up the text of source files by the path that a finding names.
pub trait Sources {
    /// The whole text, or `None` if it is not to be had.
    fn text(&self, file: &str) -> Option<Rc<str>>;
}

/// No text at all: places are printed without their lines.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoSources;

impl Sources for NoSources {
    fn text(&self, _file: &str) -> Option<Rc<str>> {
        None
    }
}

impl<F: Fn(&str) -> Option<String>> Sources for F {
    fn text(&self, file: &str) -> Option<Rc<str>> {
        self(file).map(Rc::from)
    }
}

/// File and line of a place in a kernel; the kernel's name stands in for a file that is not known, and 0 for its line.
pub(crate) fn file_and_line<'a>(location: Option<&'a SourceLocation>, kernel: &'a str) -> (&'a str, u32) {
    location.map_or((kernel, 0), |location| (location.file.as_str(), location.line))
}

/// The same of the place of a finding.
pub(crate) fn place_in_file(place: &Place) -> (&str, u32) {
    file_and_line(place.location.as_ref(), &place.kernel)
}

//! Where source lines come from.
//!
//! Renderers never open a file: a kernel's path may be relative to somewhere the user has not got, and texts that were
//! compiled may have changed on disk since. Whoever loaded the kernel knows its text; see [`Sources`].

use std::rc::Rc;

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

//! Source files as they are on the disk, each read once, for the lines that findings show.
//!
//! It must never fail: a place whose file cannot be read is shown without its line. Start at [`SourceFiles`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tileproof_report::Sources;

/// Bytes of a file whose lines are shown.
const MOST_BYTES: u64 = 64 << 20;

/// What was read so far.
#[derive(Default)]
pub struct SourceFiles(RefCell<BTreeMap<String, Option<Rc<str>>>>);

impl Sources for SourceFiles {
    fn text(&self, file: &str) -> Option<Rc<str>> {
        if let Some(known) = self.0.borrow().get(file) {
            return known.clone();
        }
        // A `#line` of a kernel can name anything: what has no end is not read.
        let is_text = std::fs::metadata(file).is_ok_and(|facts| facts.is_file() && facts.len() <= MOST_BYTES);
        let text = is_text.then(|| std::fs::read_to_string(file).ok()).flatten().map(Rc::from);
        self.0.borrow_mut().insert(file.into(), text.clone());
        text
    }
}

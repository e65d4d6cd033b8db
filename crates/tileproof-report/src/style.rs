//! How text is to look.
//!
//! The caller decides; nothing here asks the environment whether it is a terminal.

/// Colour and width of rendered text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Style {
    /// Without colour, 80 columns.
    pub const PLAIN: Style = Style { color: false, width: 80 };
}

impl Default for Style {
    fn default() -> Style {
        Style::PLAIN
    }
}

//! How text is to look.
//!
//! The caller decides; nothing here asks the environment whether it is a terminal.

use crate::outside::visible;

/// What a word on its own says by its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// It is as it should be.
    Good,
    /// It is not.
    Bad,
    /// The head of a table.
    Head,
    /// Nothing.
    Plain,
}

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

    /// The text in its colour, if there are colours.
    pub fn paint(self, text: &str, ink: Ink) -> String {
        let code = match ink {
            _ if !self.color => return visible(text).into_owned(),
            Ink::Plain => return visible(text).into_owned(),
            Ink::Good => "32",
            Ink::Bad => "1;31",
            Ink::Head => "1",
        };
        format!("\x1b[{code}m{}\x1b[0m", visible(text))
    }
}

impl Default for Style {
    fn default() -> Style {
        Style::PLAIN
    }
}

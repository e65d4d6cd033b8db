//! From bytes of a text to its lines.
//!
//! It must never look through the text for each question. Start at [`Lines::of`].

/// Where the lines of a text begin.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines(ends.collect())
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        1 + self.0.partition_point(|start| *start <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_behind_its_newline() {
        let lines = Lines::of("ab\n\nc");
        let of: Vec<usize> = (0..7).map(|at| lines.line(at)).collect();
        assert_eq!(of, [1, 1, 1, 2, 3, 3, 3]);
    }
}

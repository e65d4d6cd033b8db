//! Which state of the device's headers a program's kernels were written for: a day.
//!
//! What changed on which day stands in one table, `tp/api_dates.h` of the builder's shim, and is described in `docs/api.md`; this
//! file must never know a change. Start at [`Api`].

use std::fmt;

/// Commits of tt-llk, and their days.
const COMMITS: &str = include_str!("llk_commits.txt");

/// The digits that a commit must have at least.
const FEWEST_DIGITS: usize = 7;

/// A state of tt-metal's headers and of tt-llk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Api {
    /// The day as the number YYYYMMDD.
    day: u32,
}

impl fmt::Display for Api {
    /// The day, as a program file has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.day;
        write!(f, "{:04}-{:02}-{:02}", day / 10_000, day / 100 % 100, day % 100)
    }
}

impl Api {
    /// ttnn 0.66: its headers are those of tt-metal of that day, which its files tell.
    pub const V0_66: Api = Api { day: 20_260_122 };
    /// ttnn 0.79: the day on which it was built.
    pub const V0_79: Api = Api { day: 20_260_918 };

    /// What `api` may be, for messages.
    pub const CHOICES: &str = "\"0.66\", \"0.79\", a day as \"2026-04-02\" and no later than 2026-09-18, or a commit of tt-llk of 7 to 40 digits";

    /// The state that a word names.
    pub fn parse(word: &str) -> Option<Api> {
        match word {
            "0.66" => Some(Api::V0_66),
            "0.79" => Some(Api::V0_79),
            // What later headers do nobody has looked at.
            _ => day(word).or_else(|| commit(word)).map(|day| Api { day }).filter(|api| *api <= Api::V0_79),
        }
    }

    /// The state of a day that [`Api::day`] gave.
    pub(crate) const fn of_day(day: u32) -> Api {
        Api { day }
    }

    /// The day as the number YYYYMMDD.
    pub const fn day(self) -> u32 {
        self.day
    }

    /// Whether an accessor's words have its page size: since 2 April 2026 at the latest (`tensor_accessor_args.h`). On days in
    /// between, of which that is not known (`TP_ACCESSOR_PAGES`), accessors end the kernel.
    pub fn has_page_words(self) -> bool {
        self >= Api { day: 20_260_402 }
    }
}

/// A day that there is.
fn day(word: &str) -> Option<u32> {
    let mut parts = word.splitn(3, '-');
    let mut part = |digits: usize| {
        let text = parts.next().filter(|text| text.len() == digits && text.bytes().all(|b| b.is_ascii_digit()))?;
        text.parse::<u32>().ok()
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(year * 10_000 + month * 100 + day)
}

/// The day of a commit, if no other begins like it.
fn commit(word: &str) -> Option<u32> {
    if !(FEWEST_DIGITS..=40).contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let rows = COMMITS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let mut found = rows.filter(|(commit, _)| word.starts_with(commit) || commit.starts_with(&word));
    let (_, day) = found.next()?;
    if found.next().is_some() { None } else { day.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_a_day_and_a_commit_name_a_state_and_nothing_else_does() {
        let day = |word| Api::parse(word).map(Api::day);
        assert_eq!(day("0.66"), Some(20_260_122));
        assert_eq!(day("0.79"), Some(20_260_918));
        assert_eq!(day("2026-04-02"), Some(20_260_402));
        assert_eq!(day("2024-02-29"), Some(20_240_229));
        let paged = |word| Api::parse(word).map(Api::has_page_words);
        assert_eq!([paged("0.66"), paged("2026-04-01"), paged("2026-04-02")], [Some(false), Some(false), Some(true)]);
        // tt-metal took this one on 10 March 2026.
        let taken = day("c901928a104926e91063268619d751a0d6189c01").unwrap();
        assert!((20_260_301..=20_260_310).contains(&taken), "{taken}");
        assert_eq!(day("C901928"), Some(taken));
        for wrong in [
            "",
            "0.67",
            "2026-4-2",
            "2026-13-01",
            "2025-02-29",
            "2026-02-30-1",
            "c90192",
            "c901928x",
            "ffffffffff",
            "2026-09-19",
            "2027-01-01",
        ] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_days_of_versions_are_those_of_the_headers_and_of_the_page() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
        let [older, newer] = [Api::V0_66, Api::V0_79].map(Api::day);
        let table = text("crates/tileproof-build/shim/tp/api_dates.h");
        assert!(table.contains(&format!("#define TP_API {newer}\n")), "what no day says is 0.79");
        assert!(text("crates/tileproof-build/src/shim.rs").contains(&format!("#define TP_API {older}\\n")));
        let page = text("docs/api.md");
        assert!(page.contains("tt-metal of 22 January 2026") && page.contains("built on 18 September 2026"));
        assert_eq!([older, newer], [20_260_122, 20_260_918]);
        assert!(Api::CHOICES.contains("2026-09-18"));
        // Nothing of the table lies behind the last day.
        let rows = table.lines().filter(|line| line.starts_with("#define TP_"));
        let days = rows.flat_map(|line| line.split([' ', ','])).filter_map(|word| word.parse::<u32>().ok());
        let days: Vec<u32> = days.filter(|day| *day > 20_000_000).collect();
        assert!(days.len() > 10 && days.iter().all(|day| *day <= newer), "{days:?}");
    }

    #[test]
    fn commits_are_told_apart_by_the_digits_that_they_are_kept_with() {
        let mut commits: Vec<&str> =
            COMMITS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split(' ').next()).collect();
        let all = commits.len();
        commits.sort_unstable();
        commits.dedup();
        assert_eq!(commits.len(), all);
    }
}

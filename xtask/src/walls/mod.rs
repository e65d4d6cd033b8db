//! The walls: rules of the repository that neither the compiler nor clippy can hold.
//!
//! Each wall is a function from the files to a list of breaches; it changes nothing. Start at [`breaches`]; the rules on
//! text are in [`text`], the one on crates in [`dependencies`], which reads the table of ARCHITECTURE.md.

mod chips;
mod circles;
mod dependencies;
mod explain;
mod features;
mod files;
mod functions;
mod host;
mod rust_code;
mod syntax;
mod text;
mod unsafety;

use anyhow::Result;

use crate::tally::Tally;
pub(crate) use dependencies::metadata;
use files::Files;

/// True if no wall is breached; prints what is.
pub(crate) fn run() -> Result<bool> {
    Ok(tally()?.failed == 0)
}

/// One check a wall.
pub(crate) fn tally() -> Result<Tally> {
    let mut tally = Tally::default();
    for (wall, found) in breaches()? {
        for breach in &found {
            println!("{wall}: {breach}");
        }
        println!("{} {wall}", if found.is_empty() { "ok  " } else { "FAIL" });
        tally.add(Tally::check(found.is_empty()));
    }
    Ok(tally)
}

/// Every wall with its breaches.
fn breaches() -> Result<Vec<(&'static str, Vec<String>)>> {
    let files = Files::of_workspace()?;
    Ok(vec![
        ("crates depend on what the table allows", dependencies::between_crates(&metadata()?, &files)?),
        ("outside dependencies are named in ARCHITECTURE.md", dependencies::outside(&metadata()?, &files)?),
        ("outside crates have the same features whatever is built", features::breaches()?),
        ("unsafe only where ARCHITECTURE.md says", unsafety::breaches(&files)),
        ("the model reads nothing of the host", host::breaches(&files)),
        ("code asks what a chip is like", chips::breaches(&files)),
        ("files are short", text::too_long(&files)),
        ("functions are short", functions::breaches(&files)),
        ("files use each other one way", circles::breaches(&files)),
        ("no path of one machine", text::machine_paths(&files)),
        ("no trailing space, one newline at the end", text::trailing_space(&files)),
        ("no mark of a merge", text::unmerged(&files)),
        ("no ignored test", text::ignored_tests(&files)),
        ("examples in documentation are run", text::unread_examples(&files)),
        ("no file is named for its lack of a subject", text::vague_names(&files)),
        ("every code has a whole explain page", explain::breaches(&files)),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_wall_is_breached() {
        for (wall, found) in super::breaches().unwrap() {
            assert!(found.is_empty(), "{wall}:\n{}", found.join("\n"));
        }
    }
}

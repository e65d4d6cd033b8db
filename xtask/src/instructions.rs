//! Instruction counts of a few commands, and of the programs of [`work`]: the guard of speed, which wall time on a shared machine cannot be.
//!
//! Counted by callgrind, which shows no AVX-512 to the program, so that the counts hold on every x86-64 host with AVX2.
//! Where valgrind is missing nothing is counted, and it says so. Start at [`tally`].

use std::process::Command;

use anyhow::{Result, ensure};

use crate::bench::work::{self, WORK};
use crate::callgrind::{can_count, count};
use crate::determinism;
use crate::tally::Tally;

/// A command and the most instructions that it may take, in millions: 2 % above what it took when the limit was set.
const LIMITS: [(&[&str], f64); 4] = [
    (&["layernorm", "backward", "--shape", "1,1,64,2048", "--checks", "none"], 88.2),
    (&["layernorm", "backward", "--shape", "1,1,64,2048", "--checks", "all"], 120.2),
    (&["layernorm", "forward", "--shape", "1,1,64,2048", "--checks", "none"], 47.4),
    (&["layernorm", "forward", "--shape", "1,1,64,2048", "--checks", "all"], 62.7),
];

pub(crate) fn tally() -> Result<Tally> {
    let mut tally = Tally::default();
    if !can_count() {
        println!("not counted: valgrind is not here, or the host is no x86-64");
        return Ok(tally);
    }
    let binary = determinism::binary("release")?;
    let mut check = |what: &str, arguments: &[String], limit: f64| {
        let millions = count(&binary, arguments)? as f64 / 1e6;
        let within = millions <= limit;
        let verdict = if within { "within" } else { "ABOVE " };
        println!("{verdict} {limit:.1} million instructions: {millions:.1}, {what}");
        tally.add(Tally::check(within));
        Ok::<_, anyhow::Error>(())
    };
    for (command, limit) in LIMITS {
        let arguments: Vec<String> =
            command.iter().chain(&["--threads", "1", "--format", "json"]).map(|a| (*a).into()).collect();
        check(&command.join(" "), &arguments, limit)?;
    }
    for work in WORK {
        let Some(program) = work.program()? else {
            println!("not counted: {}, whose wheel is not here", work.name);
            continue;
        };
        let arguments = work::arguments(&program);
        // The first run compiles.
        let warm = Command::new(&binary).args(&arguments).output()?;
        ensure!(warm.status.success(), "{}: {}", work.name, String::from_utf8_lossy(&warm.stdout));
        check(work.name, &arguments, work.instructions)?;
    }
    Ok(tally)
}

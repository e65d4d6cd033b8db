//! Instructions of a command, counted by callgrind, where valgrind is and the host is an x86-64.
//!
//! Callgrind shows no AVX-512 to the program, so that counts hold on every such host with AVX2. Start at [`counted`].

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Whether instructions can be counted on this host.
pub(crate) fn can_count() -> bool {
    let found = || Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    cfg!(target_arch = "x86_64") && found()
}

/// Millions of instructions that a command takes; `None` where they cannot be counted.
pub(crate) fn counted(binary: &str, command: &[String]) -> Result<Option<f64>> {
    if can_count() { Ok(Some(count(binary, command)? as f64 / 1e6)) } else { Ok(None) }
}

/// Instructions that a command takes.
pub(crate) fn count(binary: &str, command: &[String]) -> Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", binary])
        .args(command)
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    // What a program's checks find is no failure to count.
    ensure!(matches!(output.status.code(), Some(0 | 1)), "{command:?} under valgrind: {}", text.trim());
    collected(&text).with_context(|| format!("valgrind printed no count: {}", text.trim()))
}

/// The count of callgrind's line `Collected : N`.
fn collected(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_count_is_read_from_what_callgrind_prints() {
        let text = "==7== Events    : Ir\n==7== Collected : 1308829031\n==7== \n==7== I   refs:      1,308,829,031\n";
        assert_eq!(collected(text), Some(1_308_829_031));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }
}

//! The full-system simulator beside us: `ttnn` on ttsim, as one process that times a case when it is asked.
//!
//! Neither is part of the project nor installed by it: whoever has them names them. A case is answered warm, with kernels
//! compiled, so that nothing but the run is compared. Start at [`Peer::start`]; what runs there is `xtask/bench/peer.py`.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace::root;

/// Where things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Installation {
    /// A Python that has `ttnn`, and the SFPI compiler where `ttnn` looks for it.
    pub(super) python: PathBuf,
    /// `libttsim.so` for Wormhole.
    pub(super) ttsim: PathBuf,
    /// A checkout of tt-metal, for the kernels of backward.
    pub(super) tt_metal: Option<PathBuf>,
}

/// The process.
pub(super) struct Peer {
    child: Child,
    /// Absent once it is told to end.
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// What it prints beside its answers.
    log: PathBuf,
    /// True if it has the kernels of backward.
    pub(super) backward: bool,
}

impl Peer {
    /// Starts it and waits until its device is open.
    pub(super) fn start(installation: &Installation) -> Result<Peer> {
        let folder = crate::workspace::cache_folder("bench-peer")?;
        std::fs::create_dir_all(&folder)?;
        let log = folder.join("log");
        let mut command = Command::new(&installation.python);
        command.arg(root().join("xtask/bench/peer.py")).arg(&folder).arg(&installation.ttsim);
        command.args(&installation.tt_metal);
        let peer = Peer::of(command, log, installation.tt_metal.is_some());
        peer.with_context(|| format!("cannot start {} with ttnn", installation.python.display()))
    }

    fn of(mut command: Command, log: PathBuf, backward: bool) -> Result<Peer> {
        // A file and not a pipe: compilers' warnings fill a pipe that nobody reads, and then it stands still.
        command.stderr(File::create(&log)?).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (asks, answers) = (child.stdin.take(), child.stdout.take().context("no standard output")?);
        let mut peer = Peer { child, asks, answers: BufReader::new(answers), log, backward };
        let first = peer.line()?;
        if first != "ready" {
            bail!("it says {first:?} and not that it is ready");
        }
        Ok(peer)
    }

    /// Seconds of one run of a case, as `peer.py` names cases.
    pub(super) fn seconds(&mut self, case: &str) -> Result<f64> {
        writeln!(self.asks.as_mut().context("the peer has ended")?, "{case}")?;
        let line = self.line()?;
        let answer: Value = serde_json::from_str(&line).with_context(|| format!("the peer says {line:?}"))?;
        answer["seconds"].as_f64().context("no seconds in what the peer says")
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            let status = self.child.wait()?;
            bail!("the peer ended ({status}); what it printed is in {}", self.log.display());
        }
        Ok(line.trim_end().to_string())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It ends when there is nothing more to read.
        drop(self.asks.take());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(name: &str, script: &str) -> Result<Peer> {
        // `timeout` ends one that stands still.
        let mut command = Command::new("timeout");
        command.args(["20", "sh", "-c", script]);
        Peer::of(command, std::env::temp_dir().join(format!("xtask-peer-{}-{name}", std::process::id())), false)
    }

    #[test]
    fn a_case_is_answered_whatever_the_peer_prints_beside_it() {
        let noise = "head -c 300000 /dev/zero >&2";
        let script = format!("{noise}; echo ready; while read case; do {noise}; echo '{{\"seconds\": 0.25}}'; done");
        let mut peer = shell("noise", &script).unwrap();
        assert_eq!(peer.seconds("forward 64 2048").unwrap(), 0.25);
        assert_eq!(peer.seconds("forward 64 2048").unwrap(), 0.25);
    }

    #[test]
    fn a_peer_that_ends_is_an_error_that_names_its_log() {
        let mut peer = shell("ends", "echo ready; read case; exit 7").unwrap();
        let error = peer.seconds("forward 64 2048").unwrap_err().to_string();
        assert!(error.contains("exit status: 7") && error.contains("xtask-peer-"), "{error}");
        assert!(shell("never", "exit 1").is_err());
        assert!(shell("other", "echo hello").is_err());
    }
}

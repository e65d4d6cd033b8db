//! Times beside the targets of the project, one file a subject.
//!
//! It reports and asserts nothing: wall times on a shared machine vary by a factor of two, so a target is met by the best
//! of a few runs, and a ratio to a peer by the median of runs that take turns. A peer that is not here is stood for by the
//! fastest time measured for it on a machine of 2 cores, and the row says so. Start at [`run`].

mod growth;
mod history;
mod host_load;
mod host_memory;
mod layernorm;
mod measure;
mod meeting;
mod native;
mod page;
mod peer;
mod programs;
mod tiles;
pub(crate) mod work;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::determinism;
use measure::Table;

/// What is measured beyond the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The same mathematics in PyTorch, which is installed into a cache folder.
    torch: bool,
    /// How instructions grow with what there is to do.
    growth: bool,
    /// A build of the workspace from nothing.
    build: bool,
    /// Times of tile operations and of programs go into docs/performance.md.
    write: bool,
    /// Where the page goes; below the folder for build output if that is not said.
    report: Option<PathBuf>,
    /// The file that keeps what was measured; in the cache folder if that is not said.
    history: Option<PathBuf>,
    /// The full-system simulator, in the same run.
    peer: Option<peer::Installation>,
}

impl Options {
    /// Options of a command line.
    ///
    /// # Errors
    /// An option that is not known, has no value, or wants another beside it.
    pub(crate) fn parse(arguments: &[&str]) -> Result<Options> {
        let mut options = Options::default();
        let (mut python, mut ttsim, mut tt_metal) = (None, None, None);
        let mut rest = arguments.iter();
        while let Some(&argument) = rest.next() {
            let mut path = || rest.next().map(PathBuf::from).with_context(|| format!("{argument} wants a path"));
            match argument {
                "--torch" => options.torch = true,
                "--growth" => options.growth = true,
                "--build" => options.build = true,
                "--write" => options.write = true,
                "--report" => options.report = Some(path()?),
                "--history" => options.history = Some(path()?),
                "--peer" => python = Some(path()?),
                "--ttsim" => ttsim = Some(path()?),
                "--tt-metal" => tt_metal = Some(path()?),
                _ => bail!("unknown option {argument}"),
            }
        }
        options.peer = match (python, ttsim) {
            (Some(python), Some(ttsim)) => Some(peer::Installation { python, ttsim, tt_metal }),
            (None, None) => {
                ensure!(tt_metal.is_none(), "--tt-metal wants --peer and --ttsim beside it");
                None
            }
            _ => bail!("--peer and --ttsim want one another"),
        };
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = determinism::binary("release")?;
    let mut table = Table::default();
    let bytes_per_second = host_memory::run(&mut table);
    tiles::run(&mut table, options.write)?;
    let mut peer = options.peer.as_ref().map(peer::Peer::start).transpose()?;
    layernorm::run(&mut table, &binary, peer.as_mut())?;
    if options.torch {
        native::run(&mut table)?;
    }
    meeting::run(&mut table, &binary)?;
    programs::run(&mut table, &binary)?;
    let programs = work::run(&mut table, &binary, bytes_per_second, peer.as_mut())?;
    drop(peer);
    if options.write {
        tiles::write_programs(&programs)?;
    }
    if options.growth {
        growth::run(&mut table, &binary)?;
    }
    if options.build {
        programs::build(&mut table)?;
    }
    let cache = || Ok::<_, anyhow::Error>(crate::workspace::cache_folder("bench")?.join("history.jsonl"));
    let file = options.history.clone().map_or_else(cache, Ok)?;
    let earlier = history::add(&file, &table.rows)?;
    let report = options.report.clone().unwrap_or_else(|| crate::workspace::target_folder().join("bench.html"));
    std::fs::write(&report, page::page(&table.rows, &earlier)).with_context(|| report.display().to_string())?;
    println!("\n{} earlier runs are in {}; a page is in {}", earlier.len(), file.display(), report.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_what_is_wrong_with_them_is_said() {
        let options = Options::parse(&["--peer", "bin/python", "--build", "--ttsim", "libttsim.so"]).unwrap();
        let peer = options.peer.unwrap();
        assert!(options.build && !options.torch && peer.tt_metal.is_none());
        assert_eq!((peer.python, peer.ttsim), ("bin/python".into(), "libttsim.so".into()));
        for (arguments, message) in [
            (&["--peer"][..], "--peer wants a path"),
            (&["--peer", "bin/python"], "--peer and --ttsim want one another"),
            (&["--ttsim", "libttsim.so"], "--peer and --ttsim want one another"),
            (&["--tt-metal", "."], "--tt-metal wants --peer and --ttsim beside it"),
            (&["--fast"], "unknown option --fast"),
        ] {
            assert_eq!(Options::parse(arguments).unwrap_err().to_string(), message);
        }
    }
}

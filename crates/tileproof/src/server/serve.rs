//! The server's side: one request after the other, until the process that it serves is gone.
//!
//! It must never say anything but answers. Start at [`serve`].

use std::io::{Read, Result, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use tileproof_build::Builder;

use super::request::{Request, Work};
use super::{READY, Ran};
use crate::cpp_kernels::built_by;
use crate::program_file::{ProgramFile, Standing};
use crate::run_file::{RunOptions, RunResult, run_program_file, run_standing};
use crate::wire::{Reader, to_bytes};

/// Answers what comes in until nothing more does. The process ends with the one that it serves, also in the middle of a run.
///
/// # Errors
/// If the process that it serves is gone, or asks what cannot be read.
pub fn serve(mut stream: UnixStream) -> Result<()> {
    let mut serves = [0; 4];
    stream.read_exact(&mut serves)?;
    tileproof_worker::tie(u32::from_le_bytes(serves), stream.as_raw_fd())?;
    stream.write_all(&READY)?;
    loop {
        let mut length = [0; 8];
        stream.read_exact(&mut length)?;
        let mut request = vec![0; u64::from_le_bytes(length) as usize];
        stream.read_exact(&mut request)?;
        let request: Request = Reader::whole(&request).ok_or(std::io::ErrorKind::InvalidData)?;
        let answer = answer(request);
        stream.write_all(&(answer.len() as u64).to_le_bytes())?;
        stream.write_all(&answer)?;
    }
}

fn answer(Request { asked, work }: Request) -> Vec<u8> {
    let options = asked.options();
    match work {
        Work::Standing(file) => to_bytes(&options.and_then(|options| run_on_device(&file, &options))),
        Work::File(path) => {
            let run = |options| run_program_file(&path, &options).map_err(|error| error.to_string());
            to_bytes(&options.and_then(run))
        }
    }
}

fn run_on_device(file: &ProgramFile, options: &RunOptions) -> Ran<(RunResult, Vec<Standing>)> {
    let builder = Builder::new(options.cache.clone()).map_err(|error| error.to_string())?;
    let builder = built_by(builder, options.isolation);
    run_standing(file, options, &*builder).map_err(|error| error.to_string())
}

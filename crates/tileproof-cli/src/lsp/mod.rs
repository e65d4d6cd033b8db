//! `tileproof lsp`: the command for editors, over the Language Server Protocol on stdin and stdout.
//!
//! A run of a program is a command line of this command, in a process of its own; whatever else is answered comes of texts. It
//! must never end because of what a client sends, nor run what no save and no client asked for. Start at [`serve`].

mod diagnostics;
mod fields;
mod hover;
mod place;
mod programs;
mod runs;
mod server;
mod wire;

use std::ffi::OsString;
use std::io::BufReader;
use std::sync::mpsc;
use std::thread;

use runs::{Limits, Runs, Told};
use server::{Server, Then};
use wire::{Reader, Received};

/// When programs run, and within what limits.
pub(crate) struct Settings {
    /// Programs run when a file of theirs is saved.
    pub(crate) on_save: bool,
    /// Seconds that one run of the kernels may take.
    pub(crate) seconds: u64,
    /// Programs that one save runs at most.
    pub(crate) programs: usize,
}

/// What the server hears of.
enum Event {
    Received(Received),
    Told(Told),
}

/// Serves until the client says so, or is no more; whether it said `shutdown` before. `itself` is the command line that starts
/// this command without arguments.
pub(crate) fn serve(itself: &[OsString], settings: &Settings) -> anyhow::Result<bool> {
    let (tell, events) = mpsc::channel();
    let told = tell.clone();
    let limits = Limits { itself: itself.to_vec(), seconds: settings.seconds, programs: settings.programs };
    let runs = Runs::start(limits, move |what| {
        let _ = told.send(Event::Told(what));
    });
    // It ends with the process, since nothing else ends a read.
    thread::spawn(move || {
        let mut reader = Reader(BufReader::new(std::io::stdin()));
        loop {
            let received = reader.next();
            let is_end = received == Received::End;
            if tell.send(Event::Received(received)).is_err() || is_end {
                return;
            }
        }
    });
    let mut server = Server::new(runs, settings.on_save);
    for event in events {
        let then = match event {
            Event::Received(Received::Message(message)) => server.message(message)?,
            Event::Received(Received::Garbled(why)) => server.garbled(&why)?,
            Event::Received(Received::End) => Then::End,
            Event::Told(what) => server.told(what)?,
        };
        if then == Then::End {
            break;
        }
    }
    Ok(server.is_shut_down())
}

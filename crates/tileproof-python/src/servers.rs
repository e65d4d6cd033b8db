//! The servers that programs of Python run in, and the process that is one.
//!
//! Start at [`servers`].

use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;

use pyo3::prelude::*;
use tileproof::server::{self, Servers};

static SERVERS: OnceLock<Servers> = OnceLock::new();

/// Those of this process; without a command line that starts one there are none, and programs run in this process.
pub(crate) fn servers() -> &'static Servers {
    SERVERS.get_or_init(|| Servers::new(Vec::new()))
}

/// The command line that starts a server: a process that calls [`serve`]. The first one counts.
#[pyfunction]
pub(crate) fn serve_with(command: Vec<OsString>) {
    SERVERS.get_or_init(|| Servers::new(command));
}

/// Starts a server if none is idle, so that the next program finds one.
#[pyfunction]
pub(crate) fn warm_server(py: Python<'_>) {
    py.detach(|| servers().warm());
}

/// Serves whoever has started this process, over its standard input, until that one is gone.
#[pyfunction]
pub(crate) fn serve(py: Python<'_>) {
    use std::os::fd::AsFd;
    py.detach(|| {
        let stream = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
        // Its end is the end of the process, and nobody is there to be told why.
        let _ = stream.and_then(server::serve);
    });
}

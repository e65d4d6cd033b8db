//! The box: limits, no files and no network (Landlock), no calls into the host but a few (seccomp).
//!
//! What the host lacks is left out, and [`host`] says so. Nothing here may fail half: a step that the host has and refuses is an
//! error. Start at [`close_files`], then [`close_calls`].

#![allow(unsafe_code)]

use std::io::{Error, Result};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::host_calls;

/// What this host has to box a process in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Host {
    /// The version of Landlock's interface, if it is there.
    pub landlock: Option<u32>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
}

/// What this host has.
pub fn host() -> Host {
    // SAFETY: asks for a version, or whether an action is known; neither changes anything.
    unsafe {
        let version = libc::syscall(SYS_LANDLOCK_CREATE_RULESET, std::ptr::null::<u8>(), 0usize, 1u32);
        let trap = libc::SECCOMP_RET_TRAP;
        let knows = libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const trap);
        // The thread sanitizer has a thread of its own in each process, which sleeps and reads files.
        let seccomp = knows == 0 && !cfg!(tileproof_tsan);
        Host { landlock: u32::try_from(version).ok().filter(|version| *version > 0), seccomp }
    }
}

/// One number on all architectures (Linux `asm-generic/unistd.h`).
pub(crate) const SYS_LANDLOCK_CREATE_RULESET: i64 = 444;
pub(crate) const SYS_LANDLOCK_RESTRICT_SELF: i64 = 446;

/// Rights to files that each version of the interface has, from the first on (Linux `Documentation/userspace-api/landlock.rst`).
pub(crate) const FILE_RIGHTS: [u32; 5] = [13, 14, 15, 15, 16];

/// `struct landlock_ruleset_attr`.
#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
    scoped: u64,
}

/// Takes all rights to files, and to the network where the interface has them: rules would give some back, and there are none.
fn restrict_files(version: u32) -> Result<()> {
    let rights = FILE_RIGHTS[(version as usize).min(FILE_RIGHTS.len()) - 1];
    let ruleset = Ruleset {
        files: (1 << rights) - 1,
        network: if version >= 4 { 3 } else { 0 },
        scoped: if version >= 6 { 3 } else { 0 },
    };
    let bytes = match version {
        1..4 => 8,
        4 | 5 => 16,
        _ => size_of::<Ruleset>(),
    };
    // SAFETY: the structure has so many bytes; the descriptor that comes is ours, and closed.
    unsafe {
        let rules = libc::syscall(SYS_LANDLOCK_CREATE_RULESET, &raw const ruleset, bytes, 0u32) as i32;
        if rules < 0 {
            return Err(Error::last_os_error());
        }
        let done = libc::syscall(SYS_LANDLOCK_RESTRICT_SELF, rules, 0u32);
        let result = if done == 0 { Ok(()) } else { Err(Error::last_os_error()) };
        libc::close(rules);
        result
    }
}

/// The filter of system calls.
fn filter() -> std::result::Result<BpfProgram, seccompiler::Error> {
    let allowed = host_calls::allowed(std::process::id())?.into_iter().collect();
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    // A signal tells what was tried, and where.
    Ok(SeccompFilter::new(allowed, SeccompAction::Trap, SeccompAction::Allow, target)?.try_into()?)
}

/// Limits of a process as it starts: no core file, and so much memory beside what it has.
pub(crate) fn limit(memory: u64) -> Result<()> {
    set(libc::RLIMIT_CORE, 0)?;
    let has = data_bytes().unwrap_or(0);
    set(libc::RLIMIT_DATA, has.saturating_add(memory))
}

/// Takes the rights to files, and to the network, from this thread and from all that it starts from here on. It must be the only
/// one of its process: Landlock holds for no thread that is there already.
pub(crate) fn close_files(host: Host) -> Result<()> {
    // SAFETY: takes rights of this process away, and changes nothing else.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(Error::last_os_error());
    }
    host.landlock.map_or(Ok(()), restrict_files)
}

/// Refuses calls into the host: nothing can be written to a file from here on, and no thread started.
pub(crate) fn close_calls(host: Host) -> Result<()> {
    set(libc::RLIMIT_FSIZE, 0)?;
    if host.seccomp {
        let filter = filter().map_err(Error::other)?;
        // Threads that help are there already; the filter is theirs too, as the limit is.
        seccompiler::apply_filter_all_threads(&filter).map_err(Error::other)?;
    }
    Ok(())
}

/// Lowers a limit of this process, for good.
fn set(which: libc::__rlimit_resource_t, value: u64) -> Result<()> {
    // SAFETY: reads and writes a structure of ours.
    unsafe {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        if libc::getrlimit(which, &mut limit) != 0 {
            return Err(Error::last_os_error());
        }
        let value = value.min(limit.rlim_max);
        let lower = libc::rlimit { rlim_cur: value, rlim_max: value };
        match libc::setrlimit(which, &lower) {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }
}

/// What the host counts as this process's data, in bytes.
fn data_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/statm").ok()?;
    // Data and stack are the sixth figure, in pages.
    let pages: u64 = status.split_whitespace().nth(5)?.parse().ok()?;
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(page).ok().and_then(|page| pages.checked_mul(page))
}

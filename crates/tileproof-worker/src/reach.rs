//! What a program that is started may reach: files below some folders, one folder to write in, and no network.
//!
//! It is made before the program's process is there, and closed around it between fork and exec, where nothing may be allocated. A
//! way that is not on the host is left out: it becomes readable for nobody. Start at [`Reach::of`].

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::sandbox::{self, FILE_RIGHTS, SYS_LANDLOCK_CREATE_RULESET, SYS_LANDLOCK_RESTRICT_SELF};

/// One number on all architectures (Linux `asm-generic/unistd.h`).
const SYS_LANDLOCK_ADD_RULE: i64 = 445;
/// `LANDLOCK_RULE_PATH_BENEATH`.
const PATH_BENEATH: u32 = 1;

/// Rights to files (Linux `include/uapi/linux/landlock.h`).
const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const TRUNCATE: u64 = 1 << 14;
/// Of rights, those that a single file can be given.
const OF_A_FILE: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;

/// Calls that a compiler has no use for, and that reach past files: other processes, the host's own state, other ways to send.
const REFUSED: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_unshare,
    libc::SYS_setns,
];

/// `struct landlock_ruleset_attr`, as far as files and TCP go.
#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
}

/// `struct landlock_path_beneath_attr`, whose fields lie side by side.
#[repr(C, packed)]
struct Beneath {
    rights: u64,
    descriptor: RawFd,
}

/// Walls for a program that is to be started.
pub struct Reach {
    files: Option<OwnedFd>,
    calls: Option<BpfProgram>,
}

impl Reach {
    /// Programs that read below `reads`, and write below `writes` as well; either may be files. Programs are run from `reads` alone.
    ///
    /// # Errors
    /// If the host has walls and refuses these.
    pub fn of<'a>(
        reads: impl IntoIterator<Item = &'a Path>,
        writes: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Reach> {
        let host = sandbox::host();
        let calls = if host.seccomp { Some(filter().map_err(Error::other)?) } else { None };
        let Some(version) = host.landlock else { return Ok(Reach { files: None, calls }) };
        let known = (1 << FILE_RIGHTS[(version as usize).min(FILE_RIGHTS.len()) - 1]) - 1;
        let ruleset = Ruleset { files: known, network: if version >= 4 { 3 } else { 0 } };
        let bytes = if version >= 4 { size_of::<Ruleset>() } else { 8 };
        // SAFETY: the structure has so many bytes; the descriptor that comes is ours, and closed in programs that are started.
        let rules = unsafe {
            let rules = libc::syscall(SYS_LANDLOCK_CREATE_RULESET, &raw const ruleset, bytes, 0u32) as i32;
            if rules < 0 {
                return Err(Error::last_os_error());
            }
            OwnedFd::from_raw_fd(rules)
        };
        for path in reads {
            allow(&rules, path, known & (EXECUTE | READ_FILE | READ_DIR))?;
        }
        for path in writes {
            allow(&rules, path, known & !EXECUTE)?;
        }
        Ok(Reach { files: Some(rules), calls })
    }

    /// Closes them around the calling process, for good, and whatever it starts. Allocates nothing.
    ///
    /// # Errors
    /// If the host refuses that.
    pub fn close(&self) -> Result<()> {
        // SAFETY: takes rights of this process away, and changes nothing else.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return Err(Error::last_os_error());
        }
        if let Some(rules) = &self.files {
            // SAFETY: as above, with a descriptor of ours.
            if unsafe { libc::syscall(SYS_LANDLOCK_RESTRICT_SELF, rules.as_raw_fd(), 0u32) } != 0 {
                return Err(Error::last_os_error());
            }
        }
        let Some(calls) = &self.calls else { return Ok(()) };
        seccompiler::apply_filter(calls).map_err(|_| Error::from_raw_os_error(libc::EPERM))
    }
}

/// Gives rights to what is at a path and below it, if it is there.
fn allow(rules: &OwnedFd, path: &Path, rights: u64) -> Result<()> {
    let Ok(file) = File::options().read(true).custom_flags(libc::O_PATH).open(path) else { return Ok(()) };
    let rights = if file.metadata()?.is_dir() { rights } else { rights & OF_A_FILE };
    let rule = Beneath { rights, descriptor: file.as_raw_fd() };
    // SAFETY: reads the structure, and keeps what the descriptor stands for.
    match unsafe { libc::syscall(SYS_LANDLOCK_ADD_RULE, rules.as_raw_fd(), PATH_BENEATH, &raw const rule, 0u32) } {
        0 => Ok(()),
        _ => Err(Error::last_os_error()),
    }
}

/// Refuses sockets but those of this host, and calls that compilers have no use for; whoever makes one is told so.
fn filter() -> std::result::Result<BpfProgram, seccompiler::Error> {
    let far = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(vec![far])?]);
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    let refusal = SeccompAction::Errno(libc::EACCES as u32);
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refusal, target)?.try_into()?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::*;

    /// What a shell's script says behind the walls, and whether it went well.
    fn script(reach: Reach, text: &str) -> (bool, String) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]);
        // SAFETY: allocates nothing.
        unsafe { command.pre_exec(move || reach.close()) };
        let output = command.output().expect("a shell");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    const SYSTEM: [&str; 4] = ["/usr", "/bin", "/lib", "/lib64"];

    #[test]
    fn a_program_reads_and_writes_what_it_was_given_and_nothing_else() {
        if sandbox::host().landlock.is_none() {
            eprintln!("this host has no Landlock");
            return;
        }
        let folder = std::env::temp_dir().join(format!("tileproof-reach-{}", std::process::id()));
        let (own, other) = (folder.join("own"), folder.join("other"));
        for folder in [&own, &other] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("a"), "a\n").unwrap();
        }
        let reach = || {
            Reach::of(SYSTEM.map(Path::new), [own.as_path(), Path::new("/no/such/folder"), Path::new("/dev/null")])
                .unwrap()
        };
        let [own, other] = [&own, &other].map(|folder| folder.display().to_string());
        let (well, said) = script(reach(), &format!("cat {own}/a > {own}/b && rm {own}/a && cat {own}/b >/dev/null"));
        assert!(well, "{said}");
        for refused in
            [format!("cat {other}/a"), format!("echo > {other}/b"), format!("rm {other}/a"), "cat /etc/passwd".into()]
        {
            let (well, said) = script(reach(), &refused);
            assert!(!well && said.contains("ermission denied"), "{refused}: {said}");
        }
        // What it has written itself it cannot run.
        assert!(!script(reach(), &format!("cp /bin/true {own}/program && {own}/program")).0);
        std::fs::remove_dir_all(folder).unwrap();
    }
}

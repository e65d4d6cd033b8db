//! The calls into the host that a worker may make once it is boxed in: memory, time, locks, and to write where it can already.
//!
//! Everything else is refused by name (`sandbox.rs`). Nothing here may open, start or send anything.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

/// Calls that are allowed whatever their arguments.
const ALLOWED: &[i64] = &[
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_membarrier,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
];

/// Asks a stream whether it is a terminal, which the C library does before it writes to it.
const TCGETS: u64 = 0x5401;
/// Looks at a descriptor instead of a path.
const AT_EMPTY_PATH: u64 = 0x1000;
/// Names memory, which the C library does where the host can.
const PR_SET_VMA: u64 = 0x5356_4d41;

/// The calls and what their arguments must be, for a process of this number.
pub(crate) fn allowed(process: u32) -> seccompiler::Result<Vec<(i64, Vec<SeccompRule>)>> {
    let is = |argument: u8, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
            .map_err(seccompiler::Error::from)
    };
    let rule = |conditions: Vec<SeccompCondition>| SeccompRule::new(conditions).map_err(seccompiler::Error::from);
    let own = u64::from(process);
    let mut calls: Vec<(i64, Vec<SeccompRule>)> = ALLOWED.iter().map(|number| (*number, Vec::new())).collect();
    calls.extend([
        (libc::SYS_ioctl, vec![rule(vec![is(1, TCGETS)?])?]),
        (libc::SYS_newfstatat, vec![rule(vec![is(3, AT_EMPTY_PATH)?])?]),
        (libc::SYS_prctl, vec![rule(vec![is(0, PR_SET_VMA)?])?]),
        // Where the handler of signals looks at the stack and at texts that may not be there.
        (libc::SYS_process_vm_readv, vec![rule(vec![is(0, own)?])?]),
        // How the C library aborts.
        (libc::SYS_tgkill, vec![rule(vec![is(0, own)?, is(2, libc::SIGABRT as u64)?])?]),
    ]);
    Ok(calls)
}

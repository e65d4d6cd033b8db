//! Calls into the host that a kernel in a box has made and was refused, in words.
//!
//! It must never do what was asked. Start at [`HostCall`].

#![allow(unsafe_code)]

/// Bytes of a path that are told.
const PATH: usize = 160;

/// Words that one is in shared memory.
pub(crate) const WORDS: usize = 4 + PATH / 8;

/// A call into the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HostCall {
    number: i64,
    arguments: [u64; 3],
    /// The path that it names, ended by zero; empty where it names none.
    path: [u8; PATH],
}

/// What the second column means: the argument that is a path.
const NO_PATH: usize = 9;

/// Number, the argument that is a path, and what the kernel tried.
#[cfg(target_arch = "x86_64")]
const KNOWN: &[(i64, usize, &str)] = &[
    (libc::SYS_open, 0, "to open"),
    (libc::SYS_openat, 1, "to open"),
    (libc::SYS_openat2, 1, "to open"),
    (libc::SYS_creat, 0, "to write"),
    (libc::SYS_unlink, 0, "to remove"),
    (libc::SYS_unlinkat, 1, "to remove"),
    (libc::SYS_rmdir, 0, "to remove"),
    (libc::SYS_mkdir, 0, "to make the folder"),
    (libc::SYS_mkdirat, 1, "to make the folder"),
    (libc::SYS_rename, 0, "to rename"),
    (libc::SYS_renameat2, 1, "to rename"),
    (libc::SYS_stat, 0, "to look at"),
    (libc::SYS_newfstatat, 1, "to look at"),
    (libc::SYS_statx, 1, "to look at"),
    (libc::SYS_access, 0, "to look at"),
    (libc::SYS_readlink, 0, "to look at"),
    (libc::SYS_chdir, 0, "to go to"),
    (libc::SYS_execve, 0, "to start the program"),
    (libc::SYS_execveat, 1, "to start the program"),
    (libc::SYS_fork, NO_PATH, "to start a process"),
    (libc::SYS_vfork, NO_PATH, "to start a process"),
    (libc::SYS_clone, NO_PATH, "to start a process or a thread"),
    (libc::SYS_clone3, NO_PATH, "to start a process or a thread"),
    (libc::SYS_socket, NO_PATH, "to open a socket"),
    (libc::SYS_connect, NO_PATH, "to connect to the network"),
    (libc::SYS_kill, NO_PATH, "to send a signal"),
    (libc::SYS_tkill, NO_PATH, "to send a signal"),
    (libc::SYS_tgkill, NO_PATH, "to send a signal"),
    (libc::SYS_ptrace, NO_PATH, "to look into a process"),
    (libc::SYS_process_vm_readv, NO_PATH, "to look into a process"),
    (libc::SYS_nanosleep, NO_PATH, "to sleep"),
    (libc::SYS_clock_nanosleep, NO_PATH, "to sleep"),
    (libc::SYS_pause, NO_PATH, "to sleep"),
    (libc::SYS_read, NO_PATH, "to read from the host"),
    (libc::SYS_exit, NO_PATH, "to end its process"),
    (libc::SYS_exit_group, NO_PATH, "to end its process"),
];
#[cfg(not(target_arch = "x86_64"))]
const KNOWN: &[(i64, usize, &str)] = &[];

impl HostCall {
    /// The call that a signal interrupted, from its handler.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn of(context: &libc::ucontext_t) -> HostCall {
        let registers = &context.uc_mcontext.gregs;
        let at = |register: i32| registers[register as usize] as u64;
        let number = at(libc::REG_RAX) as i64;
        let arguments = [at(libc::REG_RDI), at(libc::REG_RSI), at(libc::REG_RDX)];
        let mut path = [0; PATH];
        let known = KNOWN.iter().find(|(known, ..)| *known == number);
        if let Some(address) = known.and_then(|(_, argument, _)| arguments.get(*argument)) {
            let bytes = PATH - 1;
            let to = libc::iovec { iov_base: path.as_mut_ptr().cast(), iov_len: bytes };
            let from = libc::iovec { iov_base: *address as *mut libc::c_void, iov_len: bytes };
            // SAFETY: the host copies what it can into `path`, and tells instead of raising a signal where it cannot.
            unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
        }
        HostCall { number, arguments, path }
    }

    /// The call that a signal interrupted.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn of(context: &libc::ucontext_t) -> HostCall {
        let registers = &context.uc_mcontext.regs;
        HostCall { number: registers[8] as i64, arguments: [registers[0], registers[1], registers[2]], path: [0; PATH] }
    }

    /// As words, for memory that is shared.
    pub(crate) fn to_words(self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        words[0] = self.number as u64;
        words[1..4].copy_from_slice(&self.arguments);
        for (word, bytes) in words[4..].iter_mut().zip(self.path.chunks_exact(8)) {
            *word = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|at| bytes[at]));
        }
        words
    }

    /// From such words.
    pub(crate) fn from_words(words: [u64; WORDS]) -> HostCall {
        let mut path = [0; PATH];
        for (bytes, word) in path.chunks_exact_mut(8).zip(&words[4..]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        HostCall { number: words[0] as i64, arguments: [words[1], words[2], words[3]], path }
    }

    /// Whether the C library's allocator makes it, for whoever asks for memory.
    pub(crate) fn is_of_the_allocator(&self) -> bool {
        self.path.starts_with(b"/proc/sys/vm/overcommit_memory\0")
    }

    /// What the kernel tried.
    pub(crate) fn describe(&self) -> String {
        let Some((number, argument, what)) = KNOWN.iter().find(|(known, ..)| *known == self.number) else {
            return format!("it asked the host for something that no kernel is given: system call {}", self.number);
        };
        let end = self.path.iter().position(|byte| *byte == 0).unwrap_or(PATH);
        match (*argument == NO_PATH, end) {
            (false, 1..) => format!("it tried {what} {}", String::from_utf8_lossy(&self.path[..end])),
            (false, 0) => format!("it tried {what} a file"),
            _ if *number == libc::SYS_exit_group || *number == libc::SYS_exit => {
                format!("it tried {what}, with exit code {}", self.arguments[0] as i32)
            }
            _ => format!("it tried {what}"),
        }
    }
}

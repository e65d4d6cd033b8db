//! Kernels that would take a tool down, hang it, or reach past their machine: each ends in seconds with a verdict, on the kernel's line.
//!
//! A row is a kernel; it runs on a data-movement and a compute thread, alone, on other schedules and as a cell of a grid. The default
//! suite takes one thread of each and no mode; with `TILEPROOF_EVERY_HOSTILE` in the environment it takes all.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::{folder, tileproof};

/// A kernel: what stands before its main, what in it, and what is found.
struct Hostile {
    name: &'static str,
    above: &'static str,
    body: &'static str,
    /// The code, and a word of the message. No code: the run completes.
    found: Option<(&'static str, &'static str)>,
    options: &'static [&'static str],
    /// What standard error must hold.
    said: &'static str,
}

/// Marks the line that is to be blamed.
const HERE: &str = "// HERE";

const fn row(
    name: &'static str,
    above: &'static str,
    body: &'static str,
    code: &'static str,
    word: &'static str,
) -> Hostile {
    Hostile { name, above, body, found: Some((code, word)), options: &[], said: "" }
}

/// It completes.
const fn right(name: &'static str, above: &'static str, body: &'static str) -> Hostile {
    Hostile { name, above, body, found: None, options: &[], said: "" }
}

const KERNELS: &[Hostile] = &[
    row("empty_loop", "", "while (true);  // HERE", "TP0603", "does not end"),
    row("loop_in_asm", "", "asm volatile(\"1: jmp 1b\");  // HERE", "TP0603", "does not end"),
    row(
        "loop_in_a_constructor",
        "struct C { C() { asm volatile(\"1: jmp 1b\"); } };  // HERE\nC c;",
        "",
        "TP0603",
        "does not end",
    ),
    row(
        "polling_loop_in_a_constructor",
        "volatile int flag;\nstruct C { C() { while (flag == 0) {} } };  // HERE\nC c;",
        "",
        "TP0603",
        "does not end",
    ),
    row(
        "crash_in_a_constructor",
        "int* volatile nowhere;\nstruct C { C() { *nowhere = 1; } };  // HERE\nC c;",
        "",
        "TP0602",
        "address 0x0",
    ),
    row("frame_of_300_kib", "", "volatile char b[300 << 10];\nb[0] = 1;", "TP0602", "stack ran over"),
    row("frame_of_64_mib", "", "volatile char b[64 << 20];\nb[0] = 1;", "TP0602", "stack ran over"),
    row(
        "recursion",
        "__attribute__((noinline)) int deep(volatile int n) { return n == 0 ? 0 : deep(n + 1) + n; }",
        "volatile int n = deep(1);",
        "TP0602",
        "stack ran over",
    ),
    row(
        "stack_written_over",
        "__attribute__((noinline)) void smash(int n) {\n\
         char b[16];\nvolatile char* p = b;\nfor (int i = 0; i < n; i++) p[i] = 0x41;\n\
         asm volatile(\"\" : : \"r\"(b) : \"memory\"); }  // HERE",
        "smash(2048);",
        "TP0602",
        "no memory can have",
    ),
    row(
        "far_stack_written_over",
        "__attribute__((noinline)) void smash(int n) {\n\
         char b[16];\nvolatile char* p = b;\nfor (int i = 0; i < n; i++) p[i] = 0x41;\n\
         asm volatile(\"\" : : \"r\"(b) : \"memory\"); }",
        "smash(1 << 20);",
        "TP0602",
        // What lies there decides whether its thread ends or the process.
        "ended",
    ),
    row("call_of_nowhere", "", "((void (*volatile)())0x41414141414141)();", "TP0602", "address"),
    row("division_by_zero", "volatile int zero;", "volatile int n = 7 / zero;  // HERE", "TP0602", "division"),
    row("trap", "", "__builtin_trap();  // HERE", "TP0602", "must not be reached"),
    row("breakpoint", "", "asm volatile(\"int3\");", "TP0602", "breakpoint"),
    row("host_pointer", "", "*(volatile int*)0x700000000000 = 1;  // HERE", "TP0602", "0x700000000000"),
    row(
        "library_call_of_nowhere",
        "#include <cstring>\nconst char* volatile nowhere;",
        "volatile size_t n = strlen(nowhere);  // HERE",
        "TP0602",
        "address 0x0",
    ),
    row(
        "vector_out_of_range",
        "#include <vector>",
        "std::vector<int> v(3);\nvolatile int n = v.at(10);  // HERE",
        "TP0602",
        "out_of_range",
    ),
    row(
        "locale_that_is_not_there",
        "#include <locale>",
        "std::locale there(\"nowhere\");  // HERE",
        "TP0605",
        "to open",
    ),
    row("allocation_that_throws", "", "char* volatile p = new char[1ull << 42];  // HERE", "TP0602", "aborted"),
    row(
        "too_much_memory",
        "#include <cstdlib>",
        "volatile char* p = (volatile char*)malloc(1ull << 42);\n*p = 1;  // HERE",
        "TP0602",
        "address 0x0",
    ),
    row("exit", "#include <cstdlib>", "exit(0);  // HERE", "TP0602", "exit()"),
    row("abort", "#include <cstdlib>", "abort();  // HERE", "TP0602", "abort()"),
    row(
        "raw_exit_group",
        "",
        "asm volatile(\"syscall\" : : \"a\"(231), \"D\"(0) : \"rcx\", \"r11\", \"memory\");  // HERE",
        "TP0605",
        "exit code 0",
    ),
    row(
        "raw_exit",
        "",
        "asm volatile(\"syscall\" : : \"a\"(60), \"D\"(3) : \"rcx\", \"r11\", \"memory\");  // HERE",
        "TP0605",
        "exit code 3",
    ),
    row("thread_exit", "#include <pthread.h>", "pthread_exit(nullptr);  // HERE", "TP0602", "pthread_exit"),
    row("signal_to_itself", "#include <csignal>", "raise(SIGTERM);  // HERE", "TP0605", "signal"),
    row("kill", "#include <csignal>\n#include <unistd.h>", "kill(getpid(), SIGKILL);  // HERE", "TP0605", "signal"),
    row(
        "kill_of_parent",
        "#include <csignal>\n#include <unistd.h>",
        "kill(getppid(), SIGKILL);  // HERE",
        "TP0605",
        "system call 110",
    ),
    row(
        "kill_of_who_may_be_the_parent",
        "#include <csignal>\n#include <unistd.h>",
        "kill(getpid() - 1, SIGKILL);  // HERE",
        "TP0605",
        "signal",
    ),
    row(
        "second_thread",
        "#include <pthread.h>\nvoid* other(void*) { for (;;) {} }",
        "pthread_t t;\npthread_create(&t, nullptr, other, nullptr);  // HERE",
        "TP0605",
        "thread",
    ),
    row("fork", "#include <unistd.h>", "if (fork() == 0) for (;;) {}  // HERE", "TP0605", "process"),
    row("program", "#include <cstdlib>", "volatile int n = system(\"true\");  // HERE", "TP0605", "process"),
    row(
        "other_program",
        "#include <unistd.h>",
        "execl(\"/bin/true\", \"true\", nullptr);  // HERE",
        "TP0605",
        "/bin/true",
    ),
    row(
        "file_to_read",
        "#include <cstdio>",
        "volatile bool is = fopen(\"/etc/passwd\", \"r\") != nullptr;  // HERE",
        "TP0605",
        "to open /etc/passwd",
    ),
    row(
        "file_to_write",
        "#include <cstdio>",
        "volatile bool is = fopen(\"/tmp/tileproof-hostile\", \"w\") != nullptr;  // HERE",
        "TP0605",
        "to open /tmp/tileproof-hostile",
    ),
    row(
        "file_to_remove",
        "#include <unistd.h>",
        "unlink(\"/tmp/nobody\");  // HERE",
        "TP0605",
        "to remove /tmp/nobody",
    ),
    row("socket", "#include <sys/socket.h>", "socket(2, 1, 0);  // HERE", "TP0605", "socket"),
    row("sleep", "#include <unistd.h>", "sleep(1000);  // HERE", "TP0605", "sleep"),
    row("other_process", "#include <sys/ptrace.h>", "ptrace(PTRACE_TRACEME, 0, 0, 0);  // HERE", "TP0605", "process"),
    row(
        "streams_closed",
        "#include <unistd.h>",
        "for (int i = 0; i < 1000; i++) close(i);",
        "TP0602",
        "ended the process that ran it",
    ),
    row(
        "answer_forged",
        "#include <unistd.h>",
        "const char text[] = \"\\001\\377\\377\\0\\0\\0\\0\\0\\0 all is well\";\nfor (int i = 0; i < 10; i++) write(3, text, sizeof(text));",
        "TP0602",
        "answers through",
    ),
    row(
        "not_ready_forged",
        "#include <unistd.h>",
        "write(3, \"\\2\\0\\0\\0\\0\\0\\0\\0\\0\", 9);\nasm volatile(\"1: jmp 1b\");",
        "TP0602",
        "makes no sense",
    ),
    row(
        "panic_forged",
        "#include <unistd.h>",
        "write(3, \"\\3\\0\\0\\0\\0\\0\\0\\0\\0\", 9);\nasm volatile(\"1: jmp 1b\");",
        "TP0602",
        "gave up",
    ),
    row(
        "not_boxed_forged",
        "#include <unistd.h>",
        "write(3, \"\\4\\0\\0\\0\\0\\0\\0\\0\\0\", 9);\nasm volatile(\"1: jmp 1b\");",
        "TP0602",
        "makes no sense",
    ),
    row(
        "answer_without_end",
        "#include <unistd.h>\nchar zeros[1 << 16];",
        "while (true) write(3, zeros, sizeof(zeros));",
        "TP0602",
        "answered more",
    ),
    row(
        "faults_ignored",
        "#include <csignal>\nint* volatile nowhere;",
        "signal(SIGSEGV, SIG_IGN);\n*nowhere = 1;",
        "TP0602",
        "SIGSEGV",
    ),
    Hostile {
        options: &["--limit", "1"],
        ..row(
            "signals_blocked",
            "#include <csignal>",
            "sigset_t all;\nsigfillset(&all);\nsigprocmask(SIG_BLOCK, &all, nullptr);\nasm volatile(\"1: jmp 1b\");",
            "TP0603",
            "limit",
        )
    },
    row(
        "other_rounding",
        "#include <xmmintrin.h>",
        "_mm_setcsr(_mm_getcsr() | 0x8040);\ncb_is(0);",
        "TP0602",
        "rounded",
    ),
    row(
        "pushes_below_zero",
        "volatile uint32_t four = 4;",
        "cb_push_back(0, four - 5);  // HERE",
        "TP0302",
        "4294967295",
    ),
    row(
        "pops_below_zero",
        "volatile uint32_t four = 4;",
        "cb_pop_front(0, four - 5);  // HERE",
        "TP0303",
        "4294967295",
    ),
    row(
        "prints_for_ever",
        "#include \"api/debug/dprint.h\"",
        "while (true) DPRINT << \"waiting\" << ENDL();  // HERE",
        "TP0603",
        "does not end",
    ),
    right("constructor", "struct C { int n; C() : n(7) {} ~C() { n = 0; } };\nC c;", "if (c.n != 7) __builtin_trap();"),
    right(
        "host_streams",
        "#include <cstdio>",
        "for (int i = 0; i < 50000; i++) printf(\"{ \\\"forged\\\": %d }\\n\", i);",
    ),
    Hostile {
        said: "[31m}{",
        ..right("escape_on_stderr", "#include <cstdio>", "fprintf(stderr, \"\\033[31m}{\\n\");")
    },
    // Whatever it has open: what is written there is memory of others that come behind it.
    right(
        "descriptors_mapped",
        "#include <sys/mman.h>",
        "for (int i = 0; i < 1024; i++)\nif (mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, i, 0) != MAP_FAILED) __builtin_trap();",
    ),
    right("memory", "#include <vector>", "std::vector<int> v(1 << 20, 1);\nif (v[77] != 1) __builtin_trap();"),
];

/// Where a kernel runs.
#[derive(Clone, Copy)]
enum On {
    Reader,
    Writer,
    Compute,
}

/// A program of one such kernel, in a folder of one test's own: tests run beside one another, and may have a kernel in common.
fn program(test: &str, kernel: &Hostile, on: On) -> PathBuf {
    let (word, include, config) = match on {
        On::Reader => ("reader", "api/dataflow/dataflow_api.h", "\"reader\""),
        On::Writer => ("writer", "api/dataflow/dataflow_api.h", "\"writer\""),
        On::Compute => ("compute", "api/compute/common.h", "{ compute = {} }"),
    };
    let folder = folder(&format!("hostile-{test}-{}-{word}", kernel.name));
    // A call of the machine behind which its state can be looked at.
    let call = "#define cb_is(cb) ((void)get_tile_size(cb), cb_wait_front(cb, 0))";
    let text = format!(
        "#include <cstdint>\n#include \"{include}\"\n{call}\n{}\nvoid kernel_main() {{\n{}\n}}\n",
        kernel.above, kernel.body
    );
    std::fs::write(folder.join("kernel.cpp"), text).unwrap();
    let path = folder.join("program.toml");
    let text = format!(
        "arch = \"wormhole\"\n[params]\nN = 1\n[[cb]]\ntotal_size = 4096\ncore_ranges = [[[0, 0], [0, 0]]]\n\
         format_descriptors = [{{ buffer_index = 0, data_format = \"bfloat16\", page_size = 2048 }}]\n\
         [[kernel]]\nkernel_source = \"kernel.cpp\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = {config}\n\
         runtime_args = [{{ core = [0, 0], args = [\"${{N}}\"] }}]\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs a command on a program, which ends in seconds; its exit code and document.
fn run(kernel: &Hostile, path: &Path, options: &[&str]) -> (i32, Value) {
    let arguments = [&["run", path.to_str().unwrap(), "--format", "json"], kernel.options, options].concat();
    let begun = Instant::now();
    let output = tileproof(&arguments);
    let took = begun.elapsed();
    let what = format!("{} {options:?}", kernel.name);
    let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(![&text, &said].iter().any(|text| text.contains('\x1b')), "{what}: what a terminal obeys: {text}\n{said}");
    let document: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{what}: {error}: {text}\n{}", &said[..said.len().min(2000)]));
    // Of cells the streams are not shown.
    assert!(document.is_array() || said.contains(kernel.said), "{what}: {said}");
    assert!(took < Duration::from_secs(60), "{what}: took {took:?}");
    (output.status.code().expect("an exit code"), document)
}

/// Looks whether a run found what is to be found, where it is to be found.
fn judge(kernel: &Hostile, path: &Path, code: i32, document: &Value) {
    let name = kernel.name;
    let Some((wanted, word)) = kernel.found else {
        assert_eq!((code, document["status"].as_str()), (0, Some("completed")), "{name}: {document:#}");
        return;
    };
    assert_eq!(code, 1, "{name}: {document:#}");
    let findings = document["findings"].as_array().expect("findings");
    let is_it = |finding: &&Value| {
        finding["code"] == wanted && finding["message"].as_str().is_some_and(|message| message.contains(word))
    };
    let finding = findings.iter().find(is_it).unwrap_or_else(|| panic!("{name}: no {wanted} {word}: {findings:#?}"));
    let text = std::fs::read_to_string(path.with_file_name("kernel.cpp")).unwrap();
    if let Some(line) = text.lines().position(|line| line.ends_with(HERE)) {
        assert_eq!(finding["line"], line as u64 + 1, "{name}: {finding:#}");
    }
}

/// Runs the rows on several host threads, since each is a compilation and some wait for a limit.
fn all(test: &str, rows: &[(&Hostile, On, &[&str])]) {
    // Rows of one kernel share a folder, and what was compiled for it.
    let paths: Vec<PathBuf> = rows.iter().map(|(kernel, on, _)| program(test, kernel, *on)).collect();
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(((kernel, _, options), path)) = rows.get(number).zip(paths.get(number)) else { break };
                    let is_well = std::panic::catch_unwind(|| try_one(kernel, path, options)).is_ok();
                    failed.fetch_add(usize::from(!is_well), Ordering::Relaxed);
                }
            });
        }
    });
    for folder in paths.iter().filter_map(|path| path.parent()) {
        let _ = std::fs::remove_dir_all(folder);
    }
    assert_eq!(failed.into_inner(), 0, "rows that failed, each named above");
}

fn try_one(kernel: &Hostile, path: &Path, options: &[&str]) {
    let (code, document) = run(kernel, path, options);
    match document.as_array() {
        None => judge(kernel, path, code, &document),
        // The cells go on behind one whose process died.
        Some(cells) => {
            assert_eq!(cells.len(), 2, "{}", kernel.name);
            cells.iter().for_each(|cell| judge(kernel, path, code, &cell["run"]));
        }
    }
}

/// Set to anything, it has every kernel run on every thread, alone, explored, in a grid and without observers: that takes minutes.
const EVERY: &str = "TILEPROOF_EVERY_HOSTILE";

#[test]
fn hostile_kernels_end_with_a_verdict_on_their_line() {
    let on = [On::Reader, On::Compute, On::Writer];
    let modes: [&[&str]; 4] = [&[], &["--explore", "2"], &["--grid", "N=1,2"], &["--checks", "none", "--threads", "1"]];
    let is_every = std::env::var_os(EVERY).is_some();
    let mut rows = Vec::new();
    for (number, kernel) in KERNELS.iter().enumerate() {
        // What an observer finds is not looked for without.
        let is_observed = kernel.found.is_some_and(|(code, _)| code.starts_with("TP03"));
        let modes = if is_every { &modes[..4 - usize::from(is_observed)] } else { &modes[..1] };
        for on in if is_every { &on[..] } else { &on[number % 3..][..1] } {
            rows.extend(modes.iter().map(|mode| (kernel, *on, *mode)));
        }
    }
    all("line", &rows);
}

#[test]
fn other_schedules_and_cells_go_on_behind_a_kernel_that_took_its_process_down() {
    let named = |name: &str| KERNELS.iter().find(|kernel| kernel.name == name).expect("a row");
    let rows = ["frame_of_64_mib", "raw_exit_group", "streams_closed", "constructor"].map(named);
    let grid: &[&str] = &["--grid", "N=1,2"];
    all("other", &rows.map(|kernel| (kernel, On::Writer, grid)));
    all("other", &rows.map(|kernel| (kernel, On::Reader, &["--explore", "2"][..])));
}

#[test]
fn what_was_found_before_a_kernel_took_its_process_down_is_told_with_its_end() {
    const PUSHED: &str = "cb_push_back(0, 1);\n";
    let rows = [
        ("found_before_it_closed", "for (int i = 0; i < 1000; i++) close(i);", "TP0602"),
        ("found_before_it_went_round", "asm volatile(\"1: jmp 1b\");", "TP0603"),
    ];
    for (name, end, code) in rows {
        let body: &'static str = Box::leak(format!("{PUSHED}{end}").into_boxed_str());
        let kernel = row(name, "#include <unistd.h>", body, code, "");
        let path = program("before", &kernel, On::Reader);
        let (status, document) = run(&kernel, &path, &[]);
        let codes: Vec<_> = document["findings"].as_array().expect("findings").iter().map(|f| &f["code"]).collect();
        assert_eq!((status, codes), (1, vec![&Value::from("TP0302"), &Value::from(code)]), "{name}: {document:#}");
        std::fs::remove_dir_all(path.parent().expect("its folder")).unwrap();
    }
}

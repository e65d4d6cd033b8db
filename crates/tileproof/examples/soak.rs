//! Many small runs in one process and one cache: what they take of the host they give back. `cargo xtask soak` runs it.
//!
//! `soak RUNS`: what the process has is looked at after a tenth of the runs, when each case has come up, and at the end. It must never
//! allow for growth that goes on. Start at `main`.

#![allow(clippy::disallowed_methods, reason = "it looks at the host, and nothing of that enters a record")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use tileproof::model::record::Status;
use tileproof::run_file::{RunOptions, run_program_file};
use tileproof::{Isolation, host_box};

/// What a process has of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Held {
    /// KiB of memory that is its own.
    memory: u64,
    mappings: usize,
    descriptors: usize,
    threads: usize,
    children: usize,
    /// In the cache, and beside the programs.
    files: usize,
    /// KiB of them.
    bytes: u64,
}

/// What an allocator may keep for later, in KiB: less than a byte for each of a hundred thousand runs would not be seen, and a
/// hundred bytes for each are.
const SLACK: u64 = 8 << 10;

impl Held {
    fn now(folder: &Path) -> Held {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let figure = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
        };
        let count = |path: &str| fs::read_dir(path).map_or(0, Iterator::count);
        let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let children = |task: fs::DirEntry| {
            fs::read_to_string(task.path().join("children")).map_or(0, |text| text.split_whitespace().count())
        };
        let (files, bytes) = files(folder);
        Held {
            memory: figure("RssAnon:") + figure("RssShmem:"),
            mappings: fs::read_to_string("/proc/self/maps").map_or(0, |text| text.lines().count()),
            descriptors: count("/proc/self/fd"),
            threads: figure("Threads:") as usize,
            children: tasks.map(children).sum(),
            files,
            bytes: bytes >> 10,
        }
    }

    /// What is more than before.
    fn grown(&self, before: &Held) -> Vec<&'static str> {
        let all = [
            ("memory", self.memory > before.memory + SLACK),
            ("mappings", self.mappings > before.mappings + 16),
            ("descriptors", self.descriptors > before.descriptors),
            ("threads", self.threads > before.threads),
            ("processes", self.children > before.children),
            ("files", self.files > before.files),
            ("bytes of files", self.bytes > before.bytes + 64),
        ];
        all.into_iter().filter_map(|(name, is_more)| is_more.then_some(name)).collect()
    }
}

/// Files below a folder, and their bytes.
fn files(folder: &Path) -> (usize, u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.fold((0, 0), |(count, bytes), entry| match entry.metadata() {
        Ok(data) if data.is_dir() => {
            let (more, larger) = files(&entry.path());
            (count + more, bytes + larger)
        }
        Ok(data) => (count + 1, bytes + data.len()),
        Err(_) => (count, bytes),
    })
}

/// One page from a tensor to another by one kernel, with something said on the way.
fn kernel(way: &str) -> String {
    format!(
        "#include <cstdint>\n#include <csignal>\n#include \"api/dataflow/dataflow_api.h\"\n\
         void kernel_main() {{\n\
         const auto from = TensorAccessor(TensorAccessorArgs<0>(), get_common_arg_val<uint32_t>(0), 2048);\n\
         const auto to = TensorAccessor(TensorAccessorArgs<0>(), get_common_arg_val<uint32_t>(1), 2048);\n\
         cb_reserve_back(0, 1);\nconst uint32_t page = get_arg_val<uint32_t>(0);\nnoc_async_read_page(page, from, get_write_ptr(0));\nnoc_async_read_barrier();\n\
         cb_push_back(0, 1);\ncb_wait_front(0, 1);\n{way}\nnoc_async_write_page(page, to, get_read_ptr(0));\n\
         noc_async_write_barrier();\ncb_pop_front(0, 1);\n}}\n"
    )
}

fn program(kernel: &str, last: u32) -> String {
    let tensor = |name: &str, more: &str| {
        format!(
            "[[tensor]]\nname = \"{name}\"\nshape = [{}, 32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"\n{more}\n",
            last + 1
        )
    };
    let arguments =
        (0..=last).map(|core| format!("{{ core = [{core}, 0], args = [{core}] }}")).collect::<Vec<_>>().join(", ");
    format!(
        "arch = \"wormhole\"\n{}{}\
         [[cb]]\ntotal_size = 2048\ncore_ranges = [[[0, 0], [{last}, 0]]]\n\
         format_descriptors = [{{ buffer_index = 0, data_format = \"bfloat16\", page_size = 2048 }}]\n\
         [[kernel]]\nkernel_source = \"{kernel}.cpp\"\ncore_ranges = [[[0, 0], [{last}, 0]]]\nconfig = \"reader\"\n\
         compile_time_args = [{{ tensor_accessor = \"in\" }}]\n\
         common_runtime_args = [{{ address = \"in\" }}, {{ address = \"out\" }}]\n\
         runtime_args = [{arguments}]\n\
         [[expect]]\ntensor = \"out\"\nsame_as = \"in\"\nbits = true\n",
        tensor("in", "fill = \"ramp\""),
        tensor("out", "output = true"),
    )
}

/// A program, how often it is run, and how it ends; `None` for one that is refused.
struct Case {
    name: &'static str,
    /// One run of so many.
    one_in: u64,
    /// What its kernel does on the way.
    way: &'static str,
    ends: Option<Status>,
    isolation: bool,
}

const CASES: [Case; 7] = [
    case("stack", 97, "asm volatile(\"movq $8, %rsp; pushq $0\");", Some(Status::Crashed), true),
    case("refused_call", 89, "raise(SIGTERM);", Some(Status::Crashed), true),
    case("finding", 53, "cb_wait_front(0, 2);", Some(Status::Deadlock), true),
    case("refused", 47, "", None, true),
    case("two_cores", 31, "", Some(Status::Completed), true),
    case("in_process", 17, "", Some(Status::Completed), false),
    case("right", 1, "", Some(Status::Completed), true),
];

const fn case(name: &'static str, one_in: u64, way: &'static str, ends: Option<Status>, isolation: bool) -> Case {
    Case { name, one_in, way, ends, isolation }
}

/// Runs after which each case has come up.
const EARLIEST: u64 = 200;

/// Writes the programs into a folder.
fn write(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for case in &CASES {
        fs::write(folder.join(format!("{}.cpp", case.name)), kernel(case.way))?;
        let text = program(case.name, u32::from(case.name == "two_cores"));
        let text = if case.ends.is_none() { text.replace("out\"\nsame", "nowhere\"\nsame") } else { text };
        fs::write(folder.join(format!("{}.toml", case.name)), text)?;
    }
    Ok(())
}

/// Runs a case once; what is wrong with how it ended.
fn run(folder: &Path, case: &Case) -> Result<(), String> {
    let options = RunOptions {
        cache: Some(folder.join("cache")),
        save: Some(folder.join("saved")),
        threads: Some(2),
        isolation: case.isolation.then(Isolation::default),
        ..RunOptions::default()
    };
    let result = run_program_file(&folder.join(format!("{}.toml", case.name)), &options);
    let ended = result.as_ref().ok().map(|result| result.record.status);
    if ended == case.ends { Ok(()) } else { Err(format!("{}: {ended:?}, {result:?}", case.name)) }
}

fn main() -> ExitCode {
    let runs: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    let folder: PathBuf = std::env::temp_dir().join(format!("tileproof-soak-{}", std::process::id()));
    if let Err(error) = write(&folder) {
        eprintln!("soak: {}: {error}", folder.display());
        return ExitCode::from(2);
    }
    println!("{runs} runs; {:?}", host_box());
    let begun = Instant::now();
    let mut early = None;
    let mut wrong = 0;
    for number in 0..runs {
        let case =
            CASES.iter().find(|case| (number + 1).is_multiple_of(case.one_in)).unwrap_or(&CASES[CASES.len() - 1]);
        if let Err(text) = run(&folder, case) {
            wrong += 1;
            if wrong < 4 {
                eprintln!("run {number}: {text}");
            }
        }
        if number + 1 == (runs / 10).max(EARLIEST).min(runs) {
            early = Some(Held::now(&folder));
        }
        if (number + 1).is_multiple_of((runs / 5).max(1)) {
            println!("{:>7} {:>6.0} s  {:?}", number + 1, begun.elapsed().as_secs_f64(), Held::now(&folder));
        }
    }
    let end = Held::now(&folder);
    let grown = early.map_or_else(Vec::new, |early| end.grown(&early));
    let _ = fs::remove_dir_all(&folder);
    println!("after a tenth {early:?}\nat the end    {end:?}");
    if wrong == 0 && grown.is_empty() {
        println!("nothing grew");
        return ExitCode::SUCCESS;
    }
    println!("{wrong} runs ended otherwise than they should; grown: {}", grown.join(", "));
    ExitCode::from(1)
}

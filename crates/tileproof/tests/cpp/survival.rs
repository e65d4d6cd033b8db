//! C++ kernels that end badly or never: each must become a finding with the line, and the process must live on.
//!
//! A case is a reader on one core with one circular buffer; nothing else runs. Start at `run`.

use std::collections::BTreeMap;
use std::path::Path;

use tileproof_build::{Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::finding::Code;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch,
};
use tileproof_model::record::Status;
use tileproof_model::thread::{CoreCoord, CoreRange};
use tileproof_sim::{LaunchOutcome, Machine};

const HEAD: &str = "#include \"api/dataflow/dataflow_api.h\"\n#include \"api/debug/dprint.h\"\n#include <cassert>\n#include <cstdlib>\n";

/// Runs a kernel on `cores` cores in a row, with runtime arguments 11 and 22.
fn run(name: &str, body: &str, cores: u32) -> LaunchOutcome {
    run_as(name, &format!("{HEAD}{body}"), cores, KernelConfig::DataMovement(DataMovementConfig::READER))
}

fn run_as(name: &str, text: &str, cores: u32, config: KernelConfig) -> LaunchOutcome {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-survival");
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join(format!("{name}.cpp"));
    std::fs::write(&source, text).unwrap();
    let builder = Builder::new(Some(folder.join("cache"))).unwrap();
    let request = CompileRequest {
        source: source.clone(),
        config: config.clone(),
        compile_time_args: vec![],
        named_compile_time_args: vec![],
        defines: vec![],
        include_dirs: vec![],
        circular_buffers: vec![CircularBufferFormat { index: 0, format: DataFormat::Float16_b, page_size: 2048 }],
        arch: Arch::Wormhole,
    };
    let kernels = builder.build(&[request]).unwrap_or_else(|e| panic!("{e}"));
    let range = CoreRange { start: CoreCoord { x: 0, y: 0 }, end: CoreCoord { x: cores - 1, y: 0 } };
    let arguments = range.cores().map(|core| (core, vec![Argument::Word(11), Argument::Word(22)]));
    let launch = Launch {
        cbs: vec![CbDescriptor {
            total_size: 4096,
            tensor: None,
            core_ranges: vec![range],
            format_descriptors: vec![CbFormatDescriptor {
                buffer_index: 0,
                data_format: DataFormat::Float16_b,
                page_size: 2048,
            }],
        }],
        kernels: vec![KernelDescriptor {
            source: KernelSource::Cpp(source),
            core_ranges: vec![range],
            config,
            compile_time_args: vec![],
            named_compile_time_args: vec![],
            defines: vec![],
            include_dirs: vec![],
            runtime_args: arguments.collect::<BTreeMap<_, _>>(),
            common_runtime_args: vec![],
        }],
        semaphores: vec![],
    };
    Machine::<Unobserved>::new(Arch::Wormhole).launch(&launch, &kernels).unwrap()
}

/// The line of the text `HEAD` plus `body` that holds `mark`.
fn line_of(body: &str, mark: &str) -> u32 {
    let text = format!("{HEAD}{body}");
    text.lines().position(|l| l.contains(mark)).unwrap() as u32 + 1
}

/// Runs a kernel that must end with one finding of `code` on the line of `mark`, whose message has `words`.
fn fires(name: &str, body: &str, mark: &str, code: Code, status: Status, words: &str) {
    // Twice in one process: a kernel that ended badly leaves nothing behind.
    for _ in 0..2 {
        let outcome = run(name, body, 1);
        assert_eq!(outcome.status, status, "{:?}", outcome.findings);
        let [finding] = outcome.findings.as_slice() else { panic!("{:?}", outcome.findings) };
        assert_eq!(finding.code, code);
        assert!(finding.message.contains(words), "{}", finding.message);
        let place = finding.primary.location.as_ref().expect("a place");
        assert!(place.file.ends_with(&format!("{name}.cpp")), "{}", place.file);
        assert_eq!(place.line, line_of(body, mark), "{}", finding.message);
    }
}

fn crashes(name: &str, body: &str, mark: &str, words: &str) {
    fires(name, body, mark, Code::KERNEL_CRASHED, Status::Crashed, words);
}

#[test]
fn a_write_to_nowhere_is_found() {
    let body = "void kernel_main() {\n    uint32_t* nowhere = (uint32_t*)get_arg_val<uint32_t>(0);\n    *(volatile uint32_t*)nowhere = 1;  // here\n}\n";
    crashes("nowhere", body, "// here", "address 0xb,");
}

#[test]
fn a_stack_that_runs_over_is_found() {
    let body = "__attribute__((noinline)) int deeper(int n) {\n    volatile int frame[64];\n    frame[n & 63] = n;\n    return deeper(n + 1) + frame[n & 63];\n}\nvoid kernel_main() { deeper(0); }\n";
    let outcome = run("stack", body, 1);
    assert_eq!(outcome.status, Status::Crashed);
    assert!(outcome.findings[0].message.contains("its stack ran over"), "{:?}", outcome.findings);
    let line = outcome.findings[0].primary.location.as_ref().unwrap().line;
    assert!((5..=8).contains(&line), "{line}");
}

#[test]
fn a_division_by_zero_is_found() {
    let body = "void kernel_main() {\n    volatile int zero = 0;\n    volatile int x = 7 / zero;  // here\n}\n";
    crashes("division", body, "// here", "division by zero");
}

#[test]
fn the_ways_to_end_a_process_end_the_kernel() {
    crashes("exit", "void kernel_main() {\n    exit(3);  // here\n}\n", "// here", "exit()");
    crashes("abort", "void kernel_main() {\n    abort();  // here\n}\n", "// here", "abort()");
    crashes(
        "assert",
        "void kernel_main() {\n    volatile int n = 2;\n    assert(n == 3);  // here\n}\n",
        "// here",
        "n == 3",
    );
    crashes(
        "ASSERT",
        "void kernel_main() {\n    volatile int n = 2;\n    ASSERT(n == 3);  // here\n}\n",
        "// here",
        "n == 3",
    );
}

#[test]
fn a_runtime_argument_that_is_not_given_is_named() {
    let body = "void kernel_main() {\n    volatile uint32_t x = get_arg_val<uint32_t>(2);  // here\n}\n";
    crashes("argument", body, "// here", "runtime argument 2 was asked for, the program gives 2");
}

#[test]
fn a_loop_that_polls_memory_for_ever_is_found() {
    let body = "void kernel_main() {\n    auto* flag = (volatile tt_l1_ptr uint32_t*)get_write_ptr(0);\n    *flag = 0;\n    while (*flag == 0) {}  // here\n}\n";
    fires("poll", body, "// here", Code::STEP_LIMIT, Status::Stopped, "does not end");
}

#[test]
fn what_a_loop_goes_round_for_is_told_without_checks_too() {
    let looks = |body: &str, name: &str| {
        let outcome = run(name, body, 1);
        let notes = outcome.findings[0].notes.clone();
        notes.into_iter().find(|note| note.starts_with("it looks at"))
    };
    let body = "void kernel_main() {\n    auto* flag = (volatile tt_l1_ptr uint32_t*)get_write_ptr(0);\n    *flag = 7;\n    while (*flag == 7) {}\n}\n";
    let told = looks(body, "looks").expect("it looks at a word");
    assert!(told.ends_with(", in c_0, which is 0x7"), "{told}");
    // Nor does an argument that it is compared with stand for it.
    let body = "void kernel_main() {\n    auto* flag = (volatile tt_l1_ptr uint32_t*)get_write_ptr(0);\n    *flag = 7;\n    while (*flag < 100 + get_arg_val<uint32_t>(0)) {}\n}\n";
    let told = looks(body, "compared").expect("it looks at a word");
    assert!(told.ends_with(", in c_0, which is 0x7"), "{told}");
    // A loop of calls goes round for none, though the kernel has looked at a word before.
    let body = "void kernel_main() {\n    auto* flag = (volatile tt_l1_ptr uint32_t*)get_write_ptr(0);\n    (void)*flag;\n    while (!cb_pages_available_at_front(0, 1)) {}\n}\n";
    assert_eq!(looks(body, "calls"), None);
}

#[test]
fn a_loop_that_only_looks_at_a_buffer_is_found() {
    let body = "void kernel_main() {\n    while (!cb_pages_available_at_front(0, 1)) {}  // here\n}\n";
    fires("look", body, "// here", Code::STEP_LIMIT, Status::Stopped, "does not end");
}

#[test]
fn a_hung_kernel_is_unwound() {
    let body = "void kernel_main() {\n    cb_wait_front(0, 1);  // here\n}\n";
    fires("hung", body, "// here", Code::DEADLOCK, Status::Deadlock, "");
}

#[test]
fn variables_belong_to_one_core_and_one_run() {
    let body = "static int count = 40;\nint later;\nvoid kernel_main() {\n    count += 1;\n    later += 1;\n    cb_reserve_back(0, 1);\n    cb_push_back(0, 1);\n    DPRINT << \"count \" << count << \" \" << later << ENDL();\n}\n";
    for _ in 0..2 {
        let outcome = run("variables", body, 3);
        let texts: Vec<&str> = outcome.prints.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["count 41 1"; 3]);
    }
}

#[test]
fn a_kernel_finds_its_arrays_empty_whatever_their_size() {
    let body = "int few[8], many[1 << 20], held[8] = {5};\nvoid kernel_main() {\n    int found = 0;\n    for (int at = 0; at < 8; at++) {\n        found += few[at];\n    }\n    for (int at = 0; at < 1 << 20; at += 500) {\n        found += many[at]++;\n    }\n    many[(1 << 20) - 1] += 1;\n    few[7] += 1;\n    held[0] += 1;\n    DPRINT << found << \" \" << many[(1 << 20) - 1] << \" \" << held[0] << ENDL();\n}\n";
    // Copies that have run are used again.
    for _ in 0..2 {
        let outcome = run("arrays", body, 8);
        let texts: Vec<&str> = outcome.prints.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["0 1 6"; 8]);
    }
}

#[test]
fn prints_stream_and_format() {
    let body = "void kernel_main() {\n    DPRINT << \"a\" << 1u << ' ' << -2 << HEX() << 255 << ENDL();\n    DPRINT(\"x = {}, y = {}\\n\", get_arg_val<uint32_t>(1), 0.5f);\n}\n";
    let outcome = run("prints", body, 1);
    let texts: Vec<&str> = outcome.prints.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, ["a1 -2ff", "x = 22, y = 0.5"]);
}

#[test]
fn a_slice_of_a_page_prints_its_datums_row_by_row() {
    // bf16 1, 2 and 0.5, -3 in the first two rows of face 0; a face row is 32 bytes.
    let body = "void kernel_main() {\n    auto* page = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));\n    page[0] = 0x40003f80;\n    page[8] = 0xc0403f00;\n    DPRINT << \"page\" << ENDL() << TileSlice(0, 0, SliceRange{0, 2, 1, 0, 2, 1}, TSLICE_OUTPUT_CB, TSLICE_WR_PTR);\n}\n";
    let outcome = run("slice", body, 1);
    assert_eq!(outcome.prints.len(), 1, "{:?}", outcome.findings);
    assert_eq!(outcome.prints[0].text, "page\n1 2\n0.5 -3");
}

#[test]
fn a_dst_tile_prints_from_math_and_undefined_rows_say_so() {
    let text = "#include \"api/compute/compute_kernel_api.h\"\n#include \"api/compute/eltwise_unary/fill.h\"\n#include \"api/compute/compute_kernel_hw_startup.h\"\n#include \"api/debug/dprint_tensix.h\"\nvoid kernel_main() {\n    compute_kernel_hw_startup(0, 0);\n    fill_tile_init();\n    tile_regs_acquire();\n    fill_tile(0, 1.5f);\n    dprint_tensix_dest_reg(0);\n    dprint_tensix_dest_reg(1);\n    tile_regs_commit();\n    tile_regs_wait();\n    tile_regs_release();\n}\n";
    let outcome = run_as("dst_print", text, 1, KernelConfig::Compute(ComputeConfig::default()));
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.findings);
    let rows: Vec<Vec<&str>> = outcome.prints.iter().map(|p| p.text.lines().collect()).collect();
    assert_eq!(rows.len(), 2);
    assert!(rows[0].len() == 32 && rows[0].iter().all(|row| *row == ["1.5"; 32].join(" ")), "{:?}", rows[0]);
    assert!(rows[1].iter().all(|row| *row == ["undefined"; 32].join(" ")), "{:?}", rows[1]);
}

#[test]
fn a_compute_kernel_can_ask_which_thread_it_is_compiled_for() {
    let texts = |name: &str, text: &str| {
        let outcome = run_as(name, text, 1, KernelConfig::Compute(ComputeConfig::default()));
        assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.findings);
        let mut texts: Vec<String> =
            outcome.prints.into_iter().map(|p| format!("{} {}", p.place.thread, p.text)).collect();
        texts.sort();
        texts
    };
    let head = "#include \"compute_kernel_api/common.h\"\n#include \"debug/dprint.h\"\n";
    let body = "#ifdef TRISC_MATH\nconstexpr int here = 7;\n#else\nconstexpr int here = 8;\n#endif\n\
                namespace NAMESPACE {\nvoid MAIN {\n    PACK(int only = 9;)\n    MATH((DPRINT << \"m\" << here << ENDL()));\n    \
                PACK((DPRINT << \"p\" << here << only << ENDL()));\n}\n}\n";
    assert_eq!(texts("threads", &format!("{head}{body}")), ["MATH m7", "PACK p89"]);
    let body = "void kernel_main() {\n    DPRINT << \"all\" << ENDL();\n}\n";
    assert_eq!(texts("all_threads", &format!("{head}{body}")), ["MATH all", "PACK all", "UNPACK all"]);
}

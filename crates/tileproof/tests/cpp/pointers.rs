//! Loads and stores of C++ kernels through pointers: the checks must see each, on the line that makes it, however it is
//! written.
//!
//! A reader and a writer run on one core; what each does stands in its text. A line ends in the code that it must be
//! reported with; every other line must give nothing. Start at `found_as_marked`.

use std::fs;
use std::path::{Path, PathBuf};

use tileproof::run_file::{RunOptions, run_program_file};
use tileproof_model::record::Status;

const HEAD: &str = "#include \"api/core_local_mem.h\"\n#include \"api/dataflow/dataflow_api.h\"\n#include <algorithm>\n#include <atomic>\n#include <cstring>\n\
    using Words = volatile tt_l1_ptr uint32_t*;\nstruct Row { uint32_t words[8]; };\n";

/// A program of the two kernels, with two buffers and a semaphore.
const PROGRAM: &str = r#"
[[tensor]]
name = "in"
shape = [4, 32, 32]
dtype = "bfloat16"
layout = "tile"
fill = "ramp:1,2"

[[tensor]]
name = "out"
shape = [4, 32, 32]
dtype = "bfloat16"
layout = "tile"
scratch = true

[[cb]]
total_size = 4096
core_ranges = [[[0, 0], [0, 0]]]
format_descriptors = [{ buffer_index = 0, data_format = "bfloat16", page_size = 2048 }]

[[cb]]
total_size = 4096
core_ranges = [[[0, 0], [0, 0]]]
format_descriptors = [{ buffer_index = 1, data_format = "bfloat16", page_size = 2048 }]

[[semaphore]]
id = 0
core_ranges = [[[0, 0], [0, 0]]]

[[kernel]]
kernel_source = "reader.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "reader"
compile_time_args = [{ tensor_accessor = "in" }]
runtime_args = [{ core = [0, 0], args = [{ address = "in" }] }]

[[kernel]]
kernel_source = "writer.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "writer"
compile_time_args = [{ tensor_accessor = "out" }]
runtime_args = [{ core = [0, 0], args = [{ address = "out" }] }]
"#;

/// Runs the two kernels, and compares what is found with the marks in their texts.
fn found_as_marked(name: &str, reader: &str, writer: &str) {
    let mut expected: Vec<(String, u32, String)> = Vec::new();
    for (file, body) in [("reader.cpp", reader), ("writer.cpp", writer)] {
        let text = format!("{HEAD}{body}");
        for (line, number) in text.lines().zip(1..) {
            if let Some((_, code)) = line.split_once("// ") {
                expected.push((file.into(), number, code.into()));
            }
        }
    }
    let result = run_program_file(&laid_out(name, reader, writer), &RunOptions::default()).unwrap();
    let record = &result.record;
    assert_eq!(record.status, Status::Completed, "{:#?}", record.findings);
    let mut found: Vec<(String, u32, String)> = Vec::new();
    for finding in &record.findings {
        let location = finding.primary.location.as_ref().unwrap_or_else(|| panic!("no line: {finding:#?}"));
        let file = Path::new(&location.file).file_name().unwrap().to_string_lossy().into_owned();
        found.push((file, location.line, finding.code.to_string()));
    }
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{:#?}", record.findings);
}

/// Lays a program of two kernels out; the path of its file.
fn laid_out(name: &str, reader: &str, writer: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-pointers").join(name);
    fs::create_dir_all(&folder).unwrap();
    for (file, body) in [("reader.cpp", reader), ("writer.cpp", writer)] {
        fs::write(folder.join(file), format!("{HEAD}{body}")).unwrap();
    }
    fs::write(folder.join("program.toml"), PROGRAM).unwrap();
    folder.join("program.toml")
}

const IDLE: &str = "void kernel_main() {}\n";

/// A kernel's loop over the ways to reach L1, each in a line of its own: the first use of a transfer is what is reported.
fn each_way(start: &str, order: &str, ways: &[&str], end: &str, mark: &str) -> String {
    let mut text = format!("void kernel_main() {{\n{start}\nfor (uint32_t way = 0; way < {}; ++way) {{\n", ways.len());
    text.push_str(&order.replace(';', ";\n"));
    text.push_str("switch (way) {\n");
    for (number, way) in ways.iter().enumerate() {
        text.push_str(&format!("case {number}:\n{way} {mark}\nbreak;\n"));
    }
    text + "}\n" + end + "}\n"
}

#[test]
fn each_way_to_load_is_seen_while_a_read_is_in_flight_and_not_after_its_barrier() {
    let start = "const auto in = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);\n\
        cb_reserve_back(0, 2);\nconst uint32_t at = get_write_ptr(0);\nuint32_t here[16] = {};\nuint32_t sum = 0;";
    let end = "noc_async_read_barrier();\n}\nreinterpret_cast<Words>(get_write_ptr(1))[0] = sum + here[sum % 16];\n\
        cb_push_back(0, 2);\ncb_wait_front(0, 2);\ncb_pop_front(0, 2);\n";
    let ways = [
        "sum += *reinterpret_cast<Words>(at);",
        "for (uint32_t i = 1; i < 4; ++i) sum += reinterpret_cast<uint32_t*>(at)[i];",
        "sum += *reinterpret_cast<uint16_t*>(uintptr_t(at + 16));",
        "sum += *reinterpret_cast<uint8_t*>(uintptr_t(at + 20));",
        "sum += *reinterpret_cast<float*>(uintptr_t(at + 24)) > 1;",
        "memcpy(here, reinterpret_cast<void*>(at + 32), 12);",
        "memcpy(here, reinterpret_cast<void*>(at + 32), 8);",
        "memmove(here, reinterpret_cast<void*>(at + 64), at % 64 | 4);",
        "std::copy_n(reinterpret_cast<uint32_t*>(at + 64), 8, here);",
        "sum += Row(*reinterpret_cast<Row*>(at + 128)).words[way % 8];",
        "sum += std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(at + 192)).load();",
        "sum += CoreLocalMem<uint32_t>(at + 200)[1];",
    ];
    let reader = |order: &str, mark: &str| each_way(start, order, &ways, end, mark);
    found_as_marked("loads", &reader("noc_async_read_tile(0, in, at);", "// TP0501"), IDLE);
    found_as_marked("loads-after", &reader("noc_async_read_tile(0, in, at); noc_async_read_barrier();", ""), IDLE);
}

#[test]
fn each_way_to_store_is_seen_while_a_write_reads_and_not_after_its_flush() {
    let start = "const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);\n\
        cb_reserve_back(1, 2);\nconst uint32_t at = get_write_ptr(1);\n\
        std::fill_n(reinterpret_cast<uint32_t*>(at), 512, 1);\nuint32_t here[16] = {at};";
    let end = "noc_async_write_barrier();\n}\ncb_push_back(1, 2);\ncb_wait_front(1, 2);\ncb_pop_front(1, 2);\n";
    let ways = [
        "*reinterpret_cast<Words>(at) = 7;",
        "for (uint32_t i = 1; i < 4; ++i) reinterpret_cast<uint32_t*>(at)[i] = i;",
        "*reinterpret_cast<uint16_t*>(uintptr_t(at + 16)) = uint16_t(at);",
        "*reinterpret_cast<uint8_t*>(uintptr_t(at + 20)) = 1;",
        "*reinterpret_cast<uint32_t*>(uintptr_t(at + 24)) += way;",
        "memcpy(reinterpret_cast<void*>(at + 32), here, 12);",
        "memcpy(reinterpret_cast<void*>(at + 32), here, 8);",
        "memmove(reinterpret_cast<void*>(at + 64), here, at % 64 | 4);",
        "memset(reinterpret_cast<void*>(at + 128), 0, 32);",
        "std::fill_n(reinterpret_cast<uint32_t*>(at), 512, 1);",
        "*reinterpret_cast<Row*>(at + 192) = Row{{1, 2, 3, way}};",
        "std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(at + 256)).fetch_add(1);",
        "CoreLocalMem<uint32_t>(at + 300)[1] = 3;",
    ];
    let writer = |order: &str, mark: &str| each_way(start, order, &ways, end, mark);
    found_as_marked("stores", IDLE, &writer("noc_async_write_tile(0, out, at);", "// TP0502"));
    let flushed = "noc_async_write_tile(0, out, at); noc_async_writes_flushed();";
    found_as_marked("stores-after", IDLE, &writer(flushed, ""));
}

#[test]
fn a_page_that_is_loaded_from_counts_as_read_and_one_that_is_only_popped_does_not() {
    let reader = "void kernel_main() {\n\
        const auto in = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);\n\
        for (uint32_t cb = 0; cb < 2; ++cb) {\n\
            cb_reserve_back(cb, 1);\n\
            noc_async_read_tile(cb, in, get_write_ptr(cb));\n\
            noc_async_read_barrier();\n\
            cb_push_back(cb, 1);\n\
        }\n}\n";
    let writer = |load: &str, mark: &str| {
        format!(
            "void kernel_main() {{\n\
            const auto out = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);\n\
            cb_wait_front(0, 1);\n{load}\ncb_pop_front(0, 1); {mark}\n\
            cb_wait_front(1, 1);\n\
            noc_async_write_tile(0, out, get_read_ptr(1));\nnoc_async_write_barrier();\n\
            cb_pop_front(1, 1);\n}}\n"
        )
    };
    found_as_marked("popped", reader, &writer("", "// TP0310"));
    let load = "const uint32_t pages = *reinterpret_cast<Words>(get_read_ptr(0)); ASSERT(pages != 0);";
    found_as_marked("loaded", reader, &writer(load, ""));
}

#[test]
fn a_longer_load_from_where_a_short_one_began_is_seen() {
    let reader = |bytes: u32, mark: &str| {
        format!(
            "void kernel_main() {{\n\
            const auto in = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), 2048);\n\
            cb_reserve_back(0, 2);\n\
            const uint32_t at = get_write_ptr(0) + 2044;\nuint32_t here[4] = {{}};\n\
            *reinterpret_cast<Words>(at) = 1;\n\
            noc_async_read_tile(0, in, get_write_ptr(0) + 2048);\n\
            uint32_t sum = *reinterpret_cast<Words>(at);\n\
            memcpy(here, reinterpret_cast<void*>(at), {bytes} + 0 * sum); {mark}\n\
            noc_async_read_barrier();\n\
            reinterpret_cast<Words>(get_write_ptr(1))[0] = sum + here[sum % 4];\n}}\n"
        )
    };
    found_as_marked("longer", &reader(16, "// TP0501"), IDLE);
    found_as_marked("as-long", &reader(4, ""), IDLE);
}

/// Fills the first buffer by `fill`, and the second, which lies right behind it, is the writer's.
fn fills(name: &str, fill: &str) {
    let reader = format!(
        "void kernel_main() {{\ncb_reserve_back(0, 2);\nauto words = reinterpret_cast<Words>(get_write_ptr(0));\n{fill}\n}}\n"
    );
    let writer = "void kernel_main() {\ncb_reserve_back(1, 1);\n*reinterpret_cast<Words>(get_write_ptr(1)) = 1;\n}\n";
    found_as_marked(name, &reader, writer);
}

#[test]
fn stores_that_run_on_into_the_next_buffer_are_reported_and_a_full_buffer_is_not() {
    fills("walks", "for (uint32_t i = 0; i < 1025; ++i) words[i] = i; // TP0404");
    fills("fits", "for (uint32_t i = 0; i < 1024; ++i) words[i] = i;");
    fills("sets", "memset((void*)words, 0, 4097); // TP0404");
    fills("sets-all", "memset((void*)words, 0, 4096);");
    // Memory of a thread that calls for neither buffer is its own.
    let scratch = "void kernel_main() {\nfor (uint32_t cb = 0; cb < 2; ++cb) {\n\
        auto words = reinterpret_cast<Words>(get_write_ptr(cb));\n\
        for (uint32_t i = 0; i < 1024; ++i) words[i] = i;\n}\n}\n";
    found_as_marked("scratch", scratch, IDLE);
}

#[test]
fn a_semaphore_that_the_program_does_not_have_is_reported_however_it_is_used() {
    let reader = "void kernel_main() {\n\
        auto there = reinterpret_cast<Words>(get_semaphore(0));\n\
        auto missing = reinterpret_cast<Words>(get_semaphore(1));\n\
        noc_semaphore_set(there, 1);\nnoc_semaphore_wait(there, 1);\n*there = *there + 1;\n\
        noc_semaphore_set(missing, 1); // TP0412\n\
        noc_semaphore_wait(missing, 1); // TP0412\n\
        *missing = 2; // TP0412\n\
        noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 1);\n\
        noc_semaphore_inc(get_noc_addr(get_semaphore(1)), 1); // TP0412\n\
        noc_async_atomic_barrier();\n\
        get_semaphore(16); // TP0412\n}\n";
    found_as_marked("semaphores", reader, IDLE);
}

#[test]
fn a_loop_that_looks_at_a_word_for_ever_is_ended_with_the_words_name_and_value() {
    let looks = |at: &str| {
        let reader =
            format!("void kernel_main() {{\nauto word = reinterpret_cast<Words>({at});\nwhile (*word != 5) {{}}\n}}\n");
        let result = run_program_file(&laid_out("looks", &reader, IDLE), &RunOptions::default()).unwrap();
        let [finding] = result.record.findings.as_slice() else { panic!("{:#?}", result.record.findings) };
        assert_eq!(finding.code.to_string(), "TP0603");
        finding.notes.join("\n")
    };
    assert!(looks("get_semaphore(0)").starts_with("it looks at semaphore 0, which is 0x0"));
    let note = looks("get_write_ptr(1) + 8");
    assert!(
        note.starts_with("it looks at the word at 0x") && note.ends_with(", in c_1, which is 0xffffffff"),
        "{note}"
    );
}

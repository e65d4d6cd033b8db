//! Whole programs from their files: recorded cases through the C++ builder and through kernels in Rust.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use tileproof::LaunchError;
use tileproof::fill::Fill;
use tileproof::npy;
use tileproof::run_file::{
    BuildKernels, ChosenChecks, RunError, RunOptions, RunResult, run_program_file, run_program_file_with,
};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_golden::Case;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor, compute_kernel, data_movement_kernel};
use tileproof_model::arch::Arch;
use tileproof_model::finding::{Code, Family};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::record::Status;
use tileproof_numerics::format::DataFormat;

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    support::folder(&format!("runs-{name}"))
}

fn case(group: &str, name: &str) -> &'static Case {
    tileproof_golden::case(group, name).unwrap_or_else(|| panic!("{group}/{name}"))
}

/// Kernels in Rust in the place of the C++ files of the element-wise cases.
struct RustKernels;

fn reader(dm: &DataMovement<'_>) {
    for input in 0..dm.get_arg_val(0) as usize {
        let [address, pages, cb] = [1, 2, 3].map(|word| dm.get_arg_val(3 * input + word));
        let tensor = TensorAccessor::new(dm, 0, address, dm.get_page_size(cb));
        for page in 0..pages {
            dm.cb_reserve_back(cb, 1);
            dm.noc_async_read_page(page, &tensor, dm.get_write_ptr(cb));
            dm.noc_async_read_barrier();
            dm.cb_push_back(cb, 1);
        }
    }
}

fn add(c: &Compute<'_>) {
    c.compute_kernel_hw_startup(0, 1, 16);
    c.cb_wait_front(0, 4);
    c.cb_wait_front(1, 4);
    c.add_init(0, 1);
    for tile in 0..4 {
        c.tile_regs_acquire();
        c.add_tiles(0, 1, tile, tile, 0);
        c.tile_regs_commit();
        c.cb_reserve_back(16, 1);
        c.tile_regs_wait();
        c.pack_tile(0, 16);
        c.cb_push_back(16, 1);
        c.tile_regs_release();
    }
}

fn writer(dm: &DataMovement<'_>) {
    let tensor = TensorAccessor::new(dm, 0, dm.get_arg_val(0), dm.get_page_size(16));
    for page in 0..dm.get_arg_val(1) {
        dm.cb_wait_front(16, 1);
        dm.noc_async_write_page(page, &tensor, dm.get_read_ptr(16));
        dm.noc_async_write_barrier();
        dm.cb_pop_front(16, 1);
    }
}

impl BuildKernels for RustKernels {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        let kernel = |request: &CompileRequest| match request.source.file_stem().and_then(|stem| stem.to_str()) {
            Some("reader") => data_movement_kernel("reader", reader),
            Some("writer") => data_movement_kernel("writer", writer),
            _ => compute_kernel("add", add),
        };
        Ok(requests.iter().map(kernel).collect())
    }
}

/// The same, with another kernel in the place of one.
struct Instead(usize, fn() -> SharedKernel);

impl BuildKernels for Instead {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        let mut kernels = RustKernels.build(requests)?;
        kernels[self.0] = (self.1)();
        Ok(kernels)
    }
}

/// The program of the case that adds, with `edit` applied to its text; beside it an array of 127s.
fn added(name: &str, edit: impl Fn(String) -> String) -> (PathBuf, Result<RunResult, RunError>) {
    let folder = case("base", "add_tiles__bf16_d32_fp32").write_to(&folder(name)).unwrap();
    npy::write_elements(&folder.join("127.npy"), &[4, 32, 32], DataFormat::Float32, &[127f32.to_bits(); 4096]).unwrap();
    npy::write_elements(&folder.join("infinite.npy"), &[4, 32, 32], DataFormat::Float16_b, &[0x7f80; 4096]).unwrap();
    let path = folder.join("program.toml");
    fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
    let options = RunOptions { save: Some(folder.join("saved")), ..RunOptions::default() };
    let result = run_program_file_with(&path, &options, &RustKernels);
    (folder, result)
}

#[test]
fn a_program_runs_and_its_output_is_compared_and_saved() {
    let (folder, result) = added("added", |text| text);
    let result = result.unwrap();
    assert!(result.pass(), "{:?}", result.outputs);
    let [out] = result.outputs.as_slice() else { panic!("one output") };
    assert_eq!((out.name.as_str(), out.max_diff, out.mean_diff, out.differing), ("out0", Some(0.0), Some(0.0), 0));
    let saved = fs::read(folder.join("saved/out0.npy")).unwrap();
    let recorded = case("base", "add_tiles__bf16_d32_fp32").raw("out0.npy");
    assert_eq!(saved[saved.len() - recorded.len()..], recorded);
}

#[test]
fn a_result_that_is_not_as_expected_fails_and_shows_where() {
    // 100 + 28 where 127 is expected.
    let wrong = |closeness: &'static str| {
        let (_, result) = added("wrong", |text| {
            let text = text.replace("bits = true", closeness).replace("npy:in0.npy", "constant:100");
            text.replace("npy:in1.npy", "constant:28").replace("file = \"out0.npy\"", "file = \"127.npy\"")
        });
        result.unwrap()
    };
    let result = wrong("bits = true");
    assert!(!result.pass());
    let [finding] = result.record.findings.as_slice() else { panic!("{:?}", result.record.findings) };
    assert_eq!(finding.code, Code::OTHER_FUNCTION);
    assert!(finding.message.starts_with("out0: every element is off by the same constant, 1"), "{}", finding.message);
    assert_eq!((result.outputs[0].differing, result.outputs[0].max_diff), (4096, Some(1.0)));
    let first = result.outputs[0].first.clone().unwrap();
    assert_eq!((first.place, first.value, first.expected), (vec![0, 0, 0], 128.0, 127.0));
    assert!(wrong("atol = 1").pass());
    assert!(wrong("rtol = 0.01").pass());
    assert!(!wrong("rtol = 0.001\natol = 0.5").pass());
}

#[test]
fn an_output_page_that_nobody_writes_is_found_unless_it_is_scratch() {
    let short = |output: &'static str| {
        let (folder, result) = added("unwritten", |text| {
            text.replace("{ address = \"out0\" }, 4]", "{ address = \"out0\" }, 3]").replace("output = true", output)
        });
        let text = fs::read_to_string(folder.join("program.toml")).unwrap();
        let line = text[..text.find("name = \"out0\"").unwrap()].lines().count() as u32;
        (line, result.unwrap())
    };
    let (line, result) = short("output = true");
    let [finding] = result.record.findings.as_slice() else { panic!("{:?}", result.record.findings) };
    assert_eq!((finding.code, finding.facts["first"].as_str()), (Code::OUTPUT_NOT_WRITTEN, "3"));
    assert_eq!(finding.message, "1 of 4 pages of output out0 were never written");
    assert_eq!(finding.primary.location.as_ref().unwrap().line, line);
    let (_, result) = short("output = true\nscratch = true");
    assert!(result.record.findings.is_empty(), "{:?}", result.record.findings);
}

#[test]
fn an_output_that_is_not_finite_is_a_note_and_a_finding_where_it_is_not_as_expected() {
    // The largest bf16 twice is infinite.
    let largest = |is_expected: bool, fill: &'static str| {
        let (_, result) = added("not-finite", |text| {
            let text = text.replace("npy:in0.npy", "constant:3.3e38").replace("npy:in1.npy", fill);
            let text = text.replace("file = \"out0.npy\"", "file = \"127.npy\"");
            let end = if is_expected { text.find("[[expect]]").unwrap() } else { text.len() };
            text[..end].to_string()
        });
        result.unwrap().record
    };
    let record = largest(false, "constant:3.3e38");
    let [finding] = record.findings.as_slice() else { panic!("{:?}", record.findings) };
    assert_eq!((finding.code, finding.facts["infinite"].as_str()), (Code::NOT_FINITE, "4096"));
    assert!(record.notes.iter().all(|note| note.code != Code::NOT_FINITE));
    // Where nothing is expected it may be meant.
    let record = largest(true, "constant:3.3e38");
    assert!(record.findings.is_empty(), "{:?}", record.findings);
    assert!(record.notes.iter().any(|note| note.code == Code::NOT_FINITE));
    // A finite output; one that is infinite because an input is; and an input that is an output as well.
    let in_place = "npy:infinite.npy\"\noutput = true\nscratch = true #";
    for fill in ["constant:1", "npy:infinite.npy", in_place] {
        let record = largest(false, fill);
        assert!(record.notes.iter().chain(&record.findings).all(|found| found.code != Code::NOT_FINITE), "{fill}");
    }
}

#[test]
fn an_input_that_is_not_read_whole_is_a_note_on_its_line() {
    let pages = |read: &'static str| {
        let (folder, result) = added("unread", |text| text.replace("{ address = \"in1\" }, 4,", read));
        let text = fs::read_to_string(folder.join("program.toml")).unwrap();
        let line = text[..text.find("name = \"in1\"").unwrap()].lines().count() as u32;
        (line, result.unwrap().record)
    };
    // The first tensor is read twice.
    let (line, record) = pages("{ address = \"in0\" }, 4,");
    let [note] = record.notes.iter().filter(|n| n.code == Code::INPUT_NOT_READ).collect::<Vec<_>>()[..] else {
        panic!("{:?}", record.notes)
    };
    assert_eq!((note.message.as_str(), note.facts["unread"].as_str()), ("no kernel reads input in1", "4"));
    assert_eq!(note.primary.location.as_ref().unwrap().line, line);
    assert!(note.notes.is_empty(), "{note:?}");
    let (_, record) = pages("{ address = \"in1\" }, 4,");
    assert!(record.notes.iter().all(|n| n.code != Code::INPUT_NOT_READ), "{:?}", record.notes);
}

/// Brings page `page / 2` in the place of `page`.
fn reads_in_pairs(dm: &DataMovement<'_>) {
    for input in 0..2 {
        let [address, pages, cb] = [1, 2, 3].map(|word| dm.get_arg_val(3 * input + word));
        let tensor = TensorAccessor::new(dm, 0, address, dm.get_page_size(cb));
        for page in 0..pages {
            dm.cb_reserve_back(cb, 1);
            dm.noc_async_read_page(page / 2, &tensor, dm.get_write_ptr(cb));
            dm.noc_async_read_barrier();
            dm.cb_push_back(cb, 1);
        }
    }
}

#[test]
fn pages_that_are_read_twice_are_told_beside_those_that_are_not_read() {
    let folder = case("base", "add_tiles__bf16_d32_fp32").write_to(&folder("pairs")).unwrap();
    let result = run_program_file_with(
        &folder.join("program.toml"),
        &RunOptions::default(),
        &Instead(0, || data_movement_kernel("reader", reads_in_pairs)),
    )
    .unwrap();
    let notes: Vec<_> = result.record.notes.iter().filter(|note| note.code == Code::INPUT_NOT_READ).collect();
    assert_eq!(notes.len(), 2, "{:#?}", result.record.notes);
    for note in notes {
        assert!(note.message.starts_with("2 of 4 pages of input in"), "{}", note.message);
        assert_eq!(note.notes, ["the pages that are read are read again: 8192 bytes come from 4096"]);
    }
}

#[test]
fn buffers_that_do_not_fit_are_listed_with_the_one_that_crosses_the_end() {
    let arch = Arch::Wormhole.constants();
    let room = arch.l1_bytes - arch.l1_unreserved_base;
    let size = room.next_multiple_of(2048);
    let (_, result) = added("too-large", |text| text.replacen("total_size = 8192", &format!("total_size = {size}"), 1));
    let error = result.unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].contains("circular buffers end at") && lines[0].ends_with("bytes too many"), "{error}");
    let listed = |name: &str| lines.iter().find(|l| l.split_whitespace().nth(2) == Some(name)).copied().unwrap_or("");
    assert!(
        listed("c_0").contains(&arch.l1_unreserved_base.to_string())
            && listed("c_0").contains("runs into the end of L1"),
        "{error}"
    );
    assert!(listed("c_1").contains("beyond the end of L1"), "{error}");
    assert!(lines.last().unwrap().starts_with(&format!("{room} bytes can be used")), "{error}");
}

#[test]
fn seeded_fills_differ_by_tensor_and_follow_the_seed() {
    let filled = |seed: &'static str| {
        let (folder, result) = added("seeded", |text| {
            let text = text.replace("npy:in0.npy", "uniform:1,2").replace("npy:in1.npy", "uniform:1,2");
            let text = text.replace("file = \"out0.npy\"", "file = \"127.npy\"").replace("bits = true", "atol = 1e9");
            format!("seed = {seed}\n{text}")
        });
        assert!(result.unwrap().pass());
        npy::read_elements(&folder.join("saved/out0.npy"), &[4, 32, 32], DataFormat::Float32).unwrap().1
    };
    let sums = filled("1");
    assert_eq!(sums, filled("1"));
    assert_ne!(sums, filled("2"));
    let values: Vec<f64> = sums.iter().map(|word| f64::from(f32::from_bits(*word))).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64;
    // Two independent uniforms: 1/12 each. The same values twice would give 1/3.
    assert!((mean - 3.0).abs() < 0.04 && (variance - 1.0 / 6.0).abs() < 0.02, "{mean} {variance}");
}

/// A launch of the Rust kernels that adds four tiles of `a` and `b`.
fn launch_that_adds(a: &str, b: &str, out: &str) -> String {
    let cores = "core_ranges = [[[0, 0], [0, 0]]]";
    let cb = |index: u32| {
        format!(
            "[[launch.cb]]\ntotal_size = 8192\n{cores}\n\
             format_descriptors = [{{ buffer_index = {index}, data_format = \"bfloat16\", page_size = 2048 }}]\n"
        )
    };
    let kernel = |file: &str, config: &str, accessor: &str, args: String| {
        format!(
            "[[launch.kernel]]\nkernel_source = \"{file}.cpp\"\n{cores}\nconfig = {config}\n\
             compile_time_args = [{{ tensor_accessor = \"{accessor}\" }}]\n\
             runtime_args = [{{ core = [0, 0], args = [{args}] }}]\n"
        )
    };
    let read = format!("2, {{ address = \"{a}\" }}, 4, 0, {{ address = \"{b}\" }}, 4, 1");
    let write = format!("{{ address = \"{out}\" }}, 4");
    [
        "[[launch]]\n".to_string(),
        cb(0),
        cb(1),
        cb(16),
        kernel("reader", "\"reader\"", a, read),
        kernel("add", "{ compute = {} }", a, String::new()),
        kernel("writer", "\"writer\"", out, write),
    ]
    .concat()
}

#[test]
fn launches_run_one_after_the_other_on_the_same_device() {
    let folder = folder("launches");
    for file in ["reader.cpp", "add.cpp", "writer.cpp"] {
        fs::write(folder.join(file), "").unwrap();
    }
    let expected = vec![0x4320; 4096]; // 160 in bf16.
    npy::write_elements(&folder.join("160.npy"), &[4, 32, 32], DataFormat::Float16_b, &expected).unwrap();
    let tensor = |name: &str, rest: &str| {
        let fields = "shape = [4, 32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"";
        format!("[[tensor]]\nname = \"{name}\"\n{fields}\n{rest}\n")
    };
    let text = [
        tensor("a", "fill = \"constant:96\""),
        tensor("b", "fill = \"constant:32\""),
        tensor("mid", ""),
        tensor("out", "output = true"),
        launch_that_adds("a", "b", "mid"),
        launch_that_adds("mid", "b", "out"),
        "[[expect]]\ntensor = \"out\"\nfile = \"160.npy\"\nbits = true\n".to_string(),
    ]
    .concat();
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    let result = run_program_file_with(&path, &RunOptions::default(), &RustKernels).unwrap();
    assert!(result.pass(), "{:?} {:?}", result.record.findings, result.outputs);
    // Only `out` was compared; `mid` is no output.
    assert_eq!(result.outputs.iter().map(|output| output.name.as_str()).collect::<Vec<_>>(), ["out"]);
}

#[test]
fn a_hang_is_in_the_result_and_nothing_is_saved() {
    // The writer waits for a page more than the compute kernel makes.
    let (folder, result) = added("hang", |text| text.replace("{ address = \"out0\" }, 4", "{ address = \"out0\" }, 5"));
    let result = result.unwrap();
    assert_eq!(result.record.status, Status::Deadlock);
    assert!(result.record.findings.iter().any(|finding| finding.code == Code::DEADLOCK));
    assert!(!result.outputs[0].pass && result.outputs[0].max_diff.is_none());
    assert!(!folder.join("saved").exists());
}

/// As `add`, a tile of each input at a time.
fn add_in_turns(c: &Compute<'_>) {
    c.compute_kernel_hw_startup(0, 1, 16);
    c.add_init(0, 1);
    for _ in 0..4 {
        c.cb_wait_front(0, 1);
        c.cb_wait_front(1, 1);
        c.tile_regs_acquire();
        c.add_tiles(0, 1, 0, 0, 0);
        c.tile_regs_commit();
        c.cb_reserve_back(16, 1);
        c.tile_regs_wait();
        c.pack_tile(0, 16);
        c.cb_push_back(16, 1);
        c.tile_regs_release();
        c.cb_pop_front(0, 1);
        c.cb_pop_front(1, 1);
    }
}

#[test]
fn a_deadlock_that_a_deeper_buffer_ends_says_which_and_how_deep() {
    let folder = case("base", "add_tiles__bf16_d32_fp32").write_to(&folder("deeper")).unwrap();
    let path = folder.join("program.toml");
    let text = fs::read_to_string(&path).unwrap();
    let tried = |text: String| {
        fs::write(&path, text).unwrap();
        let result =
            run_program_file_with(&path, &RunOptions::default(), &Instead(1, || compute_kernel("add", add_in_turns)))
                .unwrap();
        assert_eq!(result.record.status, Status::Deadlock);
        let found = result.record.findings.into_iter().find(|finding| finding.code == Code::DEADLOCK).unwrap();
        found.notes.into_iter().filter(|note| note.contains("tried again")).collect::<Vec<_>>()
    };
    // The reader brings all four tiles of the first input before one of the second, and the first buffer holds two or one.
    let holds = |pages: u32| text.replacen("total_size = 8192", &format!("total_size = {}", 2048 * pages), 1);
    let note = |from: u32| {
        format!(
            "tried again with c_0 of 4 pages instead of {from} the program completes, and its outputs are as expected"
        )
    };
    assert_eq!(tried(holds(2)), [note(2)]);
    assert_eq!(tried(holds(1)), [note(1)]);
    // The same, and a writer that waits for a page more than is made: no buffer is to blame.
    assert!(tried(holds(2).replace("{ address = \"out0\" }, 4", "{ address = \"out0\" }, 5")).is_empty());
}

#[test]
fn data_that_does_not_fit_the_tensor_is_an_error_with_its_line() {
    let line_of = |folder: &Path, words: &str| {
        let text = fs::read_to_string(folder.join("program.toml")).unwrap();
        // Errors about a tensor's data carry the line of its table, the one above its name.
        text.lines().position(|line| line.contains(words)).unwrap()
    };
    let (folder, result) = added("shape", |text| text.replacen("shape = [4, 32, 32]", "shape = [2, 64, 32]", 1));
    let error = result.err().unwrap().to_string();
    let place = format!("program.toml:{}: tensor \"in0\": ", line_of(&folder, "\"in0\""));
    assert!(error.contains(&place), "{error}");
    assert!(error.ends_with("shape is [4, 32, 32], the tensor's is [2, 64, 32]"), "{error}");
    let (_, result) = added("dtype", |text| text.replacen("dtype = \"bfloat16\"", "dtype = \"float32\"", 1));
    let error = result.err().unwrap().to_string();
    assert!(error.ends_with("elements are uint16, a float32 tensor takes float32"), "{error}");
    let (_, result) = added("expect", |text| text.replace("file = \"out0.npy\"", "file = \"in0.npy\""));
    let error = result.err().unwrap().to_string();
    assert!(
        error.contains("expect: ") && error.ends_with("elements are uint16, a float32 tensor takes float32"),
        "{error}"
    );
}

#[test]
fn a_launch_that_cannot_begin_is_an_error() {
    let (_, result) = added("l1", |text| text.replace("total_size = 8192", "total_size = 1638400"));
    let error = result.err().unwrap().to_string();
    // The line is that of a buffer that would have to shrink.
    assert!(error.contains("program.toml:") && error.contains(": circular buffers end at"), "{error}");
}

#[test]
fn kernels_that_cannot_be_built_are_errors_that_name_the_file() {
    let cases = [
        ("void other() {}", "kernel.cpp: has no entry point"),
        (
            "#include \"api/dataflow/dataflow_api.h\"\nconstexpr uint32_t n = get_compile_time_arg_val(3);\nvoid kernel_main() {}",
            "kernel.cpp: compile-time argument 3 is asked for, the program gives 0",
        ),
        ("void kernel_main() { nothing(); }", "kernel.cpp: does not compile"),
    ];
    for (text, words) in cases {
        let folder = case("base", "add_tiles__bf16_d32_fp32").write_to(&folder("unbuilt")).unwrap();
        fs::write(folder.join("kernel.cpp"), text).unwrap();
        let error = run_program_file(&folder.join("program.toml"), &RunOptions::default()).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn recorded_cases_come_out_bit_for_bit_from_their_program_files() {
    let cases = [
        ("base", "add_tiles__bf16_d32_fp32"),
        ("base", "mul_tiles__HiFi4__bf16_d16_bf16"),
        ("formats", "mul_tiles_bcast_scalar__bfp8_bf16_d16_bfp8"),
    ];
    for (group, name) in cases {
        let folder = case(group, name).write_to(&folder(name)).unwrap();
        let result = run_program_file(&folder.join("program.toml"), &RunOptions::default())
            .unwrap_or_else(|error| panic!("{group}/{name}: {error}"));
        let findings: Vec<&str> = result.record.findings.iter().map(|f| f.message.as_str()).collect();
        assert_eq!(result.record.status, Status::Completed, "{group}/{name}: {findings:?}");
        for output in &result.outputs {
            assert!(output.pass && output.max_diff == Some(0.0), "{group}/{name}: {output:?}");
        }
    }
}

/// A program of the repository's examples.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs").join(name).join("program.toml")
}

#[test]
fn the_example_adds_as_many_pages_as_a_parameter_says() {
    let folder = folder("example");
    // Elsewhere, and without the expected output, which has four pages.
    let text = fs::read_to_string(example("add")).unwrap();
    let kernels = format!("kernel_source = \"{}/", example("add").parent().unwrap().display());
    let text = text[..text.find("[[expect]]").unwrap()].replace("kernel_source = \"", &kernels);
    let program = folder.join("program.toml");
    fs::write(&program, text).unwrap();
    let parameters = vec![("PAGES".to_string(), "7".to_string())];
    let options = RunOptions { save: Some(folder.clone()), parameters, ..RunOptions::default() };
    let result = run_program_file(&program, &options).unwrap();
    assert!(result.pass(), "{:?}", result.record.findings);
    // Nothing is expected in the file, so nothing is compared.
    assert_eq!((result.outputs[0].name.as_str(), result.outputs[0].max_diff), ("out", None));
    let shape = [7, 32, 32];
    let values = |fill: &str| Fill::parse(fill).unwrap().values(&shape, DataFormat::Float16_b, 0, 0).unwrap();
    let (a, b) = (values("ramp:-1,1"), values("ramp:0,31"));
    let (_, out) = npy::read_elements(&folder.join("out.npy"), &shape, DataFormat::Float16_b).unwrap();
    for ((a, b), out) in a.iter().zip(&b).zip(&out) {
        let out = f32::from_bits(out << 16);
        // Half a step of bf16, and the matrix unit's 11 bits of each operand.
        assert!((a + b - out).abs() <= (a + b).abs() / 128.0 + (a.abs() + b.abs()) / 1024.0, "{a} + {b} = {out}");
    }
}

#[test]
fn the_example_that_hangs_is_explained() {
    let result = run_program_file(&example("hang"), &RunOptions::default()).unwrap();
    assert_eq!(result.record.status, Status::Deadlock);
    let finding = result.record.findings.iter().find(|finding| finding.code == Code::DEADLOCK).unwrap();
    // The wait of the writer, in the user's file.
    let place = finding.primary.location.as_ref().unwrap();
    let text = fs::read_to_string(example("add").with_file_name("writer.cpp")).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("cb_wait_front")).unwrap() as u32;
    assert!(place.file.ends_with("writer.cpp") && place.line == line, "{place:?}");
}

#[test]
fn checks_are_chosen_by_family() {
    assert_eq!(ChosenChecks::parse("all"), Ok(ChosenChecks::All));
    assert_eq!(ChosenChecks::parse("none"), Ok(ChosenChecks::None));
    assert_eq!(
        ChosenChecks::parse("buffers,TP05,07"),
        Ok(ChosenChecks::Families(vec![Family::Buffers, Family::Order, Family::Compute]))
    );
    let error = ChosenChecks::parse("buffers,luck").unwrap_err();
    assert!(
        error.starts_with("checks \"luck\": expected all, none, or families of program (TP01), build (TP02)"),
        "{error}"
    );
}

#[test]
fn only_a_failure_of_this_host_is_the_hosts() {
    let launch = |source| RunError::Launch { path: "program.toml".into(), source: Box::new(source) };
    let host = launch(LaunchError::Host(std::io::Error::other("no memory for stacks")));
    assert!(host.is_host());
    assert!(!launch(LaunchError::NoSuchSemaphore { id: 3 }).is_host());
}

/// The program that adds, of whose output a page is not written, with more text at its end.
fn short_by_a_page(name: &str, checks: ChosenChecks, more: &str) -> Result<RunResult, RunError> {
    let (folder, _) = added(name, |text| {
        let text = text.replace("{ address = \"out0\" }, 4]", "{ address = \"out0\" }, 3]");
        let end = text.find("[[expect]]").unwrap();
        format!("{}{more}", &text[..end])
    });
    let options = RunOptions { checks, ..RunOptions::default() };
    run_program_file_with(&folder.join("program.toml"), &options, &RustKernels)
}

#[test]
fn what_is_suppressed_with_a_reason_leaves_the_verdict_clean_and_is_kept() {
    let suppress = |rest: &str| format!("[[suppress]]\ncode = \"TP0402\"\nreason = \"page 3 is padding\"\n{rest}");
    let run = |more: String| short_by_a_page("suppressed", ChosenChecks::All, &more).unwrap();
    let plain = run(String::new());
    assert!(!plain.pass() && plain.record.suppressed.is_empty());
    for narrow in ["", "file = \"program.toml\"", "kernel = \"program.toml\""] {
        let result = run(suppress(narrow));
        assert!(result.pass(), "{:?}", result.record.findings);
        let [suppressed] = &result.record.suppressed[..] else { panic!("{:?}", result.record.suppressed) };
        assert_eq!(
            (suppressed.finding.code, suppressed.reason.as_str()),
            (Code::OUTPUT_NOT_WRITTEN, "page 3 is padding")
        );
        assert!(result.record.notes.iter().all(|note| note.code != Code::SUPPRESSION_UNUSED));
    }
    // One that fits nothing leaves the finding, and is a note on its own line.
    for other in ["file = \"reader.cpp\"", "file = \"program.toml\"\nline = 1", "kernel = \"add.cpp\""] {
        let result = run(suppress(other));
        assert!(!result.pass() && result.record.suppressed.is_empty(), "{other}");
        let unused: Vec<_> = result.record.notes.iter().filter(|n| n.code == Code::SUPPRESSION_UNUSED).collect();
        let [note] = unused[..] else { panic!("{:?}", result.record.notes) };
        assert!(note.message.starts_with("TP0402 is suppressed here"), "{}", note.message);
        assert!(note.primary.location.as_ref().unwrap().line > 1);
    }
    // Where its family was not looked for, nothing is said of it.
    let result = short_by_a_page("unlooked", ChosenChecks::Families(vec![Family::Program]), &suppress("")).unwrap();
    assert!(result.record.notes.is_empty(), "{:?}", result.record.notes);
}

#[test]
fn a_suppression_without_reason_or_code_is_refused_with_its_line() {
    let refused = |more: &str, words: &str| {
        let error = short_by_a_page("refused", ChosenChecks::All, more).err().unwrap().to_string();
        assert!(error.contains(words) && error.contains("program.toml:"), "{error}");
    };
    refused("[[suppress]]\ncode = \"TP0402\"\n", "suppress: field reason is missing");
    refused("[[suppress]]\ncode = \"TP0402\"\nreason = \" \"\n", "reason is \" \"; expected why");
    refused("[[suppress]]\ncode = \"TP9876\"\nreason = \"x\"\n", "code is \"TP9876\"; expected a code");
    refused("[[suppress]]\nreason = \"x\"\n", "suppress: field code is missing");
    refused("[[suppress]]\ncode = \"TP0601\"\nreason = \"x\"\n", "TP0601 says how a run ended");
    refused("[[suppress]]\ncode = \"TP0402\"\nreason = \"x\"\nline = 3\n", "give file too");
    refused("[[suppress]]\ncode = \"TP0402\"\nreason = \"x\"\ncore = 3\n", "unknown field core");
}

#[test]
fn what_was_not_checked_is_said() {
    let not_checked = |checks| short_by_a_page("unchecked", checks, "").unwrap().record.not_checked;
    assert_eq!(not_checked(ChosenChecks::All), ["values of out0 (no [[expect]])"]);
    assert_eq!(not_checked(ChosenChecks::None)[0], "all families (--checks none)");
    assert_eq!(
        not_checked(ChosenChecks::parse("buffers,memory,order,liveness,compute").unwrap())[0],
        "families program, build, numerics, time (--checks)"
    );
    let (_, compared) = added("compared", |text| text);
    assert_eq!(compared.unwrap().record.not_checked, [""; 0]);
    let (_, hang) = added("unfinished", |text| text.replace("{ address = \"out0\" }, 4", "{ address = \"out0\" }, 5"));
    let hang = hang.unwrap().record.not_checked;
    assert_eq!(hang, ["outputs, and what is left at the end: the run did not complete"]);
    let (_, in_l1) = added("in-l1", |text| text.replacen("layout = \"tile\"", "layout = \"tile\"\nmemory = \"l1\"", 1));
    assert!(in_l1.unwrap().record.not_checked.contains(&"whether all of in0 in L1 is read".to_string()));
}

/// A tile's rows as sticks of 64 columns, padding and all.
fn untilize(dm: &DataMovement<'_>) {
    let from = TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048);
    let words = dm.get_arg_val(2) as usize;
    let to = TensorAccessor::new(dm, words, dm.get_arg_val(1), 128);
    let l1 = dm.get_write_ptr(0);
    for tile in 0..2 {
        dm.noc_async_read_page(tile, &from, l1 + 2048 * tile);
    }
    dm.noc_async_read_barrier();
    for row in 0..32 {
        for part in 0..4 {
            let at = 2048 * (part / 2) + 512 * (2 * (row / 16) + part % 2) + 32 * (row % 16);
            dm.noc_async_write(l1 + at, to.get_noc_addr(dm, row, 32 * part), 32);
        }
    }
    dm.noc_async_write_barrier();
}

struct Untilizes;

impl BuildKernels for Untilizes {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        Ok(requests.iter().map(|_| data_movement_kernel("untilize", untilize)).collect())
    }
}

#[test]
fn padding_that_is_copied_to_an_output_is_no_page_written_in_part() {
    let folder = folder("padding");
    fs::write(folder.join("untilize.cpp"), "").unwrap();
    let text = r#"
arch = "wormhole"
[[tensor]]
name = "in"
shape = [32, 40]
dtype = "bfloat16"
layout = "tile"
fill = "ramp:1,2"
[[tensor]]
name = "out"
shape = [32, 64]
dtype = "bfloat16"
layout = "row_major"
output = true
[[cb]]
total_size = 4096
core_ranges = [[[0, 0], [0, 0]]]
format_descriptors = [{ buffer_index = 0, data_format = "bfloat16", page_size = 2048 }]
[[kernel]]
kernel_source = "untilize.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "reader"
compile_time_args = [{ tensor_accessor = "in" }, { tensor_accessor = "out" }]
runtime_args = [{ core = [0, 0], args = [{ address = "in" }, { address = "out" }, 1] }]
"#;
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    let result = run_program_file_with(&path, &RunOptions::default(), &Untilizes).unwrap();
    assert_eq!(result.record.status, Status::Completed);
    assert!(result.record.findings.iter().all(|finding| finding.code != Code::PARTLY_WRITTEN), "{:?}", result.record);
}

//! The C++ kernels of the golden vectors, compiled and run on the machine, bit for bit.
//!
//! A case's program file is turned into a launch here, apart from the library's own reader of such files, so that a fault in
//! one does not hide in the other. No expected value may come from Tileproof. Start at `run`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use tileproof::check::Checks;
use tileproof_build::{Builder, CircularBufferFormat, CompileRequest};
use tileproof_golden::{Array, Case};
use tileproof_model::arch::Arch;
use tileproof_model::finding::Code;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, Layout, MathFidelity, MemoryConfig, TensorDescriptor,
};
use tileproof_model::record::Status;
use tileproof_model::thread::{CoreCoord, CoreRange};
use tileproof_sim::Machine;
use toml::{Table, Value};

const CORE: CoreCoord = CoreCoord { x: 0, y: 0 };

/// Where cases are laid out and images are kept, from one run of the tests to the next.
fn work_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cpp-golden")
}

/// Lays a case out, unless an earlier run of the tests has.
fn lay_out(case: &Case, root: &Path) -> PathBuf {
    let folder = root.join(&case.name);
    let done = folder.join("complete");
    if !done.is_file() {
        case.write_to(root).unwrap();
        std::fs::write(done, "").unwrap();
    }
    folder
}

fn builder() -> &'static Builder {
    static BUILDER: OnceLock<Builder> = OnceLock::new();
    BUILDER.get_or_init(|| Builder::new(Some(work_folder().join("cache"))).unwrap())
}

fn format_of(name: &str) -> DataFormat {
    match name {
        "bfloat16" => DataFormat::Float16_b,
        "float32" => DataFormat::Float32,
        "int32" => DataFormat::Int32,
        "uint32" => DataFormat::UInt32,
        "uint16" => DataFormat::UInt16,
        "uint8" => DataFormat::UInt8,
        "int8" => DataFormat::Int8,
        "bfloat8_b" => DataFormat::Bfp8_b,
        "bfloat4_b" => DataFormat::Bfp4_b,
        other => panic!("format {other}"),
    }
}

fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no {key} in {table:?}"))
}

fn list<'a>(table: &'a Table, key: &str) -> &'a [Value] {
    table.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn tables<'a>(table: &'a Table, key: &str) -> impl Iterator<Item = &'a Table> {
    list(table, key).iter().filter_map(Value::as_table)
}

fn number(value: &Value) -> u32 {
    value.as_integer().unwrap_or_else(|| panic!("no number: {value:?}")) as u32
}

fn argument(value: &Value) -> Argument {
    let Some(table) = value.as_table() else { return Argument::Word(number(value)) };
    let (key, of) = table.iter().next().unwrap();
    match key.as_str() {
        "address" => Argument::Address(of.as_str().unwrap().into()),
        "tensor_accessor" => Argument::TensorAccessor(of.as_str().unwrap().into()),
        other => panic!("argument {other}"),
    }
}

fn config_of(value: &Value) -> KernelConfig {
    let Some(table) = value.as_table() else {
        return KernelConfig::DataMovement(match value.as_str() {
            Some("reader") => DataMovementConfig::READER,
            Some("writer") => DataMovementConfig::WRITER,
            other => panic!("config {other:?}"),
        });
    };
    let compute = table["compute"].as_table().unwrap();
    let flag = |key: &str| compute.get(key).and_then(Value::as_bool).unwrap_or(false);
    KernelConfig::Compute(ComputeConfig {
        math_fidelity: match text(compute, "math_fidelity") {
            "LoFi" => MathFidelity::LoFi,
            "HiFi2" => MathFidelity::HiFi2,
            "HiFi3" => MathFidelity::HiFi3,
            _ => MathFidelity::HiFi4,
        },
        fp32_dest_acc_en: flag("fp32_dest_acc_en"),
        math_approx_mode: flag("math_approx_mode"),
        dst_full_sync_en: flag("dst_full_sync_en"),
        bfp8_pack_precise: flag("bfp8_pack_precise"),
        unpack_to_dest_fp32: list(compute, "unpack_to_dest_fp32").iter().map(|v| number(v) as u8).collect(),
    })
}

/// Rows and columns of one matrix, and how many; tiles only when the shape is whole.
fn extents(shape: &[usize]) -> (usize, usize, usize) {
    let [.., rows, columns] = *shape else { return (1, shape[0], 1) };
    (rows, columns, shape[..shape.len() - 2].iter().product())
}

/// The elements of `from` in the order of the pages of a tiled tensor, or back.
fn tile(from: &[u8], shape: &[usize], width: usize, back: bool) -> Vec<u8> {
    let (rows, columns, matrices) = extents(shape);
    assert!(rows % 32 == 0 && columns % 32 == 0, "padding is not needed by the vectors");
    let mut to = vec![0; from.len()];
    let mut page = 0;
    for matrix in 0..matrices {
        for tile_row in 0..rows / 32 {
            for tile_column in 0..columns / 32 {
                for (face, row) in (0..4).flat_map(|face| (0..16).map(move |row| (face, row))) {
                    let row_of = tile_row * 32 + face / 2 * 16 + row;
                    let column = tile_column * 32 + face % 2 * 16;
                    let logical = ((matrix * rows + row_of) * columns + column) * width;
                    let physical = (page * 1024 + face * 256 + row * 16) * width;
                    let (at, by) = if back { (logical, physical) } else { (physical, logical) };
                    to[at..at + 16 * width].copy_from_slice(&from[by..by + 16 * width]);
                }
                page += 1;
            }
        }
    }
    to
}

/// A case as a launch.
struct Program {
    arch: Arch,
    tensors: Vec<(TensorDescriptor, Option<String>)>,
    launch: Launch,
    requests: Vec<CompileRequest>,
    expects: Vec<(String, String)>,
}

fn program(case: &Case, folder: &Path, arch: Arch) -> Option<Program> {
    let file: Table = case.program_toml()?.parse().unwrap();
    let mut tensors = Vec::new();
    for tensor in tables(&file, "tensor") {
        let descriptor = TensorDescriptor {
            name: text(tensor, "name").into(),
            shape: list(tensor, "shape").iter().map(number).collect(),
            format: format_of(text(tensor, "dtype")),
            layout: if text(tensor, "layout") == "tile" { Layout::Tile } else { Layout::RowMajor },
            memory: MemoryConfig::Dram,
            output: tensor.get("output").is_some(),
        };
        let fill = tensor.get("fill").and_then(Value::as_str).and_then(|f| f.strip_prefix("npy:")).map(String::from);
        tensors.push((descriptor, fill));
    }
    let range = vec![CoreRange::single(CORE)];
    let mut launch = Launch::default();
    let mut buffers = Vec::new();
    for cb in tables(&file, "cb") {
        let mut formats = Vec::new();
        for format in tables(cb, "format_descriptors") {
            let descriptor = CbFormatDescriptor {
                buffer_index: number(&format["buffer_index"]) as u8,
                data_format: format_of(text(format, "data_format")),
                page_size: number(&format["page_size"]),
            };
            buffers.push(CircularBufferFormat {
                index: descriptor.buffer_index,
                format: descriptor.data_format,
                page_size: descriptor.page_size,
            });
            formats.push(descriptor);
        }
        let total_size = number(&cb["total_size"]);
        launch.cbs.push(CbDescriptor {
            total_size,
            tensor: None,
            core_ranges: range.clone(),
            format_descriptors: formats,
        });
    }
    let mut requests = Vec::new();
    for kernel in tables(&file, "kernel") {
        // Cases share their readers and writers: one path for each makes one image.
        let source = folder.join(text(kernel, "kernel_source")).canonicalize().unwrap();
        let config = config_of(&kernel["config"]);
        let compile_time: Vec<Argument> = list(kernel, "compile_time_args").iter().map(argument).collect();
        let defines = list(kernel, "defines").iter().filter_map(Value::as_array);
        let defines: Vec<(String, String)> =
            defines.map(|d| (d[0].as_str().unwrap().into(), d[1].as_str().unwrap().into())).collect();
        let runtime = tables(kernel, "runtime_args").map(|r| (CORE, list(r, "args").iter().map(argument).collect()));
        requests.push(CompileRequest {
            source: source.clone(),
            config: config.clone(),
            // The accessor of an interleaved DRAM tensor is one word, IsDram.
            compile_time_args: compile_time
                .iter()
                .map(|a| match a {
                    Argument::Word(word) => *word,
                    Argument::TensorAccessor(_) => 2,
                    other => panic!("compile-time argument {other:?}"),
                })
                .collect(),
            named_compile_time_args: Vec::new(),
            defines: defines.clone(),
            include_dirs: Vec::new(),
            circular_buffers: match config {
                KernelConfig::Compute(_) => buffers.clone(),
                // Those of the cases ask the machine for sizes of pages: one image serves all cases of a group.
                KernelConfig::DataMovement(_) => Vec::new(),
            },
            arch,
        });
        launch.kernels.push(KernelDescriptor {
            source: KernelSource::Cpp(source),
            core_ranges: range.clone(),
            config,
            compile_time_args: compile_time,
            named_compile_time_args: Vec::new(),
            defines,
            include_dirs: Vec::new(),
            runtime_args: runtime.collect::<BTreeMap<_, _>>(),
            common_runtime_args: Vec::new(),
        });
    }
    let expects = tables(&file, "expect").map(|e| (text(e, "tensor").into(), text(e, "file").into())).collect();
    Some(Program { arch, tensors, launch, requests, expects })
}

fn shape_of(tensor: &TensorDescriptor) -> Vec<usize> {
    tensor.shape.iter().map(|d| *d as usize).collect()
}

fn npy(folder: &Path, case: &Case, name: &str) -> Array {
    // A program's own arrays are files beside it; the others are the case's.
    if case.file_names().any(|n| n == name) {
        return case.array(name);
    }
    let path = folder.join(name);
    Array::from_npy(&std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).unwrap()
}

/// What the checks must say, by the start of a case's name: of kernels that are wrong on purpose, and of those that show
/// what a habit gives on the device.
const MUST_BE_SAID: [(&str, Code); 9] = [
    ("add_tiles_twice_same_dst", Code::WORK_LOST),
    ("defect_sliding_window_past_cb_end", Code::PAST_THE_END),
    ("dirty_control_no_pop", Code::PAGES_LEFT),
    ("mul_then_copy_same_dst", Code::WORK_LOST),
    ("mul_tiles_twice_same_dst", Code::DST_ACCUMULATES),
    ("pack_same_index_twice", Code::WORK_LOST),
    ("pack_after_reduce_", Code::PACK_MASKED),
    ("pack_never_written_dst", Code::DST_UNWRITTEN),
    ("pack_stale_dst_after_release", Code::DST_UNWRITTEN),
];

fn is_defect(case: &Case) -> bool {
    case.meta["defect"] == true
}

fn must_be_said(case: &Case) -> Option<Code> {
    let said = MUST_BE_SAID.iter().find(|(name, _)| case.name.starts_with(name)).map(|(_, code)| *code);
    // Beside those that are wrong on purpose there are right twins, of which nothing is said.
    said.filter(|code| *code != Code::PACK_MASKED || is_defect(case))
}

/// What Blackhole's simulator gave for kernels of several stages, one digest a case.
const ON_BLACKHOLE: &str = include_str!("../../../../tests/golden/composite_digests.txt");

/// Runs a case with all checks; what is wrong with its result, if anything.
fn run(case: &Case, program: &Program, kernels: &[SharedKernel], folder: &Path) -> Result<(), String> {
    let mut machine = Machine::<Checks>::new(program.arch);
    let mut handles = BTreeMap::new();
    for (tensor, fill) in &program.tensors {
        let handle = machine.allocate(tensor).map_err(|e| e.to_string())?;
        if let Some(name) = fill {
            let array = npy(folder, case, name);
            let pages = match tensor.layout {
                Layout::Tile => tile(&array.bytes, &shape_of(tensor), array.dtype.width(), false),
                Layout::RowMajor => array.bytes,
            };
            if pages.len() != tensor.bytes() {
                return Err(format!("{name}: {} bytes for a tensor of {}", pages.len(), tensor.bytes()));
            }
            machine.write(handle, pages);
        }
        handles.insert(tensor.name.clone(), handle);
    }
    let outcome = machine.launch(&program.launch, kernels).map_err(|e| e.to_string())?;
    let mut wrong: Vec<String> = Vec::new();
    if outcome.status != Status::Completed {
        wrong.push(format!("{:?}", outcome.status));
    }
    let expected = must_be_said(case);
    for finding in outcome.findings.iter().filter(|f| Some(f.code) != expected) {
        let at = finding.primary.location.as_ref().map_or(0, |l| l.line);
        wrong.push(format!("{} {} (line {at})", finding.code, finding.message));
    }
    if let Some(code) = expected
        && !outcome.findings.iter().chain(&outcome.notes).any(|f| f.code == code)
    {
        wrong.push(format!("{code} is missing"));
    }
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for (name, file) in &program.expects {
        let (tensor, _) = program.tensors.iter().find(|(t, _)| t.name == *name).unwrap();
        let bytes = machine.read(handles[name]);
        let bytes = match tensor.layout {
            Layout::Tile => tile(&bytes, &shape_of(tensor), tensor.format.tile_bytes() as usize / 1024, true),
            Layout::RowMajor => bytes.into_owned(),
        };
        if program.arch == Arch::Blackhole {
            digest = bytes.iter().fold(digest, |d, byte| (d ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
        } else if let Err(mismatch) = case.check(file.trim_start_matches("program."), &bytes) {
            wrong.push(format!("{file}: {mismatch}"));
        }
    }
    if program.arch == Arch::Blackhole && !ON_BLACKHOLE.contains(&format!("{} {digest:016x}\n", case.name)) {
        wrong.push(format!("its outputs, {digest:016x}, are not those that Blackhole's simulator gave"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

/// Most kernels of a file: more would leave the last file to one processor.
const TOGETHER: usize = 16;

/// Puts compute kernels that differ in their text alone into one file, each in a namespace, and has the first runtime argument
/// say which one runs. The headers, which take most of the time of a compilation, are then read once for all of them. That a
/// kernel can be a file of its own is shown wherever there are kernels.
fn put_together<'a>(programs: impl Iterator<Item = &'a mut Program>, root: &Path) {
    let mut files: Vec<(String, Vec<PathBuf>)> = Vec::new();
    for program in programs {
        for (request, kernel) in program.requests.iter_mut().zip(&mut program.launch.kernels) {
            if !matches!(request.config, KernelConfig::Compute(_)) {
                continue;
            }
            assert!(kernel.runtime_args.is_empty(), "the first runtime argument is free");
            let text = std::mem::take(&mut request.source);
            let all_else = format!("{request:?}");
            let has_room = |(of_all, texts): &(String, Vec<PathBuf>)| *of_all == all_else && texts.len() < TOGETHER;
            let at = files.iter().position(has_room).unwrap_or_else(|| {
                files.push((all_else, Vec::new()));
                files.len() - 1
            });
            let texts = &mut files[at].1;
            kernel.runtime_args = BTreeMap::from([(CORE, vec![Argument::Word(texts.len() as u32)])]);
            texts.push(text);
            request.source = root.join(format!("together_{at}.cpp"));
            kernel.source = KernelSource::Cpp(request.source.clone());
        }
    }
    for (at, (_, kernels)) in files.iter().enumerate() {
        let path = root.join(format!("together_{at}.cpp"));
        let text = one_file(kernels);
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            std::fs::write(path, text).unwrap();
        }
    }
}

/// The text of a file with several kernels in it.
fn one_file(kernels: &[PathBuf]) -> String {
    let texts: Vec<String> = kernels.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    // Outside of the namespaces, where nothing of them is left to be read inside.
    let includes: BTreeSet<&str> =
        texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("#include")).collect();
    let mut file = includes.into_iter().fold(String::new(), |file, line| file + line + "\n");
    let mut chosen = String::new();
    for (number, path) in kernels.iter().enumerate() {
        writeln!(file, "namespace case_{number} {{\n#include {path:?}\n}}").unwrap();
        writeln!(chosen, "    case {number}: return case_{number}::kernel_main();").unwrap();
    }
    file + "void kernel_main() {\n    switch (get_arg_val<uint32_t>(0)) {\n" + &chosen + "    }\n}\n"
}

/// Runs all cases of a group that have a program; names and faults of those that fail, and how many there were.
fn run_group(group: &str, arch: Arch) -> (usize, Vec<(String, String)>) {
    let filter = std::env::var("CPP_GOLDEN_CASE").unwrap_or_default();
    // Other vectors are laid out elsewhere.
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/golden/{group}.bin.xz"));
    let root = work_folder().join(format!("{group}-{}", std::fs::metadata(archive).unwrap().len()));
    let mut programs = Vec::new();
    for case in tileproof_golden::group(group).filter(|c| c.name.contains(&filter)) {
        let folder = lay_out(case, &root);
        if let Some(program) = program(case, &folder, arch) {
            programs.push((case, program, folder));
        }
    }
    // One that is looked for stays as it is.
    if filter.is_empty() {
        let together = root.join(arch.name());
        std::fs::create_dir_all(&together).unwrap();
        put_together(programs.iter_mut().map(|(_, program, _)| program), &together);
    }
    let requests: Vec<CompileRequest> = programs.iter().flat_map(|(_, p, _)| p.requests.clone()).collect();
    let kernels = builder().build(&requests).unwrap_or_else(|e| panic!("{e}"));
    let mut at = 0;
    let jobs: Vec<_> = programs
        .iter()
        .map(|(case, program, folder)| {
            let kernels = &kernels[at..at + program.requests.len()];
            at += program.requests.len();
            (*case, program, folder, kernels)
        })
        .collect();
    let next = Mutex::new(jobs.iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((case, program, folder, kernels)) = next.lock().unwrap().next() else { break };
                    if let Err(fault) = run(case, program, kernels, folder) {
                        failures.lock().unwrap().push((case.name.clone(), fault));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    for (name, fault) in &failures {
        println!("{group}/{name}: {fault}");
    }
    println!("{group}: {} of {} cases agree", jobs.len() - failures.len(), jobs.len());
    (jobs.len(), failures)
}

/// Cases that need an operation which is not modelled: the run must stop and say so, never guess.
const NOT_MODELLED: &[&str] = &[];

/// All cases of a group that have a program agree, but for those that are not modelled; `expected` is how many there are.
fn agrees(group: &str, expected: usize) {
    agrees_on(Arch::Wormhole, group, expected);
}

fn agrees_on(arch: Arch, group: &str, expected: usize) {
    let (count, failures) = run_group(group, arch);
    let listed = |name: &str| NOT_MODELLED.iter().any(|start| format!("{group}/{name}").starts_with(start));
    let (stopped, wrong): (Vec<_>, Vec<_>) = failures.into_iter().partition(|(name, _)| listed(name));
    for (name, fault) in &stopped {
        assert!(fault.starts_with("Stopped; TP9001"), "{group}/{name}: {fault}");
    }
    assert!(wrong.is_empty(), "{} of {count} cases fail, {} are not modelled", wrong.len(), stopped.len());
    let all = std::env::var_os("CPP_GOLDEN_CASE").is_none();
    assert!(!all || count == expected, "{group}: {count} cases of {expected}");
}

#[test]
fn base_cases_agree_in_every_bit() {
    agrees("base", 290);
}

#[test]
fn cases_of_formats_agree_in_every_bit() {
    agrees("formats", 106);
}

#[test]
fn cases_of_the_packer_agree_in_every_bit() {
    agrees("packer", 65);
}

#[test]
fn composite_cases_agree_in_every_bit() {
    agrees("composite", 96);
}

#[test]
fn composite_cases_agree_in_every_bit_on_blackhole() {
    agrees_on(Arch::Blackhole, "composite", 96);
}

#[test]
fn integer_cases_agree_in_every_bit() {
    agrees("int", 31);
}

#[test]
fn typecasts_agree_in_every_bit() {
    agrees("typecast", 29);
}

#[test]
fn cases_of_the_vector_unit_agree_in_every_bit() {
    agrees("sfpu", 191);
}

#[test]
fn further_cases_agree_in_every_bit() {
    agrees("extra", 74);
}

#[test]
fn each_case_that_is_wrong_on_purpose_has_something_to_be_said() {
    let defects: Vec<&Case> = tileproof_golden::cases().iter().filter(|case| is_defect(case)).collect();
    assert_eq!(defects.len(), 13);
    for case in defects {
        assert!(must_be_said(case).is_some(), "{}/{}", case.group, case.name);
    }
}

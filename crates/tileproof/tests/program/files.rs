//! Program files: what is read, what is refused and with which words, and that whole programs run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use tileproof::fill::Fill;
use tileproof::program_file::{Api, Closeness, ProgramFile};
use tileproof_model::arch::Arch;
use tileproof_model::program::{Argument, KernelConfig, Layout, MathFidelity, NocMode};
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_numerics::format::DataFormat;

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    support::folder(&format!("files-{name}"))
}

/// A program that uses every form of the grammar, and the files that it names.
const WHOLE: &str = r#"arch = "blackhole"
api = "0.79"
seed = 7

[params]
PAGES = 4
INPUT = "in0"
SIDE = 32

[[tensor]]
name = "${INPUT}"
shape = ["${PAGES}", "${SIDE}", 32]
dtype = "bfloat16"
layout = "tile"
memory = "dram"
fill = "normal:0,${PAGES}"
address = 2048
undefined_pages = [[0, 0], [2, 3]]

[[tensor]]
name = "out0"
shape = [4, 32, 32]
dtype = "float32"
layout = "row_major"
fill = "npy:data/start.npy"
output = true
scratch = true

[[cb]]
total_size = 8192
core_ranges = [[[0, 0], [1, 2]], [[3, 0], [3, 0]]]
format_descriptors = [
    { buffer_index = 0, data_format = "bfloat16", page_size = 2048, tile = [32, 32] },
    { buffer_index = 63, data_format = "Bfp8_b", page_size = 1024 },
]

[[kernel]]
kernel_source = "reader.cpp"
core_ranges = [[[0, 0], [1, 0]]]
config = "reader"
compile_time_args = [{ tensor_accessor = "in0" }, -1, 0xFFFF_FFFF, { cb = 3 }]
named_compile_time_args = [["pages", "${PAGES}"], ["two", 2]]
common_runtime_args = [{ semaphore = 1 }, { noc_x = [1, 2] }, { noc_y = [1, 2] }, { l1 = 4096 }]
runtime_args = [
    { core = [0, 0], args = [2, { address = "out0" }] },
    { core = [1, 0], args = ["${PAGES}"] },
]

[[kernel]]
kernel_source = "compute.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = { compute = { math_fidelity = "LoFi", fp32_dest_acc_en = true, bfp8_pack_precise = true, unpack_to_dest_fp32 = [0] } }
defines = [["SIDE", "${SIDE}"], ["OP", "add"]]
include_dirs = ["data"]

[[kernel]]
kernel_source = "writer.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = { data_movement = { processor = "RISCV_0", noc = 1, noc_mode = "DM_DYNAMIC_NOC" } }

[[semaphore]]
id = 1
core_ranges = [[[0, 0], [0, 0]]]
initial_value = 5

[[expect]]
tensor = "out0"
file = "data/start.npy"
rtol = 0.01
"#;

/// Lays out the files of [`WHOLE`]; gives the path of the program.
fn laid_out(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::create_dir_all(folder.join("data")).unwrap();
    for file in ["reader.cpp", "compute.cpp", "writer.cpp", "data/start.npy"] {
        fs::write(folder.join(file), "").unwrap();
    }
    folder.join("program.toml")
}

fn parse(path: &Path, text: &str) -> Result<ProgramFile, (usize, String)> {
    ProgramFile::parse(path, text, &[]).map_err(|error| (error.line, error.message))
}

#[test]
fn every_form_of_the_grammar_is_read() {
    let path = laid_out("whole");
    let file = parse(&path, WHOLE).unwrap();
    let folder = path.parent().unwrap();
    assert_eq!((file.program.arch, file.api, file.seed), (Arch::Blackhole, Some(Api::V0_79), 7));
    let [in0, out0] = file.program.tensors.as_slice() else { panic!("two tensors") };
    assert_eq!((in0.name.as_str(), in0.shape.as_slice(), in0.layout), ("in0", &[4, 32, 32][..], Layout::Tile));
    assert_eq!((out0.format, out0.layout), (DataFormat::Float32, Layout::RowMajor));
    // Scratch need not be written, but it is an output all the same.
    assert!(!out0.output && file.tensors[1].output && file.tensors[1].scratch);
    assert_eq!(file.tensors[0].fill, Some(Fill::Normal { mean: 0.0, std: 4.0 }));
    assert_eq!(file.tensors[1].fill, Some(Fill::Npy(folder.join("data/start.npy"))));
    assert_eq!(file.tensors[1].line, 20);
    assert_eq!((file.tensors[0].address, &file.tensors[0].undefined_pages[..]), (Some(2048), &[(0, 0), (2, 3)][..]));
    assert_eq!(file.expects[0].closeness, Closeness::Within { rtol: 0.01, atol: 0.0 });

    let [launch] = file.program.launches.as_slice() else { panic!("one launch") };
    let cb = &launch.cbs[0];
    assert_eq!(cb.core_ranges.iter().flat_map(|range| range.cores()).count(), 7);
    assert_eq!(cb.format_descriptors[1].data_format, DataFormat::Bfp8_b);
    let [reader, compute, writer] = launch.kernels.as_slice() else { panic!("three kernels") };
    assert_eq!(
        reader.compile_time_args,
        [Argument::TensorAccessor("in0".into()), Argument::Word(u32::MAX), Argument::Word(u32::MAX), Argument::Cb(3)]
    );
    assert_eq!(reader.named_compile_time_args, [("pages".to_string(), 4), ("two".to_string(), 2)]);
    let core = CoreCoord { x: 1, y: 2 };
    assert_eq!(
        reader.common_runtime_args,
        [Argument::Semaphore(1), Argument::NocX(core), Argument::NocY(core), Argument::L1(4096)]
    );
    assert_eq!(reader.runtime_args[&CoreCoord { x: 0, y: 0 }], [Argument::Word(2), Argument::Address("out0".into())]);
    assert_eq!(reader.runtime_args[&CoreCoord { x: 1, y: 0 }], [Argument::Word(4)]);
    assert!(matches!(&reader.config, KernelConfig::DataMovement(c) if c.processor == Thread::Ncrisc && c.noc == 0));
    let KernelConfig::Compute(config) = &compute.config else { panic!("compute") };
    assert!(config.math_fidelity == MathFidelity::LoFi && config.fp32_dest_acc_en && config.bfp8_pack_precise);
    assert!(!config.dst_full_sync_en && config.unpack_to_dest_fp32 == [0]);
    assert_eq!(compute.defines[0], ("SIDE".to_string(), "32".to_string()));
    assert_eq!(compute.include_dirs, [folder.join("data")]);
    let KernelConfig::DataMovement(config) = &writer.config else { panic!("data movement") };
    assert_eq!((config.processor, config.noc, config.noc_mode), (Thread::Brisc, 1, NocMode::Dynamic));
    assert_eq!((launch.semaphores[0].id, launch.semaphores[0].initial_value), (1, 5));
}

#[test]
fn parameters_can_be_given_from_outside() {
    let path = laid_out("parameters");
    let given = |name: &str, value: &str| ProgramFile::parse(&path, WHOLE, &[(name.to_string(), value.to_string())]);
    let file = given("PAGES", "9").unwrap();
    assert_eq!(file.program.tensors[0].shape, [9, 32, 32]);
    assert_eq!(file.program.launches[0].kernels[0].named_compile_time_args[0].1, 9);
    let error = given("PAGES", "nine").err().unwrap();
    assert_eq!((error.line, error.message.contains("shape is \"nine\"; expected an integer")), (12, true));
    let error = given("WIDTH", "9").err().unwrap();
    assert_eq!(error.message, "parameter WIDTH is not in [params]; it has INPUT, PAGES, SIDE");
}

#[test]
fn launches_run_in_order_and_hold_their_own_parts() {
    let path = laid_out("launches");
    let text = r#"
[[tensor]]
name = "x"
shape = [32, 32]
dtype = "uint8"
layout = "tile"

[[launch]]
[[launch.kernel]]
kernel_source = "reader.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "reader"

[[launch]]
[[launch.semaphore]]
id = 2
core_ranges = [[[0, 0], [0, 0]]]
[[launch.kernel]]
kernel_source = "writer.cpp"
core_ranges = [[[0, 0], [0, 0]]]
config = "writer"
runtime_args = [{ core = [0, 0], args = [{ semaphore = 2 }] }]
"#;
    let file = parse(&path, text).unwrap();
    assert_eq!(file.program.launches.len(), 2);
    assert_eq!(file.launches[1].kernels, [18]);
    // A semaphore of another launch is not there.
    let moved = text.replace("config = \"reader\"", "config = \"reader\"\ncommon_runtime_args = [{ semaphore = 2 }]");
    let (line, message) = parse(&path, &moved).err().unwrap();
    assert_eq!(
        (line, message.as_str()),
        (13, "kernel \"reader.cpp\": common_runtime_args: there is no [[semaphore]] with id 2")
    );
    let outside = text.replace("[[launch]]\n[[launch.kernel]]", "[[kernel]]");
    let (_, message) = parse(&path, &outside).err().unwrap();
    assert_eq!(message, "kernel belongs into a [[launch]], because there are [[launch]] tables");
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_what_is_allowed() {
    let path = laid_out("refused");
    // What is replaced by what; the line; what the message says.
    let cases: &[(&str, &str, usize, &str)] = &[
        ("arch = \"blackhole\"", "arch = \"quasar\"", 1, "arch is \"quasar\"; expected \"wormhole\", \"blackhole\""),
        ("api = \"0.79\"", "api = \"1.0\"", 2, "api is \"1.0\"; expected \"0.66\", \"0.79\", a day as \"2026-04-02\""),
        ("seed = 7", "seed = -7", 3, "seed is -7; expected an integer from 0"),
        ("seed = 7", "sed = 7", 3, "unknown field sed; the fields are arch, api, seed, tensor"),
        ("seed = 7", "seed = ", 3, "not TOML"),
        ("PAGES = 4", "PAGES = \"${SIDE}${PAGES}\"", 12, "${PAGES} uses itself"),
        ("\"${SIDE}\", 32]", "\"${WIDTH}\", 32]", 12, "${WIDTH} is not in [params]; it has INPUT, PAGES, SIDE"),
        ("name = \"out0\"", "name = \"in0\"", 21, "two tensors are named \"in0\"; the first is at line 10"),
        ("name = \"out0\"", "name = \"../out0\"", 21, "name is \"../out0\"; expected letters, digits, _, - and ."),
        (
            "scratch = true",
            "scrach = true",
            27,
            "tensor \"out0\": unknown field scrach; the fields are name, shape, dtype",
        ),
        (
            "dtype = \"float32\"",
            "dtype = \"fp64\"",
            23,
            "dtype is \"fp64\"; expected \"bfloat16\", \"float32\", \"int32\"",
        ),
        ("dtype = \"float32\"", "", 20, "tensor \"out0\": field dtype is missing"),
        ("layout = \"row_major\"", "layout = \"rows\"", 24, "layout is \"rows\"; expected \"tile\", \"row_major\""),
        ("dtype = \"float32\"", "dtype = \"bfloat8_b\"", 24, "\"bfloat8_b\" tensors have layout \"tile\""),
        ("shape = [4, 32, 32]", "shape = [4, 0, 32]", 22, "shape is 0; expected an integer from 1"),
        ("shape = [4, 32, 32]", "shape = []", 22, "expected 1 to 8 dimensions"),
        ("shape = [4, 32, 32]", "shape = [900000, 900000]", 22, "larger than the memory of the chip"),
        ("address = 2048", "address = -1", 17, "address is -1; expected an integer from 0"),
        ("[2, 3]]", "[2, 4]]", 18, "undefined_pages: [2, 4]: there are pages 0 to 3"),
        ("[2, 3]]", "[3, 2]]", 18, "undefined_pages: [3, 2]: there are pages 0 to 3"),
        ("[2, 3]]", "2]", 18, "undefined_pages is 2; expected a list of [first, last]"),
        ("memory = \"dram\"", "memory = \"l1\"", 18, "undefined_pages: goes with a fill, of a tensor in DRAM"),
        ("fill = \"normal:0,${PAGES}\"", "", 18, "undefined_pages: goes with a fill, of a tensor in DRAM"),
        ("memory = \"dram\"", "memory = \"sram\"", 15, "memory is \"sram\"; expected \"dram\", \"l1\""),
        (
            "memory = \"dram\"",
            "memory = { buffer = \"l1\", shard_shape = [32, 32] }",
            15,
            "memory: field core_ranges is missing",
        ),
        (
            "memory = \"dram\"",
            "memory = { buffer = \"l1\", shard_shape = [32, 20], core_ranges = [[[0, 0], [0, 0]]] }",
            15,
            "shards of tiles have sides that are multiples of 32",
        ),
        (
            "memory = \"dram\"",
            "memory = { buffer = \"dram\", shard_shape = [32, 32], core_ranges = [[[0, 0], [0, 0]]] }",
            15,
            "buffer is \"dram\"; expected \"l1\"",
        ),
        ("normal:0,${PAGES}", "gauss", 16, "\"gauss\" is not a fill; use normal[:mean,std]"),
        ("npy:data/start.npy", "npy:data/none.npy", 25, "fill: there is no file"),
        ("output = true", "output = 1", 26, "output is 1; expected true or false"),
        ("[[[0, 0], [1, 2]], ", "[[[0, 0], [99, 2]], ", 31, "(99,2) is outside the grid of 13 x 10 cores"),
        ("[[[0, 0], [1, 2]], ", "[[[2, 0], [1, 2]], ", 31, "has its start beyond its end"),
        ("[[[0, 0], [1, 2]], ", "[[0, 0], ", 31, "core_ranges is 0; expected a core [x, y]"),
        ("buffer_index = 63", "buffer_index = 64", 34, "buffer_index is 64; expected an integer from 0 to 63"),
        ("buffer_index = 63", "buffer_index = 0", 34, "buffer_index 0 is there twice"),
        ("page_size = 1024", "page_size = 1000", 34, "total_size 8192 is not a multiple of page_size 1000"),
        ("total_size = 8192", "total_size = 6145", 33, "total_size 6145 is not a multiple of page_size 2048"),
        ("data_format = \"Bfp8_b\"", "data_format = \"Bfp9\"", 34, "data_format is \"Bfp9\"; expected \"bfloat16\""),
        ("tile = [32, 32]", "tile = [16, 32]", 33, "tiles of [16, 32] are not modelled yet"),
        ("total_size = 8192", "total_size = 8192\ntensor = \"in0\"", 31, "tensor \"in0\" is not sharded"),
        (
            "total_size = 8192",
            "total_size = 8192\ntensor = \"in9\"",
            31,
            "there is no tensor \"in9\"; the tensors are in0, out0",
        ),
        ("kernel_source = \"reader.cpp\"", "kernel_source = \"read.cpp\"", 38, "there is no file"),
        (
            "{ tensor_accessor = \"in0\" }",
            "{ tensor_accessor = \"in1\" }",
            41,
            "compile_time_args: there is no tensor \"in1\"",
        ),
        ("{ address = \"out0\" }", "{ address = \"out1\" }", 45, "runtime_args: there is no tensor \"out1\""),
        (
            "{ address = \"out0\" }",
            "{ adress = \"out0\" }",
            45,
            "unknown argument adress; expected an integer, { tensor_accessor",
        ),
        ("{ cb = 3 }", "{ cb = 64 }", 41, "compile_time_args is 64; expected an integer from 0 to 63"),
        ("-1, 0xFFFF_FFFF", "-1, 0x1_0000_0000", 41, "compile_time_args is 4294967296; expected an integer"),
        ("-1, 0xFFFF_FFFF", "-1, 1.5", 41, "compile_time_args is 1.5; expected an integer"),
        ("{ semaphore = 1 }", "{ semaphore = 3 }", 43, "there is no [[semaphore]] with id 3"),
        ("{ noc_x = [1, 2] }", "{ noc_x = [1, 10] }", 43, "(1,10) is outside the grid"),
        ("{ core = [1, 0], ", "{ core = [5, 0], ", 46, "core (5,0) is not in core_ranges"),
        ("{ core = [1, 0], ", "{ core = [0, 0], ", 46, "core (0,0) is there twice"),
        (
            "math_fidelity = \"LoFi\"",
            "math_fidelity = \"HiFi5\"",
            52,
            "math_fidelity is \"HiFi5\"; expected \"LoFi\", \"HiFi2\"",
        ),
        (
            "fp32_dest_acc_en = true",
            "fp32_dest_acc = true",
            52,
            "unknown field fp32_dest_acc; the fields are math_fidelity",
        ),
        ("config = \"reader\"", "config = \"Reader\"", 40, "config is \"Reader\"; expected \"reader\", \"writer\""),
        (
            "processor = \"RISCV_0\", noc = 1",
            "processor = \"RISCV_1\", noc = 1",
            56,
            "core (0,0) has a kernel on NCRISC already, the one at line 37",
        ),
        ("processor = \"RISCV_0\"", "processor = \"BRISC\"", 59, "expected \"RISCV_0\", \"RISCV_1\""),
        ("noc = 1", "noc = 2", 59, "noc is 2; expected an integer from 0 to 1"),
        ("include_dirs = [\"data\"]", "include_dirs = [\"date\"]", 54, "there is no folder"),
        ("[\"OP\", \"add\"]", "[\"OP\"]", 53, "defines is a list; expected a list of [\"NAME\", \"value\"]"),
        ("id = 1\n", "id = 16\n", 62, "id is 16; expected an integer from 0 to 15"),
        ("tensor = \"out0\"", "tensor = \"out\"", 67, "there is no tensor \"out\"; the tensors are in0, out0"),
        ("file = \"data/start.npy\"", "file = \"data/end.npy\"", 68, "expect: file: there is no file"),
        ("rtol = 0.01", "rtol = 0.01\nfill = \"constant:1\"", 66, "expect: give file or fill, not both"),
        ("file = \"data/start.npy\"", "fill = \"konstant:1\"", 68, "\"konstant\" is not a fill"),
        ("rtol = 0.01", "", 66, "expect of \"out0\": give bits = true, or rtol and atol"),
        ("rtol = 0.01", "bits = true\natol = 1", 66, "expect of \"out0\": give bits = true, or rtol and atol"),
        ("rtol = 0.01", "rtol = -1", 69, "rtol is -1; expected a finite number, 0 or above"),
        ("rtol = 0.01", "rtol = inf", 69, "rtol is inf; expected a finite number, 0 or above"),
    ];
    let mut wrong = Vec::new();
    for (from, to, line, words) in cases {
        assert!(WHOLE.contains(from), "{from}");
        let text = WHOLE.replacen(from, to, 1);
        match parse(&path, &text) {
            Err((found, message)) if found == *line && message.contains(words) => {}
            other => wrong.push(format!("{from} -> {to}: {:?}, not {line}: {words}", other.err())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (_, message) = parse(&path, "arch = \"wormhole\"\n").err().unwrap();
    assert_eq!(message, "program: there is no [[kernel]]");
    let error = ProgramFile::read(&path.with_file_name("none.toml"), &[]).err().unwrap();
    assert!(error.to_string().ends_with("none.toml: there is no such program file"), "{error}");
}

#[test]
fn no_cut_or_garbled_file_gets_past_the_errors() {
    let path = laid_out("garbled");
    let mut refused = 0;
    let ends: Vec<usize> = (0..WHOLE.len()).step_by(3).collect();
    for end in &ends {
        refused += usize::from(parse(&path, &WHOLE[..*end]).is_err());
    }
    // Only files cut in the tables that are last can be whole by chance.
    assert!(refused > ends.len() - 50, "{refused} of {}", ends.len());
    for (at, _) in WHOLE.char_indices().step_by(13) {
        for garbage in ["[", "\"", "=", "{", "\n", "9", "${"] {
            let mut text = WHOLE.to_string();
            text.replace_range(at..at + 1, garbage);
            if let Err((line, message)) = parse(&path, &text) {
                assert!(line <= 1 + text.lines().count() && !message.is_empty(), "{at} {garbage}");
            }
        }
    }
}

#[test]
fn every_recorded_program_file_is_read() {
    let folder = folder("recorded");
    fs::create_dir_all(folder.join("kernels")).unwrap();
    let mut read = 0;
    for case in tileproof_golden::cases() {
        let Some(text) = case.program_toml() else { continue };
        let program = folder.join(&case.name).join("program.toml");
        let here = program.parent().unwrap();
        fs::create_dir_all(here).unwrap();
        // Only that a file is there matters now.
        for line in text.lines() {
            let named =
                ["fill = \"npy:", "file = \"", "kernel_source = \""].iter().find_map(|key| line.strip_prefix(key));
            if let Some(name) = named {
                fs::write(here.join(name.trim_end_matches('"')), "").unwrap();
            }
        }
        let file = ProgramFile::parse(&program, text, &[]).unwrap_or_else(|error| panic!("{}: {error}", case.group));
        assert!(!file.expects.is_empty() && file.tensors.iter().any(|tensor| tensor.output), "{}", case.name);
        assert_eq!(file.program.launches[0].kernels.len(), 3, "{}", case.name);
        read += 1;
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(read > 800, "{read}");
}

#[test]
fn expressions_of_parameters_are_numbers_where_numbers_are_wanted() {
    let shape = |expression: &str| {
        let text = format!(
            "[params]\nW = 33\ntwice = \"${{W * 2}}\"\n[[tensor]]\nname = \"x\"\nshape = [1, \"{expression}\"]\n\
             dtype = \"float32\"\nlayout = \"row_major\"\n[[kernel]]\n"
        );
        ProgramFile::parse(Path::new("program.toml"), &text, &[("W".into(), "40".into())])
            .err()
            .map(|error| error.message)
            .unwrap()
    };
    // The tensor is read before the kernel, which is not there.
    for right in ["${W}", "${W}*2", "(${W}+31)/32", "${W + 1}", "${(W+31)/32}", "${twice}", "${twice + W}"] {
        assert!(shape(right).starts_with("kernel"), "{right}: {}", shape(right));
    }
    assert!(shape("${W}*").contains("shape is \"40*\""), "{}", shape("${W}*"));
    assert!(shape("${W + X}").contains("${X} is not in [params]; it has W, twice"), "{}", shape("${W + X}"));
    assert!(shape("${W / 0}").contains("divides by 0"), "{}", shape("${W / 0}"));
    assert!(shape("40*2").contains("shape is \"40*2\""), "only a text with a parameter is an expression");
}

#[test]
fn ranges_are_no_more_than_there_are_cores() {
    let path = laid_out("ranges");
    let ranges = |count: u32| {
        let of_core = |core| format!("[[{0}, {1}], [{0}, {1}]]", core % 13, core / 13 % 10);
        let ranges: Vec<String> = (0..count).map(of_core).collect();
        WHOLE.replacen("[[[0, 0], [1, 2]], [[3, 0], [3, 0]]]", &format!("[{}]", ranges.join(", ")), 1)
    };
    assert!(parse(&path, &ranges(130)).is_ok(), "one for each core");
    let (line, message) = parse(&path, &ranges(131)).err().unwrap();
    assert_eq!(line, 31);
    assert!(message.contains("core_ranges: 131 ranges, and 13 x 10 cores"), "{message}");
}

//! Values that program files take from arrays and from other tensors, and those that they save: what is rounded is said.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support;
use tileproof::fill::Fill;
use tileproof::npy::{self, SaveAs};
use tileproof::run_file::{BuildKernels, ChosenChecks, RunOptions, RunResult, run_program_file_with};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_kernel::{DataMovement, TensorAccessor, data_movement_kernel};
use tileproof_model::finding::Code;
use tileproof_model::kernel::SharedKernel;
use tileproof_numerics::format::DataFormat;

const BF16: DataFormat = DataFormat::Float16_b;
const FP32: DataFormat = DataFormat::Float32;

/// Copies the pages of a tensor to another.
struct Copies;

fn copy(dm: &DataMovement<'_>) {
    let page = dm.get_page_size(0);
    let tensor = |word: usize| TensorAccessor::new(dm, word, dm.get_arg_val(word), page);
    for index in 0..dm.get_arg_val(2) {
        dm.cb_reserve_back(0, 1);
        dm.noc_async_read_page(index, &tensor(0), dm.get_write_ptr(0));
        dm.noc_async_read_barrier();
        dm.noc_async_write_page(index, &tensor(1), dm.get_write_ptr(0));
        dm.noc_async_write_barrier();
    }
}

impl BuildKernels for Copies {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        Ok(requests.iter().map(|_| data_movement_kernel("copy", copy)).collect())
    }
}

/// A folder with arrays of four float32: as they are, and rounded by hand to the bits of bfloat16.
fn folder(name: &str) -> PathBuf {
    let folder = support::folder(&format!("values-{name}"));
    // Halfway between 1 and its upper neighbour, between that and the next, a third of pi's digits, and an exact one.
    let values = [1.003_906_25f32, 1.011_718_75, 3.141_592_7, -3.0].map(f32::to_bits);
    npy::write_elements(&folder.join("values.npy"), &[1, 4], FP32, &values).unwrap();
    npy::write_elements(&folder.join("bits.npy"), &[1, 4], BF16, &ROUNDED).unwrap();
    npy::write_elements(&folder.join("large.npy"), &[1, 4], FP32, &[f32::MAX.to_bits(); 4]).unwrap();
    fs::write(folder.join("copy.cpp"), "").unwrap();
    folder
}

/// Ties go to the even mantissa: 0x3F80 and not 0x3F81, 0x3F82 and not 0x3F81.
const ROUNDED: [u32; 4] = [0x3F80, 0x3F82, 0x4049, 0xC040];

/// A program that copies x to y, row-major, with fields for x and what is expected at its end.
fn program(x: &str, y: &str, rest: &str) -> String {
    let tensor = |name: &str, fields: &str| {
        format!("[[tensor]]\nname = \"{name}\"\nshape = [1, 4]\nlayout = \"row_major\"\n{fields}\n")
    };
    let kernel = "[[cb]]\ntotal_size = 64\ncore_ranges = [[[0, 0], [0, 0]]]\n\
        format_descriptors = [{ buffer_index = 0, data_format = \"bfloat16\", page_size = 8 }]\n\
        [[kernel]]\nkernel_source = \"copy.cpp\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = \"reader\"\n\
        compile_time_args = [{ tensor_accessor = \"x\" }, { tensor_accessor = \"y\" }]\n\
        runtime_args = [{ core = [0, 0], args = [{ address = \"x\" }, { address = \"y\" }, 1] }]\n";
    [&tensor("x", x), &tensor("y", y), kernel, rest].map(str::to_string).concat()
}

fn run(folder: &Path, text: &str, options: &RunOptions) -> Result<RunResult, String> {
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    run_program_file_with(&path, options, &Copies).map_err(|error| error.to_string())
}

/// Lines on which something is said to be rounded.
fn rounded(result: &RunResult) -> Vec<u32> {
    let notes = result.record.notes.iter().filter(|note| note.code == Code::INPUT_ROUNDED);
    notes.map(|note| note.primary.location.as_ref().unwrap().line).collect()
}

const X: &str = "dtype = \"bf16\"\nfill = \"npy:values.npy\"";
const Y: &str = "dtype = \"bfloat16\"\noutput = true";

#[test]
fn a_float32_array_fills_a_bfloat16_tensor_rounded_to_nearest_even_and_that_is_said() {
    let folder = folder("rounds");
    let expect = "[[expect]]\ntensor = \"y\"\nfile = \"bits.npy\"\nbits = true\n";
    for checks in [ChosenChecks::All, ChosenChecks::None] {
        let options = RunOptions { checks, ..RunOptions::default() };
        let result = run(&folder, &program(X, Y, expect), &options).unwrap();
        assert!(result.pass(), "{:?} {:?}", result.outputs, result.record.findings);
        assert_eq!(rounded(&result), [1]);
        assert!(result.record.notes[0].message.contains("values.npy: float32, rounded to the nearest bfloat16"));
    }
    // The bits themselves are taken as they are.
    let bits = run(&folder, &program(&X.replace("values", "bits"), Y, expect), &RunOptions::default()).unwrap();
    assert!(bits.pass() && rounded(&bits).is_empty());
    // So are values of a float32 tensor.
    let fp32 = program(&X.replace("bf16", "fp32"), Y, "").replace("page_size = 8", "page_size = 16");
    let fp32 = fp32.replace("dtype = \"bfloat16\"\noutput", "dtype = \"float32\"\noutput");
    assert!(rounded(&run(&folder, &fp32, &RunOptions::default()).unwrap()).is_empty());
    let large = run(&folder, &program(&X.replace("values", "large"), Y, ""), &RunOptions::default()).unwrap_err();
    assert!(
        large.contains("program.toml:1: tensor \"x\": fill: 3.4028234663852886e38 is beyond what bfloat16"),
        "{large}"
    );
}

#[test]
fn a_float32_array_that_a_bfloat16_tensor_is_compared_with_is_rounded_too_and_that_is_said() {
    let folder = folder("expected");
    let text =
        program(&X.replace("values", "bits"), Y, "[[expect]]\ntensor = \"y\"\nfile = \"values.npy\"\nbits = true\n");
    let result = run(&folder, &text, &RunOptions::default()).unwrap();
    assert!(result.pass(), "{:?}", result.outputs);
    let line = 1 + text.lines().position(|line| line == "[[expect]]").unwrap() as u32;
    assert_eq!(rounded(&result), [line]);
}

#[test]
fn outputs_of_bfloat16_are_saved_as_float32_on_request() {
    let folder = folder("saved");
    for (save_as, format, words) in
        [(SaveAs::Bits, BF16, ROUNDED), (SaveAs::Float32, FP32, ROUNDED.map(|word| word << 16))]
    {
        let save = folder.join(format!("{save_as:?}"));
        let options = RunOptions { save: Some(save.clone()), save_as, ..RunOptions::default() };
        assert!(run(&folder, &program(X, Y, ""), &options).unwrap().pass());
        assert_eq!(npy::read_elements(&save.join("y.npy"), &[1, 4], format).unwrap().1, words);
    }
}

#[test]
fn an_output_can_be_expected_to_be_the_same_as_another_tensor() {
    let folder = folder("same_as");
    let same_as = |name: &str| format!("[[expect]]\ntensor = \"y\"\nsame_as = \"{name}\"\nbits = true\n");
    let options = RunOptions::default();
    let seeded = "dtype = \"bfloat16\"\nfill = \"normal:0,1\"";
    for x in [X, seeded] {
        assert!(run(&folder, &program(x, Y, &same_as("x")), &options).unwrap().pass());
    }
    // Of a tensor with a fill that is what it was filled with, and of another format its values.
    let other = |dtype: &str, fill: &str| {
        format!("[[tensor]]\nname = \"z\"\nshape = [4]\nlayout = \"row_major\"\ndtype = \"{dtype}\"\n{fill}\n")
    };
    let with = |z: &str| run(&folder, &program(X, Y, &(z.to_string() + &same_as("z"))), &options).unwrap();
    fs::copy(folder.join("values.npy"), folder.join("flat.npy")).unwrap();
    npy::write_elements(&folder.join("flat.npy"), &[4], FP32, &ROUNDED.map(|word| word << 16)).unwrap();
    assert!(with(&other("float32", "fill = \"npy:flat.npy\"")).outputs[0].pass);
    let differs = with(&other("float32", "fill = \"constant:1\""));
    assert_eq!((differs.outputs[0].pass, differs.outputs[0].differing), (false, 3));
    // Of one without a fill it is what the run left: here y itself, by way of z.
    let text = program(X, Y, &same_as("z")).replace("name = \"y\"", "name = \"z\"");
    let text = text
        .replace("{ tensor_accessor = \"y\" }", "{ tensor_accessor = \"z\" }")
        .replace("address = \"y\"", "address = \"z\"");
    let y = "[[tensor]]\nname = \"y\"\nshape = [1, 4]\nlayout = \"row_major\"\ndtype = \"bfloat16\"\nfill = \"npy:bits.npy\"\n";
    assert!(run(&folder, &(y.to_string() + &text), &options).unwrap().pass());
    let wrong = y.replace("npy:bits.npy", "constant:2");
    let wrong = run(&folder, &(wrong + &text), &options).unwrap();
    assert!(wrong.outputs.iter().any(|output| output.name == "y" && output.differing == 4), "{:?}", wrong.outputs);
}

#[test]
fn what_an_output_cannot_be_the_same_as_is_refused_by_name() {
    let folder = folder("refused");
    let expect = |fields: &str| {
        let text = program(X, Y, &format!("[[expect]]\ntensor = \"y\"\nbits = true\n{fields}\n"));
        run(&folder, &text, &RunOptions::default()).unwrap_err()
    };
    for (fields, what) in [
        ("same_as = \"q\"", "expect: same_as: there is no tensor \"q\"; the tensors are x, y"),
        ("same_as = \"y\"", "expect: same_as: y is the tensor itself; name another"),
        ("same_as = 3", "expect: same_as is 3; expected the name of another tensor"),
        ("same_as = \"x\"\nfill = \"constant:1\"", "expect: give fill or same_as, not both"),
        ("formula = \"x\"\nfill = \"constant:1\"", "expect: give fill or formula, not both"),
        ("formula = \"x + z\"", "expect: formula: there is no z; there are x"),
        ("formula = \"y\"", "expect: formula: there is no y; there are x"),
        ("formula = \"x +\"", "expect: formula: \"x +\": expected a number"),
        ("formula = \"sum(x)\"", "expect: formula: \"sum(x)\" has shape [1, 1], y has [1, 4]"),
        ("", "expect: give file, fill, formula or same_as"),
    ] {
        let error = expect(fields);
        assert!(error.contains(what), "{error}");
    }
    let other =
        program(X, Y, "[[expect]]\ntensor = \"y\"\nbits = true\nsame_as = \"x\"\n").replacen("[1, 4]", "[1, 8]", 1);
    let error = run(&folder, &other, &RunOptions::default()).unwrap_err();
    assert!(error.contains("x has shape [1, 8], y has [1, 4]; they must have as many elements"), "{error}");
}

#[test]
fn a_formula_follows_the_data() {
    let folder = folder("formula");
    let text =
        |formula: &str| program(X, Y, &format!("[[expect]]\ntensor = \"y\"\nbits = true\nformula = \"{formula}\"\n"));
    let on = |formula: &str, fill: &str| {
        let fills = vec![("x".to_string(), Fill::parse(fill).unwrap())];
        run(&folder, &text(formula), &RunOptions { fills, ..RunOptions::default() }).map(|result| result.pass())
    };
    // The kernel copies. What a formula gives is rounded to the format of its tensor.
    for fill in ["normal:3,1", "constant:0.3", "ramp:0,3"] {
        assert_eq!(on("x", fill), Ok(true), "{fill}");
        assert_eq!(on("x * (1 + 1e-6)", fill), Ok(true), "{fill}");
        assert_eq!(on("x * (1 + 1e-2)", fill), Ok(false), "{fill}");
    }
    assert_eq!(on("3 / 2", "constant:1.5"), Ok(true));
    assert_eq!(on("x - min(x) + 1", "constant:1"), Ok(true));
    let filled = |text: &str, name: &str| {
        let fills = vec![(name.to_string(), Fill::Constant(1.0))];
        run(&folder, text, &RunOptions { fills, ..RunOptions::default() }).unwrap_err()
    };
    let error = filled(&text("x"), "y");
    assert!(error.contains("fill y: no such tensor has a fill; those that have are x"), "{error}");
    let written = program(X, Y, "[[expect]]\ntensor = \"y\"\nbits = true\nfill = \"constant:1\"\n");
    let error = filled(&written, "x");
    assert!(
        error.contains("fill: what is expected of y goes with the data of the file; give its [[expect]] a formula"),
        "{error}"
    );
}

#[test]
fn a_seeded_expectation_has_the_data_of_the_same_fill_on_its_tensor() {
    let folder = folder("seeded");
    for fill in ["normal:0,1", "uniform:-2,2"] {
        // Nothing writes to z, the third tensor: it keeps its fill.
        let z = format!(
            "[[tensor]]\nname = \"z\"\nshape = [1, 4]\nlayout = \"row_major\"\ndtype = \"bfloat16\"\nfill = \"{fill}\"\n"
        );
        let expect = |tensor: &str| format!("[[expect]]\ntensor = \"{tensor}\"\nfill = \"{fill}\"\nbits = true\n");
        let text = |tensor: &str| format!("seed = 5\n{}", program(X, Y, &(z.clone() + &expect(tensor))));
        let of = |tensor: &str| {
            let result = run(&folder, &text(tensor), &RunOptions::default()).unwrap();
            result.outputs.iter().find(|output| output.name == tensor).unwrap().pass
        };
        assert!(of("z"));
        assert!(!of("y"));
    }
}

#[test]
fn a_large_tensor_is_filled_compared_and_saved_as_a_small_one_is() {
    let folder = support::folder("values-large");
    let shape = [2500, 1024];
    let words: Vec<u32> = (0..2500 * 1024u32).map(|i| i.wrapping_mul(0x9e37) & 0x7fff).collect();
    npy::write_elements(&folder.join("x.npy"), &shape, BF16, &words).unwrap();
    let mut other = words.clone();
    other[2_400_000] ^= 1;
    npy::write_elements(&folder.join("other.npy"), &shape, BF16, &other).unwrap();
    let tensor = |name: &str, fields: &str| {
        format!(
            "[[tensor]]\nname = \"{name}\"\nshape = [2500, 1024]\nlayout = \"row_major\"\ndtype = \"bfloat16\"\n{fields}\n"
        )
    };
    let kernel = "[[cb]]\ntotal_size = 2048\ncore_ranges = [[[0, 0], [0, 0]]]\n\
        format_descriptors = [{ buffer_index = 0, data_format = \"bfloat16\", page_size = 2048 }]\n\
        [[kernel]]\nkernel_source = \"copy.cpp\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = \"reader\"\n\
        compile_time_args = [{ tensor_accessor = \"x\" }, { tensor_accessor = \"y\" }]\n\
        runtime_args = [{ core = [0, 0], args = [{ address = \"x\" }, { address = \"y\" }, 2500] }]\n";
    fs::write(folder.join("copy.cpp"), "").unwrap();
    let program = |expect: &str| {
        tensor("x", "fill = \"npy:x.npy\"")
            + &tensor("y", "output = true")
            + kernel
            + "[[expect]]\ntensor = \"y\"\n"
            + expect
    };
    let save = folder.join("saved");
    let options = RunOptions { save: Some(save.clone()), checks: ChosenChecks::None, ..RunOptions::default() };
    for expect in ["file = \"x.npy\"\nbits = true\n", "same_as = \"x\"\nbits = true\n"] {
        let result = run(&folder, &program(expect), &options).unwrap();
        assert!(result.pass() && result.outputs[0].max_diff == Some(0.0), "{:?}", result.outputs);
    }
    assert_eq!(npy::read_elements(&save.join("y.npy"), &shape, BF16).unwrap().1, words);
    assert!(fs::read(save.join("y.npy")).unwrap() == fs::read(folder.join("x.npy")).unwrap());
    let result = run(&folder, &program("file = \"other.npy\"\nbits = true\n"), &options).unwrap();
    let first = result.outputs[0].first.as_ref().unwrap();
    assert_eq!((result.outputs[0].differing, &first.place[..]), (1, &[2343, 768][..]));
}

#[test]
fn a_program_of_many_launches_and_tensors_keeps_what_each_launch_touched() {
    let folder = folder("many");
    const MANY: usize = 300;
    let mut text = String::new();
    for number in 0..MANY {
        let (more, width) = match number {
            0 => ("fill = \"constant:1\"", 4),
            7 => ("fill = \"constant:1\"", 8),
            _ => ("output = true", 4),
        };
        text += &format!(
            "[[tensor]]\nname = \"t{number}\"\nshape = [1, {width}]\nlayout = \"row_major\"\ndtype = \"bfloat16\"\n{more}\n"
        );
    }
    for number in (1..MANY).filter(|number| *number != 7) {
        text += &format!(
            "[[launch]]\n[[launch.cb]]\ntotal_size = 64\ncore_ranges = [[[0, 0], [0, 0]]]\n\
             format_descriptors = [{{ buffer_index = 0, data_format = \"bfloat16\", page_size = 8 }}]\n\
             [[launch.kernel]]\nkernel_source = \"copy.cpp\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = \"reader\"\n\
             compile_time_args = [{{ tensor_accessor = \"t0\" }}, {{ tensor_accessor = \"t{number}\" }}]\n\
             runtime_args = [{{ core = [0, 0], args = [{{ address = \"t0\" }}, {{ address = \"t{number}\" }}, 1] }}]\n"
        );
    }
    let result = run(&folder, &text, &RunOptions::default()).unwrap();
    let record = &result.record;
    assert!(result.pass(), "{:?}", record.findings);
    let rows: Vec<usize> = record.ledgers.iter().map(|ledger| ledger.tensors.len()).collect();
    assert_eq!(rows, vec![2; MANY - 2]);
    let unread: Vec<&str> = record.notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(unread, ["no kernel reads input t7"]);
}

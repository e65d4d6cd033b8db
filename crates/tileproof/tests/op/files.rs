//! Descriptions, configurations and call files: what is wrong with them is named with its place.

use std::fs;
use std::path::{Path, PathBuf};

use tileproof::fill::Fill;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::program::Layout;
use tileproof::op::call::CallWords;
use tileproof::op::{Call, Op, Setting, UserOp, call_file, skeleton};
use tileproof::program_file::{Expected, ProgramFile};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("op_files").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// What `op new` makes of a configuration in `config/` beside the op's folder, or why it makes nothing.
fn created(name: &str, config: &str) -> Result<(UserOp, String), String> {
    let folder = folder(name);
    fs::create_dir_all(folder.join("config")).unwrap();
    let path = folder.join("config/config.toml");
    fs::write(&path, config).unwrap();
    let into = folder.join("ops").join(name);
    let made = skeleton::create(name, Some(&path), &into);
    // Nothing is written but what is said, and nothing at all if something is wrong.
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).map(|entries| entries.map(|entry| entry.unwrap().file_name()).collect());
        let mut entries: Vec<_> = entries.unwrap_or_default();
        entries.sort();
        entries
    };
    let ops = if made.is_ok() { vec!["config", "ops"] } else { vec!["config"] };
    assert_eq!(entries(&folder), ops);
    made.map_err(|error| error.to_string())?;
    assert_eq!(entries(&into), ["kernels", "op.toml"]);
    assert_eq!(entries(&into.join("kernels")), ["compute.cpp", "reader.cpp", "writer.cpp"]);
    let op = UserOp::read(&into).map_err(|error| error.to_string())?;
    assert_eq!(op.missing(), Vec::<String>::new());
    Ok((op, fs::read_to_string(into.join("op.toml")).unwrap()))
}

/// An op with two inputs, row-major or tile, bf16 or fp32.
const CONFIG: &str = r#"name = "scale"
summary = "y = a * x"

[[input]]
name = "x"
dtypes = ["bfloat16", "float32"]
layouts = ["tile", "row_major"]

[[input]]
name = "a"
shape = [1, "x.w"]

[[output]]
name = "y"
dtypes = ["bfloat16", "float32"]
layouts = ["tile", "row_major"]

[[attribute]]
name = "steps"
type = "integer"
default = 3
min = 1
max = 8

[[cb]]
index = 0
of = "x"
pages = "2 * steps"
"#;

/// An op whose input says what it is made of; of the output only the name is given, or more.
fn op_with(input: &str, output: &str) -> UserOp {
    let text = format!("name = \"copy\"\n\n[[input]]\nname = \"x\"\n{input}\n\n[[output]]\nname = \"y\"\n{output}\n");
    UserOp::parse(Path::new("op.toml"), Path::new(""), &text).unwrap()
}

#[test]
fn an_output_that_does_not_say_what_it_is_made_of_is_made_as_the_first_input_is() {
    let layouts = |op: &UserOp| (op.inputs[0].layouts.clone(), op.outputs[0].layouts.clone());
    let dtypes = |op: &UserOp| (op.inputs[0].dtypes.clone(), op.outputs[0].dtypes.clone());
    let row_major = op_with("layouts = [\"row_major\"]\ndtypes = [\"fp32\"]", "");
    assert_eq!(layouts(&row_major), (vec![Layout::RowMajor], vec![Layout::RowMajor]));
    assert_eq!(dtypes(&row_major), (vec![DataFormat::Float32], vec![DataFormat::Float32]));
    let both = op_with("layouts = [\"tile\", \"row_major\"]", "");
    assert_eq!(layouts(&both).1, [Layout::Tile, Layout::RowMajor]);
    // What it says holds, and an op that says nothing at all is of bf16 tiles, as ever.
    let tile = op_with("layouts = [\"row_major\"]", "layouts = [\"tile\"]");
    assert_eq!(layouts(&tile), (vec![Layout::RowMajor], vec![Layout::Tile]));
    let usual = op_with("", "");
    assert_eq!(layouts(&usual), (vec![Layout::Tile], vec![Layout::Tile]));
    assert_eq!(dtypes(&usual).1, [DataFormat::Float16_b]);
}

/// What a configuration is refused with once one text is replaced by another.
fn refusal(from: &str, to: &str) -> String {
    assert!(CONFIG.contains(from), "{from}");
    let text = CONFIG.replacen(from, to, 1);
    UserOp::parse(Path::new("op.toml"), Path::new(""), &text).unwrap_err().to_string()
}

#[test]
fn an_error_has_a_line_a_column_and_what_is_allowed() {
    assert_eq!(refusal("index = 0", "index = 40"), "op.toml:26:9: cb: index is 40; expected an integer from 0 to 31");
    assert_eq!(
        refusal("[\"tile\", \"row_major\"]", "[\"tiles\"]"),
        "op.toml:7:12: input \"x\": layouts is \"tiles\"; expected \"tile\", \"row_major\""
    );
    assert!(
        refusal("\"2 * steps\"", "\"2 * step\"").starts_with("op.toml:28:14: cb: pages: there is no step; there are ")
    );
    assert!(refusal("\"2 * steps\"", "\"2 * (steps\"").starts_with("op.toml:28:20: "));
    assert!(
        refusal("[1, \"x.w\"]", "[1, \"x.width\"]").contains("op.toml:11:14: input \"a\": shape: there is no x.width")
    );
    assert_eq!(
        refusal("default = 3", "default = 9"),
        "op.toml:21:11: attribute \"steps\": default is 9; expected a number from 1 to 8, as min and max say"
    );
    assert_eq!(
        refusal("default = 3", "default = 2.5"),
        "op.toml:21:11: attribute \"steps\": default is 2.5; expected a whole number, as type says"
    );
    // A number that is whole however it is written, and one that need not be.
    for (from, to) in [("default = 3", "default = 3.0"), ("\"integer\"\ndefault = 3", "\"float\"\ndefault = 2.5")] {
        let text = CONFIG.replacen(from, to, 1);
        assert!(UserOp::parse(Path::new("op.toml"), Path::new(""), &text).is_ok(), "{to}");
    }
    assert!(refusal("of = \"x\"", "of = \"z\"").contains("27:6: cb: of: there is no tensor z; there are x, a, y"));
    assert!(refusal("name = \"a\"", "name = \"x\"").contains("the name x is taken"));
    let condition = "[[condition]]\nthat = \"x.w > 1\"\nmessage = \"x is {x.wide} wide\"\n\n[[cb]]";
    assert!(refusal("[[cb]]", condition).contains("op.toml:27:18: condition: message: there is no x.wide; there are"));
    assert!(refusal("summary", "sumary").contains("op.toml:2:1: op \"scale\": unknown field sumary"));
}

#[test]
fn what_a_call_may_be_follows_from_the_description() {
    use DataFormat::{Float16_b, Float32};
    let op = UserOp::parse(Path::new("op.toml"), Path::new(""), CONFIG).unwrap();
    let call = Call::new(&[40, 70], Float32, Layout::RowMajor);
    assert!(op.validate(&call).is_ok());
    let refused = |call: Call| op.validate(&call).unwrap_err().message;
    let with = |value: f64| refused(call.clone().with("steps", Setting::Number(value)));
    assert_eq!(with(9.0), "steps 9: steps is a whole number from 1 to 8");
    assert_eq!(with(2.5), "steps 2.5: steps is a whole number from 1 to 8");
    assert!(refused(call.clone().with("step", Setting::Number(1.0))).contains("no such attribute; it has steps"));
    assert!(refused(Call::new(&[40], Float16_b, Layout::Tile)).contains("has 1 dimensions, scale takes 2 to 4"));
    assert!(refused(Call::new(&[0, 40], Float16_b, Layout::Tile)).contains("dimension 0 is 0"));
    // Of 2^28 elements with padding, which the last two dimensions alone have.
    let sized = |shape: &[u32]| op.validate(&Call::new(shape, Float16_b, Layout::Tile)).map_err(|e| e.message);
    assert_eq!(sized(&[8, 8, 1024, 4096]), Ok(()));
    assert!(sized(&[9, 8, 1024, 4096]).unwrap_err().contains("has more than 268435456 elements with padding"));
    assert!(sized(&[32, u32::MAX]).unwrap_err().contains("x: shape [32, 4294967295] has more than"));
    assert!(sized(&[u32::MAX; 4]).unwrap_err().contains("has more than"));
    // Every condition has a probe on both sides, and each comes out as it must.
    for probe in op.probes() {
        assert!(probe.inside.refusal.is_none(), "{probe:?}");
        assert_eq!(probe.outside.refusal.map(|refusal| refusal.condition), Some(probe.condition));
    }
}

#[test]
fn op_new_adds_what_the_tables_of_a_configuration_lack_and_nothing_else() {
    let tensors = "[[input]]\nname = \"x\"\n\n[[output]]\nname = \"y\"\n";
    // A tensor named like the op, and the op's name in other quotes.
    for (name, config) in [
        ("twice", tensors.replace("\"x\"", "\"twice\"")),
        ("quotes", format!("'name' = 'quotes'\nsummary = 's'\n{tensors}")),
    ] {
        assert_eq!(created(name, &config).unwrap().0.name, name);
    }
    // Tables that have a part of what is needed, the last at the end of the text.
    let parts = "[work] # on few cores\ncores = 3\n\n[ grid ]\nrtol = 1e-3\n\n";
    let (op, text) = created("parts", &format!("{parts}{tensors}\n[reference]")).unwrap();
    assert_eq!((op.cores, op.units.unwrap().text.as_str()), (Some(3), "x.pages"));
    assert_eq!((op.grid.shapes.len(), op.grid.rtol, op.grid.atol), (3, 1e-3, 1e-2));
    assert_eq!(op.reference[0].name, "y");
    assert!(text.contains("[work] # on few cores\nunits = \"x.pages\"\ncores = 3\n"), "{text}");
    // What is complete stays as it is.
    let whole = "[work]\nunits = 1\n[grid]\nshapes = [[32, 32]]\n[reference]\ny = \"2 * x\"\n";
    let (op, text) = created("whole", &format!("{tensors}\n{whole}")).unwrap();
    assert_eq!((op.units.unwrap().text.as_str(), op.grid.shapes.len()), ("1", 1));
    assert!(text.contains(whole), "{text}");
    // Files are where they were; other fills and whole paths stay.
    let fills = "[[input]]\nname = \"x\"\nfill = 'npy:data/x.npy' # its own\n\n[[input]]\nname = \"a\"\nfill = \"npy:/a.npy\"\n\n\
                 [[input]]\nname = \"b\"\nfill = \"normal\"\n\n[[output]]\nname = \"y\"\n";
    let (op, text) = created("fills", fills).unwrap();
    assert!(text.contains("fill = \"npy:../../config/data/x.npy\" # its own\n"), "{text}");
    assert_eq!(op.inputs[0].fill, Some(Fill::Npy(op.folder.join("../../config/data/x.npy"))));
    assert_eq!(op.inputs[1].fill, Some(Fill::Npy("/a.npy".into())));
    assert_eq!(op.inputs[2].fill, Some(Fill::Normal { mean: 0.0, std: 1.0 }));
}

#[test]
fn op_new_refuses_a_configuration_that_it_cannot_add_to_and_writes_nothing() {
    let tensors = "[[input]]\nname = \"x\"\n\n[[output]]\nname = \"y\"\n";
    for (before, says) in [
        ("work = { cores = 3 }\n", "work: write it as [work] on a line of its own, so that op new can add units"),
        ("grid.rtol = 1e-3\n", "grid: write it as [grid] on a line of its own, so that op new can add shapes"),
        ("[grid]\nshapes = []\n", "grid: shapes is empty; leave it out"),
        ("cb = [{ index = 0, of = \"x\", pages = 2 }]\n", "cb: write each as a table, [[cb]]"),
        ("kernel = []\n", "kernel: leave it out, op new writes the kernels"),
    ] {
        let error = created("refused", &format!("{before}{tensors}")).unwrap_err();
        assert!(error.contains(&format!("config.toml: {says}")), "{error}");
    }
    let error = skeleton::create("layernorm_bw", None, &folder("shipped")).unwrap_err().to_string();
    assert_eq!(error, "op new: the name layernorm_bw is that of a shipped op; give another");
    // A folder that is there and empty is one to write into.
    let empty = folder("empty");
    fs::create_dir_all(&empty).unwrap();
    skeleton::create("empty", None, &empty).unwrap();
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 2);
}

#[test]
fn probes_stand_beyond_each_end_of_a_range_and_inside_of_every_condition() {
    // An end that the op's own condition refuses, an input without dimensions, and attributes without ends.
    let text = CONFIG.replace("shape = [1, \"x.w\"]", "shape = []").replace("min = 1", "min = 0")
        + "\n[[attribute]]\nname = \"least\"\ndefault = -2\nmax = -1\n\n[[attribute]]\nname = \"any\"\ndefault = 2.5\n\n\
           [[condition]]\nthat = \"steps > 0\"\nmessage = \"steps is {steps}\"\ninside = {}\noutside = { steps = 0 }\n";
    let op = UserOp::parse(Path::new("op.toml"), Path::new(""), &text).unwrap();
    for probe in op.probes() {
        assert!(probe.inside.refusal.is_none(), "{probe:?}");
        assert_eq!(probe.outside.refusal.map(|refusal| refusal.condition), Some(probe.condition));
    }
    let outside = |words: &str| -> Vec<String> {
        let of = op.probes().into_iter().filter(|probe| probe.condition.starts_with(words));
        of.map(|probe| probe.outside.call.rsplit(", ").next().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(outside("steps is a whole number from 0 to 8"), ["steps -1", "steps 16"]);
    assert_eq!(outside("least is a number up to -1"), ["least 0"]);
    assert_eq!(outside("any is a number of any size"), ["any NaN"]);
    // Each is a line of what validation demands.
    let conditions = op.describe().conditions;
    assert_eq!(conditions.iter().filter(|words| words.starts_with("steps is")).count(), 1);
}

#[test]
fn a_skeleton_of_several_formats_and_layouts_describes_a_program_for_each_call() {
    let folder = folder("several");
    fs::create_dir_all(&folder).unwrap();
    let config = folder.join("config.toml");
    fs::write(&config, CONFIG).unwrap();
    let into = folder.join("scale");
    skeleton::create("scale", Some(&config), &into).unwrap();
    let op = UserOp::read(&into).unwrap();
    assert_eq!(op.missing(), Vec::<String>::new());
    // Three shapes in two formats and two layouts.
    assert_eq!(op.calls().len(), 12);
    for call in op.calls() {
        let program = op.program(&call).unwrap().program;
        assert_eq!(program.tensors.len(), 3);
        assert_eq!(program.launches[0].kernels.len(), 3);
    }
    // Nothing is overwritten.
    let again = skeleton::create("scale", Some(&config), &into).unwrap_err().to_string();
    assert!(again.contains("op new overwrites nothing"), "{again}");
    let other = skeleton::create("other", Some(&config), &folder.join("other")).unwrap_err().to_string();
    assert!(other.contains("config.toml:1:8: name is scale, and the command line says other"), "{other}");
    assert!(!folder.join("other").exists());
}

#[test]
fn what_is_quoted_in_a_description_reaches_its_program_as_it_is() {
    let folder = folder("quoted");
    let file = "kernels/it's.cpp";
    fs::create_dir_all(folder.join("kernels")).unwrap();
    fs::write(folder.join(file), "void kernel_main() {}\n").unwrap();
    let kernel = format!(
        "{CONFIG}\n[[kernel]]\nrole = \"reader\"\nfile = \"{file}\"\ndefines = [[\"TEXT\", \"\\\"\\u001b é\\\\n\\\"\"]]\n"
    );
    let op = UserOp::parse(&folder.join("op.toml"), &folder, &kernel).unwrap();
    let call = Call::new(&[32, 32], DataFormat::Float16_b, Layout::Tile);
    let program = op.program(&call).unwrap().program;
    let kernel = &program.launches[0].kernels[0];
    assert_eq!(kernel.defines, [("TEXT".to_string(), "\"\u{1b} é\\n\"".to_string())]);
    let text = op.program_text(&call).unwrap();
    assert!(text.contains("kernel_source = \"kernels/it's.cpp\""), "{text}");
    // The same for a call.
    let call = call.with("word", Setting::Word("a\"b\u{7f}".into()));
    assert!(call_file::text("it's", &call).starts_with("op = \"it's\"\n"));
    assert!(call_file::text(".", &call).ends_with("word = \"a\\\"b\\u007F\"\n"));
}

/// A call of backward, with lines for its tables of attributes and fills.
fn backward_call(attributes: &str, fill: &str) -> Result<ProgramFile, String> {
    let text = format!(
        "op = \"layernorm_bw\"\nshape = [1, 1, 3, 2]\ndtype = \"fp32\"\n[attributes]\n{attributes}\n[fill]\n{fill}\n"
    );
    ProgramFile::parse(Path::new("call.toml"), &text, &[]).map_err(|error| error.to_string())
}

/// The values that an input of a call is filled with.
fn filled(file: &ProgramFile, name: &str) -> Vec<f32> {
    let i = file.program.tensors.iter().position(|tensor| tensor.name == name).unwrap();
    let Some(Fill::Rounded(values)) = &file.tensors[i].fill else { panic!("{name} has no values") };
    values.to_vec()
}

#[test]
fn mean_and_rstd_are_those_that_are_given_or_follow_from_x() {
    // Rows of -1 and 1: the mean is 0, the variance 1.
    let own = backward_call("eps = 3", "x = \"ramp\"").unwrap();
    assert_eq!((filled(&own, "mean"), filled(&own, "rstd")), (vec![0.0; 3], vec![0.5; 3]));
    let given = backward_call("eps = 3", "x = \"ramp\"\nmean = \"constant:0.25\"").unwrap();
    assert_eq!((filled(&given, "mean"), filled(&given, "rstd")), (vec![0.25; 3], vec![0.5; 3]));
    // What must come out follows from it: dgamma = sum of dy (x - mean) rstd.
    let with = |mean: &str| {
        let fill = format!("x = \"ramp\"\ndy = \"constant:1\"\nmean = \"{mean}\"\nrstd = \"constant:2\"");
        let file = backward_call("", &fill).unwrap();
        let Expected::Fill(Fill::Values(values)) = file.expects[1].values.clone() else { panic!("no values") };
        values.to_vec()
    };
    assert_eq!((with("constant:0"), with("constant:1")), (vec![-6.0, 6.0], vec![-12.0, 0.0]));
    for (fill, what) in [
        ("mean = \"npy:nope.npy\"", "mean: nope.npy: No such file"),
        ("rstd = \"constnt:1\"", "\"constnt\" is not a fill"),
        ("variance = \"constant:1\"", "variance is no input; the inputs are x, gamma, mean, rstd, dy"),
    ] {
        let error = backward_call("", fill).err().unwrap();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn epsilon_is_eps_and_is_given_once() {
    let rstd = |attributes: &str| filled(&backward_call(attributes, "x = \"ramp\"").unwrap(), "rstd");
    assert_eq!(
        (rstd("eps = 3"), rstd("epsilon = 3"), rstd("epsilon = 15")),
        (vec![0.5; 3], vec![0.5; 3], vec![0.25; 3])
    );
    let error = backward_call("eps = 3\nepsilon = 3", "").err().unwrap();
    assert!(error.contains("epsilon: is given twice, as eps"), "{error}");
    let error = backward_call("epsil = 3", "").err().unwrap();
    assert!(error.contains("epsil: layernorm_bw has no such attribute; it has eps, path"), "{error}");
    // In an op of a folder either name may be the one that it has.
    for (has, given) in [("eps", "epsilon"), ("epsilon", "eps")] {
        let text = CONFIG.replace("name = \"steps\"", &format!("name = \"{has}\"")).replace("steps", has);
        let op = UserOp::parse(Path::new("op.toml"), Path::new(""), &text).unwrap();
        let call = Call::new(&[1, 32], DataFormat::Float16_b, Layout::Tile);
        let refusal = |value: f64| op.validate(&call.clone().with(given, Setting::Number(value))).err();
        assert!(refusal(8.0).is_none() && refusal(9.0).is_some_and(|r| r.message.starts_with(&format!("{has} 9"))));
    }
}

#[test]
fn formats_have_the_same_names_on_the_command_line_and_in_files() {
    for (word, format) in [
        ("bf16", DataFormat::Float16_b),
        ("bfloat16", DataFormat::Float16_b),
        ("fp32", DataFormat::Float32),
        ("float32", DataFormat::Float32),
    ] {
        let words = CallWords { shape: "1,1".into(), dtype: word.into(), layout: "tile".into(), settings: Vec::new() };
        assert_eq!(Call::from_words(&words).unwrap().dtype, format);
        let text = format!("op = \"layernorm_fused_rm\"\nshape = [1, 1]\ndtype = \"{word}\"\n");
        let file = ProgramFile::parse(Path::new("call.toml"), &text, &[]).unwrap();
        assert_eq!(file.program.tensors[0].format, format);
        let text = CONFIG.replacen("[\"bfloat16\", \"float32\"]", &format!("[\"{word}\"]"), 1);
        let op = UserOp::parse(Path::new("op.toml"), Path::new(""), &text).unwrap();
        assert_eq!(op.inputs[0].dtypes, [format]);
        let tensor = format!("[[tensor]]\nname = \"x\"\nshape = [1]\ndtype = \"{word}\"\nlayout = \"tile\"\n");
        let cb = format!(
            "[[cb]]\ntotal_size = 4096\ncore_ranges = [[[0, 0], [0, 0]]]\nformat_descriptors = [{{ buffer_index = 0, data_format = \"{word}\", page_size = 2048 }}]\n"
        );
        let kernel = "[[kernel]]\nkernel_source = \"op.toml\"\ncore_ranges = [[[0, 0], [0, 0]]]\nconfig = \"reader\"\n";
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ops/rmsnorm/program.toml");
        let file = ProgramFile::parse(&place, &(tensor + &cb + kernel), &[]).unwrap();
        let of_cb = file.program.launches[0].cbs[0].format_descriptors[0].data_format;
        assert_eq!((file.program.tensors[0].format, of_cb), (format, format));
    }
}

#[test]
fn a_call_file_becomes_the_program_of_the_op_and_expects_its_reference() {
    let text = "op = \"layernorm_fused_rm\"\nshape = [13, 20]\n\n[attributes]\neps = 1e-3\n\n[fill]\nx = \"ramp\"\n";
    let file = ProgramFile::parse(Path::new("call.toml"), text, &[]).unwrap();
    assert_eq!(file.program.tensors.len(), 4);
    assert_eq!(file.expects.len(), 1);
    let error = |text: &str| ProgramFile::parse(Path::new("call.toml"), text, &[]).err().unwrap().to_string();
    assert!(
        error("op = \"layernorm\"\nshape = [1, 1]").starts_with("call.toml:1: op: there is no op layernorm; known are")
    );
    assert!(error(&text.replace("[13, 20]", "[1, 1, 1, 1, 1, 1, 1, 1, 20]")).contains("has 9 dimensions"));
    assert!(error(&text.replace("x = ", "z = ")).contains("fill: z is no input; the inputs are x, gamma, beta"));
    // The seed is what random fills are drawn with: those of x are a ramp, those of gamma and beta are not.
    let seeded = |seed: u32| {
        let file = ProgramFile::parse(Path::new("call.toml"), &format!("seed = {seed}\n{text}"), &[]).unwrap();
        let fill = |tensor: usize| file.tensors[tensor].fill.clone().unwrap();
        (file.seed, fill(0), fill(1), file.expects[0].values.clone())
    };
    let ((seed, x, gamma, y), other) = (seeded(0), seeded(7));
    assert_eq!((seed, &x, other.0), (0, &other.1, 7));
    assert!(gamma != other.2 && y != other.3);
    assert_eq!(seeded(7), other);
    assert!(error(&text.replace("eps", "epsi")).contains("epsi: layernorm_fused_rm has no such attribute"));
    assert!(error(&text.replace("1e-3", "-1.0")).contains("eps -1: must be 0 or above"));
}

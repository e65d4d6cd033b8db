//! Each gate of the workbench with an op that fails exactly there, and ops that pass all of them.

use std::fs;
use std::path::{Path, PathBuf};

use tileproof::build::Builder;
use tileproof::fill::Fill;
use tileproof::op::gates::{self, Check, Event, State};
use tileproof::op::run::Source;
use tileproof::op::{
    Call, Description, Grid, Input, Inputs, Op, Probe, References, Refusal, UserOp, registry, run, skeleton,
};
use tileproof::program_file::ProgramFile;
use tileproof::run_file::RunOptions;

/// A fresh folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("op_gates").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// The skeleton of an op with one input and one output, its description changed.
fn specimen(name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let folder = folder(name);
    skeleton::create("specimen", None, &folder).unwrap();
    change(&folder.join("op.toml"), changes);
    folder
}

fn change(file: &Path, changes: &[(&str, &str)]) {
    let mut text = fs::read_to_string(file).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{}: {from}", file.display());
        text = text.replacen(from, to, 1);
    }
    fs::write(file, text).unwrap();
}

fn check(folder: &Path) -> Check {
    let builder = Builder::new(None).unwrap();
    gates::check(&folder.display().to_string(), &builder, &mut |_| {}).unwrap()
}

/// The gate is red for this reason, those before it are green, and those behind it are not reached.
fn fails_at(folder: &Path, gate: usize, reason: &str) -> Check {
    let check = check(folder);
    let states: Vec<State> = check.gates.iter().map(|gate| gate.state).collect();
    let wanted = |number: usize| match number.cmp(&gate) {
        std::cmp::Ordering::Less => State::Pass,
        std::cmp::Ordering::Equal => State::Fail,
        std::cmp::Ordering::Greater => State::NotReached,
    };
    let why = check.red().and_then(|gate| gate.failure.as_ref()).map_or("", |failure| failure.reason.as_str());
    assert_eq!(states, (1..=7).map(wanted).collect::<Vec<_>>(), "{why}");
    assert!(why.contains(reason), "{why}");
    check
}

#[test]
fn gate_1_is_red_when_an_output_has_no_reference() {
    let folder = specimen("description", &[("y = \"x\"\n", "")]);
    fails_at(&folder, 1, "output y has no line in [reference]");
}

#[test]
fn gate_1_is_red_when_the_grid_cannot_show_a_fault() {
    let kinds = "data = [\"constant\", \"ramp\", \"one_hot\", \"mean_zero\", \"large_offset\", \"adversarial\"]\n";
    let with = |name: &str, data: &str| specimen(name, &[("rtol = ", &format!("{data}rtol = "))]);
    fails_at(&with("few_data", "data = [\"constant\", \"ramp\"]\n"), 1, "no data one_hot, mean_zero, large_offset, ");
    fails_at(&with("same_data", "data = [\"ramp\", \"ramp\"]\n"), 1, "grid: data: ramp is there twice");
    fails_at(&specimen("infinite", &[("rtol = 1e-2", "rtol = inf")]), 1, "rtol is inf; expected a finite number");
    let filled = |name: &str, fill: &str| specimen(name, &[("[[output]]", &format!("fill = {fill}\n\n[[output]]"))]);
    fails_at(&filled("one_fill", "\"constant:0\""), 1, "op.toml:5: every input has a fill that is always the same");
    // All kinds in any order, or a fill that is drawn anew for each run.
    for right in [with("all_data", kinds), filled("random_fill", "\"uniform:0.5,1.5\"")] {
        assert_eq!(UserOp::read(&right).unwrap().missing(), Vec::<String>::new());
    }
}

#[test]
fn gate_1_is_red_when_the_description_cannot_be_read_and_says_where() {
    let folder = specimen("broken", &[("y = \"x\"", "y = \"x * rsqt(x)\"")]);
    let check = fails_at(&folder, 1, "there is no function rsqt");
    let reason = &check.red().unwrap().failure.as_ref().unwrap().reason;
    let text = fs::read_to_string(folder.join("op.toml")).unwrap();
    let line = 1 + text.lines().position(|line| line.starts_with("y = ")).unwrap();
    // `y = "x * rsqt` has its r in column 10.
    assert!(reason.contains(&format!("op.toml:{line}:10:")), "{reason}");
}

/// A condition with a call on each side of it.
fn condition(that: &str) -> String {
    format!(
        "[[condition]]\nthat = \"{that}\"\nmessage = \"x is {{x.w}} wide\"\ninside = {{ x = [32, 64] }}\n\
         outside = {{ x = [32, 33] }}\n\n[[cb]]"
    )
}

#[test]
fn gate_2_is_red_when_a_condition_accepts_what_it_must_refuse() {
    let folder = specimen("validation", &[("[[cb]]", &condition("x.w > 31"))]);
    fails_at(&folder, 2, "\"x.w > 31\": the call 32x33 bfloat16 tile does not meet it and is accepted");
    let folder = specimen("validation_inside", &[("[[cb]]", &condition("x.w < 64"))]);
    fails_at(&folder, 2, "is refused: x is 64 wide");
    let folder = specimen("validation_grid", &[("[[cb]]", &condition("x.w == 64"))]);
    fails_at(&folder, 2, "the first call of the grid, 32x32 bfloat16 tile, is refused: x is 32 wide");
    // Refused, but by the rank that comes first.
    let other = condition("x.w % 32 == 0").replace("[32, 33]", "[33]");
    let folder = specimen("validation_other", &[("[[cb]]", &other)]);
    fails_at(&folder, 2, "refused for another reason");
}

#[test]
fn gate_3_is_red_when_the_name_is_taken_by_a_shipped_op() {
    let folder = specimen("registration", &[("name = \"specimen\"", "name = \"layernorm_bw\"")]);
    fails_at(&folder, 3, "the name layernorm_bw is that of a shipped op");
}

#[test]
fn gate_4_is_red_when_a_program_does_not_build_for_a_later_shape() {
    let changes =
        [("\"count\"]", "\"count\", \"x.w / 96\"]"), ("shapes = [[32, 32], [64, 96]", "shapes = [[64, 96], [32, 32]")];
    let folder = specimen("program", &changes);
    let reason = "32x32 bfloat16 tile: kernel compute: argument x.w / 96: it is 0.333";
    fails_at(&folder, 4, reason);
}

#[test]
fn gate_4_is_red_when_a_kernel_does_not_compile_and_shows_the_compilers_words() {
    let folder = specimen("compiler", &[]);
    change(&folder.join("kernels/writer.cpp"), &[("cb_pop_front(cb_out_y, 1);", "cb_pop_front(cb_z, 1);")]);
    fails_at(&folder, 4, "cb_z");
}

#[test]
fn gate_5_is_red_when_the_buffers_do_not_fit_in_l1_and_lists_them() {
    let folder = specimen("budget", &[("of = \"x\"\npages = \"2\"", "of = \"x\"\npages = \"679\"")]);
    // 679 pages of 2048 and two more are 1394688 bytes; L1 from 105696 on has 1393440.
    fails_at(&folder, 5, "take 1394688 bytes, L1 has 1393440");
    // A page less fits, and the next gate that is red is the stub's.
    let folder = specimen("budget_fits", &[("of = \"x\"\npages = \"2\"", "of = \"x\"\npages = \"678\"")]);
    fails_at(&folder, 7, "");
}

#[test]
fn gate_5_is_red_when_a_kernel_uses_a_buffer_that_the_table_does_not_have() {
    let folder = specimen("table", &[("index = 16", "index = 17")]);
    fails_at(&folder, 5, "uses c_16, which the table does not have");
}

#[test]
fn gate_6_is_red_when_a_kernel_waits_for_a_page_that_never_comes() {
    let folder = specimen("flow", &[]);
    change(&folder.join("kernels/compute.cpp"), &[("page < count;", "page + 1 < count;")]);
    let check = fails_at(&folder, 6, "the run ended as deadlock");
    let failure = check.red().unwrap().failure.as_ref().unwrap();
    assert_eq!(failure.findings[0].code.to_string(), "TP0601");
}

#[test]
fn gate_6_is_red_when_more_goes_through_a_buffer_than_the_description_says() {
    let folder = specimen("moves", &[("of = \"y\"\n", "of = \"y\"\nmoves = \"count + 1\"\n")]);
    fails_at(&folder, 6, "c_16 on core (0,0): 1 pages pushed, the description says moves = \"count + 1\", which is 2");
    for (name, moves, is) in [("part", "count + 0.9", "1.9"), ("negative", "0 - count", "-1"), ("none", "0 / 0", "NaN")]
    {
        let folder = specimen(name, &[("of = \"y\"\n", &format!("of = \"y\"\nmoves = \"{moves}\"\n"))]);
        let reason = format!("cb 16: moves: \"{moves}\" is {is}, a whole number from 0 on is needed");
        fails_at(&folder, 6, &reason);
    }
}

#[test]
fn gate_7_is_red_for_a_stub_and_says_which_kernel_is_one() {
    let folder = specimen("stub", &[("of = \"y\"\n", "of = \"y\"\nmoves = \"count\"\n")]);
    // Constant data comes first: 0.5, and the stub packs zeros.
    let check = fails_at(&folder, 7, "constant data: y[0, 0] is 0, the reference is 0.5");
    let help = check.red().unwrap().failure.as_ref().unwrap().help.clone().unwrap();
    assert!(help.contains("compute.cpp:1 is still the stub"), "{help}");
}

#[test]
fn gate_7_speaks_of_the_ledger_only_if_it_is_right() {
    let help = |check: &Check| check.red().unwrap().failure.as_ref().unwrap().help.clone().unwrap();
    // Data that are not constant are not passed on.
    let folder = copy("flow_of_data", &[]);
    let push = ["cb_push_back(cb_in_x, 1);"; 2];
    let all_one = "volatile tt_l1_ptr uint32_t* l1 = (volatile tt_l1_ptr uint32_t*)get_write_ptr(cb_in_x);\n        if (l1[0] == l1[1]) ";
    change(&folder.join("kernels/reader.cpp"), &[(push[0], &format!("{all_one}{}", push[1]))]);
    let check = fails_at(&folder, 7, "32x32 bfloat16 tile, ramp data: the run ended as deadlock");
    assert!(help(&check).contains("not with this: look for loops and branches that depend on values"));
    let check = fails_at(&copy("other_values", &[("y = \"x\"", "y = \"x + 1\"")]), 7, "constant data: y[0, 0] is ");
    assert!(help(&check).contains("the ledger is right, so look at the arithmetic"));
}

#[test]
fn stubs_build_whatever_the_tensors_are_called() {
    let folder = folder("words");
    fs::create_dir_all(&folder).unwrap();
    let config = folder.join("config.toml");
    let input = |name: &str| format!("[[input]]\nname = \"{name}\"\n\n");
    let text = ["page", "int", "first_pages", "push_back"].map(input).concat() + "[[output]]\nname = \"double\"\n";
    fs::write(&config, text).unwrap();
    skeleton::create("words", Some(&config), &folder.join("words")).unwrap();
    fails_at(&folder.join("words"), 7, "double[0, 0] is 0");
}

#[test]
fn gate_7_is_red_for_a_stub_whose_zeros_are_close_enough() {
    // A first run that is right is not enough, and the kernel without its mark passes below.
    let folder = specimen("lenient", &[("atol = 1e-2", "atol = 1")]);
    let check =
        fails_at(&folder, 7, "32x32 bfloat16 tile, constant data: nothing is wrong, but a kernel is still a stub");
    let help = check.red().unwrap().failure.as_ref().unwrap().help.clone().unwrap();
    assert!(help.contains("compute.cpp:1 is still the stub"), "{help}");
    assert_eq!(check.accuracy.len(), 1);
}

/// The shipped op, but its reference has an output that its program does not make.
struct More(Box<dyn Op>);

impl Op for More {
    fn describe(&self) -> Description {
        self.0.describe()
    }
    fn calls(&self) -> Vec<Call> {
        self.0.calls()
    }
    fn grid(&self) -> Grid {
        self.0.grid()
    }
    fn probes(&self) -> Vec<Probe> {
        self.0.probes()
    }
    fn validate(&self, call: &Call) -> Result<(), Refusal> {
        self.0.validate(call)
    }
    fn program(&self, call: &Call) -> Result<ProgramFile, Refusal> {
        self.0.program(call)
    }
    fn inputs(&self, call: &Call, seed: u64, fills: &dyn Fn(&Input<'_>) -> Fill) -> Result<Inputs, String> {
        self.0.inputs(call, seed, fills)
    }
    fn reference(&self, call: &Call, inputs: &Inputs) -> Result<References, String> {
        let more = ("dz".to_string(), vec![0.0]);
        Ok([self.0.reference(call, inputs)?, vec![more]].concat())
    }
}

#[test]
fn an_output_that_the_run_does_not_give_is_no_pass() {
    let shipped = || registry::shipped("layernorm_bw").unwrap();
    let call = shipped().calls().remove(0);
    let source = Source { seed: 0, fills: &|_| Fill::Constant(1.0) };
    let builder = Builder::new(None).unwrap();
    let run = |op: &dyn Op| run::run(op, &call, &source, (1e-2, 1e-2), &RunOptions::default(), &builder);
    assert_eq!(run(shipped().as_ref()).unwrap().outputs.len(), 3);
    assert_eq!(run(&More(shipped())).unwrap_err().to_string(), "output dz: the run gave none");
    let expecting = run::expecting(&More(shipped()), &call, &source, (1e-2, 1e-2));
    assert_eq!(expecting.err().unwrap().to_string(), "output dz: the program has none");
}

/// A specimen whose kernel copies.
fn copy(name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let folder = specimen(name, changes);
    change(
        &folder.join("kernels/compute.cpp"),
        &[
            ("// STUB: ", "// "),
            ("fill_tile_init();\n    fill_tile(0, 0.0f);", "copy_init(0);\n    copy_tile(0, 0, 0);"),
            (
                "        cb_pop_front(cb_in_x, 1);\n        pack_zero(cb_out_y);",
                "        pack_zero(cb_out_y);\n        cb_pop_front(cb_in_x, 1);",
            ),
            ("api/compute/eltwise_unary/fill.h", "api/compute/tile_move_copy.h"),
        ],
    );
    folder
}

#[test]
fn a_kernel_that_is_right_passes_all_gates_and_tells_what_happened() {
    let folder = copy("copy", &[]);
    let mut events = Vec::new();
    let builder = Builder::new(None).unwrap();
    let check = gates::check(&folder.display().to_string(), &builder, &mut |event| events.push(event)).unwrap();
    assert!(check.pass(), "{:?}", check.red());
    // 3 shapes for gate 6, and with 6 kinds of data for gate 7.
    assert_eq!(check.runs, 3 + 18);
    let runs = events.iter().filter(|event| matches!(event, Event::Run { .. })).count();
    assert_eq!(runs, check.runs);
    assert!(matches!(events.last(), Some(Event::CheckEnded { pass: true, green: 7, .. })));
    // A copy of bf16 is exact.
    assert!(check.accuracy.iter().all(|row| row.output.max_diff == Some(0.0)));
}

#[test]
fn what_the_description_fills_all_inputs_with_is_drawn_anew_for_each_run_and_called_its_own() {
    // Outputs beside 0 tell the data.
    let fill = ("[[output]]", "fill = \"uniform:0.5,1.5\"\n\n[[output]]");
    let changes = [fill, ("y = \"x\"", "y = \"0 * x\""), ("atol = 1e-2", "atol = 2"), (", [64, 96], [96, 256]]", "]")];
    let check = check(&copy("own_data", &changes));
    assert!(check.pass(), "{:?}", check.red());
    assert_eq!(check.accuracy.len(), 6);
    let mut means: Vec<u64> = check.accuracy.iter().map(|row| row.output.mean_diff.unwrap().to_bits()).collect();
    means.sort_unstable();
    means.dedup();
    assert_eq!(means.len(), 6);
    assert!(check.accuracy.iter().all(|row| row.data == "own"));
}

#[test]
fn rmsnorm_passes_all_gates() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ops/rmsnorm");
    let check = check(&folder);
    assert!(check.pass(), "{:?}", check.red());
    // The intermediate products are rounded to bf16 once, at the end.
    assert!(check.accuracy.iter().all(|row| row.output.max_ulp.unwrap() < 1.5));
}

#[test]
fn both_layernorms_pass_all_gates() {
    let builder = Builder::new(None).unwrap();
    for (name, buffers) in [("layernorm_bw", 15), ("layernorm_fused_rm", 13)] {
        let check = gates::check(name, &builder, &mut |_| {}).unwrap();
        assert!(check.pass(), "{:?}", check.red());
        // Several tile rows on a core are among the calls.
        assert!(check.notes.is_empty(), "{:#?}", check.notes);
        let of = |words: &str| check.accuracy.iter().any(|row| row.call.contains(words));
        assert!(of("cores 1") && of("row_major") && of("tile") && of("memory_config l1"));
        // The ledger of the report is of a call that uses the whole table.
        let mut used: Vec<(usize, u32)> = Vec::new();
        for (launch, ledger) in check.ledgers.iter().enumerate() {
            used.extend(ledger.buffers.iter().map(|buffer| (launch, buffer.cb)));
        }
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), buffers, "{used:?}");
        for row in check
            .accuracy
            .iter()
            .filter(|row| row.output.format == tileproof::model::numerics::format::DataFormat::Float16_b)
        {
            assert!(row.output.max_ulp.unwrap() <= 1.0, "{row:?}");
        }
    }
}

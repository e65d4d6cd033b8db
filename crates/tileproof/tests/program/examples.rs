//! The example programs: each is right and finds its expected output, and its broken twin is told what is wrong with it, on
//! the line that is to blame.

use std::fs;
use std::path::{Path, PathBuf};

use tileproof::run_file::{RunOptions, RunResult, run_program_file};
use tileproof_model::finding::{Code, Finding};
use tileproof_model::record::Status;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/programs").join(name)
}

fn run(name: &str, program: &str) -> RunResult {
    let path = folder(name).join(program);
    run_program_file(&path, &RunOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The line of a kernel that contains some text; it is the only one.
fn line_of(name: &str, file: &str, text: &str) -> u32 {
    let source = fs::read_to_string(folder(name).join(file)).expect(file);
    let lines: Vec<usize> = source.lines().enumerate().filter(|(_, l)| l.contains(text)).map(|(at, _)| at).collect();
    let [line] = lines.as_slice() else { panic!("{name}/{file}: {} lines have {text:?}", lines.len()) };
    *line as u32 + 1
}

fn is_at(finding: &Finding, code: Code, file: &str, line: u32) -> bool {
    let at = finding.primary.location.as_ref();
    finding.code == code && at.is_some_and(|at| at.file.ends_with(file) && at.line == line)
}

/// The right program is clean and as expected; its twin ends as `status` says, with a first finding at the line of `file`
/// that contains `text`. Gives the twin's result.
fn right_and_broken(name: &str, status: Status, code: Code, file: &str, text: &str) -> RunResult {
    let right = run(name, "program.toml");
    assert!(right.pass(), "{name}: {:?} {:#?}", right.outputs, right.record.findings);
    assert!(right.record.notes.is_empty(), "{name}: {:#?}", right.record.notes);
    assert!(right.outputs.iter().all(|output| output.max_diff.is_some()), "{name}: nothing is compared");
    let broken = run(name, "broken.toml");
    assert_eq!(broken.record.status, status, "{name}");
    let first = broken.record.findings.first().unwrap_or_else(|| panic!("{name}: nothing found"));
    assert!(is_at(first, code, file, line_of(name, file, text)), "{name}: {first:#?}");
    broken
}

#[test]
fn a_twin_differs_from_its_program_by_one_definition() {
    let define = "defines = [[\"BROKEN\", \"1\"]]\n";
    for entry in fs::read_dir(folder("")).expect("examples") {
        let folder = entry.expect("an entry").path();
        let Ok(broken) = fs::read_to_string(folder.join("broken.toml")) else { continue };
        let right = fs::read_to_string(folder.join("program.toml")).expect("program.toml");
        let without_head = |text: &str| text[text.find("arch = ").expect("arch")..].to_string();
        assert_eq!(broken.matches(define).count(), 1, "{}", folder.display());
        assert_eq!(without_head(&broken).replace(define, ""), without_head(&right), "{}", folder.display());
    }
}

#[test]
fn add_pushes_pages_that_have_arrived() {
    let broken =
        right_and_broken("add", Status::Completed, Code::READ_IN_FLIGHT, "reader.cpp", "cb_push_back(cb_a, 1)");
    let pushed_too = line_of("add", "reader.cpp", "cb_push_back(cb_b, 1)");
    assert!(is_at(&broken.record.findings[1], Code::READ_IN_FLIGHT, "reader.cpp", pushed_too));
    assert_eq!(broken.record.findings.len(), 2);
}

#[test]
fn reduce_leaves_the_packer_as_it_was() {
    let broken = right_and_broken("reduce", Status::Completed, Code::PACK_MASKED, "centre.cpp", "pack_tile(0, cb_y)");
    // Column 0 alone is packed: 31 of 32 columns are zero, and the expected values seldom are.
    assert!(broken.outputs[0].differing > 3000, "{:?}", broken.outputs);
    let init = line_of("reduce", "centre.cpp", "reduce_init<");
    let labels = &broken.record.findings[0].labels;
    assert!(labels.iter().any(|l| l.place.location.as_ref().is_some_and(|at| at.line == init)), "{labels:#?}");
}

#[test]
fn softmax_says_what_it_multiplies_by() {
    let broken = right_and_broken(
        "softmax",
        Status::Completed,
        Code::WRONG_INIT,
        "softmax.cpp",
        "mul_tiles_bcast_cols(cb_exps, cb_factor",
    );
    let message = &broken.record.findings[0].message;
    assert!(message.contains("\"reduce SUM REDUCE_ROW\"") && message.contains("\"multiply with column"), "{message}");
    assert!(!broken.outputs[0].pass);
}

#[test]
fn tilize_makes_room_for_the_next_rows() {
    let broken = right_and_broken(
        "tilize",
        Status::Deadlock,
        Code::DEADLOCK,
        "read_sticks.cpp",
        "cb_reserve_back(cb_sticks, columns)",
    );
    let [finding] = broken.record.findings.as_slice() else { panic!("{:#?}", broken.record.findings) };
    assert!(finding.message.contains("0 of 3 free, and UNPACK has ended after popping 0 pages"), "{finding:#?}");
}

#[test]
fn eight_cores_pop_what_they_have_used() {
    let broken = right_and_broken(
        "eltwise_8_cores",
        Status::Deadlock,
        Code::DEADLOCK,
        "relu_of_difference.cpp",
        "cb_wait_front(cb_a, 1)",
    );
    // Cores with three tiles find no room; those with two end, and leave a page.
    assert!(broken.record.findings[0].message.contains("UNPACK waits for NCRISC waits for UNPACK"), "{broken:#?}");
    assert_eq!(broken.record.findings[0].also_on.len(), 3);
}

#[test]
fn row_max_programs_the_units_for_each_row() {
    let broken = right_and_broken("row_max", Status::Completed, Code::WRONG_INIT, "row_max.cpp", "reduce_tile<");
    assert!(broken.record.findings[0].message.contains("the call needs \"reduce MAX REDUCE_ROW\""), "{broken:#?}");
    assert_eq!(broken.outputs[0].differing, 32 * 96);
}

#[test]
fn a_row_reaches_all_cores_and_its_flag_all_others() {
    let multicast = "noc_semaphore_set_multicast(";
    let broken = right_and_broken("row_multicast", Status::Completed, Code::MULTICAST_COUNT, "reader.cpp", multicast);
    let [finding] = broken.record.findings.as_slice() else { panic!("{:#?}", broken.record.findings) };
    assert!(finding.message.starts_with("the multicast reaches 7 cores, the call counts 8"), "{finding:#?}");
}

#[test]
fn a_grid_multiplies_and_its_senders_wait_for_their_receivers_alone() {
    let broken = right_and_broken(
        "matmul_grid",
        Status::Deadlock,
        Code::DEADLOCK,
        "multicast.h",
        "noc_semaphore_wait(ready_flag, line.receivers + 1)",
    );
    // One report for both senders, one for all receivers.
    let [senders, receivers] = broken.record.findings.as_slice() else { panic!("{:#?}", broken.record.findings) };
    assert!(senders.message.ends_with("it is 3, and 3 cores have counted it up, all that do"), "{}", senders.message);
    assert_eq!((senders.also_on.len(), receivers.also_on.len()), (1, 5));
    assert!(is_at(
        receivers,
        Code::DEADLOCK,
        "multicast.h",
        line_of("matmul_grid", "multicast.h", "noc_semaphore_wait(valid_flag, VALID)")
    ));
}

#[test]
fn one_of_two_players_begins() {
    let broken = right_and_broken(
        "ping_pong",
        Status::Deadlock,
        Code::DEADLOCK,
        "ping_pong.cpp",
        "arrived.wait_min(round);  //",
    );
    let [both] = broken.record.findings.as_slice() else { panic!("{:#?}", broken.record.findings) };
    assert_eq!(both.also_on.len(), 1);
    assert!(both.message.ends_with("it is 0, and no other core has written it"), "{}", both.message);
}

#[test]
fn the_core_that_did_not_count_itself_is_named_among_64() {
    let broken = right_and_broken(
        "barrier",
        Status::Deadlock,
        Code::DEADLOCK,
        "barrier.cpp",
        "noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(here), others)",
    );
    let [root, others] = broken.record.findings.as_slice() else { panic!("{:#?}", broken.record.findings) };
    assert!(
        root.message.ends_with("62 cores have counted it up; core (5,3), which runs the same kernel, has not"),
        "{}",
        root.message
    );
    assert_eq!(root.facts["missing"], "core (5,3)");
    assert_eq!(others.also_on.len(), 62);
}

#[test]
fn a_run_says_nothing_of_inits_of_the_vector_unit_where_they_were_checked() {
    let says = |name| {
        run(name, "program.toml").record.not_checked.iter().any(|what| what.starts_with("inits of the vector unit"))
    };
    assert!(!says("softmax"), "it takes exponentials");
    assert!(!says("add"), "the matrix unit adds");
}

//! What a person sees of a finding, whole and as printed.
//!
//! The expected texts were read before they were put here, and say what the renderer must never lose: the place, what
//! else was at work, and what to do. Sample findings are made by hand in `sample`; nothing is simulated.

use crate::sample;
use tileproof_report::{NoSources, Style, render_human};

#[test]
fn a_deadlock_over_two_files_shows_both_lines() {
    let text = render_human(&[sample::deadlock()], &[], "tp1:0", &sample::sources, Style::PLAIN);
    assert_eq!(
        text,
        r#"error[TP0601]: deadlock: UNPACK waits in cb_wait_front for 4 pages in c_0; 2 are there, and NCRISC has ended after pushing 2 pages
 --> kernels/compute.cpp:4:5
  |
4 |     cb_wait_front(tt::CBIndex::c_0, 4);
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ waits in cb_wait_front for 4 pages in c_0; 2 are there
5 |     tile_regs_acquire();
6 |     add_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0);  // sum
  |     ------------------------------------------------------ MATH waits for an operand in SrcA and SrcB
  |
 ::: kernels/reader.cpp:3:9
  |
3 |         cb_push_back(tt::CBIndex::c_0, 1);
  |         --------------------------------- NCRISC pushed to c_0 here last
  |
  = note: core (0,0), UNPACK; cb c_0, cycle 512, needed 4, pages 2
  = note: and on 2 other cores: (1,0) (2,0)
  = note: for more: `tileproof explain TP0601`
  = help: push as many pages to c_0 as are waited for, or wait for fewer

1 error
"#
    );
}

#[test]
fn without_the_sources_places_stand_alone_and_nothing_is_lost() {
    let text = render_human(&[sample::deadlock()], &[], "tp1:0", &NoSources, Style::PLAIN);
    assert_eq!(
        text,
        r#"error[TP0601]: deadlock: UNPACK waits in cb_wait_front for 4 pages in c_0; 2 are there, and NCRISC has ended after pushing 2 pages
--> kernels/compute.cpp:4:5
 = note: waits in cb_wait_front for 4 pages in c_0; 2 are there
 = note: kernels/reader.cpp:3: NCRISC pushed to c_0 here last
 = note: kernels/compute.cpp:6: MATH waits for an operand in SrcA and SrcB
 = note: core (0,0), UNPACK; cb c_0, cycle 512, needed 4, pages 2
 = note: and on 2 other cores: (1,0) (2,0)
 = note: for more: `tileproof explain TP0601`
 = help: push as many pages to c_0 as are waited for, or wait for fewer

1 error
"#
    );
}

#[test]
fn two_marks_in_one_file_share_a_snippet_and_a_foreign_schedule_is_named() {
    let text = render_human(&[sample::wrong_init()], &[], "tp1:9f3c20", &sample::sources, Style::PLAIN);
    assert_eq!(
        text,
        r#"error[TP0701]: MATH runs "multiply" here, the call needs "add"
 --> kernels/compute.cpp:6:5
  |
3 |     mul_init(tt::CBIndex::c_0, tt::CBIndex::c_1);
  |     -------------------------------------------- programmed "multiply" here
...
6 |     add_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0);  // sum
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs "add"
  |
  = note: core (0,0), MATH
  = note: not in this run: another order of the threads brings it out
  = note: replay with `--schedule tp1:9f3c20`
  = note: for more: `tileproof explain TP0701`
  = help: call the init of this operation after any other init

1 error
"#
    );
}

#[test]
fn a_place_that_is_not_known_is_said_to_be_so() {
    let text = render_human(&[], &[sample::placeless()], "tp1:0", &sample::sources, Style::PLAIN);
    assert_eq!(
        text,
        r#"note[TP0401]: source of a NoC read in DRAM: 2048 bytes at 0x9000 are not in any memory that the program has
 |
 = note: core (3,1), NCRISC, kernel reader; address 0x9000, bytes 2048
 = note: the read
 = note: the source line is not known
 = note: BRISC wrote there (source line not known)
 = note: two banks were touched
 = note: a suspicion, not a proof
 = note: for more: `tileproof explain TP0401`

0 findings, 1 note
"#
    );
}

#[test]
fn what_is_of_no_kernel_and_no_file_names_neither_core_nor_line() {
    let mut finding = sample::placeless();
    finding.primary.kernel.clear();
    finding.labels.clear();
    let text = render_human(&[], &[finding], "tp1:0", &sample::sources, Style::PLAIN);
    assert!(text.contains("\n = note: address 0x9000, bytes 2048\n = note: the read\n = note: two banks"), "{text}");
}

#[test]
fn colour_comes_only_when_asked_for() {
    let with = Style { color: true, width: 80 };
    let render = |style| render_human(&[sample::deadlock()], &[sample::placeless()], "tp1:0", &sample::sources, style);
    assert!(!render(Style::PLAIN).contains('\x1b'));
    assert!(render(with).contains("\x1b[1m\x1b[91merror[TP0601]"));
}

#[test]
fn a_clean_run_prints_nothing() {
    assert_eq!(render_human(&[], &[], "tp1:0", &NoSources, Style::PLAIN), "");
}

#[test]
fn many_cores_are_counted_and_not_all_listed() {
    let mut finding = sample::wrong_init();
    finding.also_on = (1..64).map(|n| sample::core(n % 8, n / 8)).collect();
    let text = render_human(&[finding], &[], "tp1:0", &NoSources, Style::PLAIN);
    assert!(text.contains("and on 63 other cores: (1,0) (2,0) (3,0) (4,0)"), "{text}");
    assert!(text.contains("and 51 more"), "{text}");
}

#[test]
fn a_long_line_keeps_its_beginning_and_loses_its_end() {
    let long = |file: &str| {
        let call =
            format!("    if (a_name_that_is_rather_long{}) {{ cb_wait_front(c_0, 4); }}", "_and_longer".repeat(9));
        let text = format!("\n\n\n{call} // {}\n", "and a remark that goes on ".repeat(20));
        (file == "kernels/compute.cpp").then_some(text)
    };
    let mut finding = sample::deadlock();
    finding.labels.clear();
    for column in [138, 0] {
        if let Some(location) = &mut finding.primary.location {
            location.column = column;
        }
        let text = render_human(&[finding.clone()], &[], "tp1:0", &long, Style { color: false, width: 100 });
        let line = text.lines().find(|line| line.starts_with("4 | ")).expect("the line");
        assert!(line.starts_with("4 |     if (a_name_that_is_rather_long_and_longer"), "{text}");
        assert!(line.ends_with("...") && line.len() < 190, "{text}");
        // What is underlined is there whole.
        assert!(column == 0 || line.contains("cb_wait_front(c_0, 4)"), "{text}");
        assert!(text.contains("^ waits in cb_wait_front for 4 pages"), "{text}");
    }
}

#[test]
fn a_long_line_between_two_marks_is_cut_too() {
    let between = format!("    // {}", "a remark that goes on ".repeat(20));
    let text = format!("cb_reserve_back(c_0, 1);\n{between}\ncb_wait_front(c_0, 4);\n");
    let source = |file: &str| (file == "kernels/compute.cpp").then(|| text.clone());
    let mut finding = sample::deadlock();
    let mut first = finding.labels.remove(0);
    finding.labels.clear();
    first.place = finding.primary.clone();
    for (place, line) in [(&mut first.place, 1), (&mut finding.primary, 3)] {
        let location = place.location.as_mut().expect("a location");
        (location.line, location.column) = (line, 1);
    }
    finding.labels.push(first);
    let text = render_human(&[finding], &[], "tp1:0", &source, Style { color: false, width: 100 });
    let line = text.lines().find(|line| line.starts_with("2 | ")).expect("the line");
    assert!(line.starts_with("2 |     // a remark") && line.ends_with("...") && line.len() < 110, "{text}");
}

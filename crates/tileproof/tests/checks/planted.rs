//! Twenty-two planted bugs in a program that adds or multiplies four tiles, each beside its right twin.
//!
//! Every kernel is one function whose constant says which bug is in it; 0 is none, and `MUL` says that the program multiplies.
//! So a wrong program differs from its twin by the marked line alone. The list is that of a published comparison of tools, of
//! which the best combination catches ten. Start at `PLANTED`; `cargo test --test checks planted -- --nocapture` prints the table.

use crate::support::adding::{ComputeBody, DataMovementBody, IN0, IN1, Kernels, OUT, TILES};
use crate::support::found::{line_of, marked};
use tileproof::check::Checks;
use tileproof_kernel::{Compute, DataMovement, TensorAccessor};
use tileproof_model::finding::{Certainty, Code, Finding};
use tileproof_model::record::{RunRecord, Status};

/// A buffer of another format, fp32.
const OTHER: u32 = 2;
/// Bytes of a page.
const PAGE: u32 = 2048;

fn inputs(dm: &DataMovement<'_>) -> [(u32, TensorAccessor); 2] {
    [(IN0, 0), (IN1, 1)].map(|(cb, word)| (cb, TensorAccessor::new(dm, word, dm.get_arg_val(word), PAGE)))
}

fn reader<const BUG: u32>(dm: &DataMovement<'_>) {
    let tensors = inputs(dm);
    for tile in 0..TILES {
        for (cb, tensor) in &tensors {
            if BUG == 22 {
                dm.cb_reserve_back(*cb, 3); // bug 22
            } else if BUG != 13 {
                dm.cb_reserve_back(*cb, 1);
            }
            let at = dm.get_write_ptr(*cb);
            let from = tensor.get_noc_addr(dm, tile, 0);
            if BUG == 18 {
                dm.noc_async_read(from, at + (3 << 19), PAGE); // bug 18
            } else if BUG == 19 {
                dm.noc_async_read(from, at + 3 * PAGE / 2, PAGE); // bug 19
            } else if BUG == 20 {
                dm.noc_async_read(from, at + 8, PAGE - 32); // bug 20
            } else if BUG != 16 {
                dm.noc_async_read(from, at, PAGE);
            }
            if BUG != 14 {
                dm.noc_async_read_barrier();
            }
            dm.cb_push_back(*cb, 1); // bugs 13 and 14
        }
    }
}

/// Two tiles a turn, so that a wait covers more than one.
fn reader_of_pairs(dm: &DataMovement<'_>) {
    let tensors = inputs(dm);
    for tile in (0..TILES).step_by(2) {
        for (cb, tensor) in &tensors {
            dm.cb_reserve_back(*cb, 2);
            for next in 0..2 {
                dm.noc_async_read_page(tile + next, tensor, dm.get_write_ptr(*cb) + next * PAGE);
            }
            dm.noc_async_read_barrier();
            dm.cb_push_back(*cb, 2);
        }
    }
}

fn writer<const BUG: u32>(dm: &DataMovement<'_>) {
    let out = TensorAccessor::new(dm, 0, dm.get_arg_val(0), PAGE);
    for tile in 0..TILES {
        dm.cb_wait_front(OUT, 1);
        dm.noc_async_write_page(tile, &out, dm.get_read_ptr(OUT));
        if BUG != 15 {
            dm.noc_async_write_barrier();
        }
        dm.cb_pop_front(OUT, 1); // bug 15
    }
    dm.noc_async_write_barrier();
}

/// Adds, or multiplies if `MUL`.
fn compute<const BUG: u32, const MUL: bool>(k: &Compute<'_>) {
    let first = if BUG == 21 { OTHER } else { IN0 };
    k.compute_kernel_hw_startup(first, IN1, OUT);
    match (BUG, MUL) {
        (2, _) => {}
        (3, _) | (_, true) if BUG != 4 => k.mul_init(IN0, IN1),
        _ => k.add_init(IN0, IN1),
    }
    let turns = if BUG == 1 { TILES + 1 } else { TILES };
    for _ in 0..turns {
        if BUG != 11 {
            k.cb_wait_front(IN0, 1); // bug 1
        }
        k.cb_wait_front(IN1, 1);
        if BUG != 5 {
            k.tile_regs_acquire();
        }
        let tile = u32::from(BUG == 17);
        let dst = match BUG {
            7 => 8,
            8 => 16,
            _ => 0,
        };
        if MUL {
            k.mul_tiles(IN0, IN1, tile, 0, dst); // bug 4
            if BUG == 10 {
                k.mul_tiles(IN0, IN1, tile, 0, dst); // bug 10
            }
        } else {
            k.add_tiles(IN0, IN1, tile, 0, dst); // bugs 2, 3, 5, 7, 8, 11, 16, 17, 20 and 21
        }
        if BUG != 6 {
            k.tile_regs_commit();
        }
        k.cb_pop_front(IN0, if BUG == 12 { 2 } else { 1 }); // bug 12
        k.cb_pop_front(IN1, 1);
        k.cb_reserve_back(OUT, 1);
        k.tile_regs_wait(); // bug 6
        k.pack_tile(if BUG == 9 { 3 } else { dst }, OUT); // bug 9
        k.tile_regs_release();
        k.cb_push_back(OUT, 1);
    }
}

fn program(reader: DataMovementBody, compute: ComputeBody, writer: DataMovementBody) -> Kernels {
    Kernels { reader, compute, writer, ..Kernels::default() }
}

fn adds() -> Kernels {
    program(reader::<0>, compute::<0, false>, writer::<0>)
}

fn multiplies() -> Kernels {
    program(reader::<0>, compute::<0, true>, writer::<0>)
}

/// The second tile of a pair is there to be read.
fn adds_pairs() -> Kernels {
    program(reader_of_pairs, adds_second_of_pair, writer::<0>)
}

fn adds_second_of_pair(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
    for _ in 0..TILES / 2 {
        k.cb_wait_front(IN0, 2);
        k.cb_wait_front(IN1, 2);
        for tile in [1, 0] {
            k.tile_regs_acquire();
            k.add_tiles(IN0, IN1, tile, 0, 0);
            k.tile_regs_commit();
            k.cb_reserve_back(OUT, 1);
            k.tile_regs_wait();
            k.pack_tile(0, OUT);
            k.tile_regs_release();
            k.cb_push_back(OUT, 1);
        }
        k.cb_pop_front(IN0, 2);
        k.cb_pop_front(IN1, 2);
    }
}

/// A planted bug.
struct Planted {
    number: u32,
    what: &'static str,
    wrong: Kernels,
    right: Kernels,
    /// The finding that says it, and the mark of its line.
    code: Code,
    mark: &'static str,
    certainty: Certainty,
}

fn in_compute(number: u32, what: &'static str, compute: ComputeBody, code: Code, mark: &'static str) -> Planted {
    let wrong = program(reader::<0>, compute, writer::<0>);
    Planted { number, what, wrong, right: adds(), code, mark, certainty: Certainty::Happened }
}

fn in_reader(number: u32, what: &'static str, reader: DataMovementBody, code: Code, mark: &'static str) -> Planted {
    let wrong = program(reader, compute::<0, false>, writer::<0>);
    Planted { number, what, wrong, right: adds(), code, mark, certainty: Certainty::Happened }
}

const COMPUTE: &str = "bugs 2, 3, 5, 7, 8, 11, 16, 17, 20 and 21";

fn planted() -> Vec<Planted> {
    vec![
        in_compute(1, "waits for 5 tiles of 4", compute::<1, false>, Code::DEADLOCK, "bug 1"),
        in_compute(2, "add_init is missing", compute::<2, false>, Code::WRONG_INIT, COMPUTE),
        in_compute(3, "mul_init, then add_tiles", compute::<3, false>, Code::WRONG_INIT, COMPUTE),
        Planted {
            right: multiplies(),
            ..in_compute(4, "add_init, then mul_tiles", compute::<4, true>, Code::WRONG_INIT, "bug 4")
        },
        in_compute(5, "tile_regs_acquire is missing", compute::<5, false>, Code::DST_NOT_ACQUIRED, COMPUTE),
        in_compute(6, "tile_regs_commit is missing", compute::<6, false>, Code::DEADLOCK, "bug 6"),
        in_compute(7, "Dst index 8 of 8", compute::<7, false>, Code::DST_INDEX, COMPUTE),
        in_compute(8, "Dst index 16", compute::<8, false>, Code::DST_INDEX, COMPUTE),
        in_compute(9, "packs a tile that nothing wrote", compute::<9, false>, Code::DST_UNWRITTEN, "bug 9"),
        Planted {
            right: multiplies(),
            certainty: Certainty::Suspect,
            ..in_compute(10, "multiplies twice into one tile", compute::<10, true>, Code::DST_ACCUMULATES, "bug 10")
        },
        in_compute(11, "reads without cb_wait_front", compute::<11, false>, Code::READ_UNWAITED, COMPUTE),
        in_compute(12, "pops more than it waited for", compute::<12, false>, Code::POP_UNWAITED, "bug 12"),
        in_reader(13, "pushes without cb_reserve_back", reader::<13>, Code::PUSH_UNRESERVED, "bugs 13 and 14"),
        Planted {
            certainty: Certainty::CanHappen,
            ..in_reader(14, "no read barrier before the push", reader::<14>, Code::READ_IN_FLIGHT, "bugs 13 and 14")
        },
        Planted {
            number: 15,
            what: "no write barrier before the pop",
            wrong: program(reader::<0>, compute::<0, false>, writer::<15>),
            right: adds(),
            code: Code::WRITE_IN_FLIGHT,
            mark: "bug 15",
            certainty: Certainty::CanHappen,
        },
        in_reader(16, "pushes pages that nothing wrote", reader::<16>, Code::PAGE_UNWRITTEN, COMPUTE),
        Planted {
            right: adds_pairs(),
            ..in_compute(17, "reads one tile past the wait", compute::<17, false>, Code::READ_UNWAITED, COMPUTE)
        },
        in_reader(18, "NoC read past the end of L1", reader::<18>, Code::L1_BOUNDS, "bug 18"),
        in_reader(19, "NoC read overruns its buffer", reader::<19>, Code::BUFFER_OVERRUN, "bug 19"),
        in_reader(20, "misaligned NoC read", reader::<20>, Code::NOC_ALIGNMENT, "bug 20"),
        in_compute(21, "reads bf16 with fp32 configured", compute::<21, false>, Code::WRONG_FORMAT, COMPUTE),
        in_reader(22, "reserves more than the buffer has", reader::<22>, Code::BEYOND_CAPACITY, "bug 22"),
    ]
}

/// The finding of `wrong` that says what is planted, on its line.
fn caught<'a>(planted: &Planted, run: &'a RunRecord) -> Option<&'a Finding> {
    let line = marked(planted.mark);
    run.findings.iter().find(|f| f.code == planted.code && f.certainty == planted.certainty && line_of(f) == line)
}

#[test]
fn every_planted_bug_is_caught_on_its_line_and_its_twin_is_silent() {
    let table = planted();
    assert_eq!(table.iter().map(|p| p.number).collect::<Vec<_>>(), (1..=22).collect::<Vec<_>>());
    let mut missed = Vec::new();
    println!("| # | planted bug | found | line | also |\n|---|---|---|---|---|");
    for planted in &table {
        let wrong = planted.wrong.run_observed::<Checks>().0;
        let finding = caught(planted, &wrong);
        let also: Vec<String> =
            wrong.findings.iter().filter(|f| f.code != planted.code).map(|f| f.code.to_string()).collect();
        println!(
            "| {} | {} | {} | {} | {} |",
            planted.number,
            planted.what,
            finding.map_or_else(|| "missed".to_string(), |f| f.code.to_string()),
            finding.map_or(0, line_of),
            also.join(" ")
        );
        if finding.is_none() {
            missed.push((planted.number, wrong.findings));
        }
        let (right, outputs) = planted.right.run_observed::<Checks>();
        let unobserved = planted.right.run();
        assert_eq!((unobserved.0.cycles, unobserved.1), (right.cycles, outputs), "twin of {}", planted.number);
        assert_eq!(right.status, Status::Completed, "twin of {}", planted.number);
        assert!(right.findings.is_empty() && right.notes.is_empty(), "twin of {}: {right:#?}", planted.number);
    }
    println!("{} of 22 are caught", 22 - missed.len());
    assert!(missed.is_empty(), "{missed:#?}");
}

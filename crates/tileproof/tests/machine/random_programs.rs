//! Random programs that are right by construction: no check speaks of them. Then one call that orders something is left out: where
//! some schedule then gives another output or hangs, the first run says so.
//!
//! A program is a line of cores, where pages go from each to the next, with credits both ways and a few places in between; or a star,
//! where one multicasts pages and a flag to all others, which answer. Beside that, each core copies pages by way of a circular buffer, or
//! hands them from one thread to the other in L1 with two semaphores. The kernels carry out lists of calls that stand in their arguments.
//! `TILEPROOF_RANDOM_PROGRAMS=2000` makes so many programs, and tries 500 schedules of each.

use std::fmt::Write as _;
use std::fs;

use crate::support::folder;
use tileproof::run_file::{BuildKernels, RunOptions, RunResult, run_program_file_with};
use tileproof_build::{BuildError, CompileRequest};
use tileproof_kernel::{DataMovement, TensorAccessor, data_movement_kernel};
use tileproof_model::kernel::SharedKernel;

/// Where the places of a core lie, one page each.
const PLACES: u32 = 0x0010_1000;
const PAGE: u32 = 2048;
/// Words that are multicast: one for each value, as the one before may still be on its way.
const WORDS: u32 = PLACES + 0x8000;
/// The place that the two threads of a core hand to each other.
const HANDED: u32 = 8;

/// A call, with its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    /// A page of the input to a place.
    Read(u32, u32),
    ReadBarrier,
    /// A place to a page of the output.
    Write(u32, u32),
    WriteBarrier,
    Flush,
    /// A place to the same place of the core in a column.
    Send(u32, u32),
    /// A place to the same place of all cores from column 1 to this one, by multicast.
    Multicast(u32, u32),
    /// Sets semaphore 2 of the same cores to a value, by multicast of a word of its own.
    Go(u32, u32),
    /// Sets a semaphore of its own core.
    Set(u32, u32),
    /// Raises a semaphore of the core in a column.
    Raise(u32, u32),
    /// Waits until a semaphore is at least this.
    Wait(u32, u32),
    AtomicBarrier,
    Reserve,
    /// A page of the input to the page that was reserved.
    Fill(u32),
    Push,
    Front,
    /// The page at the front to a page of the output.
    Drain(u32),
    Pop,
}

impl Call {
    fn words(self) -> [u32; 3] {
        match self {
            Call::Read(page, place) => [0, page, place],
            Call::ReadBarrier => [1, 0, 0],
            Call::Write(page, place) => [2, page, place],
            Call::WriteBarrier => [3, 0, 0],
            Call::Flush => [4, 0, 0],
            Call::Send(column, place) => [5, column, place],
            Call::Raise(column, id) => [6, column, id],
            Call::Wait(id, value) => [7, id, value],
            Call::AtomicBarrier => [8, 0, 0],
            Call::Reserve => [9, 0, 0],
            Call::Fill(page) => [10, page, 0],
            Call::Push => [11, 0, 0],
            Call::Front => [12, 0, 0],
            Call::Drain(page) => [13, page, 0],
            Call::Pop => [14, 0, 0],
            Call::Multicast(place, last) => [15, place, last],
            Call::Go(value, last) => [16, value, last],
            Call::Set(id, value) => [17, id, value],
        }
    }

    /// Whether it is there for the order alone.
    fn orders(self) -> bool {
        matches!(
            self,
            Call::ReadBarrier
                | Call::WriteBarrier
                | Call::Flush
                | Call::Raise(..)
                | Call::Wait(..)
                | Call::AtomicBarrier
        )
    }
}

/// Carries out the calls of its arguments.
fn interpreter(dm: &DataMovement<'_>) {
    let tensor = |index: usize| TensorAccessor::new(dm, index, dm.get_arg_val(index), PAGE);
    let (input, output) = (tensor(0), tensor(1));
    let (_, y) = dm.my_coordinates();
    // The origin of Wormhole's compute grid on the NoC.
    let there = |column: u32| (18 + column, y);
    let place = |index: u32| PLACES + PAGE * index;
    for call in 0..dm.get_arg_val(2) as usize {
        let [code, a, b] = [0, 1, 2].map(|word| dm.get_arg_val(3 + 3 * call + word));
        match code {
            0 => dm.noc_async_read_page(a, &input, place(b)),
            1 => dm.noc_async_read_barrier(),
            2 => dm.noc_async_write_page(a, &output, place(b)),
            3 => dm.noc_async_write_barrier(),
            4 => dm.noc_async_writes_flushed(),
            5 => dm.noc_async_write(place(b), dm.get_noc_addr(there(a), place(b)), PAGE),
            6 => dm.noc_semaphore_inc(dm.get_noc_addr(there(a), dm.get_semaphore(b)), 1),
            7 => dm.noc_semaphore_wait_min(dm.get_semaphore(a), b),
            8 => dm.noc_async_atomic_barrier(),
            9 => dm.cb_reserve_back(0, 1),
            10 => dm.noc_async_read_page(a, &input, dm.get_write_ptr(0)),
            11 => dm.cb_push_back(0, 1),
            12 => dm.cb_wait_front(0, 1),
            13 => dm.noc_async_write_page(a, &output, dm.get_read_ptr(0)),
            14 => dm.cb_pop_front(0, 1),
            15 => {
                let cores = dm.get_noc_multicast_addr(there(1), there(b), place(a));
                dm.noc_async_write_multicast(place(a), cores, PAGE, b);
            }
            16 => {
                let word = WORDS + 16 * a;
                dm.l1_store(word, &[a]);
                let cores = dm.get_noc_multicast_addr(there(1), there(b), dm.get_semaphore(2));
                dm.noc_semaphore_set_multicast(word, cores, b);
            }
            _ => dm.noc_semaphore_set(dm.get_semaphore(a), b),
        }
    }
}

struct Interpreter;

impl BuildKernels for Interpreter {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        Ok(requests.iter().map(|_| data_movement_kernel("interpreter", interpreter)).collect())
    }
}

/// Numbers of a row, the same each time.
struct Numbers(u64);

impl Numbers {
    /// One of `from..=to`.
    fn one(&mut self, from: u32, to: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (self.0 >> 33) as u32 % (to - from + 1)
    }
}

/// By core, the calls of NCRISC and of BRISC; and how many pages the tensors have.
type Program = (Vec<[Vec<Call>; 2]>, u32);

fn random(numbers: &mut Numbers) -> Program {
    let (cores, places, pages) = (numbers.one(2, 8), numbers.one(1, 3), numbers.one(2, 6));
    let mut program: Vec<[Vec<Call>; 2]> = (0..cores).map(|_| [Vec::new(), Vec::new()]).collect();
    match numbers.one(0, 1) {
        0 => line(numbers, &mut program, places, pages),
        _ => star(numbers, &mut program, places, pages),
    }
    let (copies, holds, by_hand) = (numbers.one(0, 3), numbers.one(0, 1) == 0, numbers.one(0, 1) == 0);
    let over = if holds { Call::WriteBarrier } else { Call::Flush };
    let mut last = pages;
    for [first, second] in &mut program {
        for (page, count) in (last..last + copies).zip(1..) {
            if by_hand {
                first.extend([
                    Call::Wait(4, count - 1),
                    Call::Read(page, HANDED),
                    Call::ReadBarrier,
                    Call::Set(5, count),
                ]);
                second.extend([Call::Wait(5, count), Call::Write(page, HANDED), over, Call::Set(4, count)]);
            } else {
                first.extend([Call::Reserve, Call::Fill(page), Call::ReadBarrier, Call::Push]);
                second.extend([Call::Front, Call::Drain(page), over, Call::Pop]);
            }
        }
        second.push(Call::WriteBarrier);
        last += copies;
    }
    (program, last)
}

/// Pages from the first core to the last, by way of all others.
fn line(numbers: &mut Numbers, program: &mut [[Vec<Call>; 2]], places: u32, pages: u32) {
    let cores = program.len() as u32;
    // What has left comes behind nothing but what goes the same way: to a semaphore over the same NoC.
    let landed = if numbers.one(0, 1) == 0 { Call::Flush } else { Call::WriteBarrier };
    for core in 0..cores {
        let calls = &mut program[core as usize][0];
        for page in 0..pages {
            let place = page % places;
            match core {
                0 => calls.extend([Call::Read(page, place), Call::ReadBarrier]),
                _ => calls.push(Call::Wait(0, page + 1)),
            }
            if core + 1 == cores {
                calls.extend([Call::Write(page, place), Call::Flush]);
            } else {
                if page >= places {
                    calls.push(Call::Wait(1, page + 1 - places));
                }
                calls.extend([Call::Send(core + 1, place), landed, Call::Raise(core + 1, 0)]);
            }
            if core > 0 {
                calls.push(Call::Raise(core - 1, 1));
            }
        }
        calls.extend([Call::WriteBarrier, Call::AtomicBarrier]);
    }
}

/// Pages from the first core to all others at once; each is written out by one of them.
fn star(numbers: &mut Numbers, program: &mut [[Vec<Call>; 2]], places: u32, pages: u32) {
    let others = program.len() as u32 - 1;
    let flushes = numbers.one(0, 1) == 0;
    for page in 0..pages {
        let place = page % places;
        let calls = &mut program[0][0];
        // All answers to all pages: fewer may be one core's answers to several.
        calls.extend((page >= places).then(|| Call::Wait(3, page * others)));
        calls.extend([Call::Read(page, place), Call::ReadBarrier, Call::Multicast(place, others)]);
        calls.extend(flushes.then_some(Call::Flush));
        calls.push(Call::Go(page + 1, others));
        for core in 1..=others {
            let calls = &mut program[core as usize][0];
            calls.push(Call::Wait(2, page + 1));
            if page % others + 1 == core {
                calls.extend([Call::Write(page, place), Call::Flush]);
            }
            calls.push(Call::Raise(0, 3));
        }
    }
    for [calls, _] in program {
        calls.extend([Call::WriteBarrier, Call::AtomicBarrier]);
    }
}

/// How many programs there are, and how many schedules are tried of each.
fn counts(programs: u32, schedules: usize) -> (u32, usize) {
    let asked = std::env::var("TILEPROOF_RANDOM_PROGRAMS").ok();
    asked.map_or((programs, schedules), |count| (count.parse().expect("a number of programs"), 500))
}

fn run(name: &str, (cores, pages): &Program, explore: usize) -> RunResult {
    let folder = folder(&format!("random-{name}"));
    let last = cores.len() - 1;
    let ranges = format!("core_ranges = [[[0, 0], [{last}, 0]]]\n");
    let mut text = String::new();
    for (tensor, rest) in [("in", "fill = \"uniform:0,1\""), ("out", "output = true")] {
        let _ = writeln!(
            text,
            "[[tensor]]\nname = \"{tensor}\"\nshape = [{pages}, 32, 32]\ndtype = \"bfloat16\"\nlayout = \"tile\"\n{rest}\n"
        );
    }
    let format = "{ buffer_index = 0, data_format = \"bfloat16\", page_size = 2048 }";
    let _ = writeln!(text, "[[cb]]\ntotal_size = 4096\n{ranges}format_descriptors = [{format}]\n");
    for id in 0..6 {
        let _ = writeln!(text, "[[semaphore]]\nid = {id}\n{ranges}");
    }
    for (thread, config) in ["reader", "writer"].iter().enumerate() {
        fs::write(folder.join(format!("{config}.cpp")), "").unwrap();
        let arguments = cores.iter().enumerate().map(|(x, threads)| {
            let words = threads[thread].iter().flat_map(|call| call.words());
            let words: Vec<String> = words.map(|word| word.to_string()).collect();
            let count = threads[thread].len();
            format!(
                "{{ core = [{x}, 0], args = [{{ address = \"in\" }}, {{ address = \"out\" }}, {count}, {}] }}",
                words.join(", ")
            )
        });
        let arguments: Vec<String> = arguments.collect();
        let _ = writeln!(
            text,
            "[[kernel]]\nkernel_source = \"{config}.cpp\"\n{ranges}config = \"{config}\"\n\
             compile_time_args = [{{ tensor_accessor = \"in\" }}, {{ tensor_accessor = \"out\" }}]\n\
             runtime_args = [{}]\n",
            arguments.join(", ")
        );
    }
    let _ = writeln!(text, "[[expect]]\ntensor = \"out\"\nsame_as = \"in\"\nbits = true");
    let path = folder.join("program.toml");
    fs::write(&path, text).unwrap();
    let options = RunOptions { explore, ..RunOptions::default() };
    run_program_file_with(&path, &options, &Interpreter).unwrap()
}

#[test]
fn nothing_is_said_of_programs_that_are_right_by_construction() {
    let mut numbers = Numbers(1);
    for index in 0..counts(300, 0).0 {
        let program = random(&mut numbers);
        let result = run("right", &program, 0);
        assert!(
            result.pass() && result.record.findings.is_empty(),
            "{index}: {program:?} {:#?}",
            result.record.findings
        );
    }
}

#[test]
fn where_a_call_that_orders_is_left_out_and_it_can_show_the_first_run_says_so() {
    let mut numbers = Numbers(2);
    let (mut shown, mut missed) = (0, Vec::new());
    let (programs, schedules) = counts(120, 60);
    for index in 0..programs {
        let mut program = random(&mut numbers);
        let core = numbers.one(0, program.0.len() as u32 - 1) as usize;
        let thread = numbers.one(0, 1) as usize;
        let calls = &mut program.0[core][thread];
        let orders: Vec<usize> = (0..calls.len()).filter(|at| calls[*at].orders()).collect();
        let at = orders[numbers.one(0, orders.len() as u32 - 1) as usize];
        let left_out = calls.remove(at);
        let first = run("mutant", &program, 0);
        let is_told = !first.record.findings.is_empty();
        let can_show = !first.pass()
            || !is_told && run("mutant", &program, schedules).explored.is_some_and(|e| e.failed.is_some());
        shown += u32::from(is_told || can_show);
        if can_show && !is_told {
            missed.push(format!("{index}: {left_out:?} of core {core}, thread {thread}: {program:?}"));
        }
    }
    println!("{programs} programs, {shown} where it is told or shows, {} missed", missed.len());
    assert!(shown >= programs / 3, "{shown}");
    assert!(missed.is_empty(), "{} of {shown} missed: {missed:#?}", missed.len());
}

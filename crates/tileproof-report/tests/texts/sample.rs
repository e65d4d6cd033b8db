//! Findings made by hand, and the kernels that they speak of.
//!
//! They must stay as the machine would make them: its texts, its facts. Start at [`deadlock`].

use std::collections::BTreeMap;

use tileproof_model::finding::{Certainty, Code, Finding, Label, Place};
use tileproof_model::kernel::SourceLocation;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::{BufferAction, BufferCall, BufferLedger, Ledger, TensorLedger};
use tileproof_model::thread::{CoreCoord, Thread};

const COMPUTE: &str = "\
void kernel_main() {
    compute_kernel_hw_startup(tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16);
    mul_init(tt::CBIndex::c_0, tt::CBIndex::c_1);
    cb_wait_front(tt::CBIndex::c_0, 4);
    tile_regs_acquire();
    add_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 0, 0, 0);  // sum
    tile_regs_commit();
}
";

const READER: &str = "\
void kernel_main() {
    for (uint32_t i = 0; i < 2; ++i) {
        cb_push_back(tt::CBIndex::c_0, 1);
    }
}
";

pub(crate) fn sources(file: &str) -> Option<String> {
    match file {
        "kernels/compute.cpp" => Some(COMPUTE.into()),
        "kernels/reader.cpp" => Some(READER.into()),
        _ => None,
    }
}

pub(crate) fn core(x: u32, y: u32) -> CoreCoord {
    CoreCoord { x, y }
}

pub(crate) fn place(file: &str, line: u32, column: u32, thread: Thread) -> Place {
    let location = Some(SourceLocation { file: file.into(), line, column });
    Place { location, kernel: file.into(), core: core(0, 0), thread }
}

fn facts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

/// UNPACK starves because NCRISC pushed two pages of four.
pub(crate) fn deadlock() -> Finding {
    Finding {
        primary_text: "waits in cb_wait_front for 4 pages in c_0; 2 are there".into(),
        labels: vec![
            Label {
                place: place("kernels/reader.cpp", 3, 9, Thread::Ncrisc),
                text: "NCRISC pushed to c_0 here last".into(),
            },
            Label {
                place: place("kernels/compute.cpp", 6, 5, Thread::Math),
                text: "MATH waits for an operand in SrcA and SrcB".into(),
            },
        ],
        facts: facts(&[("cb", "c_0"), ("needed", "4"), ("pages", "2"), ("cycle", "512")]),
        help: Some("push as many pages to c_0 as are waited for, or wait for fewer".into()),
        also_on: vec![core(1, 0), core(2, 0)],
        ..Finding::new(
            Code::DEADLOCK,
            place("kernels/compute.cpp", 4, 5, Thread::Unpack),
            "deadlock: UNPACK waits in cb_wait_front for 4 pages in c_0; 2 are there, \
             and NCRISC has ended after pushing 2 pages",
        )
    }
}

/// A multiply was programmed, an addition called.
pub(crate) fn wrong_init() -> Finding {
    Finding {
        certainty: Certainty::CanHappen,
        primary_text: "needs \"add\"".into(),
        labels: vec![Label {
            place: place("kernels/compute.cpp", 3, 5, Thread::Math),
            text: "programmed \"multiply\" here".into(),
        }],
        help: Some("call the init of this operation after any other init".into()),
        ..Finding::new(
            Code::WRONG_INIT,
            place("kernels/compute.cpp", 6, 5, Thread::Math),
            "MATH runs \"multiply\" here, the call needs \"add\"",
        )
    }
}

/// Nothing is known of the source.
pub(crate) fn placeless() -> Finding {
    let nowhere = |thread| Place { location: None, kernel: "reader".into(), core: core(3, 1), thread };
    Finding {
        certainty: Certainty::Suspect,
        primary_text: "the read".into(),
        labels: vec![Label { place: nowhere(Thread::Brisc), text: "BRISC wrote there".into() }],
        facts: facts(&[("address", "0x9000"), ("bytes", "2048")]),
        notes: vec!["two banks were touched".into()],
        ..Finding::new(
            Code::L1_BOUNDS,
            nowhere(Thread::Ncrisc),
            "source of a NoC read in DRAM: 2048 bytes at 0x9000 are not in any memory that the program has",
        )
    }
}

/// A buffer from which two pages were never popped, on two cores.
pub(crate) fn ledger() -> Ledger {
    let call = |action, thread, kernel: &str, location: Option<SourceLocation>, n| BufferCall {
        action,
        thread,
        kernel: kernel.into(),
        location,
        calls: n,
        pages: n,
    };
    let line = SourceLocation { file: "kernels/compute.cpp".into(), line: 9, column: 5 };
    Ledger {
        inits_unchecked: false,
        by_day: Vec::new(),
        reads_undefined: false,
        buffers: vec![BufferLedger {
            cb: 16,
            format: DataFormat::Float16_b,
            page_size: 2048,
            capacity: 2,
            high_water: 2,
            left: 2,
            calls: vec![
                call(BufferAction::Push, Thread::Pack, "compute", Some(line), 7),
                call(BufferAction::Pop, Thread::Brisc, "writer", None, 5),
            ],
            cores: vec![CoreCoord { x: 0, y: 1 }, CoreCoord { x: 3, y: 1 }],
        }],
        tensors: vec![TensorLedger {
            name: "out0".into(),
            pages: 8,
            pages_read: 0,
            pages_written: 5,
            bytes_read: 0,
            bytes_written: 10240,
            writers: Vec::new(),
        }],
    }
}

//! What a run leaves behind, as bytes.

use std::ops::Range;

use tileproof_model::arch::Arch;
use tileproof_model::finding::{Certainty, Code, Finding, Label, Place};
use tileproof_model::kernel::SourceLocation;
use tileproof_model::layout::BufferLayout;
use tileproof_model::mutant::{Change, Spot};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::{
    BufferAction, BufferCall, BufferLedger, ByDay, DayChange, Ledger, Print, RunRecord, Status, Suppressed,
    TensorLedger, WrittenBy,
};
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::timeline::{
    Call, CallPlace, CoreTimeline, Doing, FarEnd, LaunchTimeline, Signal, Stuck, Timeline, Total, Traffic, Transfer,
};
use tileproof_sim::Left;

use super::{Reader, Wire, lists, structures, words};

lists!((Range<u32>, String) (CoreCoord, Thread) LaunchTimeline CoreTimeline CallPlace BufferLayout Call Transfer Signal Total Traffic Stuck Label Finding CoreCoord Print Ledger ByDay BufferLedger BufferCall TensorLedger WrittenBy Suppressed Spot);

/// The kind, and its numbers where it has some.
impl Wire for FarEnd {
    fn put(&self, to: &mut Vec<u8>) {
        let (kind, numbers) = match *self {
            FarEnd::Own => (0u8, (0, 0)),
            FarEnd::Nowhere => (1, (0, 0)),
            FarEnd::Dram(bank) => (2, (bank, 0)),
            FarEnd::Core(core) => (3, (core.x, core.y)),
        };
        kind.put(to);
        numbers.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<FarEnd> {
        let (kind, (x, y)) = (u8::take(from)?, Wire::take(from)?);
        Some(match kind {
            0 => FarEnd::Own,
            1 => FarEnd::Nowhere,
            2 => FarEnd::Dram(x),
            3 => FarEnd::Core(CoreCoord { x, y }),
            _ => return None,
        })
    }
}

impl Wire for Code {
    fn put(&self, to: &mut Vec<u8>) {
        self.number().put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<Code> {
        Code::from_number(u16::take(from)?)
    }
}

impl Wire for DataFormat {
    fn put(&self, to: &mut Vec<u8>) {
        u16::from(*self as u8).put(to);
    }

    fn take(from: &mut Reader<'_>) -> Option<DataFormat> {
        DataFormat::from_code(u16::take(from)?.try_into().ok()?)
    }
}

words! {
    Thread: Thread::ALL;
    Change: Change::ALL;
    DayChange: DayChange::ALL;
    Status: [Status::Completed, Status::Deadlock, Status::Crashed, Status::Stopped];
    Certainty: [Certainty::Happened, Certainty::CanHappen, Certainty::Suspect];
    Doing: Doing::ALL;
    Arch: Arch::ALL;
    BufferAction: [BufferAction::Reserve, BufferAction::Push, BufferAction::Wait, BufferAction::Pop];
}

structures! {
    CoreCoord { x y }
    SourceLocation { file line column }
    Place { location kernel core thread }
    Label { place text }
    Finding { code certainty message primary primary_text labels facts notes help also_on }
    Suppressed { finding reason }
    Print { place cycle text }
    Ledger { buffers tensors inits_unchecked reads_undefined by_day }
    ByDay { change place }
    BufferLedger { cb format page_size capacity high_water left calls cores }
    BufferCall { action thread kernel location calls pages }
    TensorLedger { name pages pages_read pages_written bytes_read bytes_written writers }
    WrittenBy { core first pages }
    RunRecord { status cycles findings notes suppressed not_checked prints ledgers said }
    Left { defined in_l1 points launches_apart observed }
    Timeline { arch launches }
    LaunchTimeline { cycles places cores tensors dropped }
    CallPlace { kernel location }
    CoreTimeline { coord buffers memory calls transfers signals totals traffic stuck }
    BufferLayout { cb bytes page_bytes }
    Call { thread doing place start waited took of amount }
    Transfer { thread noc is_read place start queued busy whole bytes far tensor cb }
    Signal { at semaphore adds value from }
    Total { thread doing place of calls amount waited took }
    Traffic { thread noc is_read far tensor cb transfers bytes busy whole }
    Stuck { thread place since text cb by }
    Spot { change kernel location what calls }
}

#[cfg(test)]
mod tests {
    use super::super::to_bytes;
    use super::*;

    fn record() -> RunRecord {
        let place = Place {
            location: Some(SourceLocation { file: "reader.cpp".into(), line: 7, column: 5 }),
            kernel: "reader.cpp".into(),
            core: CoreCoord { x: 1, y: 2 },
            thread: Thread::Pack,
        };
        let mut finding = Finding::new(Code::DEADLOCK, place.clone(), "nothing can run").fact("cb", "c_0");
        finding.labels.push(Label { place: Place { location: None, ..place.clone() }, text: "waits".into() });
        finding.also_on.push(CoreCoord { x: 3, y: 4 });
        let call = BufferCall {
            action: BufferAction::Wait,
            thread: Thread::Math,
            kernel: "a".into(),
            location: None,
            calls: 1,
            pages: 2,
        };
        let buffer = BufferLedger {
            cb: 16,
            format: DataFormat::Bfp2_b,
            page_size: 32,
            capacity: 2,
            high_water: 1,
            left: 0,
            calls: vec![call],
            cores: vec![CoreCoord { x: 0, y: 0 }],
        };
        RunRecord {
            status: Status::Stopped,
            cycles: u64::MAX,
            findings: vec![finding],
            prints: vec![Print { place: place.clone(), cycle: 9, text: "ä".into() }],
            ledgers: vec![Ledger {
                buffers: vec![buffer],
                tensors: Vec::new(),
                inits_unchecked: true,
                reads_undefined: true,
                by_day: vec![ByDay { change: DayChange::CopyDestOrder, place }],
            }],
            said: vec!["hello".into()],
            ..RunRecord::default()
        }
    }

    #[test]
    fn a_record_comes_back_as_it_was() {
        let bytes = to_bytes(&record());
        let back: RunRecord = Reader::whole(&bytes).expect("a record");
        assert_eq!(format!("{back:?}"), format!("{:?}", record()));
    }

    #[test]
    fn a_timeline_comes_back_as_it_was() {
        let coord = CoreCoord { x: 1, y: 2 };
        let place = CallPlace { kernel: "reader".into(), location: None };
        let transfer = |far| Transfer {
            thread: Thread::Ncrisc,
            noc: 1,
            is_read: true,
            place: 0,
            start: 7,
            queued: 1,
            busy: 2,
            whole: 3,
            bytes: 32,
            far,
            tensor: 0,
            cb: u32::MAX,
        };
        let call = |doing| Call {
            thread: Thread::Pack,
            doing,
            place: 0,
            start: u64::MAX,
            waited: 1,
            took: 2,
            of: 16,
            amount: 4,
        };
        let core = CoreTimeline {
            coord,
            buffers: vec![BufferLayout { cb: 3, bytes: 32..64, page_bytes: 16 }],
            memory: vec![(0..16, "semaphores".into())],
            calls: Doing::ALL.map(call).to_vec(),
            transfers: [FarEnd::Dram(11), FarEnd::Core(coord), FarEnd::Own, FarEnd::Nowhere].map(transfer).to_vec(),
            signals: vec![Signal { at: 5, semaphore: 1, adds: true, value: 2, from: (coord, Thread::Brisc) }],
            totals: Vec::new(),
            traffic: Vec::new(),
            stuck: vec![Stuck {
                thread: Thread::Math,
                place: place.clone(),
                since: 9,
                text: "waits".into(),
                cb: u32::MAX,
                by: vec![(coord, Thread::Pack)],
            }],
        };
        let launch = LaunchTimeline {
            cycles: 10,
            places: vec![place],
            cores: vec![core],
            tensors: vec!["x".into()],
            dropped: 1,
        };
        let timeline = Timeline { arch: Arch::ALL[1], launches: vec![launch] };
        assert_eq!(Reader::whole::<Timeline>(&to_bytes(&timeline)), Some(timeline));
    }

    #[test]
    fn bytes_that_were_written_over_are_no_record_and_no_panic() {
        let bytes = to_bytes(&record());
        for end in 0..bytes.len() {
            assert!(Reader::whole::<RunRecord>(&bytes[..end]).is_none());
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 0xff;
            // It may be another record; it must be read to its end all the same.
            let _ = Reader::whole::<RunRecord>(&other);
        }
        let more = [&bytes[..], &[0]].concat();
        assert!(Reader::whole::<RunRecord>(&more).is_none());
    }
}

//! Work whose result reaches nothing: it is overwritten, released or popped before anything reads it.
//!
//! Each value in Dst, and each packed page, knows the call that made it and whether it was read. Chains end where a value
//! was never read, so that call is the one to blame, whatever led to it. It must never speak of fills and copies, of what a
//! data-movement kernel could have read, nor of spare results of a call whose other results were used, unless they were
//! overwritten. Start reading at [`Lost::on`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, Event, NocPlace, TileAccess, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::op_word::{OpWord, math_kind};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::sfpu::SfpuOp;

use crate::by_core::TILES;
use crate::dst::operation::{By, continues};
use crate::spans::Spans;

/// A call of a core.
type Call = (Thread, Site);

/// What a Dst tile holds.
#[derive(Clone, Copy, Debug)]
struct Value {
    /// Tells values apart: a page keeps the number of what was packed to it.
    number: u64,
    site: Site,
    /// `None` for fills and copies, which are no work.
    by: Option<By>,
    used: bool,
    /// Written before an acquire inside its own window.
    crossed: bool,
}

/// What a packed page holds.
#[derive(Clone, Copy, Debug)]
struct Page {
    number: u64,
    site: Site,
    cb: u32,
    used: bool,
    popped: bool,
    /// It lies in a tensor, which somebody may read after the launch.
    outlives: bool,
}

#[derive(Default, Debug)]
struct OfCore {
    tiles: [Option<Value>; TILES],
    pages: Spans<Page>,
    l1_accumulates: bool,
    /// An acquire without its commit.
    is_open: bool,
    fates: Fates,
}

/// What became of the results of a call.
#[derive(Clone, Copy, Debug)]
struct Fate {
    what: Made,
    used: u64,
    unused: u64,
    /// Those of them that something wrote over, and what did it first.
    overwritten: u64,
    by: Option<Call>,
}

/// What the results of a call are.
#[derive(Clone, Copy, Debug)]
enum Made {
    Tile(By),
    Page(u32),
}

/// How a value ends that nothing read.
#[derive(Clone, Copy)]
enum End {
    Dropped,
    Overwritten(Call),
}

/// The check.
#[derive(Default, Debug)]
pub struct Lost {
    cores: Vec<OfCore>,
    numbers: u64,
}

/// By call, in the order in which results of them first came to an end: sites have none that stays from run to run.
#[derive(Default, Debug)]
struct Fates {
    fates: Vec<(Call, Fate)>,
    /// A pack may serve several buffers in turn: each has a fate of its own.
    places: BTreeMap<(Call, Option<u32>), usize>,
}

impl Fates {
    fn ended(&mut self, call: Call, what: Made, end: Option<End>) {
        let cb = match what {
            Made::Tile(_) => None,
            Made::Page(cb) => Some(cb),
        };
        let place = *self.places.entry((call, cb)).or_insert_with(|| {
            self.fates.push((call, Fate { what, used: 0, unused: 0, overwritten: 0, by: None }));
            self.fates.len() - 1
        });
        self.fates[place].1.ended(end);
    }

    fn value(&mut self, value: &Value, end: Option<End>) {
        if let Some(by) = value.by {
            self.ended((Thread::Math, value.site), Made::Tile(by), end);
        }
    }

    fn page(&mut self, page: &Page, end: Option<End>) {
        self.ended((Thread::Pack, page.site), Made::Page(page.cb), end);
    }
}

impl Fate {
    fn ended(&mut self, end: Option<End>) {
        match end {
            None => self.used += 1,
            Some(End::Dropped) => self.unused += 1,
            Some(End::Overwritten(by)) => {
                (self.unused, self.overwritten) = (self.unused + 1, self.overwritten + 1);
                self.by.get_or_insert(by);
            }
        }
    }
}

impl Lost {
    pub(crate) fn launch(&mut self, cores: usize) {
        *self = Lost::default();
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, _raised: &mut Raises) {
        let index = event.core;
        match event.what {
            What::Math { word, dst } => self.matrix(event, word, dst),
            What::Sfpu { op, inputs, output, parameter: _, rows: _ } => self.vector(event, op, &inputs, output),
            What::Pack { dst, access, .. } => self.packed(event, dst, access),
            What::Acquire => {
                let Some(core) = self.cores.get_mut(index) else { return };
                if core.is_open {
                    core.tiles.iter_mut().flatten().for_each(|value| value.crossed = true);
                }
                core.is_open = true;
            }
            What::Commit => {
                if let Some(core) = self.cores.get_mut(index) {
                    core.is_open = false;
                }
            }
            What::Release { first, count } => self.released(event, first.into(), count.into()),
            What::L1Accumulation { enable } => {
                if let Some(core) = self.cores.get_mut(index) {
                    core.l1_accumulates = enable;
                }
            }
            What::Unpack { access } => self.read(index, access.offset, access.bytes),
            What::NocWrite { from, bytes, .. } => self.read(index, from, bytes),
            What::NocRead { from: NocPlace::L1(core, offset), bytes, .. } => self.read(core, offset, bytes),
            What::Load { offset, bytes, .. } => self.read(index, offset, bytes),
            What::Buffer { action: BufferAction::Pop, pages, at, .. } => {
                self.popped(index, at.offset, pages.saturating_mul(at.page_bytes));
            }
            _ => {}
        }
    }

    fn matrix(&mut self, event: &Event, word: OpWord, dst: DstTile) {
        let by = (word.kind() != math_kind::DATACOPY).then_some(By::Matrix(word));
        self.written(event, by, dst, continues(word));
    }

    fn vector(&mut self, event: &Event, op: SfpuOp, inputs: &[DstTile; 3], output: DstTile) {
        let read = &inputs[..op.inputs()];
        if let Some(core) = self.cores.get_mut(event.core) {
            for input in read.iter().filter(|input| input.tile != output.tile) {
                if let Some(value) = &mut core.tiles[usize::from(input.tile)]
                    && !value.used
                {
                    value.used = true;
                    core.fates.value(value, None);
                }
            }
        }
        // Without inputs it is a fill; what goes into the vector unit's registers alone is no result in Dst.
        let is_kept = matches!(op, SfpuOp::WelfordUpdate | SfpuOp::WelfordRestoreState);
        let by = (op.inputs() > 0 && !is_kept).then_some(By::Vector(op));
        self.written(event, by, output, read.iter().any(|input| input.tile == output.tile));
    }

    /// A value is written to `dst`; where it continues the old one, that has been read.
    fn written(&mut self, event: &Event, by: Option<By>, dst: DstTile, continues: bool) {
        self.numbers += 1;
        let Some(core) = self.cores.get_mut(event.core) else { return };
        let new = Value { number: self.numbers, site: event.site, by, used: false, crossed: false };
        let Some(old) = core.tiles[usize::from(dst.tile)].replace(new).filter(|old| !old.used) else { return };
        let end = match continues {
            // A sum in place is one result, however many calls of the line make it.
            true if old.site == event.site => return,
            true => None,
            false => Some(End::Overwritten((Thread::Math, event.site))),
        };
        core.fates.value(&old, end);
    }

    fn packed(&mut self, event: &Event, dst: DstTile, access: TileAccess) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        let mut number = 0;
        if let Some(value) = &mut core.tiles[usize::from(dst.tile)] {
            number = value.number;
            if !value.used {
                value.used = true;
                core.fates.value(value, None);
            }
        }
        let OfCore { pages, fates, l1_accumulates, .. } = core;
        let new =
            Page { number, site: event.site, cb: access.cb, used: false, popped: false, outlives: access.at.is_backed };
        pages.pack(&access, new, |old, is_gone| {
            // Rows that are packed over a part of a page leave the rest of it, which goes on as that page.
            if is_gone && !old.used && !*l1_accumulates && old.number != number {
                let end = if old.popped { End::Dropped } else { End::Overwritten((Thread::Pack, event.site)) };
                fates.page(&old, Some(end));
            }
        });
    }

    fn released(&mut self, event: &Event, first: usize, count: usize) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        for tile in core.tiles.iter_mut().skip(first).take(count) {
            if let Some(value) = tile.take().filter(|value| !value.used) {
                let end = if value.crossed { End::Overwritten((Thread::Pack, event.site)) } else { End::Dropped };
                core.fates.value(&value, Some(end));
            }
        }
    }

    /// Marks the pages that a read touches.
    fn read(&mut self, index: usize, offset: u32, bytes: u32) {
        let Some(OfCore { pages, fates, .. }) = self.cores.get_mut(index) else { return };
        pages.change_touching(offset, bytes, |page| {
            if !page.used {
                page.used = true;
                fates.page(page, None);
            }
        });
    }

    /// UNPACK gives pages back; where it has read some of them, the others were spare.
    fn popped(&mut self, index: usize, offset: u32, bytes: u32) {
        let Some(core) = self.cores.get_mut(index) else { return };
        let mut some_used = false;
        core.pages.change_beginning(offset, bytes, |page| {
            page.popped = true;
            some_used |= page.used;
        });
        if some_used {
            self.read(index, offset, bytes);
        }
    }

    /// The kernels have ended: what nobody read by now nobody will.
    pub(crate) fn end(&mut self, index: usize, raised: &mut Raises) {
        let Some(OfCore { tiles, pages, fates, .. }) = self.cores.get_mut(index) else { return };
        for value in tiles.iter().flatten().filter(|value| !value.used) {
            fates.value(value, Some(End::Dropped));
        }
        // Pages that were not popped are somebody's notes.
        for page in pages.values().filter(|page| !page.used && page.popped) {
            fates.page(page, (!page.outlives).then_some(End::Dropped));
        }
        let lost = |fate: &Fate| fate.overwritten > 0 || (fate.used == 0 && fate.unused > 0);
        raised.extend(fates.fates.iter().filter(|(_, fate)| lost(fate)).map(|(call, fate)| report(index, *call, fate)));
    }
}

#[cold]
fn report(core: usize, call: Call, fate: &Fate) -> Raised {
    let (all, is_overwritten) = (fate.used + fate.unused, fate.overwritten > 0);
    let lost = if is_overwritten { fate.overwritten } else { fate.unused };
    // How many differs from core to core: findings that differ in their message are not one.
    let (message, help) = match (fate.what, is_overwritten) {
        (Made::Tile(by), true) => (
            format!("results of {} are overwritten or cleared before anything reads them", by.name()),
            "add to the tile instead of writing over it, or pack it first",
        ),
        (Made::Tile(by), false) => (
            format!("results of {} are released with their section, and nothing has read them", by.name()),
            "pack the tile, or leave the operation out",
        ),
        (Made::Page(cb), true) => (
            format!("pages packed here to {} are packed over before anything reads them", cb_name(cb)),
            "push the page first, or pack to the next one",
        ),
        (Made::Page(cb), false) => (
            format!("pages packed here to {} are popped, and nothing has read them", cb_name(cb)),
            "read the pages before they are popped, or do not pack them",
        ),
    };
    let mut finding = Raised::of(core, call, Code::WORK_LOST, message)
        .text(format!("{lost} of {all} reach no output"))
        .fact("lost", lost)
        .fact("results", all)
        .help(help);
    if is_overwritten && fate.by != Some(call) {
        finding = finding.label(fate.by, "the first is lost here");
    }
    finding
}

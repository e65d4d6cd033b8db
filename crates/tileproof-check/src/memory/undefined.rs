//! What comes of reads of memory that nothing wrote: a finding once it leaves the core, a note where nothing is seen to.
//!
//! Kernels that work in whole blocks compute upon pages that nobody filled, and leave the results where they are. So each
//! read of such a page is kept until something that came of it, a tile of Dst or a packed page, is sent, loaded or lies in
//! an output; a tile stands for all its datums. Nothing here may decide what is undefined. Start reading at
//! [`Undefined::read`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::op_word::OpWord;
use tileproof_model::thread::Thread;

use crate::by_core::TILES;
use crate::dst::operands::Operands;
use crate::dst::operation::continues;
use crate::spans::Spans;

/// The number of a read that something came of.
type Read = usize;

#[derive(Default, Debug)]
struct OfCore {
    /// By physical tile.
    tiles: [Option<Read>; TILES],
    /// Packed pages in L1.
    pages: Spans<Read>,
    operands: Operands<Option<Read>>,
    l1_accumulates: bool,
}

/// What came of undefined reads.
#[derive(Default, Debug)]
pub(crate) struct Undefined {
    cores: Vec<OfCore>,
    /// What is to be said of each, until it is said.
    kept: Vec<Option<Raised>>,
    /// The reads of a call have one number.
    numbers: BTreeMap<(usize, Thread, Site, Code), Read>,
}

impl Undefined {
    pub(crate) fn launch(&mut self, cores: usize) {
        *self = Undefined::default();
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    /// UNPACK reads what nothing wrote; `report` makes what is to be said of it if it counts.
    pub(crate) fn read(&mut self, event: &Event, code: Code, report: impl FnOnce() -> Raised) {
        let number = *self.numbers.entry((event.core, event.thread, event.site, code)).or_insert_with(|| {
            self.kept.push(Some(report()));
            self.kept.len() - 1
        });
        if let Some(core) = self.cores.get_mut(event.core) {
            core.operands.read(event, Some(number));
        }
    }

    /// All else that happens. Reads of pages that are as they should be go through here, too.
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        if let What::L1Accumulation { enable } = event.what
            && let Some(core) = self.cores.get_mut(event.core)
        {
            core.l1_accumulates = enable;
        }
        if self.kept.is_empty() {
            return;
        }
        let Some(core) = self.cores.get_mut(event.core) else { return };
        match event.what {
            What::Unpack { access } => {
                let read = core.pages.touching(access.offset, access.bytes).next().map(|(_, read)| *read);
                core.operands.read(event, read);
            }
            What::Math { word, dst } => core.matrix(word, dst),
            What::Sfpu { op, inputs, output, .. } => {
                let read = inputs.iter().take(op.inputs()).find_map(|input| core.tiles[usize::from(input.tile)]);
                core.tiles[usize::from(output.tile)] = read;
            }
            What::Release { first, count } => {
                core.tiles.iter_mut().skip(first.into()).take(count.into()).for_each(|tile| *tile = None);
            }
            What::Pack { dst, access, .. } => {
                let mut read = core.tiles[usize::from(dst.tile)];
                if core.l1_accumulates {
                    read = read.or(core.pages.touching(access.offset, access.bytes).next().map(|(_, read)| *read));
                }
                match read {
                    Some(read) if access.is_output => self.counts(event, read, "packed to an output here", raised),
                    Some(read) => core.pages.pack(&access, read, |_, _| ()),
                    None => core.pages.cover(access.offset, access.bytes, |_, _| ()),
                }
            }
            What::NocWrite { from, bytes, .. } => self.leaves(event, event.core, (from, bytes), "sent here", raised),
            What::NocRead { from, to, bytes, .. } => {
                core.pages.cover(to, bytes, |_, _| ());
                if let NocPlace::L1(other, offset) = from {
                    self.leaves(event, other, (offset, bytes), "fetched here", raised);
                }
            }
            What::Load { offset, bytes, .. } => self.leaves(event, event.core, (offset, bytes), "loaded here", raised),
            What::Store { offset, bytes, .. } => core.pages.cover(offset, bytes, |_, _| ()),
            _ => {}
        }
    }

    /// Something reads L1 that is seen outside of the compute threads.
    fn leaves(&mut self, event: &Event, core: usize, (offset, bytes): (u32, u32), how: &str, raised: &mut Raises) {
        let Some(core) = self.cores.get(core) else { return };
        let reads: Vec<Read> = core.pages.touching(offset, bytes).map(|(_, read)| *read).collect();
        for read in reads {
            self.counts(event, read, how, raised);
        }
    }

    fn counts(&mut self, event: &Event, read: Read, how: &str, raised: &mut Raises) {
        if let Some(finding) = self.kept.get_mut(read).and_then(Option::take) {
            let text = format!("what came of it is {how}");
            raised.push(finding.label_on(event.core, (event.thread, event.site), text));
        }
    }

    /// The kernels have ended: of what is left nothing was seen to come.
    pub(crate) fn end(&mut self, core: usize, raised: &mut Raises) {
        for kept in self.kept.iter_mut().filter(|kept| kept.as_ref().is_some_and(|raised| raised.core == core)) {
            raised.extend(kept.take().map(|finding| {
                let mut note = finding.remark("nothing that came of it was seen to leave the core");
                note.is_note = true;
                note
            }));
        }
    }
}

impl OfCore {
    fn matrix(&mut self, word: OpWord, dst: DstTile) {
        let [first, second] = self.operands.take().map(Option::flatten);
        let tile = &mut self.tiles[usize::from(dst.tile)];
        *tile = first.or(second).or(tile.filter(|_| continues(word)));
    }
}

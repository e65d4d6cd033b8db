//! Broadcasts and maxima that take what a reduce did not compute.
//!
//! A reduce along rows leaves its results in column 0 of a tile, one along columns in row 0, one over the tile in [0,0]; what
//! lies elsewhere is zero under the edge mask, and old without it (LLK `llk_math_reduce.h`, `llk_pack_common.h`). A broadcast
//! of rows takes row 0 and one of columns column 0, so that each fits one kind of reduce; a scalar fits all. Values are
//! followed through either unit and through pages that PACK wrote; what a matrix product, an untilizing pack or another
//! writer made is whole, and must never be reported. Start reading at [`PartOnly::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::op_word::{OpWord, broadcast, flag, math_kind, pool, reduce_dim};
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::SfpuOp;

use super::operands::Operands;
use crate::by_core::{TILES, of_core};
use crate::dst::operation::{operation, reuses_dst};
use crate::spans::Spans;

/// Where a tile holds results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Column,
    Row,
    Element,
}

impl Part {
    fn of_reduce(dim: u8) -> Part {
        match dim {
            reduce_dim::ROW => Part::Column,
            reduce_dim::COL => Part::Row,
            _ => Part::Element,
        }
    }

    fn transposed(self) -> Part {
        match self {
            Part::Column => Part::Row,
            Part::Row => Part::Column,
            Part::Element => Part::Element,
        }
    }

    /// Whether a reduce along a dimension takes in what lies beside the results, and its own results are no better.
    fn has_beside(self, dim: u8) -> bool {
        match self {
            Part::Column => dim != reduce_dim::COL,
            Part::Row => dim != reduce_dim::ROW,
            Part::Element => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Part::Column => "column 0",
            Part::Row => "row 0",
            Part::Element => "element [0,0]",
        }
    }
}

/// A tile of which a reduce computed a part.
#[derive(Clone, Copy, Debug)]
struct Value {
    part: Part,
    by: Site,
}

/// Where two operands both hold results; `None` is a tile that does so everywhere.
fn both(a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) if a.part != b.part => Some(Value { part: Part::Element, ..b }),
        (a, b) => a.or(b),
    }
}

#[derive(Default, Debug)]
struct OfCore {
    /// By physical tile.
    tiles: [Option<Value>; TILES],
    /// Packed tiles in L1.
    pages: Spans<Value>,
    operands: Operands<Option<Value>>,
}

/// The check.
#[derive(Default, Debug)]
pub struct PartOnly {
    cores: Vec<OfCore>,
}

impl PartOnly {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        if let What::NocWrite { to: NocPlace::L1(there, offset), bytes, .. } = event.what {
            return self.overwritten(there, offset, bytes);
        }
        let Some(core) = of_core(&mut self.cores, event) else { return };
        match event.what {
            What::Unpack { access } => {
                let page = core.pages.touching(access.offset, 1).find(|(at, _)| *at == access.offset);
                let value = page.filter(|_| access.is_tile).map(|(_, value)| *value);
                let turn = |value: Value| Value { part: value.part.transposed(), ..value };
                core.operands.read(event, if access.is_transposed { value.map(turn) } else { value });
            }
            What::Math { word, dst } => self.ran(event, word, dst, raised),
            What::Sfpu { op: SfpuOp::Reduce, output, .. } => {
                core.tiles[usize::from(output.tile)] = None;
            }
            What::Sfpu { op, inputs, output, .. } => {
                let read = inputs.iter().take(op.inputs()).map(|input| core.tiles[usize::from(input.tile)]);
                core.tiles[usize::from(output.tile)] = read.fold(None, both);
            }
            What::Release { first, count } => {
                core.tiles.iter_mut().skip(first.into()).take(count.into()).for_each(|tile| *tile = None);
            }
            What::Pack { dst, access, .. } => match core.tiles[usize::from(dst.tile)] {
                Some(value) if access.is_tile => core.pages.overwrite(access.offset, access.bytes, value),
                _ => self.overwritten(event.core, access.offset, access.bytes),
            },
            What::NocRead { to, bytes, .. } => self.overwritten(event.core, to, bytes),
            What::InlineWrite { to: NocPlace::L1(there, offset), .. } => self.overwritten(there, offset, 4),
            What::Store { offset, bytes, .. } => self.overwritten(event.core, offset, bytes),
            _ => {}
        }
    }

    /// Something else lies in L1 of a core now.
    fn overwritten(&mut self, core: usize, offset: u32, bytes: u32) {
        if let Some(core) = self.cores.get_mut(core) {
            core.pages.take_touching(offset, bytes, |_| true);
        }
    }

    fn ran(&mut self, event: &Event, word: OpWord, dst: DstTile, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        let [first, second] = core.operands.take().map(Option::flatten);
        let tile = &mut core.tiles[usize::from(dst.tile)];
        let (mut wrong, mut taken_in) = (None, None);
        let mut spread = |value: Option<Value>| {
            let taken = match word.b() {
                broadcast::NONE => return value,
                broadcast::COL => Part::Column,
                broadcast::ROW => Part::Row,
                _ => return None,
            };
            wrong = value.filter(|value| value.part != taken).map(|value| (value, taken));
            None
        };
        *tile = match word.kind() {
            math_kind::DATACOPY => spread(first),
            math_kind::ELTWISE if reuses_dst(word) => both(*tile, first),
            // SrcB is what a broadcast spreads.
            math_kind::ELTWISE if word.has(flag::ACCUMULATE) => both(*tile, both(first, spread(second))),
            math_kind::ELTWISE => both(first, spread(second)),
            math_kind::REDUCE if word.a() == pool::MAX => {
                taken_in = first.filter(|value| value.part.has_beside(word.b()));
                Some(Value { part: Part::of_reduce(word.b()), by: event.site })
            }
            math_kind::REDUCE => Some(Value { part: Part::of_reduce(word.b()), by: event.site }),
            _ => None,
        };
        if let Some((value, taken)) = wrong {
            self.report(event, word, (value, taken), raised);
        }
        if let Some(value) = taken_in {
            self.maximum(event, word, value, raised);
        }
    }

    /// The zeros beside the results are the maximum where all results are below zero, and change nothing elsewhere.
    #[cold]
    fn maximum(&mut self, event: &Event, word: OpWord, value: Value, raised: &mut Raises) {
        if !raised.first(Code::MAXIMUM_OF_PART, event) {
            return;
        }
        let computed = value.part.name();
        let message = format!(
            "{} takes in the whole tile, of which a reduce has computed {computed} alone: the packer has put 0 beside it",
            operation(word)
        );
        let fits = match value.part {
            Part::Column => "REDUCE_COL of a column gives its maximum in [0,0]",
            Part::Row => "REDUCE_ROW of a row gives its maximum in [0,0]",
            Part::Element => "a single element needs no further reduce",
        };
        let mut found = Raised::at(event, Code::MAXIMUM_OF_PART, message)
            .text("no result is below 0")
            .label(Some((Thread::Math, value.by)), format!("{computed} was computed here"))
            .help(fits);
        found.is_note = true;
        raised.push(found);
    }

    #[cold]
    fn report(&mut self, event: &Event, word: OpWord, (value, taken): (Value, Part), raised: &mut Raises) {
        if !raised.first(Code::BROADCAST_OF_PART, event) {
            return;
        }
        let (computed, taken) = (value.part.name(), taken.name());
        let message = format!("{} takes {taken} of a tile of which a reduce has computed {computed}", operation(word));
        let fits = match value.part {
            Part::Column => "the results of REDUCE_ROW are in column 0: broadcast columns",
            Part::Row => "the results of REDUCE_COL are in row 0: broadcast rows",
            Part::Element => "the result of REDUCE_SCALAR is in [0,0]: broadcast the scalar",
        };
        raised.push(
            Raised::at(event, Code::BROADCAST_OF_PART, message)
                .text("takes what was not computed")
                .label(Some((Thread::Math, value.by)), format!("{computed} was computed here"))
                .help(fits),
        );
    }
}

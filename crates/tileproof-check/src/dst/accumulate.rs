//! Products and sums that land on a Dst tile whose value was already used, or on the same product: it becomes part of the
//! result.
//!
//! ELWMUL, MVMUL and GAPOOL always add to Dst (ISA documentation, `TensixCoprocessor/ELWMUL.md`, `MVMUL.md`). A sum
//! over a loop, whose operands change, a bias that was copied first, and a tile that was filled with 0 are meant, and must
//! never be reported. Start reading at [`Accumulate::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, Event, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::op_word::{OpWord, math_kind};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::SfpuOp;

use super::operands::Operands;
use crate::by_core::BUFFERS;
use crate::by_core::{TILES, of_core};
use crate::dst::operation::{By, adds, operation};

/// What a tile holds.
#[derive(Clone, Copy, Debug)]
struct Value {
    by: By,
    site: Site,
    /// The operation that read it into another tile.
    used: Option<(By, Site)>,
    /// The pages whose product was written or added last.
    product: Option<[Page; 2]>,
    /// The page that it is a copy of.
    copy: Option<Page>,
}

/// A page that an operand came from: its offset in L1, and how many pages its buffer had given back by then.
type Page = (u32, u32);

#[derive(Debug)]
struct OfCore {
    /// By physical tile; `None` for a tile that is clear, or was filled with 0.
    tiles: [Option<Value>; TILES],
    /// Pops of UNPACK by buffer.
    pops: [u32; BUFFERS],
    operands: Operands<Page>,
}

/// The check.
#[derive(Default, Debug)]
pub struct Accumulate {
    cores: Vec<OfCore>,
}

impl Accumulate {
    pub(crate) fn launch(&mut self, cores: usize) {
        let core = || OfCore { tiles: [None; TILES], pops: [0; BUFFERS], operands: Operands::default() };
        self.cores = (0..cores).map(|_| core()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        let tiles = &mut core.tiles;
        match event.what {
            What::Unpack { access } => {
                let pops = core.pops.get(access.cb as usize).copied().unwrap_or(0);
                core.operands.read(event, (access.offset, pops));
            }
            What::Buffer { action: BufferAction::Pop, cb, pages: 1.., .. } if event.thread == Thread::Unpack => {
                if let Some(pops) = core.pops.get_mut(cb as usize) {
                    *pops = pops.wrapping_add(1);
                }
            }
            What::Math { word, dst } => {
                let operands = core.operands.take();
                let product = match operands {
                    [Some(a), Some(b)] if adds(word) => Some([a, b]),
                    _ => None,
                };
                // A broadcast is no copy.
                let copy = operands[0].filter(|_| word.kind() == math_kind::DATACOPY && word.a() == 0);
                let Some(tile) = tiles.get_mut(usize::from(dst.tile)) else { return };
                let before = tile.replace(Value { by: By::Matrix(word), site: event.site, used: None, product, copy });
                let Some(before) = before.filter(|_| dst.exists && adds(word)) else { return };
                match before.used {
                    Some(used) => self.report(event, dst, word, before, used, raised),
                    // Another operation makes another product of the same pages.
                    None if product.is_some() && before.product == product && before.by.is(word) => {
                        self.again(event, dst, word, before, raised)
                    }
                    // x + x W, the residual of a layer, is meant.
                    None if word.kind() == math_kind::ELTWISE
                        && before.copy.is_some_and(|copy| product.is_some_and(|pages| pages.contains(&copy))) =>
                    {
                        self.onto_own_operand(event, dst, word, before, raised)
                    }
                    None => {}
                }
            }
            What::Sfpu { op, parameter, inputs, output, .. } => {
                for input in inputs.iter().take(op.inputs()).filter(|input| input.tile != output.tile) {
                    if let Some(Some(value)) = tiles.get_mut(usize::from(input.tile)) {
                        value.used.get_or_insert((By::Vector(op), event.site));
                    }
                }
                let Some(tile) = tiles.get_mut(usize::from(output.tile)) else { return };
                let is_zero = parameter == 0
                    && matches!(op, SfpuOp::Fill | SfpuOp::FillBitcast | SfpuOp::FillInt | SfpuOp::FillUInt16);
                *tile = (!is_zero).then_some(Value {
                    by: By::Vector(op),
                    site: event.site,
                    used: None,
                    product: None,
                    copy: None,
                });
            }
            What::Release { first, count } => {
                tiles.iter_mut().skip(first.into()).take(count.into()).for_each(|tile| *tile = None);
            }
            _ => {}
        }
    }

    #[cold]
    fn onto_own_operand(&mut self, event: &Event, dst: DstTile, word: OpWord, before: Value, raised: &mut Raises) {
        if !raised.first(Code::DST_OWN_OPERAND, event) {
            return;
        }
        let message = format!(
            "{} adds to Dst tile {}, which holds a copy of one of its operands: x b + x, not x b",
            operation(word),
            dst.index
        );
        let mut note = Raised::at(event, Code::DST_OWN_OPERAND, message)
            .text(format!("Dst[{}] += ...", dst.index))
            .label(Some((Thread::Math, before.site)), "the operand was copied here")
            .fact("dst", dst.index)
            .help("leave the copy out, or multiply it in place: mul_reuse_dest_tiles");
        note.certainty = Certainty::Suspect;
        note.is_note = true;
        raised.push(note);
    }

    #[cold]
    fn again(&mut self, event: &Event, dst: DstTile, word: OpWord, before: Value, raised: &mut Raises) {
        if !raised.first(Code::DST_ACCUMULATES, event) {
            return;
        }
        let message = format!("{} adds the same two pages to Dst tile {} a second time", operation(word), dst.index);
        let mut finding = Raised::at(event, Code::DST_ACCUMULATES, message)
            .text(format!("Dst[{}] += ...", dst.index))
            .fact("dst", dst.index)
            .help("use a Dst tile that is clear, or pop the pages that were used: it is twice the product now");
        if before.site != event.site {
            finding = finding.label(Some((Thread::Math, before.site)), "the first time");
        }
        finding.certainty = Certainty::Suspect;
        raised.push(finding);
    }

    #[cold]
    fn report(
        &mut self,
        event: &Event,
        dst: DstTile,
        word: OpWord,
        before: Value,
        (used, used_at): (By, Site),
        raised: &mut Raises,
    ) {
        if !raised.first(Code::DST_ACCUMULATES, event) {
            return;
        }
        let message = format!(
            "{} adds to Dst tile {}, which still holds what {} wrote and {} has used",
            operation(word),
            dst.index,
            before.by.name(),
            used.name()
        );
        let mut finding = Raised::at(event, Code::DST_ACCUMULATES, message)
            .text(format!("Dst[{}] += ...", dst.index))
            .label(Some((Thread::Math, before.site)), format!("Dst tile {} was written here", dst.index))
            .label(Some((Thread::Math, used_at)), "and its value was used here")
            .fact("dst", dst.index)
            .help(format!(
                "fill_tile({}, 0.0f) before this call, or use a tile that is clear; if the sum is meant, read it last",
                dst.index
            ));
        finding.certainty = Certainty::Suspect;
        raised.push(finding);
    }
}

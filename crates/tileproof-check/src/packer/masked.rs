//! Packs that an edge mask cuts down though the tile is no result of a reduce.
//!
//! `reduce_init` sets the mask, and only `reduce_uninit` takes it away (LLK `llk_pack_common.h`,
//! `llk_pack_reduce_mask_config`): each pack in between keeps column 0, row 0 or [0,0], where one packer takes all faces those of each
//! face, and writes zeros elsewhere. A value that
//! comes from a reduce of that kind, by whatever way, has nothing elsewhere, and must never be reported. Start reading at
//! [`Masked::on`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, Event, TileAccess, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::op_word::{OpWord, broadcast, flag, math_kind, reduce_dim};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::sfpu::SfpuOp;

use crate::by_core::{TILES, of_core};
use crate::dst::operands::Operands;
use crate::dst::operation::reuses_dst;

/// The reduces that a value comes from: bit d for dimension d of `reduce_dim`.
type Origins = u8;

/// A result of the vector unit's own reduce may lie anywhere.
const ANY: Origins = 0b111;

#[derive(Default, Debug)]
struct OfCore {
    /// The mask, a `reduce_dim` plus 1 and whether it is that of each face, and the call that set it.
    mask: Option<((u32, bool), Site)>,
    /// By physical tile.
    tiles: [Origins; TILES],
    /// Of packed tiles in L1, by offset; those that come from no reduce are not kept.
    pages: BTreeMap<u32, Origins>,
    operands: Operands<Origins>,
}

/// The check.
#[derive(Default, Debug)]
pub struct Masked {
    cores: Vec<OfCore>,
}

impl Masked {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        match event.what {
            What::EdgeMask { dim, of_faces } => core.mask = (dim != 0).then_some(((dim, of_faces), event.site)),
            What::Unpack { access } => {
                let origins = core.pages.get(&access.offset).copied().unwrap_or(0);
                core.operands.read(event, origins);
            }
            What::Math { word, dst } => core.ran(word, dst),
            What::Sfpu { op: SfpuOp::Reduce, output, .. } => core.tiles[usize::from(output.tile)] = ANY,
            What::Sfpu { op, inputs, output, .. } => {
                let read = inputs.iter().take(op.inputs()).map(|input| core.tiles[usize::from(input.tile)]);
                core.tiles[usize::from(output.tile)] = read.fold(0, |all, one| all | one);
            }
            What::Release { first, count } => {
                core.tiles.iter_mut().skip(first.into()).take(count.into()).for_each(|tile| *tile = 0);
            }
            What::Pack { dst, access, .. } => {
                let origins = core.tiles[usize::from(dst.tile)];
                if origins == 0 {
                    core.pages.remove(&access.offset);
                } else {
                    core.pages.insert(access.offset, origins);
                }
                if let Some((mask, by)) = core.mask
                    && origins & 1 << (mask.0 - 1) == 0
                    && dst.rows != 0
                {
                    self.report(event, (dst, access), (mask, by), raised);
                }
            }
            _ => {}
        }
    }

    #[cold]
    fn report(
        &mut self,
        event: &Event,
        (dst, access): (DstTile, TileAccess),
        ((dim, of_faces), by): ((u32, bool), Site),
        raised: &mut Raises,
    ) {
        if !raised.first(Code::PACK_MASKED, event) {
            return;
        }
        let kept = match (u8::try_from(dim - 1), of_faces) {
            (Ok(reduce_dim::ROW), _) => "column 0",
            (Ok(reduce_dim::COL), false) => "row 0",
            (Ok(reduce_dim::COL), true) => "row 0 of each face",
            (_, false) => "element [0,0]",
            (_, true) => "the first element of each face",
        };
        let message = format!(
            "pack of Dst tile {} keeps {kept} and writes zeros elsewhere: the edge mask of an earlier reduce_init is still on",
            dst.index
        );
        raised.push(
            Raised::at(event, Code::PACK_MASKED, message)
                .text(format!("only {kept} is packed"))
                .label(Some((Thread::Pack, by)), "the edge mask was set here")
                .fact("cb", cb_name(access.cb))
                .fact("dst", dst.index)
                .help("call reduce_uninit after the last pack of the reduced tile"),
        );
    }
}

/// What is left of where an operand comes from once it is broadcast: column 0 of a row sum fills the tile when columns are
/// broadcast, and a single element fills a row or a column (ISA documentation, `TensixCoprocessor/ELWADD.md`,
/// `BroadcastSrcBCol0` and `BroadcastSrcBRow`).
fn spread(origins: Origins, kind: u8) -> Origins {
    let (kept, element) = match kind {
        broadcast::NONE => return origins,
        broadcast::COL => (1 << reduce_dim::COL, 1 << reduce_dim::COL),
        broadcast::ROW => (1 << reduce_dim::ROW, 1 << reduce_dim::ROW),
        _ => return 0,
    };
    origins & kept | if origins >> reduce_dim::SCALAR & 1 == 1 { element } else { 0 }
}

impl OfCore {
    fn ran(&mut self, word: OpWord, dst: DstTile) {
        let [first, second] = self.operands.take().map(|operand| operand.unwrap_or(0));
        let read = match word.kind() {
            math_kind::DATACOPY => spread(first, word.b()),
            // SrcB is what a broadcast spreads. With an operand from Dst there is no broadcast, and one that was fetched.
            math_kind::ELTWISE => first | spread(second, word.b()),
            _ => first | second,
        };
        let tile = &mut self.tiles[usize::from(dst.tile)];
        let keeps = reuses_dst(word)
            || word.kind() == math_kind::MATMUL
            || (word.kind() == math_kind::ELTWISE && word.has(flag::ACCUMULATE));
        *tile = match word.kind() {
            math_kind::REDUCE => *tile | 1 << word.b().min(2),
            _ if keeps => *tile | read,
            _ => read,
        };
    }
}

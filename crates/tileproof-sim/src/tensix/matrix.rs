//! What the matrix unit computes: its program on the operands at the front of SrcA and SrcB, into a tile of Dst.

use tileproof_model::op_word::{OpWord, broadcast, eltwise, flag, math_kind};
use tileproof_numerics::dst::Dst;
use tileproof_numerics::fpu::{self, BroadcastType, FpuMode, PoolType, ReduceDim};
use tileproof_numerics::tile::Tile;

use crate::tensix::source::Token;
use crate::tensix::{Scratch, Tensix};

/// All rows of a tile.
const ALL_ROWS: u64 = u64::MAX;

fn broadcast_type(code: u8) -> BroadcastType {
    match code {
        broadcast::COL => BroadcastType::Col,
        broadcast::ROW => BroadcastType::Row,
        broadcast::SCALAR => BroadcastType::Scalar,
        _ => BroadcastType::None,
    }
}

impl Tensix {
    /// Whether a program is the broadcast of SrcB that writes 16-bit rows: 32 rows of a tile and no others.
    pub(super) fn writes_half_tiles(&self, word: OpWord, mode: FpuMode) -> bool {
        word.kind() == math_kind::DATACOPY
            && word.a() != 0
            && !self.src_b.front().is_some_and(|b| b.to_dst)
            && fpu::moves_16_bit_rows(mode, broadcast_type(word.b()))
    }

    /// Runs such a program.
    pub(super) fn move_rows(&mut self, word: OpWord, mode: FpuMode, tile: usize, first: usize) {
        let Tensix { src_b, dst, .. } = self;
        if let Some(b) = src_b.front() {
            fpu::move_b_to_dst(mode, broadcast_type(word.b()), &b.tile, dst.tile_mut(tile), first);
        }
        dst.set_valid(tile, 0xFFFF_FFFF << first);
    }

    /// Runs `word` on the front operands into Dst tile `index`.
    pub(crate) fn run(&mut self, word: OpWord, mode: FpuMode, index: usize) {
        let Tensix { src_a, src_b, dst, scratch, .. } = self;
        let (a, b) = (src_a.front(), src_b.front());
        match word.kind() {
            math_kind::DATACOPY => copy(word, mode, a.filter(|_| word.a() == 0), b, dst.tile_mut(index)),
            math_kind::ELTWISE => eltwise(word, mode, [a, b], (dst, index), scratch),
            math_kind::MATMUL => {
                dst.materialize(index, 0);
                if let (Some(a), Some(b)) = (a, b) {
                    fpu::matmul(mode, &a.tile, &b.tile, dst.tile_mut(index));
                }
            }
            math_kind::REDUCE => {
                if let (Some(a), Some(b)) = (a, b) {
                    reduce(word, mode, &a.tile, &b.tile, (dst, index));
                }
                return;
            }
            _ => return,
        }
        dst.set_valid(index, ALL_ROWS);
    }
}

fn copy(word: OpWord, mode: FpuMode, a: Option<&Token>, b: Option<&Token>, out: &mut Tile) {
    match (a, b) {
        (Some(a), _) if a.to_dst => out.0.copy_from_slice(&a.tile.0),
        (Some(a), _) => fpu::move_a_to_dst(mode, &a.tile, out),
        // Through SrcB and back in halves of words, which keeps all bits (LLK `llk_math_eltwise_unary_datacopy.h`).
        (None, Some(b)) if b.to_dst => fpu::broadcast(broadcast_type(word.b()), &b.tile, out),
        (None, Some(b)) => fpu::move_b_to_dst(mode, broadcast_type(word.b()), &b.tile, out, 0),
        (None, None) => {}
    }
}

fn eltwise(
    word: OpWord,
    mode: FpuMode,
    [a, b]: [Option<&Token>; 2],
    (dst, index): (&mut Dst, usize),
    scratch: &mut Scratch,
) {
    let is_product = !matches!(word.a(), eltwise::ADD | eltwise::SUB);
    let is_reused = word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) != 0;
    // A product onto rows that hold nothing does not look at their words.
    let is_clear = is_product && !is_reused && dst.valid_rows(index) == 0 && a.is_some() && b.is_some();
    if !is_clear {
        dst.materialize(index, 0);
    }
    // Zeros that were written read as those that were not; to look is cheaper than to add to them.
    let was_zero = is_clear || is_product && (is_reused || dst.tile(index).is_zero());
    let [from_dst, spread] = &mut *scratch.tiles;
    if is_reused {
        fpu::dst_to_src(mode, dst.tile(index), from_dst);
        // Dst is cleared before the multiply accumulates onto it (LLK `llk_math_eltwise_binary.h`).
        dst.tile_mut(index).0.fill(0);
    }
    let from_dst = &*from_dst;
    let a = if word.has(flag::REUSE_SRCA) { Some(from_dst) } else { a.map(|t| &t.tile) };
    let b = if word.has(flag::REUSE_SRCB) { Some(from_dst) } else { b.map(|t| &t.tile) };
    let (Some(a), Some(b)) = (a, b) else { return };
    let kind = broadcast_type(word.b());
    let b = if kind == BroadcastType::None {
        b
    } else {
        fpu::broadcast(kind, b, spread);
        spread
    };
    let out = dst.tile_mut(index);
    match word.a() {
        eltwise::ADD => fpu::eltwise_add(mode, a, b, out, word.has(flag::ACCUMULATE)),
        eltwise::SUB => fpu::eltwise_sub(mode, a, b, out, word.has(flag::ACCUMULATE)),
        _ => fpu::eltwise_mul(mode, a, b, out, was_zero),
    }
}

fn reduce(word: OpWord, mode: FpuMode, a: &Tile, b: &Tile, (dst, index): (&mut Dst, usize)) {
    let pool = [PoolType::Sum, PoolType::Avg, PoolType::Max][usize::from(word.a().min(2))];
    let dim = [ReduceDim::Row, ReduceDim::Col, ReduceDim::Scalar][usize::from(word.b().min(2))];
    let pooled = word.has(flag::POOLED) && dim == ReduceDim::Row;
    let (data, scaler) = if word.scaler_is_src_a() { (b, a) } else { (a, b) };
    let mut valid = dst.valid_rows(index);
    if word.has(flag::BLOCK) {
        fpu::pool_rows_of_block(mode, data, scaler, dst.tile_mut(index), &mut valid);
    } else if pooled {
        fpu::pool_rows(mode, pool, data, scaler, dst.tile_mut(index), &mut valid);
    } else {
        fpu::reduce(mode, pool, dim, data, scaler, dst.tile_mut(index), &mut valid);
    }
    dst.set_valid(index, valid);
}

#[cfg(test)]
mod tests {
    use tileproof_numerics::chip::WORMHOLE;
    use tileproof_numerics::format::DataFormat::Float16_b;
    use tileproof_numerics::fpu::Fidelity;

    use super::*;

    const ONE: u32 = 0x3F80_0000;
    const TWO: u32 = 0x4000_0000;
    const SIX: u32 = 0x40C0_0000;

    /// A product of tiles of twos and threes onto a tile of Dst that was ones, of which `valid` rows hold something.
    fn product(flags: u8, valid: u64) -> Dst {
        let mut tensix = Tensix::default();
        for (queue, word) in [(&mut tensix.src_a, TWO), (&mut tensix.src_b, 0x4040_0000)] {
            queue.back_mut().tile.0.fill(word);
            queue.give(0);
        }
        tensix.dst.tile_mut(0).0.fill(ONE);
        tensix.dst.set_valid(0, valid);
        let mode = FpuMode {
            src_a: Float16_b,
            src_b: Float16_b,
            dst_32: true,
            fidelity: Fidelity::HiFi4,
            rules: WORMHOLE.fpu,
        };
        tensix.run(OpWord::new(math_kind::ELTWISE, eltwise::MUL, broadcast::NONE, flags, 0), mode, 0);
        tensix.dst
    }

    #[test]
    fn a_product_adds_to_rows_that_hold_something_and_to_no_others() {
        let seven = 0x40E0_0000;
        assert!(product(0, 0).tile(0).0.iter().all(|word| *word == SIX));
        assert!(product(0, u64::MAX).tile(0).0.iter().all(|word| *word == seven));
        let in_part = product(0, 0xF);
        assert!(in_part.tile(0).0[..64].iter().all(|word| *word == seven));
        assert!(in_part.tile(0).0[64..].iter().all(|word| *word == SIX));
    }

    #[test]
    fn a_product_with_what_dst_holds_is_not_added_to_it_and_takes_rows_that_hold_nothing_for_zeros() {
        let of_three = 0x4040_0000;
        assert!(product(flag::REUSE_SRCA, u64::MAX).tile(0).0.iter().all(|word| *word == of_three));
        assert!(product(flag::REUSE_SRCA, 0).tile(0).0.iter().all(|word| *word == 0));
    }
}

//! Operation words: what an init programs into a unit, and what a call needs it to be.
//!
//! An init hands the unit its word, a call hands over the word it needs; when they differ the unit runs what was
//! programmed, as the hardware's MOP does, and the difference is a finding. A word is one `u64` so that C++ and Rust
//! kernels build it alike; what is declared here is so for both.

use crate::declare::{constants, spelled, word};

word! {
    /// What a unit is programmed to do.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct OpWord {
        /// The kind.
        kind: u8 << 0,
        /// Field `a`.
        a: u8 << 8,
        /// Field `b`.
        b: u8 << 16,
        /// The flags.
        flags: u8 << 24,
        /// The wide field.
        wide: u32 << 32,
    }
}

constants! {
    /// Kinds of unpack programs.
    pub mod unpack_kind: u8 {
        /// Never programmed since start-up.
        NONE = 0,
        /// One operand to SrcA (or SrcB when `a` is a broadcast): copy, unary broadcast, reuse of Dst, transpose.
        A = 1,
        /// Two operands, `a` is the broadcast of SrcB.
        AB = 2,
        /// in1 to SrcA, in0 to SrcB; flag [`super::flag::TRANSPOSE`] transposes SrcA.
        AB_MATMUL = 3,
        /// Data and scaler; `a` is the pool type, `b` the dimension.
        AB_REDUCE = 4,
        /// Row-major rows into faces; `wide` is the width of the block in tiles.
        TILIZE = 5,
        /// Tiles into row-major rows; `wide` is the width of the block in tiles.
        UNTILIZE = 6,
        /// Row-major rows into faces of SrcA, as [`TILIZE`] has them, and the first face of a tile to SrcB, for each of them anew.
        TILIZE_AB = 7,
    }

    /// Kinds of math programs.
    pub mod math_kind: u8 {
        /// Never programmed since start-up.
        NONE = 0,
        /// Src to Dst; `a` is 0 for SrcA, 1 for SrcB, `b` the broadcast.
        DATACOPY = 1,
        /// Element-wise binary; `a` is [`super::eltwise`], `b` the broadcast.
        ELTWISE = 2,
        /// Matrix multiply.
        MATMUL = 3,
        /// Pooling; `a` is the pool type, `b` the dimension.
        REDUCE = 4,
        /// A tile of Dst transposed in place; `a` is 1 within its faces alone, `b` 1 for words of 32 bits.
        TRANSPOSE = 5,
    }

    /// Kinds of pack programs.
    pub mod pack_kind: u8 {
        /// Never programmed since start-up.
        NONE = 0,
        /// One tile to one page.
        TILE = 1,
        /// Row-major rows of a block of tiles; `wide` is its width in tiles, and that of whole rows above ([`super::untilize`]).
        UNTILIZE = 2,
        /// The first rows of 16 datums of a tile; `wide` is how many.
        ROWS = 3,
    }

    /// The wide field of a pack word that untilizes.
    pub mod untilize: u32 {
        /// Where the width of whole rows rides above that of a block.
        FULL_SHIFT = 16,
    }

    /// Element-wise operations, field `a` of an ELTWISE word.
    pub mod eltwise: u8 {
        /// Dst = A + B.
        ADD = 0,
        /// Dst = A - B.
        SUB = 1,
        /// Dst += A * B: ELWMUL has no other form.
        MUL = 2,
    }

    /// Broadcasts, as `BroadcastType` of the kernel API numbers them.
    pub mod broadcast: u8 {
        /// None.
        NONE = 0,
        /// Column 0 to all columns.
        COL = 1,
        /// Row 0 to all rows.
        ROW = 2,
        /// Element `[0,0]` to all.
        SCALAR = 3,
    }

    /// Pool types, as `PoolType` of the kernel API numbers them.
    pub mod pool: u8 {
        /// Sum.
        SUM = 0,
        /// Average: a sum whose scaler is 1/N.
        AVG = 1,
        /// Maximum.
        MAX = 2,
    }

    /// Reduced dimensions, as `ReduceDim` of the kernel API numbers them.
    pub mod reduce_dim: u8 {
        /// Along a row: the result is column 0.
        ROW = 0,
        /// Along a column: the result is row 0.
        COL = 1,
        /// Over the tile: the result is element `[0,0]`.
        SCALAR = 2,
    }

    /// What `pack_edge_mask` sets.
    pub mod edge_mask: u32 {
        /// No mask.
        NONE = 0,
        /// That of the first [`super::reduce_dim`]; the others follow in their order.
        FIRST_DIM = 1,
    }

    /// What rides above an operation of the vector unit.
    pub mod vector: u32 {
        /// Where the vector mode plus 1 rides; nothing rides for the mode that works on the whole tile.
        MODE_SHIFT = 16,
        /// The kernel is of an older generation than 0.79, whose inits load something else.
        OLDER = 0x8000_0000,
    }

    /// Flags of a word.
    pub mod flag: u8 {
        /// Transpose the tile on its way into SrcA.
        TRANSPOSE = 1,
        /// Element-wise add and sub accumulate onto Dst (`acc_to_dest`).
        ACCUMULATE = 2,
        /// SrcA comes from Dst (`DEST_TO_SRCA`).
        REUSE_SRCA = 4,
        /// SrcB comes from Dst (`DEST_TO_SRCB`).
        REUSE_SRCB = 8,
        /// A sum of rows is pooled (GAPOOL), as it was in ttnn 0.66, and not multiplied (MVMUL).
        POOLED = 16,
        /// A reduction is one of a block of tiles (`reduce_block_max_row`), whose program no other reduction runs.
        BLOCK = 32,
    }
}

impl OpWord {
    /// True if all bits of `flag` are set.
    pub const fn has(self, flag: u8) -> bool {
        self.flags() & flag == flag
    }

    /// Whether an unpack program makes tiles of row-major rows.
    pub const fn tilizes(self) -> bool {
        matches!(self.kind(), unpack_kind::TILIZE | unpack_kind::TILIZE_AB)
    }

    /// Whether a math program adds onto what Dst holds.
    pub const fn adds(self) -> bool {
        match self.kind() {
            math_kind::MATMUL | math_kind::REDUCE => true,
            math_kind::ELTWISE => self.a() == eltwise::MUL || self.has(flag::ACCUMULATE),
            _ => false,
        }
    }

    /// Whether a math program takes maxima.
    pub const fn is_maximum(self) -> bool {
        self.kind() == math_kind::REDUCE && self.a() == pool::MAX
    }

    /// Whether a reduction, as UNPACK or as MATH has it, takes its scaler from SrcA and its data from SrcB: sums along rows, unless
    /// they are pooled.
    pub const fn scaler_is_src_a(self) -> bool {
        self.b() == reduce_dim::ROW && self.a() != pool::MAX && !self.has(flag::POOLED)
    }

    /// The widths of a block and of whole rows in tiles, of a pack word that untilizes.
    pub const fn block_and_row(self) -> (u32, u32) {
        (self.wide() & ((1 << untilize::FULL_SHIFT) - 1), self.wide() >> untilize::FULL_SHIFT)
    }
}

const BROADCASTS: [&str; 4] = ["", " with column broadcast", " with row broadcast", " with scalar broadcast"];
const POOLS: [&str; 3] = ["SUM", "AVG", "MAX"];
const DIMS: [&str; 3] = ["REDUCE_ROW", "REDUCE_COL", "REDUCE_SCALAR"];

fn pick(table: &[&'static str], index: u8) -> &'static str {
    table.get(index as usize).copied().unwrap_or("?")
}

/// What an unpack word does, in words for a report.
pub fn describe_unpack(word: OpWord) -> String {
    let broadcast = pick(&BROADCASTS, word.a());
    match word.kind() {
        unpack_kind::A if word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) != 0 => {
            "one operand, the other from Dst".into()
        }
        unpack_kind::A if word.has(flag::TRANSPOSE) => "one operand, transposed".into(),
        unpack_kind::A => format!("one operand{broadcast}"),
        unpack_kind::AB => format!("two operands{broadcast}"),
        unpack_kind::AB_MATMUL if word.has(flag::TRANSPOSE) => "matmul operands, in1 transposed".into(),
        unpack_kind::AB_MATMUL => "matmul operands".into(),
        unpack_kind::AB_REDUCE => format!("reduce operands, {} {}", pick(&POOLS, word.a()), pick(&DIMS, word.b())),
        unpack_kind::TILIZE => format!("tilize, {} tiles wide", word.wide()),
        unpack_kind::TILIZE_AB => format!("tilize, {} tiles wide, and one face", word.wide()),
        unpack_kind::UNTILIZE => format!("untilize, {} tiles wide", word.wide()),
        _ => "nothing".into(),
    }
}

/// What a math word does, in words for a report.
pub fn describe_math(word: OpWord) -> String {
    let broadcast = pick(&BROADCASTS, word.b());
    match word.kind() {
        math_kind::DATACOPY if word.a() == 1 => format!("copy from SrcB{broadcast}"),
        math_kind::DATACOPY => "copy from SrcA".into(),
        math_kind::ELTWISE => {
            let accumulate = if word.has(flag::ACCUMULATE) && word.a() != eltwise::MUL { ", accumulating" } else { "" };
            let reuse =
                if word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) != 0 { ", one operand from Dst" } else { "" };
            format!("{}{broadcast}{accumulate}{reuse}", pick(&["add", "subtract", "multiply"], word.a()))
        }
        math_kind::MATMUL => "matmul".into(),
        math_kind::REDUCE => {
            let of = if word.has(flag::BLOCK) { " of a block" } else { "" };
            format!("reduce {} {}{of}", pick(&POOLS, word.a()), pick(&DIMS, word.b()))
        }
        math_kind::TRANSPOSE => {
            format!("transpose Dst{}", pick(&["", " within faces"], word.a()))
        }
        _ => "nothing".into(),
    }
}

/// What a pack word does, in words for a report.
pub fn describe_pack(word: OpWord) -> String {
    match word.kind() {
        pack_kind::TILE => "tiles".into(),
        pack_kind::UNTILIZE => {
            let (block, row) = word.block_and_row();
            format!("row-major rows, {block} of {row} tiles wide")
        }
        pack_kind::ROWS => format!("the first {} rows of 16 datums", word.wide()),
        _ => "nothing".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_word_do_not_overlap() {
        let word = OpWord::new(1, 2, 3, 4, 5);
        assert_eq!((word.kind(), word.a(), word.b(), word.flags(), word.wide()), (1, 2, 3, 4, 5));
    }
}

//! Operation words: what an init programs into a unit, and what a call needs it to be.
//!
//! An init hands the unit its word, a call hands over the word it needs; when they differ the unit runs what was
//! programmed, as the hardware's MOP does, and the difference is a finding. A word is one `u64` so that C++ and Rust
//! kernels build it alike: `kind | a << 8 | b << 16 | flags << 24 | wide << 32`.

/// What a unit is programmed to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct OpWord(pub u64);

/// Kinds of unpack programs.
pub mod unpack_kind {
    /// Never programmed since start-up.
    pub const NONE: u8 = 0;
    /// One operand to SrcA (or SrcB when `a` is a broadcast): copy, unary broadcast, reuse of Dst, transpose.
    pub const A: u8 = 1;
    /// Two operands, `a` is the broadcast of SrcB.
    pub const AB: u8 = 2;
    /// in1 to SrcA, in0 to SrcB; flag [`super::flag::TRANSPOSE`] transposes SrcA.
    pub const AB_MATMUL: u8 = 3;
    /// Data and scaler; `a` is the pool type, `b` the dimension.
    pub const AB_REDUCE: u8 = 4;
    /// Row-major rows into faces; `wide` is the width of the block in tiles.
    pub const TILIZE: u8 = 5;
    /// Tiles into row-major rows; `wide` is the width of the block in tiles.
    pub const UNTILIZE: u8 = 6;
}

/// Kinds of math programs.
pub mod math_kind {
    /// Never programmed since start-up.
    pub const NONE: u8 = 0;
    /// Src to Dst; `a` is 0 for SrcA, 1 for SrcB, `b` the broadcast.
    pub const DATACOPY: u8 = 1;
    /// Element-wise binary; `a` is [`super::eltwise`], `b` the broadcast.
    pub const ELTWISE: u8 = 2;
    /// Matrix multiply.
    pub const MATMUL: u8 = 3;
    /// Pooling; `a` is the pool type, `b` the dimension.
    pub const REDUCE: u8 = 4;
}

/// Kinds of pack programs.
pub mod pack_kind {
    /// Never programmed since start-up.
    pub const NONE: u8 = 0;
    /// One tile to one page.
    pub const TILE: u8 = 1;
    /// Row-major rows of a block of tiles; `wide` is `block | full << 16` in tiles.
    pub const UNTILIZE: u8 = 2;
    /// The first rows of 16 datums of a tile; `wide` is how many.
    pub const ROWS: u8 = 3;
}

/// Element-wise operations, field `a` of an ELTWISE word.
pub mod eltwise {
    /// Dst = A + B.
    pub const ADD: u8 = 0;
    /// Dst = A - B.
    pub const SUB: u8 = 1;
    /// Dst += A * B: ELWMUL has no other form.
    pub const MUL: u8 = 2;
}

/// Broadcasts, as `BroadcastType` of the kernel API numbers them.
pub mod broadcast {
    /// None.
    pub const NONE: u8 = 0;
    /// Column 0 to all columns.
    pub const COL: u8 = 1;
    /// Row 0 to all rows.
    pub const ROW: u8 = 2;
    /// Element [0,0] to all.
    pub const SCALAR: u8 = 3;
}

/// Pool types, as `PoolType` of the kernel API numbers them.
pub mod pool {
    /// Sum.
    pub const SUM: u8 = 0;
    /// Average: a sum whose scaler is 1/N.
    pub const AVG: u8 = 1;
    /// Maximum.
    pub const MAX: u8 = 2;
}

/// Reduced dimensions, as `ReduceDim` of the kernel API numbers them.
pub mod reduce_dim {
    /// Along a row: the result is column 0.
    pub const ROW: u8 = 0;
    /// Along a column: the result is row 0.
    pub const COL: u8 = 1;
    /// Over the tile: the result is element [0,0].
    pub const SCALAR: u8 = 2;
}

/// Flags of a word.
pub mod flag {
    /// Transpose the tile on its way into SrcA.
    pub const TRANSPOSE: u8 = 1;
    /// Element-wise add and sub accumulate onto Dst (`acc_to_dest`).
    pub const ACCUMULATE: u8 = 2;
    /// SrcA comes from Dst (`DEST_TO_SRCA`).
    pub const REUSE_SRCA: u8 = 4;
    /// SrcB comes from Dst (`DEST_TO_SRCB`).
    pub const REUSE_SRCB: u8 = 8;
    /// A sum of rows is pooled (GAPOOL), as it was in ttnn 0.66, and not multiplied (MVMUL).
    pub const POOLED: u8 = 16;
}

impl OpWord {
    /// Puts a word together.
    pub const fn new(kind: u8, a: u8, b: u8, flags: u8, wide: u32) -> OpWord {
        OpWord(kind as u64 | (a as u64) << 8 | (b as u64) << 16 | (flags as u64) << 24 | (wide as u64) << 32)
    }

    /// The kind.
    pub const fn kind(self) -> u8 {
        self.0 as u8
    }

    /// Field `a`.
    pub const fn a(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// Field `b`.
    pub const fn b(self) -> u8 {
        (self.0 >> 16) as u8
    }

    /// The flags.
    pub const fn flags(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The wide field.
    pub const fn wide(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// True if all bits of `flag` are set.
    pub const fn has(self, flag: u8) -> bool {
        self.flags() & flag == flag
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
        math_kind::REDUCE => format!("reduce {} {}", pick(&POOLS, word.a()), pick(&DIMS, word.b())),
        _ => "nothing".into(),
    }
}

/// What a pack word does, in words for a report.
pub fn describe_pack(word: OpWord) -> String {
    match word.kind() {
        pack_kind::TILE => "tiles".into(),
        pack_kind::UNTILIZE => format!("row-major rows, {} of {} tiles wide", word.wide() & 0xffff, word.wide() >> 16),
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

//! What a compute kernel calls on the matrix unit: element-wise operations, copies, broadcasts, matrix multiply, reduce.
//!
//! A call hands the word that it needs to the unit; it must never repeat an init on its own. Start at [`Compute::add_tiles`].

use tileproof_model::op_word::{OpWord, broadcast, edge_mask, eltwise, flag, math_kind, pool, reduce_dim, unpack_kind};
use tileproof_model::thread::Thread;

use crate::call::here;
use crate::compute::Compute;

/// `BroadcastType`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Broadcast {
    /// The tile as it is.
    None = broadcast::NONE,
    /// Column 0 to all columns.
    Col = broadcast::COL,
    /// Row 0 to all rows.
    Row = broadcast::ROW,
    /// Element [0,0] to all.
    Scalar = broadcast::SCALAR,
}

/// `PoolType`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Pool {
    /// Sum.
    Sum = pool::SUM,
    /// Average.
    Avg = pool::AVG,
    /// Maximum.
    Max = pool::MAX,
}

/// `ReduceDim`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ReduceDim {
    /// Along a row: the result is column 0.
    Row = reduce_dim::ROW,
    /// Along a column: the result is row 0.
    Col = reduce_dim::COL,
    /// Over the tile: the result is [0,0].
    Scalar = reduce_dim::SCALAR,
}

/// Element-wise operations of the matrix unit.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Eltwise {
    Add = eltwise::ADD,
    Sub = eltwise::SUB,
    Mul = eltwise::MUL,
}

pub(crate) const fn copy_words() -> (OpWord, OpWord) {
    (OpWord::new(unpack_kind::A, 0, 0, 0, 0), OpWord::new(math_kind::DATACOPY, 0, 0, 0, 0))
}

const fn unary_broadcast_words(kind: Broadcast) -> (OpWord, OpWord) {
    (
        OpWord::new(unpack_kind::A, kind as u8, 0, 0, 0),
        OpWord::new(math_kind::DATACOPY, (kind as u8 != broadcast::NONE) as u8, kind as u8, 0, 0),
    )
}

const fn eltwise_words(op: Eltwise, kind: Broadcast, accumulate: bool) -> (OpWord, OpWord) {
    let flags = if accumulate { flag::ACCUMULATE } else { 0 };
    (OpWord::new(unpack_kind::AB, kind as u8, 0, 0, 0), OpWord::new(math_kind::ELTWISE, op as u8, kind as u8, flags, 0))
}

const fn matmul_words(transpose: bool) -> (OpWord, OpWord) {
    let flags = if transpose { flag::TRANSPOSE } else { 0 };
    (OpWord::new(unpack_kind::AB_MATMUL, 0, 0, flags, 0), OpWord::new(math_kind::MATMUL, 0, 0, flags, 0))
}

const fn reduce_words(kind: Pool, dim: ReduceDim) -> (OpWord, OpWord) {
    (
        OpWord::new(unpack_kind::AB_REDUCE, kind as u8, dim as u8, 0, 0),
        OpWord::new(math_kind::REDUCE, kind as u8, dim as u8, 0, 0),
    )
}

macro_rules! eltwise_calls {
    ($($init:ident $tiles:ident $op:ident $kind:ident, $doc:literal;)*) => {
        /// Element-wise operations of two tiles.
        impl Compute<'_> {
            $(
                #[doc = concat!("Programs [`Compute::", stringify!($tiles), "`].")]
                #[track_caller]
                pub fn $init(&self, _cb_a: u32, _cb_b: u32) {
                    let (unpack, math) = eltwise_words(Eltwise::$op, Broadcast::$kind, false);
                    self.init(unpack, math);
                }

                #[doc = $doc]
                #[track_caller]
                pub fn $tiles(&self, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32, dst: u32) {
                    let (unpack, math) = eltwise_words(Eltwise::$op, Broadcast::$kind, false);
                    self.execute(unpack, math, [cb_a, cb_b], [tile_a, tile_b], dst);
                }
            )*
        }
    };
}

eltwise_calls! {
    add_init add_tiles Add None, "`Dst[dst] = A + B`, on 11-bit significands.";
    sub_init sub_tiles Sub None, "`Dst[dst] = A - B`, on 11-bit significands.";
    mul_init mul_tiles Mul None, "`Dst[dst] += A * B`: the multiply always accumulates.";
    add_bcast_rows_init add_tiles_bcast_rows Add Row, "`Dst[dst] = A + row 0 of B`.";
    sub_bcast_rows_init sub_tiles_bcast_rows Sub Row, "`Dst[dst] = A - row 0 of B`.";
    mul_bcast_rows_init mul_tiles_bcast_rows Mul Row, "`Dst[dst] += A * row 0 of B`: the multiply always accumulates.";
    add_bcast_cols_init add_tiles_bcast_cols Add Col, "`Dst[dst] = A + column 0 of B`.";
    sub_bcast_cols_init sub_tiles_bcast_cols Sub Col, "`Dst[dst] = A - column 0 of B`.";
    mul_bcast_cols_init mul_tiles_bcast_cols Mul Col, "`Dst[dst] += A * column 0 of B`: the multiply always accumulates.";
    add_bcast_scalar_init add_tiles_bcast_scalar Add Scalar, "`Dst[dst] = A + B[0,0]`.";
    sub_bcast_scalar_init sub_tiles_bcast_scalar Sub Scalar, "`Dst[dst] = A - B[0,0]`.";
    mul_bcast_scalar_init mul_tiles_bcast_scalar Mul Scalar, "`Dst[dst] += A * B[0,0]`: the multiply always accumulates.";
}

/// Copies, broadcasts, matrix multiply, reduce.
impl Compute<'_> {
    /// Programs [`Compute::copy_tile`].
    #[track_caller]
    pub fn copy_init(&self, _cb: u32) {
        let (unpack, math) = copy_words();
        self.init(unpack, math);
    }

    /// `Dst[dst] =` tile `tile` of `cb`; exact for a buffer in `unpack_to_dest_fp32`, else what a Src register holds.
    #[track_caller]
    pub fn copy_tile(&self, cb: u32, tile: u32, dst: u32) {
        let (unpack, math) = copy_words();
        self.execute(unpack, math, [cb, cb], [tile, tile], dst);
    }

    /// Programs [`Compute::unary_bcast`].
    #[track_caller]
    pub fn unary_bcast_init(&self, kind: Broadcast, _cb: u32) {
        let (unpack, math) = unary_broadcast_words(kind);
        self.init(unpack, math);
    }

    /// `Dst[dst] =` the broadcast of tile `tile` of `cb`, by way of SrcB.
    #[track_caller]
    pub fn unary_bcast(&self, kind: Broadcast, cb: u32, tile: u32, dst: u32) {
        let (unpack, math) = unary_broadcast_words(kind);
        self.execute(unpack, math, [cb, cb], [tile, tile], dst);
    }

    /// Programs [`Compute::matmul_tiles`]. The formats must be configured as (in1, in0).
    #[track_caller]
    pub fn matmul_init(&self, _in0: u32, _in1: u32, transpose: bool) {
        let (unpack, math) = matmul_words(transpose);
        self.init(unpack, math);
    }

    /// `Dst[dst] += in0 x in1`.
    #[track_caller]
    pub fn matmul_tiles(&self, in0: u32, in1: u32, tile0: u32, tile1: u32, dst: u32, transpose: bool) {
        let (unpack, math) = matmul_words(transpose);
        self.execute(unpack, math, [in1, in0], [tile1, tile0], dst);
    }

    /// Programs [`Compute::reduce_tile`] and the packer's edge mask.
    #[track_caller]
    pub fn reduce_init(&self, kind: Pool, dim: ReduceDim, _cb: u32, _scaler: u32, _ocb: u32) {
        let (unpack, math) = reduce_words(kind, dim);
        if self.on(Thread::Pack) {
            (self.abi.pack_edge_mask)(here(), edge_mask::FIRST_DIM + dim as u32);
        }
        self.init(unpack, math);
    }

    /// Pools tile `tile` of `cb`, times the scaler, onto `Dst[dst]`.
    #[allow(clippy::too_many_arguments, reason = "those of the C++ call")]
    #[track_caller]
    pub fn reduce_tile(&self, kind: Pool, dim: ReduceDim, cb: u32, scaler: u32, tile: u32, scaler_tile: u32, dst: u32) {
        let (unpack, math) = reduce_words(kind, dim);
        // Sums along rows are a matrix product, with the scaler in SrcA (generation 0.79).
        let (cbs, tiles) = if dim == ReduceDim::Row && kind != Pool::Max {
            ([scaler, cb], [scaler_tile, tile])
        } else {
            ([cb, scaler], [tile, scaler_tile])
        };
        self.execute(unpack, math, cbs, tiles, dst);
    }

    /// Clears the packer's edge mask.
    #[track_caller]
    pub fn reduce_uninit(&self) {
        if self.on(Thread::Pack) {
            (self.abi.pack_edge_mask)(here(), edge_mask::NONE);
        }
    }
}

//! What a compute kernel calls on the vector unit. All act on Dst, on MATH alone.

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::sfpu::SfpuOp;
use tileproof_model::op_word::pool;

use crate::call::here;
use crate::compute::Compute;
use crate::fpu::ReduceDim;

impl Compute<'_> {
    #[track_caller]
    fn sfpu_init(&self, op: SfpuOp) {
        if self.on_math() {
            (self.abi.sfpu_init)(here(), u32::from(op.code()));
        }
    }

    #[track_caller]
    fn sfpu(&self, op: SfpuOp, inputs: [u32; 3], output: u32, params: [u32; 4]) {
        if self.on_math() {
            (self.abi.sfpu)(here(), u32::from(op.code()), inputs[0], inputs[1], inputs[2], output, &params);
        }
    }
}

macro_rules! binary_calls {
    ($($init:ident $tile:ident $op:ident, $doc:literal;)*) => {
        /// Lane-wise operations of two Dst tiles, in fp32.
        impl Compute<'_> {
            $(
                #[doc = concat!("Programs [`Compute::", stringify!($tile), "`].")]
                #[track_caller]
                pub fn $init(&self) {
                    self.sfpu_init(SfpuOp::$op);
                }

                #[doc = $doc]
                #[track_caller]
                pub fn $tile(&self, in0: u32, in1: u32, output: u32) {
                    self.sfpu(SfpuOp::$op, [in0, in1, 0], output, [0; 4]);
                }
            )*
        }
    };
}

binary_calls! {
    add_binary_tile_init add_binary_tile AddBinary, "`Dst[output] = Dst[in0] + Dst[in1]`.";
    sub_binary_tile_init sub_binary_tile SubBinary, "`Dst[output] = Dst[in0] - Dst[in1]`.";
    mul_binary_tile_init mul_binary_tile MulBinary, "`Dst[output] = Dst[in0] * Dst[in1]`.";
}

macro_rules! scalar_calls {
    ($($tile:ident $op:ident, $doc:literal;)*) => {
        /// Lane-wise operations of a Dst tile and a constant, in fp32.
        impl Compute<'_> {
            $(
                #[doc = $doc]
                #[track_caller]
                pub fn $tile(&self, dst: u32, value: f32) {
                    self.sfpu(SfpuOp::$op, [dst, 0, 0], dst, [value.to_bits(), 0, 0, 0]);
                }
            )*
        }
    };
}

scalar_calls! {
    add_unary_tile AddUnary, "`Dst[dst] += value`.";
    sub_unary_tile SubUnary, "`Dst[dst] -= value`.";
    mul_unary_tile MulUnary, "`Dst[dst] *= value`.";
}

/// Constants and masks.
impl Compute<'_> {
    /// Programs the calls with a constant (`add_unary_tile` and its kin).
    #[track_caller]
    pub fn binop_with_scalar_tile_init(&self) {
        self.sfpu_init(SfpuOp::MulUnary);
    }

    /// Programs [`Compute::fill_tile`].
    #[track_caller]
    pub fn fill_tile_init(&self) {
        self.sfpu_init(SfpuOp::Fill);
    }

    /// `Dst[dst] = value`.
    #[track_caller]
    pub fn fill_tile(&self, dst: u32, value: f32) {
        self.sfpu(SfpuOp::Fill, [0; 3], dst, [value.to_bits(), 0, 0, 0]);
    }

    /// Programs [`Compute::mask_tile`].
    #[track_caller]
    pub fn mask_tile_init(&self) {
        self.sfpu_init(SfpuOp::Mask);
    }

    /// Zeroes `Dst[data]` where the mask is zero. The mask must be in `Dst[data + 1]`: the call ignores its argument.
    #[track_caller]
    pub fn mask_tile(&self, data: u32, mask: u32) {
        self.sfpu(SfpuOp::Mask, [data, mask, 0], data, [0; 4]);
    }
}

/// Functions of one tile, in fp32.
impl Compute<'_> {
    /// Programs [`Compute::square_tile`].
    #[track_caller]
    pub fn square_tile_init(&self) {
        self.sfpu_init(SfpuOp::Square);
    }

    /// `Dst[dst] = Dst[dst]^2`.
    #[track_caller]
    pub fn square_tile(&self, dst: u32) {
        self.sfpu(SfpuOp::Square, [dst, 0, 0], dst, [0; 4]);
    }

    /// Programs [`Compute::rsqrt_tile`].
    #[track_caller]
    pub fn rsqrt_tile_init(&self) {
        self.sfpu_init(SfpuOp::Rsqrt);
    }

    /// `Dst[dst] = 1 / sqrt(Dst[dst])`, to 1.2e-7 (measured: golden vectors).
    #[track_caller]
    pub fn rsqrt_tile(&self, dst: u32) {
        self.sfpu(SfpuOp::Rsqrt, [dst, 0, 0], dst, [0; 4]);
    }
}

/// Sums within a tile, in fp32.
impl Compute<'_> {
    /// Programs [`Compute::sfpu_reduce`].
    #[track_caller]
    pub fn sfpu_reduce_init(&self) {
        self.sfpu_init(SfpuOp::Reduce);
    }

    /// `sfpu_reduce<PoolType::SUM, DataFormat::Float32>`: sums the rows (result in column 0) or the columns (result in row 0)
    /// of `Dst[dst]`; the rest of the tile is left in part overwritten.
    ///
    /// # Panics
    /// For [`ReduceDim::Scalar`], which the call does not have.
    #[track_caller]
    pub fn sfpu_reduce(&self, dim: ReduceDim, dst: u32) {
        self.sfpu_reduce_of(DataFormat::Float32, dim, dst);
    }

    /// `sfpu_reduce<PoolType::SUM, format>`: `Float32` for a 32-bit Dst, `Float16_b` for one of 16 bits.
    ///
    /// # Panics
    /// As [`Compute::sfpu_reduce`].
    #[track_caller]
    pub fn sfpu_reduce_of(&self, format: DataFormat, dim: ReduceDim, dst: u32) {
        let along_row = match dim {
            ReduceDim::Row => 1,
            ReduceDim::Col => 0,
            ReduceDim::Scalar => panic!("sfpu_reduce reduces rows or columns"),
        };
        let format = format as u32;
        self.sfpu(SfpuOp::Reduce, [dst, 0, 0], dst, [u32::from(pool::SUM), along_row, format, 0]);
    }
}

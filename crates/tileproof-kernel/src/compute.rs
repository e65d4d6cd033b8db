//! What a compute kernel calls: circular buffers, matrix unit, Dst window, packer.
//!
//! Each call does its part on the thread that runs and nothing on the others, which is what `UNPACK((..))`, `MATH((..))`
//! and `PACK((..))` of the C++ headers do (kernel API, generation 0.79).

use tileproof_model::abi::{Abi, configure, edge_mask, operand, page};
use tileproof_model::kernel::KernelArgs;
use tileproof_model::op_word::{OpWord, broadcast, eltwise, flag, math_kind, pack_kind, pool, reduce_dim, unpack_kind};
use tileproof_model::thread::Thread;

use crate::data_movement::argument;
use crate::native::here;

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

/// The calls of a compute kernel, on one of its three threads.
pub struct Compute<'a> {
    pub(crate) abi: &'static Abi,
    args: &'a KernelArgs<'a>,
}

impl<'a> Compute<'a> {
    pub(crate) fn new(abi: &'static Abi, args: &'a KernelArgs<'a>) -> Self {
        Compute { abi, args }
    }

    pub(crate) fn on(&self, thread: Thread) -> bool {
        self.args.thread == thread
    }

    pub(crate) fn on_math(&self) -> bool {
        self.on(Thread::Math)
    }

    /// Runtime argument `index`.
    ///
    /// # Panics
    /// If the program gave fewer arguments.
    #[track_caller]
    pub fn get_arg_val(&self, index: usize) -> u32 {
        argument(self.args.runtime, index, "runtime")
    }

    /// Compile-time argument `index`.
    ///
    /// # Panics
    /// If the program gave fewer arguments.
    #[track_caller]
    pub fn get_compile_time_arg_val(&self, index: usize) -> u32 {
        argument(self.args.compile_time, index, "compile-time")
    }
}

/// Circular buffers: waiting and popping is UNPACK's, reserving and pushing PACK's.
impl Compute<'_> {
    /// Waits until `pages` pages can be read.
    #[track_caller]
    pub fn cb_wait_front(&self, cb: u32, pages: u32) {
        if self.on(Thread::Unpack) {
            (self.abi.cb_wait_front)(here(), cb, pages);
        }
    }

    /// Gives `pages` pages back to the producer.
    #[track_caller]
    pub fn cb_pop_front(&self, cb: u32, pages: u32) {
        if self.on(Thread::Unpack) {
            (self.abi.cb_pop_front)(here(), cb, pages);
        }
    }

    /// Waits until `pages` pages are free.
    #[track_caller]
    pub fn cb_reserve_back(&self, cb: u32, pages: u32) {
        if self.on(Thread::Pack) {
            (self.abi.cb_reserve_back)(here(), cb, pages);
        }
    }

    /// Publishes `pages` pages to the consumer.
    #[track_caller]
    pub fn cb_push_back(&self, cb: u32, pages: u32) {
        if self.on(Thread::Pack) {
            (self.abi.cb_push_back)(here(), cb, pages);
        }
    }
}

/// The Dst window: MATH acquires and commits, PACK waits and releases.
impl Compute<'_> {
    /// Waits for a free section of Dst.
    #[track_caller]
    pub fn tile_regs_acquire(&self) {
        if self.on(Thread::Math) {
            (self.abi.tile_regs_acquire)(here());
        }
    }

    /// Hands the section to PACK.
    #[track_caller]
    pub fn tile_regs_commit(&self) {
        if self.on(Thread::Math) {
            (self.abi.tile_regs_commit)(here());
        }
    }

    /// Waits for a committed section.
    #[track_caller]
    pub fn tile_regs_wait(&self) {
        if self.on(Thread::Pack) {
            (self.abi.tile_regs_wait)(here());
        }
    }

    /// Clears the section and gives it back to MATH.
    #[track_caller]
    pub fn tile_regs_release(&self) {
        if self.on(Thread::Pack) {
            (self.abi.tile_regs_release)(here());
        }
    }
}

/// Start-up and formats.
impl Compute<'_> {
    /// `compute_kernel_hw_startup`: once, before any other compute call.
    #[track_caller]
    pub fn compute_kernel_hw_startup(&self, icb0: u32, icb1: u32, ocb: u32) {
        let site = here();
        match self.args.thread {
            Thread::Unpack => (self.abi.unpack_configure)(site, operand::SRC_AB, icb0, icb1, configure::START),
            Thread::Math => {
                (self.abi.math_pack_sync_init)(site);
                (self.abi.math_configure)(site, operand::SRC_AB, icb0, icb1, configure::START);
            }
            _ => {
                (self.abi.pack_configure)(site, ocb, configure::START);
                (self.abi.pack_init)(site, OpWord::new(pack_kind::TILE, 0, 0, 0, 0));
                (self.abi.pack_dest_init)(site);
            }
        }
    }

    #[track_caller]
    fn reconfig(&self, operands: u32, cb_a: u32, cb_b: u32) {
        let site = here();
        match self.args.thread {
            Thread::Unpack => (self.abi.unpack_configure)(site, operands, cb_a, cb_b, configure::AGAIN),
            Thread::Math => (self.abi.math_configure)(site, operands, cb_a, cb_b, configure::AGAIN),
            _ => {}
        }
    }

    /// Programs the formats of SrcA and SrcB.
    #[track_caller]
    pub fn reconfig_data_format(&self, cb_a: u32, cb_b: u32) {
        self.reconfig(operand::SRC_AB, cb_a, cb_b);
    }

    /// Programs the format of SrcA.
    #[track_caller]
    pub fn reconfig_data_format_srca(&self, cb: u32) {
        self.reconfig(operand::SRC_A, cb, cb);
    }

    /// Programs the format of SrcB.
    #[track_caller]
    pub fn reconfig_data_format_srcb(&self, cb: u32) {
        self.reconfig(operand::SRC_B, cb, cb);
    }

    /// Programs the packer's output format.
    #[track_caller]
    pub fn pack_reconfig_data_format(&self, cb: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_configure)(here(), cb, configure::AGAIN);
        }
    }

    #[track_caller]
    pub(crate) fn init(&self, unpack: OpWord, math: OpWord) {
        let site = here();
        match self.args.thread {
            Thread::Unpack => (self.abi.unpack_init)(site, unpack),
            Thread::Math => (self.abi.math_init)(site, math),
            _ => {}
        }
    }

    #[track_caller]
    pub(crate) fn execute(&self, unpack: OpWord, math: OpWord, cbs: [u32; 2], tiles: [u32; 2], dst: u32) {
        let site = here();
        match self.args.thread {
            Thread::Unpack => (self.abi.unpack)(site, unpack, cbs[0], cbs[1], tiles[0], tiles[1]),
            Thread::Math => (self.abi.math)(site, math, dst),
            _ => {}
        }
    }
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

/// The packer.
impl Compute<'_> {
    /// Packs `Dst[dst]` to the next reserved page.
    #[track_caller]
    pub fn pack_tile(&self, dst: u32, cb: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_tile)(here(), dst, cb, page::NEXT, 0);
        }
    }

    /// `pack_tile<true>`: packs `Dst[dst]` to reserved page `index`.
    #[track_caller]
    pub fn pack_tile_out_of_order(&self, dst: u32, cb: u32, index: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_tile)(here(), dst, cb, page::NAMED, index);
        }
    }

    /// `pack_relu_config`: mode in the low 16 bits (0 none, 1 zero, 2 minimum and 3 maximum threshold), threshold above.
    #[track_caller]
    pub fn pack_relu_config(&self, config: u32) {
        if self.on(Thread::Pack) {
            (self.abi.pack_relu_config)(here(), config);
        }
    }

    /// Packs add to what L1 holds (`enable`) or overwrite it.
    #[track_caller]
    pub fn pack_reconfig_l1_acc(&self, enable: bool) {
        if self.on(Thread::Pack) {
            (self.abi.pack_l1_acc)(here(), u32::from(enable));
        }
    }
}

//! What a compute kernel calls to start, to hand over pages and Dst, and to pack.
//!
//! Each call does its part on the thread that runs and nothing on the others, which is what `UNPACK((..))`, `MATH((..))`
//! and `PACK((..))` of the C++ headers do (kernel API, generation 0.79).

use tileproof_model::abi::{Abi, configure, operand, page};
use tileproof_model::kernel::KernelArgs;
use tileproof_model::op_word::{OpWord, pack_kind};
use tileproof_model::thread::Thread;

use crate::call::{argument, here};

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

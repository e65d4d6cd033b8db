//! The right compute kernel of the support program in steps, for tests that go wrong at one of them.

use tileproof_kernel::Compute;

use super::adding::{IN0, IN1, OUT};

/// Start-up and the init of a sum.
pub(crate) fn start(k: &Compute<'_>) {
    k.compute_kernel_hw_startup(IN0, IN1, OUT);
    k.add_init(IN0, IN1);
}

/// One tile of the right kernel, from waits to pops.
pub(crate) fn add_one(k: &Compute<'_>) {
    k.cb_wait_front(IN0, 1);
    k.cb_wait_front(IN1, 1);
    k.tile_regs_acquire();
    k.add_tiles(IN0, IN1, 0, 0, 0);
    k.tile_regs_commit();
    k.cb_pop_front(IN0, 1);
    k.cb_pop_front(IN1, 1);
}

/// One tile of the right kernel, from reserve to push.
pub(crate) fn pack_one(k: &Compute<'_>) {
    k.cb_reserve_back(OUT, 1);
    k.tile_regs_wait();
    k.pack_tile(0, OUT);
    k.tile_regs_release();
    k.cb_push_back(OUT, 1);
}

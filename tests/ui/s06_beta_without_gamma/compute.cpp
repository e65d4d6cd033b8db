// x gamma + beta, where either may be missing. The stage of beta takes the result of the stage of gamma.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_beta = 2;
constexpr uint32_t cb_scaled = 18;
constexpr uint32_t cb_out = 16;

void pack_to(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_beta, cb_out);
    // The stage before leaves its tile in the same buffer, and takes it out again.
    copy_init(cb_x);
    cb_wait_front(cb_x, 1);
    tile_regs_acquire();
    copy_tile(cb_x, 0, 0);
    pack_to(cb_scaled);
    cb_pop_front(cb_x, 1);
    cb_wait_front(cb_scaled, 1);
#ifndef MENDED
    tile_regs_acquire();
    copy_init(cb_scaled);
    copy_tile(cb_scaled, 0, 0);
    pack_to(cb_out);
    cb_pop_front(cb_scaled, 1);
#endif
    // No gamma: nobody has filled the buffer of its stage again.
    cb_wait_front(cb_beta, 1);
    add_init(cb_scaled, cb_beta);
    tile_regs_acquire();
    add_tiles(cb_scaled, cb_beta, 0, 0, 0);  //~ TP0307 reads tile 0 of c_18 with no page waited for any more
    pack_to(cb_out);
    cb_pop_front(cb_scaled, 1);  //~ TP0303 pops 1 page from c_18 with none waited for any more
    cb_pop_front(cb_beta, 1);
}

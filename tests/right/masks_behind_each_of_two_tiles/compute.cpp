#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// Two tiles in one window, each with its mask behind it.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_reserve_back(16, 2);
    tile_regs_acquire();
    mask_tile_init();
    for (uint32_t t = 0; t < 2; t++) {
        copy_tile(0, t, 2 * t);
        copy_tile(1, t, 2 * t + 1);
        mask_tile(2 * t, 2 * t + 1);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    pack_tile(2, 16);
    tile_regs_release();
    cb_push_back(16, 2);
    cb_pop_front(0, 2);
    cb_pop_front(1, 2);
}

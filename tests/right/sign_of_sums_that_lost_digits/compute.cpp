#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// Sums in a Dst of 16 bits stand still, and only their sign goes out.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    for (uint32_t i = 0; i < 400; i++) {
        cb_wait_front(0, 1);
        copy_tile(0, 0, i == 0 ? 0 : 1);
        if (i > 0) {
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
        }
        cb_pop_front(0, 1);
    }
    gtz_tile_init();
    gtz_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"

// y = sigmoid(x) / x: both divide by the same reciprocal, so that one init serves.
void kernel_main() {
    constexpr uint32_t x = 0, out = 16, tiles = 2;
    compute_kernel_hw_startup(x, out);
    copy_tile_init(x);
    sigmoid_tile_init();
    recip_tile_init<false>();
    div_binary_tile_init();
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(x, 1);
        cb_reserve_back(out, 1);
        tile_regs_acquire();
        copy_tile(x, 0, 0);
        copy_tile(x, 0, 1);
        sigmoid_tile(0);
        div_binary_tile(0, 1, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(x, 1);
    }
}

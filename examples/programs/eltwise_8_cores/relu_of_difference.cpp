// y = max(a - b, 0): the matrix unit subtracts, the vector unit works on the result where it lies in Dst.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/pack.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr uint32_t cb_y = 16;
    compute_kernel_hw_startup(cb_a, cb_b, cb_y);
    sub_init(cb_a, cb_b);
    relu_tile_init();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        tile_regs_acquire();
        sub_tiles(cb_a, cb_b, 0, 0, 0);
        relu_tile(0);
        tile_regs_commit();
        cb_pop_front(cb_a, 1);
#ifndef BROKEN
        cb_pop_front(cb_b, 1);  // Without it the reader finds no room for its third tile.
#endif
        cb_reserve_back(cb_y, 1);
        tile_regs_wait();
        pack_tile(0, cb_y);
        tile_regs_release();
        cb_push_back(cb_y, 1);
    }
}

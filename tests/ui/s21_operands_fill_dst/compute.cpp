// Sums of two pairs of tiles on the vector unit: operands and results, all in Dst at once.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_a = 0;
constexpr uint32_t cb_b = 1;
constexpr uint32_t cb_out = 16;

void sum(uint32_t pair, uint32_t dst) {
    copy_init(cb_a);
    copy_tile(cb_a, pair, dst);
    copy_init(cb_b);
    copy_tile(cb_b, pair, dst + 1);  //~ TP0704 Dst index 4
    add_binary_tile_init();
    add_binary_tile(dst, dst + 1, dst + 2);  //~ TP0704 Dst index 4
}

void kernel_main() {
    constexpr uint32_t pairs = 2;
    compute_kernel_hw_startup(cb_a, cb_out);
    cb_wait_front(cb_a, pairs);
    cb_wait_front(cb_b, pairs);
    cb_reserve_back(cb_out, pairs);
#ifdef MENDED
    for (uint32_t pair = 0; pair < pairs; pair++) {
        tile_regs_acquire();
        sum(pair, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(2, cb_out);
        tile_regs_release();
    }
#else
    tile_regs_acquire();
    for (uint32_t pair = 0; pair < pairs; pair++) {
        sum(pair, 3 * pair);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t pair = 0; pair < pairs; pair++) {
        pack_tile(3 * pair + 2, cb_out);  //~ TP0704 Dst index 5
    }
    tile_regs_release();
#endif
    cb_push_back(cb_out, pairs);
    cb_pop_front(cb_a, pairs);
    cb_pop_front(cb_b, pairs);
}

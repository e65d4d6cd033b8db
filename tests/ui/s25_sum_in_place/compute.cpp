// Adds tiles to one page of a buffer, which UNPACK reads and PACK writes.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_sum = 0;
constexpr uint32_t cb_in = 1;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_sum, cb_in, cb_out);
    add_init(cb_sum, cb_in);
    cb_wait_front(cb_sum, 1);
    cb_wait_front(cb_in, tiles);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        tile_regs_acquire();
        add_tiles(cb_sum, cb_in, 0, tile, 0);  //~ TP0505 PACK has packed to it without a push
        tile_regs_commit();
        const bool last = tile + 1 == tiles;
        const uint32_t to = last ? cb_out : cb_sum;
#ifdef MENDED
        cb_pop_front(cb_sum, 1);
        cb_reserve_back(to, 1);
#else
        if (last) {
            cb_reserve_back(to, 1);
        }
#endif
        tile_regs_wait();
        pack_tile<true>(0, to, 0);  //~ TP0308 without a cb_reserve_back
        tile_regs_release();
#ifdef MENDED
        cb_push_back(to, 1);
        if (!last) {
            cb_wait_front(cb_sum, 1);
        }
#else
        if (last) {
            cb_push_back(to, 1);
        }
#endif
    }
    cb_pop_front(cb_in, tiles);
#ifndef MENDED
    cb_pop_front(cb_sum, 1);
#endif
}

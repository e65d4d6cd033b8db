// Scores with or without a mask. Without one nobody fills its buffer, nor does the host create it.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_mask = 3;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    constexpr bool has_mask = get_compile_time_arg_val(1);
    compute_kernel_hw_startup(cb_in, cb_out);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_in, 1);
        tile_regs_acquire();
        if constexpr (has_mask) {
            cb_wait_front(cb_mask, 1);
            add_init(cb_in, cb_mask);
            add_tiles(cb_in, cb_mask, 0, 0, 0);
        } else {
            copy_init(cb_in);
            copy_tile(cb_in, 0, 0);
#ifndef MENDED
            cb_wait_front(cb_mask, 1);  //~ TP0301 UNPACK uses c_3
#endif
        }
#ifdef MENDED
        if constexpr (has_mask) {
            cb_pop_front(cb_mask, 1);
        }
#else
        cb_pop_front(cb_mask, 1);
#endif
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}

// A square root, packed before MATH has handed the section over.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    sqrt_tile_init();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        sqrt_tile(0);
#ifndef MENDED
        pack_tile(0, cb_out);  //~ TP0708 pack of Dst tile 0 before tile_regs_wait
#endif
        tile_regs_commit();
        tile_regs_wait();
#ifdef MENDED
        pack_tile(0, cb_out);
#endif
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_in, 1);
    }
}

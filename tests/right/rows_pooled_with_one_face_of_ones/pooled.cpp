// The largest of each column of two blocks of 32 rows, which are two tiles wide.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

void kernel_main() {
    constexpr uint32_t cb_x = 0, cb_ones = 1, cb_out = 16, rows = 32, width = 2;
    compute_kernel_hw_startup(cb_x, cb_ones, cb_out);
    tilizeA_B_reduce_init<true, false>(cb_x, cb_ones, width);
    cb_wait_front(cb_ones, 1);
    tile_regs_acquire();
    for (uint32_t block = 0; block < 2; block++) {
        cb_wait_front(cb_x, rows);
        unpack_tilizeA_B_block<true, true, false, false>(cb_x, cb_ones, width, 0);
        for (uint32_t tile = 0; tile < width; tile++) {
            reduce_tile_math<REDUCE_OP, REDUCE_DIM>(tile);
        }
        cb_pop_front(cb_x, rows);
    }
    tile_regs_commit();
    cb_pop_front(cb_ones, 1);
    cb_reserve_back(cb_out, width);
    tile_regs_wait();
    for (uint32_t tile = 0; tile < width; tile++) {
        pack_tile(tile, cb_out);
    }
    tile_regs_release();
    cb_push_back(cb_out, width);
}

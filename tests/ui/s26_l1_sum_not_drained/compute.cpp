// A subblock of 1x2 tiles over two K blocks, summed in L1 by the packer.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_a = 0;
constexpr uint32_t cb_b = 1;
constexpr uint32_t cb_out = 16;
constexpr uint32_t width = 2;

void kernel_main() {
    constexpr uint32_t blocks = get_compile_time_arg_val(0);
    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a, cb_b, cb_out);
    matmul_init(cb_a, cb_b);
#ifndef MENDED
    cb_reserve_back(cb_out, width);
#endif
    for (uint32_t block = 0; block < blocks; block++) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, width);
        tile_regs_acquire();
        for (uint32_t column = 0; column < width; column++) {
            matmul_tiles(cb_a, cb_b, 0, column, column);
        }
        tile_regs_commit();
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, width);
#ifdef MENDED
        cb_reserve_back(cb_out, width);
#endif
        pack_reconfig_l1_acc(block != 0);
        tile_regs_wait();
        for (uint32_t column = 0; column < width; column++) {
            pack_tile<true>(column, cb_out, column);  //~ note TP0507 adds to tile 0 of c_16
        }
        tile_regs_release();
#ifdef MENDED
        cb_push_back(cb_out, width);
        // Brings the pointers round to the same pages; the last block's are left for the writer.
        if (block + 1 < blocks) {
            cb_wait_front(cb_out, width);
            cb_pop_front(cb_out, width);
        }
#endif
    }
#ifndef MENDED
    cb_push_back(cb_out, width);
#endif
}

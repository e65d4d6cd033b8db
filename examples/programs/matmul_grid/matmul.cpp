// A column of output tiles: each tile of in1 is used for all rows of the block, and sums stay in Dst.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

void kernel_main() {
    constexpr uint32_t cb_in0 = 0;
    constexpr uint32_t cb_in1 = 1;
    constexpr uint32_t cb_out = 16;
    constexpr uint32_t block_rows = get_compile_time_arg_val(0);
    constexpr uint32_t steps = get_compile_time_arg_val(1);
    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_in0, cb_in1, cb_out);
    matmul_init(cb_in0, cb_in1);
    tile_regs_acquire();
    for (uint32_t step = 0; step < steps; step++) {
        cb_wait_front(cb_in0, block_rows);
        cb_wait_front(cb_in1, 1);
        for (uint32_t row = 0; row < block_rows; row++) {
            matmul_tiles(cb_in0, cb_in1, row, 0, row);
        }
        cb_pop_front(cb_in0, block_rows);
        cb_pop_front(cb_in1, 1);
    }
    tile_regs_commit();
    cb_reserve_back(cb_out, block_rows);
    tile_regs_wait();
    for (uint32_t row = 0; row < block_rows; row++) {
        pack_tile(row, cb_out);
    }
    tile_regs_release();
    cb_push_back(cb_out, block_rows);
}

// UNPACK, MATH and PACK: column 0 of c_16 = sums of the rows of c_0.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

void kernel_main() {
    constexpr uint32_t rows = get_compile_time_arg_val(0);
    constexpr uint32_t columns = get_compile_time_arg_val(1);
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_scaler = 1;
    constexpr uint32_t cb_out = 16;
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_out);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(cb_x, columns);
        tile_regs_acquire();
        for (uint32_t column = 0; column < columns; column++) {
            // Each adds to what Dst tile 0 holds; after tile_regs_acquire that is 0.
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, column, 0, 0);
        }
        tile_regs_commit();
        cb_pop_front(cb_x, columns);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    cb_pop_front(cb_scaler, 1);
    reduce_uninit();  // The packer keeps column 0 alone until it is told otherwise.
}

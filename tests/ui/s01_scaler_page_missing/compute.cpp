// Sums rows of 33 columns, two tiles each; the second tile is summed with the masked scaler.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_scaler = 2;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t rows = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 2);  //~ TP0601 for 2 pages in c_2; 1 is there, and NCRISC
    for (uint32_t row = 0; row < rows; row++) {
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < 2; tile++) {
            cb_wait_front(cb_in, 1);
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_in, cb_scaler, 0, tile, 0);
            cb_pop_front(cb_in, 1);
        }
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    cb_pop_front(cb_scaler, 2);
    reduce_uninit();
}

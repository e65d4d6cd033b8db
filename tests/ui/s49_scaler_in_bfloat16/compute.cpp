// The mean of a row of 25 tiles. The scaler of the sum is 1/800, or what bfloat16 makes of it.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_scaler = 1;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_out);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < 25; tile++) {
        cb_wait_front(cb_x, 1);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, 0, 0, 0);  //~ TP0803 the scaler of a reduce is 0.001244, which is 1/800 but for -0.51 %
        cb_pop_front(cb_x, 1);
    }
#ifdef MENDED
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3aa3d70a);
#endif
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    reduce_uninit();
    cb_pop_front(cb_scaler, 1);
}

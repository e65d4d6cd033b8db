// Sums exp(x) over a row. exp(0) is 1, in the padding too.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_scaler = 1;
constexpr uint32_t cb_mask = 2;
constexpr uint32_t cb_exp = 24;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_exp);
    cb_wait_front(cb_x, 1);
    tile_regs_acquire();
    copy_tile_init(cb_x);
    copy_tile(cb_x, 0, 0);
    exp_tile_init();
    exp_tile(0);
#ifdef MENDED
    cb_wait_front(cb_mask, 1);
    copy_tile_init(cb_mask);
    copy_tile(cb_mask, 0, 1);
    mask_tile_init();
    mask_tile(0, 1);
    cb_pop_front(cb_mask, 1);
#endif
    tile_regs_commit();
    cb_reserve_back(cb_exp, 1);
    tile_regs_wait();
    pack_tile(0, cb_exp);
    tile_regs_release();
    cb_push_back(cb_exp, 1);
    cb_pop_front(cb_x, 1);

    cb_wait_front(cb_exp, 1);
    cb_wait_front(cb_scaler, 1);
    tile_regs_acquire();
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exp, cb_scaler, cb_out);
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exp, cb_scaler, 0, 0, 0);  //~ TP0802 output out depends on the padding of x
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    reduce_uninit();
    cb_pop_front(cb_exp, 1);
    cb_pop_front(cb_scaler, 1);
}

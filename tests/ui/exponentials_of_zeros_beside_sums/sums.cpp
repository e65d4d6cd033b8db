// y = sum of exp(sum of each column of x).
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_one = 1;
constexpr uint32_t cb_sums = 24;
constexpr uint32_t cb_powers = 25;
constexpr uint32_t cb_y = 16;
#ifdef MENDED
constexpr ReduceDim over = ReduceDim::REDUCE_ROW;
#else
constexpr ReduceDim over = ReduceDim::REDUCE_SCALAR;
#endif

template <ReduceDim dim>
void sum(uint32_t from, uint32_t to) {
    reduce_init<PoolType::SUM, dim>(from, cb_one, to);
    cb_wait_front(from, 1);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, dim>(from, cb_one, 0, 0, 0);  //~ TP0809 takes in 992 data beside the results of a reduce
    tile_regs_commit();
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(to, 1);
    cb_pop_front(from, 1);
}

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_one, cb_sums);
    cb_wait_front(cb_one, 1);
    sum<ReduceDim::REDUCE_COL>(cb_x, cb_sums);
    copy_tile_init(cb_sums);
    exp_tile_init();
    cb_wait_front(cb_sums, 1);
    tile_regs_acquire();
    copy_tile(cb_sums, 0, 0);
    exp_tile(0);
    tile_regs_commit();
    cb_reserve_back(cb_powers, 1);
    tile_regs_wait();
    pack_tile(0, cb_powers);
    tile_regs_release();
    cb_push_back(cb_powers, 1);
    cb_pop_front(cb_sums, 1);
    sum<over>(cb_powers, cb_y);
    cb_pop_front(cb_one, 1);
}

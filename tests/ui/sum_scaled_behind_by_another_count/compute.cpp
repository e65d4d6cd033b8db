#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

// A sum is scaled behind the reduce, which would do as well before it; the count is another.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(1, 1);
    cb_wait_front(0, 2);
    cb_reserve_back(16, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);
    tile_regs_acquire();
    for (uint32_t t = 0; t < 2; t++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, t, 0, 0);
    }
    binop_with_scalar_tile_init();
#ifdef MENDED
    mul_unary_tile(0, 0x3c800000);
#else
    mul_unary_tile(0, 0x3d000000);  //~ TP0809 the number of this product is 0.03125 (1/32), and 0.015625 (1/64) would give what is expected
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(16, 1);
    cb_pop_front(0, 2);
    cb_pop_front(1, 1);
}

// Sums of integers down columns, along rows, and of two tiles.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/sfpu_int_sum.h"

template <typename F>
ALWI void each(F&& f) {
    for (uint32_t tile = 0; tile < 2; tile++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, tile, 0);
        copy_tile(0, 1 - tile, 1);
        sfpu_sum_int_init();
        f();
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 2);
    each([] { sfpu_sum_int_col(0); });
    each([] { sfpu_sum_int_row(0); });
    each([] { sfpu_add_int(0); });
    cb_pop_front(0, 2);
}

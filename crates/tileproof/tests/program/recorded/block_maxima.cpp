// The largest of each row over blocks of one, two, three and six tiles, whose maxima gather before they are turned into a column.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reduce_custom.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"

template <uint32_t tiles>
ALWI void largest(uint32_t first, uint32_t cb = 0) {
    reduce_block_max_row_init<tiles>(16);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    reduce_block_max_row<tiles>(cb, 1, first, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(2, 16);
    tile_regs_release();
    reduce_block_max_row_uninit(0);
    cb_push_back(16, 1);
}

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 6);
    cb_wait_front(1, 2);
    largest<1>(4);
    largest<2>(0);
    largest<3>(2);
    largest<6>(0);
    // Zeros, numbers that are not normal, infinities and NaNs, a row of each.
    largest<1>(1, 1);
    cb_pop_front(0, 6);
    cb_pop_front(1, 2);
}

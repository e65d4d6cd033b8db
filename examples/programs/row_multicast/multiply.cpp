// y = x * w: row 0 of each tile of w stands for all of its rows.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"

void kernel_main() {
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_w = 1;
    constexpr uint32_t cb_y = 16;
    constexpr uint32_t columns = 2;
    compute_kernel_hw_startup(cb_x, cb_w, cb_y);
    mul_bcast_rows_init(cb_x, cb_w);
    cb_wait_front(cb_w, columns);
    for (uint32_t column = 0; column < columns; column++) {
        cb_wait_front(cb_x, 1);
        tile_regs_acquire();
        mul_tiles_bcast_rows(cb_x, cb_w, 0, column, 0);
        tile_regs_commit();
        cb_pop_front(cb_x, 1);
        cb_reserve_back(cb_y, 1);
        tile_regs_wait();
        pack_tile(0, cb_y);
        tile_regs_release();
        cb_push_back(cb_y, 1);
    }
    cb_pop_front(cb_w, columns);
}

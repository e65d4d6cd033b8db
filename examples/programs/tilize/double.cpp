// y = x + x on row-major data: tilize, add, untilize.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/tilize.h"

void kernel_main() {
    constexpr uint32_t columns = get_compile_time_arg_val(0);
    constexpr uint32_t rows = get_compile_time_arg_val(1);
    constexpr uint32_t cb_sticks = 0;
    constexpr uint32_t cb_x = 1;
    constexpr uint32_t cb_y = 2;
    constexpr uint32_t cb_out = 16;
    compute_kernel_hw_startup(cb_sticks, cb_x);
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(cb_sticks, columns);
        cb_reserve_back(cb_x, columns);
        tilize_init(cb_sticks, columns, cb_x);
        tilize_block(cb_sticks, columns, cb_x);
        tilize_uninit(cb_sticks, cb_x);
        cb_push_back(cb_x, columns);
#ifndef BROKEN
        cb_pop_front(cb_sticks, columns);  // Makes room for the next rows.
#endif

        add_init(cb_x, cb_x);
        for (uint32_t column = 0; column < columns; column++) {
            cb_wait_front(cb_x, 1);
            tile_regs_acquire();
            add_tiles(cb_x, cb_x, 0, 0, 0);
            tile_regs_commit();
            cb_pop_front(cb_x, 1);
            cb_reserve_back(cb_y, 1);
            tile_regs_wait();
            pack_tile(0, cb_y);
            tile_regs_release();
            cb_push_back(cb_y, 1);
        }

        cb_wait_front(cb_y, columns);
        cb_reserve_back(cb_out, columns);
        pack_untilize_init<columns, columns>(cb_y, cb_out);
        pack_untilize_block<columns, columns>(cb_y, 1, cb_out);
        pack_untilize_uninit(cb_out);
        cb_push_back(cb_out, columns);
        cb_pop_front(cb_y, columns);
    }
}

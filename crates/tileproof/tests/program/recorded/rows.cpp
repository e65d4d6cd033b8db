// Averages from row to row over tiles, and rows added to those that bytes of another tile name.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/ema.h"
#include "api/compute/reshuffle.h"

template <typename F>
ALWI void each(F&& f) {
    for (uint32_t tile = 0; tile < 6; tile++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, tile, 0);
        copy_tile(0, 1, 1);
        f(tile);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(1, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    ema_init(0x3f59999a, 0x3e19999a);
    ema_clear_previous_output();
    each([](uint32_t) { ema_tile(0); });
    reshuffle_rows_tile_init();
    each([](uint32_t tile) { reshuffle_rows_tile(0, get_tile_address(0, (tile + 3) % 6)); });
    cb_pop_front(0, 6);
}

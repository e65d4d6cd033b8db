#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/cb_api.h"

void kernel_main() {
    constexpr uint32_t cb_tiles = 0, cb_token = 5, cb_out = 16;
    compute_kernel_hw_startup(cb_tiles, cb_out);
    copy_tile_to_dst_init_short(cb_tiles);
    for (uint32_t round = 0; round < 2; ++round) {
        cb_wait_front(cb_token, 1);
        cb_pop_front(cb_token, 1);
        cb_wait_front(cb_tiles, 1);
        tile_regs_acquire();
        copy_tile(cb_tiles, 0, 0);
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_tiles, 1);
    }
}

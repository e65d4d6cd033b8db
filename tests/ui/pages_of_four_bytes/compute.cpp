#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/cb_api.h"

// Copies two tiles, in the order that the reader tells.
void kernel_main() {
    constexpr uint32_t cb_tiles = 0, cb_next = 5, cb_out = 16;
    compute_kernel_hw_startup(cb_tiles, cb_out);
    copy_tile_to_dst_init_short(cb_tiles);
    cb_wait_front(cb_tiles, 2);
    for (uint32_t round = 0; round < 2; ++round) {
        cb_wait_front(cb_next, 1);
        const uint32_t tile = read_tile_value(cb_next, 0, 0);
        cb_pop_front(cb_next, 1);  //~ TP0312 pages of c_5 have 4 bytes, and UNPACK counts in units of 16
        tile_regs_acquire();
        copy_tile(cb_tiles, tile, 0);
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    cb_pop_front(cb_tiles, 2);
}

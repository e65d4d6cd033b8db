// Tile 1 of Dst to tile 0, as it is written since: the source stands first.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_z = 1;
constexpr uint32_t cb_y = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_y);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_z, 1);
    tile_regs_acquire();
    copy_tile_to_dst_init_short(cb_x);
    copy_tile(cb_x, 0, 0);
    copy_tile(cb_z, 0, 1);
    copy_dest_values_init();
    copy_dest_values(1, 0);
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_z, 1);
}

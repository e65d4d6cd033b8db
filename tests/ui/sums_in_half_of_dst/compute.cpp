// Adds the squares of a tile COUNT times onto Dst.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_y = 1;
constexpr uint32_t cb_sum = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_y, cb_sum);
    mul_tiles_init(cb_x, cb_y);
    tile_regs_acquire();
    for (uint32_t i = 0; i < COUNT; i++) {
        cb_wait_front(cb_x, 1);
        cb_wait_front(cb_y, 1);
        mul_tiles(cb_x, cb_y, 0, 0, 0);  //~ TP0811 significant bits
        cb_pop_front(cb_x, 1);
        cb_pop_front(cb_y, 1);
    }
    tile_regs_commit();
    cb_reserve_back(cb_sum, 1);
    tile_regs_wait();
    pack_tile(0, cb_sum);
    tile_regs_release();
    cb_push_back(cb_sum, 1);
}

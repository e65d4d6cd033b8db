// y = x + bias.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_bias = 1;
constexpr uint32_t cb_y = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_bias, cb_y);
    add_tiles_init(cb_x, cb_bias);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_bias, 1);
    tile_regs_acquire();
    add_tiles(cb_x, cb_bias, 0, 0, 0);  //~ TP0801 undefined, for nothing has filled or written it
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_bias, 1);
}

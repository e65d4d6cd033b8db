// Adds a tile 600 times onto Dst, which has 16 bits.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_one = 0;
constexpr uint32_t cb_zero = 1;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_one, cb_zero, cb_out);
    add_tiles_init(cb_one, cb_zero, true);
    cb_wait_front(cb_one, 1);
    cb_wait_front(cb_zero, 1);
    tile_regs_acquire();
    for (uint32_t i = 0; i < 600; i++) {
        add_tiles(cb_one, cb_zero, 0, 0, 0);  //~ TP0804 the sum no longer changes
    }
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_one, 1);
    cb_pop_front(cb_zero, 1);
}

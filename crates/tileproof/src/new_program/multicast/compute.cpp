// UNPACK, MATH and PACK: c_16 = c_0 + c_1.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

void kernel_main() {
    constexpr uint32_t cb_shared = 0;
    constexpr uint32_t cb_x = 1;
    constexpr uint32_t cb_out = 16;
    compute_kernel_hw_startup(cb_shared, cb_x, cb_out);
    add_init(cb_shared, cb_x);
    cb_wait_front(cb_shared, 1);
    cb_wait_front(cb_x, 1);
    tile_regs_acquire();
    add_tiles(cb_shared, cb_x, 0, 0, 0);
    tile_regs_commit();
    cb_pop_front(cb_shared, 1);
    cb_pop_front(cb_x, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/negative.h"

void kernel_main() {
    constexpr uint32_t in = 0, out = 16, block = 4;
    compute_kernel_hw_startup(in, out);
    copy_tile_init(in);
    negative_tile_init();
    cb_wait_front(in, block);
    cb_reserve_back(out, block);
    tile_regs_acquire();
    for (uint32_t t = 0; t < block; t++) {
        copy_tile(in, t, t); //~ TP0403 tile 3 of c_0 is read, and nothing has written that page
        negative_tile(t);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t t = 0; t < block; t++) {
        pack_tile(t, out);
    }
    tile_regs_release();
    cb_push_back(out, block);
    cb_pop_front(in, block);
}

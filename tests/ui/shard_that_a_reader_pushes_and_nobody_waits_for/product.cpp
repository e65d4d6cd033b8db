#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

// y = a * b, tile by tile of this core's shard. A reader says when a is there.
void kernel_main() {
    constexpr uint32_t a = 4, b = 5, y = 20, tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(a, b, y);
    mul_init(a, b);
#ifdef MENDED
    cb_wait_front(a, tiles);
#endif
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        mul_tiles(a, b, t, t, 0); //~ TP0307 UNPACK reads tile 0 of c_4 without a cb_wait_front
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, y, t);
        tile_regs_release();
    }
    cb_push_back(y, tiles);
    cb_pop_front(a, tiles); //~ TP0303 UNPACK pops 2 pages from c_4 without a cb_wait_front
    cb_pop_front(b, tiles);
}

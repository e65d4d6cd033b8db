#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

// y = (a - b), where a + b is meant.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, out = 16, tiles = 2;
    compute_kernel_hw_startup(a, b, out);
#ifdef MENDED
    add_tiles_init(a, b);
#else
    sub_tiles_init(a, b);
#endif
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(a, 1);
        cb_wait_front(b, 1);
        cb_reserve_back(out, 1);
        tile_regs_acquire();
#ifdef MENDED
        add_tiles(a, b, 0, 0, 0);
#else
        sub_tiles(a, b, 0, 0, 0);  //~ TP0809 subtract does not give what is expected, and add would
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(a, 1);
        cb_pop_front(b, 1);
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

// y = a b, two tile rows of it in one Dst window.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, y = 16;
    mm_init(a, b, y);
    cb_wait_front(a, 2);
    cb_wait_front(b, 1);
    cb_reserve_back(y, 2);
    tile_regs_acquire();
    for (uint32_t t = 0; t < 2; t++) {
#ifdef MENDED
        const uint32_t dst = t;
#else
        const uint32_t dst = 0;
#endif
        matmul_tiles(a, b, t, 0, dst);  //~ TP0809 2 results were added up in one tile of Dst
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t t = 0; t < 2; t++) {
#ifdef MENDED
        pack_tile(t, y);
#else
        pack_tile(0, y);
#endif
    }
    tile_regs_release();
    cb_push_back(y, 2);
    cb_pop_front(a, 2);
    cb_pop_front(b, 1);
}

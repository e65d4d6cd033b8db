#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

// y = a b.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, y = 16;
#ifdef MENDED
    constexpr uint32_t tiles = 3;
#else
    constexpr uint32_t tiles = 2;
#endif
    mm_init(a, b, y);
    cb_wait_front(a, 3);
    cb_wait_front(b, 3);
    cb_reserve_back(y, 1);
    tile_regs_acquire();
    for (uint32_t k = 0; k < tiles; k++) {
        matmul_tiles(a, b, k, k, 0);  //~ TP0809 no unit takes 1 of the 3 tiles of a, the first of them tile [0, 2]
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    cb_push_back(y, 1);
    cb_pop_front(a, 3);
    cb_pop_front(b, 3);
}

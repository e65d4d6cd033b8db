#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

// Tiles of in1 are numbered by columns, and lie by rows.
void kernel_main() {
    mm_init(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 4);
    for (uint32_t n = 0; n < 2; n++) {
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        for (uint32_t k = 0; k < 2; k++) {
#ifdef MENDED
            matmul_tiles(0, 1, k, 2 * k + n, 0);
#else
            matmul_tiles(0, 1, k, 2 * n + k, 0);  //~ TP0809 tiles of b are counted as if they lay column by column
#endif
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
    cb_pop_front(0, 2);
    cb_pop_front(1, 4);
}

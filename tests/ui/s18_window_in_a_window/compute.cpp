// Sums the products of two blocks. Each block opens a window of its own inside the one that holds the sum.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_a = 0;
constexpr uint32_t cb_b = 1;
constexpr uint32_t cb_out = 16;
constexpr uint32_t blocks = 2;

void kernel_main() {
    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    mul_init(cb_a, cb_b);
    tile_regs_acquire();
    for (uint32_t block = 0; block < blocks; block++) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
#ifdef MENDED
        mul_tiles(cb_a, cb_b, 0, 0, 0);
#else
        tile_regs_acquire();  //~ TP0706 inside a window that is still open
        mul_tiles(cb_a, cb_b, 0, 0, 0);  //~ TP0715 results of "multiply" are released
        tile_regs_commit();
        tile_regs_wait();
        tile_regs_release();
#endif
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
    }
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);  //~ TP0709 which nothing has written since its section was released
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

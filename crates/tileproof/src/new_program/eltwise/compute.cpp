// UNPACK, MATH and PACK: c_16 = c_0 * c_1. The one text is compiled for each of the three threads.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr uint32_t cb_out = 16;
    compute_kernel_hw_startup(cb_a, cb_b, cb_out);  // Formats of the units, once and first.
    mul_init(cb_a, cb_b);                           // What the units do until the next init.
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        tile_regs_acquire();                // MATH has the Dst registers.
        mul_tiles(cb_a, cb_b, 0, 0, 0);     // First page of each, into Dst tile 0.
        tile_regs_commit();                 // PACK may have them.
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}

// out = a + b of the tiles that lie in this core's L1: the circular buffers are the shards themselves.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr uint32_t cb_out = 2;
    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    add_init(cb_a, cb_b);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        tile_regs_acquire();
        add_tiles(cb_a, cb_b, tile, tile, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_out, tile);
        tile_regs_release();
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"

// y = the sum of n products, which goes through a Float32 buffer on the way.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, part = 24, out = 16, n = 32;
    mm_init(a, b, part);
    for (uint32_t k = 0; k < n; k++) {
        tile_regs_acquire();
        if (k > 0) {
            cb_wait_front(part, 1);
            copy_tile_to_dst_init_short_with_dt(b, part);
            copy_tile(part, 0, 0);  //~ TP0808 c_24 (Float32) goes through SrcA or SrcB
            cb_pop_front(part, 1);
            mm_init_short_with_dt(a, b, part);
        }
        cb_wait_front(a, 1);
        cb_wait_front(b, 1);
        matmul_tiles(a, b, 0, 0, 0);
        cb_pop_front(a, 1);
        cb_pop_front(b, 1);
        tile_regs_commit();
        const uint32_t to = k + 1 < n ? part : out;
        cb_reserve_back(to, 1);
        tile_regs_wait();
        pack_tile(0, to);
        tile_regs_release();
        cb_push_back(to, 1);
    }
}

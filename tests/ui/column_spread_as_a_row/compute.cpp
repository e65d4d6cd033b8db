#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// One column is spread over rows: all but its first datum is padding.
void kernel_main() {
#ifdef MENDED
    constexpr auto spread = BroadcastType::COL;
#else
    constexpr auto spread = BroadcastType::ROW;
#endif
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        unary_bcast_init<spread>(1);
        unary_bcast<spread>(1, 0, 1);  //~ TP0802 output y depends on the padding of v
        copy_tile_init(0);
        copy_tile(0, 0, 0);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    cb_pop_front(1, 1);
}

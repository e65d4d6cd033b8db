#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/bcast.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"

// y = x + column 0 of c, tile by tile, on the vector unit.
void kernel_main() {
    constexpr uint32_t x = 0, c = 1, out = 16, tiles = 2;
    compute_kernel_hw_startup(x, c, out);
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(x, 1);
        cb_wait_front(c, 1);
#ifdef BETWEEN
        binary_op_init_common(x, c, out);
#endif
        tile_regs_acquire();
        copy_tile_init(x);
        copy_tile(x, 0, 0);
#ifdef MENDED
        unary_bcast_init<BroadcastType::COL>(c);
#else
        unary_bcast_init<BroadcastType::COL>(c, out);  //~ TP0719 a start-up inside a Dst window
#endif
        unary_bcast<BroadcastType::COL>(c, 0, 1);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);  //~ TP0709 reads Dst tile 0
        tile_regs_commit();
        cb_pop_front(x, 1);
        cb_pop_front(c, 1);
        cb_reserve_back(out, 1);
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/bcast.h"
#include "api/compute/pack.h"

// Row 0 of x over all rows.
void kernel_main() {
    constexpr uint32_t x = 0, out = 16;
    compute_kernel_hw_startup(x, out);
    cb_wait_front(x, 1);
    cb_reserve_back(out, 1);
    unary_bcast_init<BroadcastType::ROW>(x);
    tile_regs_acquire();
    unary_bcast<BroadcastType::ROW>(x, 0, 0);  //~ TP0721 into a Dst of 32 bits
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    cb_push_back(out, 1);
    cb_pop_front(x, 1);
}

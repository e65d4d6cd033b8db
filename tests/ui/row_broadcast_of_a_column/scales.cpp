#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/bcast.h"
#include "api/compute/pack.h"

// y = x scaled by a column of factors.
void kernel_main() {
    constexpr uint32_t x = 0, factors = 1, out = 16;
    compute_kernel_hw_startup(x, factors, out);
    cb_wait_front(x, 1);
    cb_wait_front(factors, 1);
    cb_reserve_back(out, 1);
    tile_regs_acquire();
#ifdef MENDED
    mul_bcast_cols_init_short(x, factors);
    mul_tiles_bcast_cols(x, factors, 0, 0, 0);
#else
    mul_bcast_rows_init_short(x, factors);
    mul_tiles_bcast_rows(x, factors, 0, 0, 0);  //~ TP0802 output y depends on the padding of factors
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    cb_push_back(out, 1);
    cb_pop_front(x, 1);
    cb_pop_front(factors, 1);
}

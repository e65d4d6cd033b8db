#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// The exponential of what the greatest of its row was not taken away from, though that is read.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    cb_wait_front(1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
#ifdef MENDED
        sub_bcast_cols_init_short(0, 1);
        sub_tiles_bcast_cols(0, 1, 0, 0, 0);
#else
        copy_tile_init(0);
        copy_tile(0, 0, 0);
#endif
#ifdef MENDED
        exp_tile_init();
        exp_tile(0);
#else
        exp_tile_init();
        exp_tile(0);  //~ TP0809 no unit takes anything of m, which is read
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    cb_pop_front(1, 1);  //~ TP0310 the pages of c_1 are popped, and nothing has read any of them
}

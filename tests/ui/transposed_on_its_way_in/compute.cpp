#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose_wh.h"

// A tile is transposed on its way in, which is not meant.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    for (uint32_t i = 0; i < 1; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
#ifdef MENDED
        copy_tile_init(0);
        copy_tile(0, 0, 0);
#else
        transpose_wh_init_short(0);
        transpose_wh_tile(0, 0, 0);  //~ TP0809 transposed: rows are columns; unpacking c_0 transposed moves them
#endif
        exp_tile_init();
        exp_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// The exponential of a difference, where that of its square is meant.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    sub_tiles_init(0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
#ifdef MENDED
        sub_tiles(0, 1, 0, 0, 0);
        square_tile_init();
        square_tile(0);
#else
        sub_tiles(0, 1, 0, 0, 0);  //~ TP0809 square_tile of what subtract gives, and all that comes after it of that, is what is expected
#endif
        negative_tile_init();
        negative_tile(0);
        exp_tile_init();
        exp_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/log1p.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A logarithm of what is to be an exponential, and is the input.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
#ifdef MENDED
        exp_tile_init();
        exp_tile(0);
#endif
        log1p_tile_init();
        log1p_tile(0);  //~ TP0809 log1p_tile with exp_tile of its operand, and all that comes after it of that, is what is expected
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}

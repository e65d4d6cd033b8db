#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// Whole numbers that are all one too low: nothing has rounded them.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        abs_tile_init();
        abs_tile(0);  //~ TP0809 every element is off by the same constant, -1
#ifdef MENDED
        binop_with_scalar_tile_init();
        add_unary_tile(0, 0x3f800000);
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A factor is handed over in the bits of bfloat16, where those of a float32 are taken.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    binop_with_scalar_tile_init();
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
#ifdef MENDED
        mul_unary_tile(0, 0x3e800000);
#else
        mul_unary_tile(0, 0x3e80);  //~ TP0806 values vanish
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

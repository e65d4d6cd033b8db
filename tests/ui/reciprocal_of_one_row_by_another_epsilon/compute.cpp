#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// The reciprocal of the first rows of a tile alone, which are all that counts; the epsilon is another than is meant.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        binop_with_scalar_tile_init();
#ifdef MENDED
        add_unary_tile(0, 0x3e000000);
#else
        add_unary_tile(0, 0x3f000000);  //~ TP0809 the number that add_unary_tile is given is 0.5, and 0.125 in its place
#endif
        recip_tile_init();
        recip_tile(0, VectorMode::R);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
}

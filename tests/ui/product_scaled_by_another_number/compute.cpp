#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A product of an operand that another number scales than is meant: the order of both is not why.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        copy_tile(1, 0, 1);
        binop_with_scalar_tile_init();
#ifdef MENDED
        mul_unary_tile(0, 0x40400000);
#else
        mul_unary_tile(0, 0x40000000);  //~ TP0809 the number of this product is 2, and 3 would give what is expected
#endif
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}

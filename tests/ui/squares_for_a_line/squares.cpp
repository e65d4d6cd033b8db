#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/pack.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/sqrt.h"

// y = the squares of x, where 5 + (x - 1) / 4 is meant.
void kernel_main() {
    constexpr uint32_t x = 0, out = 16;
    compute_kernel_hw_startup(x, out);
    copy_tile_init(x);
    square_tile_init();
    cb_wait_front(x, 1);
    cb_reserve_back(out, 1);
    tile_regs_acquire();
    copy_tile(x, 0, 0);
    square_tile(0);
#ifdef MENDED
    // x is a line from 1 to 2, and so is the square root of its square.
    sqrt_tile_init();
    sqrt_tile(0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3e800000);
    add_unary_tile(0, 0x40980000);
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    cb_push_back(out, 1);
    cb_pop_front(x, 1);
}

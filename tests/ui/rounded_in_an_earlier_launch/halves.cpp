#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// y = half of x.
void kernel_main() {
    constexpr uint32_t x = 0, y = 16;
    compute_kernel_hw_startup(x, y);
    cb_wait_front(x, 1);
    cb_reserve_back(y, 1);
    tile_regs_acquire();
    copy_tile_init(x);
    copy_tile(x, 0, 0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3f000000);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
}

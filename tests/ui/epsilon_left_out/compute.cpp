#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// y = 1 / sqrt(x + 0.01).
void kernel_main() {
    constexpr uint32_t x = 0, y = 16;
    compute_kernel_hw_startup(x, y);
    cb_wait_front(x, 1);
    cb_reserve_back(y, 1);
    tile_regs_acquire();
    copy_tile_init(x);
    copy_tile(x, 0, 0);
#ifdef MENDED
    binop_with_scalar_tile_init();
    add_unary_tile(0, 0x3c23d70a);
#endif
    rsqrt_tile_init();
    rsqrt_tile(0);  //~ TP0809 rsqrt_tile of its operand plus 0.0
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
}

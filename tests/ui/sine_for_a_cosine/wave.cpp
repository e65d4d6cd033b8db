// y = cos(x).
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/trigonometry.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_y = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_y);
    copy_tile_init(cb_x);
    cb_wait_front(cb_x, 1);
    tile_regs_acquire();
    copy_tile(cb_x, 0, 0);
#ifdef MENDED
    cos_tile_init();
    cos_tile(0);
#else
    sin_tile_init();
    sin_tile(0);  //~ TP0809 sin_tile does not give what is expected, and cos_tile would, of every element
#endif
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_x, 1);
}

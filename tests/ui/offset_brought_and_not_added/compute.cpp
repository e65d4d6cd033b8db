#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// y = x - m.
void kernel_main() {
    constexpr uint32_t x = 0, m = 1, y = 16;
    compute_kernel_hw_startup(x, y);
    cb_wait_front(x, 1);
    cb_wait_front(m, 1);
    cb_reserve_back(y, 1);
    tile_regs_acquire();
    copy_tile_init(x);
    copy_tile(x, 0, 0);  //~ TP0809 what is expected is sub_binary_tile of it and m
    copy_tile(m, 0, 1);
#ifdef MENDED
    sub_binary_tile_init();
    sub_binary_tile(0, 1, 0);
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
    cb_pop_front(m, 1);
}

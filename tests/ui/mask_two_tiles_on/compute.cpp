#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A mask lies two tiles behind the data, and is taken from the one behind them.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
#ifdef MENDED
    constexpr uint32_t mask = 1;
#else
    constexpr uint32_t mask = 2;
#endif
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        copy_tile(0, 0, 1);
        copy_tile(1, 0, mask);
        mask_tile_init();
        mask_tile(0, mask);  //~ TP0722 mask_tile names Dst tile 2 for the mask, and takes it from tile 1
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}

#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A difference for a sum, and beside it an input that is popped and not read: that is not why.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
#ifdef MENDED
        add_tiles_init(0, 1);
        add_tiles(0, 1, 0, 0, 0);
#else
        sub_tiles_init(0, 1);
        sub_tiles(0, 1, 0, 0, 0);  //~ TP0809 subtract does not give what is expected, and add would
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
#ifndef MENDED
    cb_wait_front(2, 1);
    cb_pop_front(2, 1);  //~ TP0310 the pages of c_2 are popped, and nothing has read any of them
#else
    copy_tile_init(2);
    cb_wait_front(2, 1);
    tile_regs_acquire();
    copy_tile(2, 0, 0);
    tile_regs_commit();
    cb_pop_front(2, 1);
    tile_regs_wait();
    tile_regs_release();
#endif
}

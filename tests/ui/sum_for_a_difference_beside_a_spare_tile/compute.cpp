#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// A sum for a difference, and in Dst a tile that nothing takes and nothing needs.
void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_tile_init(0);
    for (uint32_t i = 0; i < 2; i++) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_wait_front(2, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        copy_tile(1, 0, 1);
        copy_tile(2, 0, 2);
#ifdef MENDED
        sub_binary_tile_init();
        sub_binary_tile(0, 1, 0);
#else
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);  //~ TP0809 add_binary_tile does not give what is expected, and sub_binary_tile would
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
        cb_pop_front(2, 1);
    }
}

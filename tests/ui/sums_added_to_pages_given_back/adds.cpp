#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"

// y = a + b: a is copied and b is added to it by the packer.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, out = 16, tiles = 2;
    compute_kernel_hw_startup(a, out);
    copy_tile_init(a);
    cb_wait_front(a, tiles);
    cb_wait_front(b, tiles);
    cb_reserve_back(out, tiles);
#ifdef MENDED
    add_tiles_init(a, b);
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        add_tiles(a, b, t, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, out, t);
        tile_regs_release();
    }
    cb_pop_front(a, tiles);
#else
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        copy_tile(a, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, out, t);
        tile_regs_release();
    }
    cb_pop_front(a, tiles);
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        copy_tile(b, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_l1_acc(1);
        pack_tile<true>(0, a, t); //~ TP0308 PACK packs to tile 0 of c_0
        pack_reconfig_l1_acc(0);
        tile_regs_release();
    }
#endif
    cb_pop_front(b, tiles);
    cb_push_back(out, tiles);
}

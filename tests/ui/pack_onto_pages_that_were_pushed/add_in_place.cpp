#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"

// y = a + b: b is to be added to the pages of a where they lie, after they were pushed. Without accumulation it is packed over
// pages that nobody has reserved again.
void kernel_main() {
    constexpr uint32_t a = 0, b = 1, sum = 24, out = 16, tiles = 2;
    compute_kernel_hw_startup(a, sum);
    copy_tile_init(a);
    cb_wait_front(a, tiles);
    cb_reserve_back(sum, tiles);
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        copy_tile(a, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, sum); //~ TP0715 pages packed here to c_24 are packed over before anything reads them
        tile_regs_release();
    }
    cb_push_back(sum, tiles);
    cb_pop_front(a, tiles);

    cb_wait_front(sum, tiles);
    cb_wait_front(b, tiles);
#ifdef MENDED
    pack_reconfig_l1_acc(1);
#endif
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        copy_tile(b, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, sum); //~ TP0308 PACK packs to tile 0 of c_24
        tile_regs_release();
    }
    pack_reconfig_l1_acc(0);
    cb_pop_front(sum, tiles);
    cb_reserve_back(sum, tiles);
    cb_push_back(sum, tiles);
    cb_pop_front(b, tiles);

    cb_wait_front(sum, tiles);
    cb_reserve_back(out, tiles);
    for (uint32_t t = 0; t < tiles; t++) {
        tile_regs_acquire();
        copy_tile(sum, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
    }
    cb_push_back(out, tiles);
    cb_pop_front(sum, tiles);
}

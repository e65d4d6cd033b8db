#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/pack.h"

// y = tanh(x), by table or not.
#ifdef MENDED
constexpr bool by_table = false;
#else
constexpr bool by_table = true;
#endif
void kernel_main() {
    constexpr uint32_t x = 0, out = 16, tiles = 2;
    compute_kernel_hw_startup(x, out);
    copy_tile_init(x);
    tanh_tile_init<by_table>();
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(x, 1);
        cb_reserve_back(out, 1);
        tile_regs_acquire();
        copy_tile(x, 0, 0);
        tanh_tile(0);  //~ TP0701 and it was called for another form of it
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(x, 1);
    }
}

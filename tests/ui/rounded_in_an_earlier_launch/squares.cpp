#include <cstdint>
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// y = the square of x.
void kernel_main() {
    constexpr uint32_t x = 0, y = 16;
    compute_kernel_hw_startup(x, y);
    cb_wait_front(x, 1);
    cb_reserve_back(y, 1);
    tile_regs_acquire();
    copy_tile_init(x);
    copy_tile(x, 0, 0);
    square_tile_init();
    square_tile(0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);  //~ TP0808 packing to c_16 rounds to Float16_b
    tile_regs_release();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
}

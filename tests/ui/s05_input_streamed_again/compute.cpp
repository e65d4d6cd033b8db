// Three passes over tiles that stay where they are; each pass does no more here than to copy them.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_out);
    copy_init(cb_in);
    cb_wait_front(cb_in, tiles);
    for (uint32_t pass = 0; pass < 3; pass++) {
        for (uint32_t tile = 0; tile < tiles; tile++) {
            tile_regs_acquire();
            copy_tile(cb_in, tile, 0);
            tile_regs_commit();
            cb_reserve_back(cb_out, 1);
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
            cb_push_back(cb_out, 1);
        }
    }
    cb_pop_front(cb_in, tiles);
}

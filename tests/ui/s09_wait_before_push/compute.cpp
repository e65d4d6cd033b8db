// A sum goes to two buffers; the second is read again by this same kernel. The wait for it was moved ahead of the work.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_again = 9;
constexpr uint32_t cb_out = 16;

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_again, cb_out);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(cb_again, 1);
#ifndef MENDED
        cb_wait_front(cb_again, 1);  //~ TP0601 UNPACK waits in cb_wait_front for 1 page in c_9
#endif
        cb_wait_front(cb_in, 1);
        copy_init(cb_in);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_again);
        tile_regs_release();
        cb_push_back(cb_again, 1);
#ifdef MENDED
        cb_wait_front(cb_again, 1);
#endif
        add_init(cb_in, cb_again);
        tile_regs_acquire();
        add_tiles(cb_in, cb_again, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(cb_again, 1);
        cb_pop_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}

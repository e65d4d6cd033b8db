// A row of 7 tiles in chunks of 3, as a wide softmax takes it: the last chunk goes through the mask of the padding.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_mask = 1;
constexpr uint32_t cb_out = 16;
constexpr uint32_t chunk = 3;

void pack_one() {
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

void plain(uint32_t tiles) {
    copy_init(cb_in);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_in, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        pack_one();
        cb_pop_front(cb_in, 1);
    }
}

void masked(uint32_t tiles) {
    mul_init(cb_in, cb_mask);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_in, 1);  //~ TP0601 for 1 page in c_0; none is there, and NCRISC has ended after pushing 7 pages
        tile_regs_acquire();
        mul_tiles(cb_in, cb_mask, 0, 0, 0);
        pack_one();
        cb_pop_front(cb_in, 1);
    }
}

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_mask, cb_out);
    cb_wait_front(cb_mask, 1);
    uint32_t done = 0;
    for (; done + chunk < tiles; done += chunk) {
        plain(chunk);
    }
#ifdef MENDED
    masked(tiles - done);
#else
    masked(chunk);
#endif
    cb_pop_front(cb_mask, 1);
}

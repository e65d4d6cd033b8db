// Merges sorted tiles pass by pass, as a bitonic merge does; here a pass only sends its tiles round once more. The number of
// passes is that of a width that is a power of two.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_work = 24;
constexpr uint32_t cb_out = 16;

void move(uint32_t from, uint32_t to, uint32_t tiles) {
    copy_init(from);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(from, 1);
        tile_regs_acquire();
        copy_tile(from, 0, 0);
        tile_regs_commit();
        cb_pop_front(from, 1);
        cb_reserve_back(to, 1);
        tile_regs_wait();
        pack_tile(0, to);
        tile_regs_release();
        cb_push_back(to, 1);
    }
}

constexpr uint32_t log2(uint32_t n) { return n < 2 ? 0 : 1 + log2(n / 2); }

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(cb_in, cb_out);
#ifdef MENDED
    constexpr uint32_t merged = tiles;
#else
    constexpr uint32_t merged = 1 << log2(tiles);
#endif
    move(cb_in, cb_work, merged);
    for (uint32_t pass = 0; pass < log2(tiles); pass++) {
        move(cb_work, cb_work, merged);
    }
    cb_wait_front(cb_work, tiles);  //~ TP0601 UNPACK waits in cb_wait_front for 3 pages in c_24; 2 are there
    move(cb_work, cb_out, tiles);
}

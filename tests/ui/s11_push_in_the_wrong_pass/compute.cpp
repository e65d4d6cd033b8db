// Two passes, each with a result that the kernel takes again. The push of the first pass slipped into the second:
// the totals are right.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_result = 24;
constexpr uint32_t cb_out = 16;

void copy(uint32_t from, uint32_t to) {
    copy_init(from);
    tile_regs_acquire();
    copy_tile(from, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
}

void kernel_main() {
    compute_kernel_hw_startup(cb_in, cb_out);

    cb_wait_front(cb_in, 1);
    cb_reserve_back(cb_result, 1);
    copy(cb_in, cb_result);
    cb_pop_front(cb_in, 1);
#ifdef MENDED
    cb_push_back(cb_result, 1);
#endif
    cb_wait_front(cb_result, 1);  //~ TP0601 UNPACK waits in cb_wait_front for 1 page in c_24
    cb_reserve_back(cb_out, 1);
    copy(cb_result, cb_out);
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_result, 1);

    cb_wait_front(cb_in, 1);
    cb_reserve_back(cb_result, 1);
    copy(cb_in, cb_result);
    cb_pop_front(cb_in, 1);
    cb_push_back(cb_result, 1);
#ifndef MENDED
    cb_push_back(cb_result, 1);
#endif
    cb_wait_front(cb_result, 1);
    cb_reserve_back(cb_out, 1);
    copy(cb_result, cb_out);
    cb_push_back(cb_out, 1);
    cb_pop_front(cb_result, 1);
}

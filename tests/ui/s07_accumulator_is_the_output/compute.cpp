// Adds blocks of tiles in two calls; the sums of the first are taken again from the buffer that the second writes to.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_out = 16;
constexpr uint32_t cb_sums = 24;
constexpr uint32_t block = 3;

void pack_sum() {
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_sums);
    tile_regs_release();
}

void first_call() {
    copy_init(cb_in);
    cb_reserve_back(cb_sums, block);
    for (uint32_t tile = 0; tile < block; tile++) {
        cb_wait_front(cb_in, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        pack_sum();
        cb_pop_front(cb_in, 1);
    }
    cb_push_back(cb_sums, block);
}

void second_call() {
    add_init(cb_in, cb_sums);
#ifndef MENDED
    cb_reserve_back(cb_sums, block);  //~ TP0601 PACK waits for UNPACK waits for MATH waits for PACK; PACK waits in cb_reserve_back for 3 free pages of c_24
#endif
    for (uint32_t tile = 0; tile < block; tile++) {
        cb_wait_front(cb_in, 1);
        cb_wait_front(cb_sums, 1);
        tile_regs_acquire();
        add_tiles(cb_in, cb_sums, 0, 0, 0);
        cb_pop_front(cb_in, 1);
        cb_pop_front(cb_sums, 1);
#ifdef MENDED
        cb_reserve_back(cb_sums, 1);
        pack_sum();
        cb_push_back(cb_sums, 1);
#else
        pack_sum();
#endif
    }
#ifndef MENDED
    cb_push_back(cb_sums, block);
#endif
}

void kernel_main() {
    compute_kernel_hw_startup(cb_in, cb_sums, cb_out);
    first_call();
    second_call();
    copy_init(cb_sums);
    for (uint32_t tile = 0; tile < block; tile++) {
        cb_wait_front(cb_sums, 1);
        tile_regs_acquire();
        copy_tile(cb_sums, 0, 0);
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
        cb_pop_front(cb_sums, 1);
    }
}

// Sums of columns over two calls, four columns of tiles in Dst at once. The second call takes back one of the four sums.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_scaler = 2;
constexpr uint32_t cb_out = 16;
constexpr uint32_t cb_sums = 24;
constexpr uint32_t chunk = 4;

void call(bool first, uint32_t cb_to) {
    tile_regs_acquire();
    if (!first) {
#ifdef MENDED
        constexpr uint32_t back = chunk;
#else
        constexpr uint32_t back = 1;
#endif
        cb_wait_front(cb_sums, back);
        copy_init(cb_sums);
        for (uint32_t tile = 0; tile < back; tile++) {
            copy_tile(cb_sums, tile, tile);
        }
        cb_pop_front(cb_sums, back);  //~ TP0311 3 pages of the 4 that one push put into c_24 are never read
    }
    cb_wait_front(cb_in, chunk);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_in, cb_scaler, cb_to);
    for (uint32_t tile = 0; tile < chunk; tile++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_in, cb_scaler, tile, 0, tile);
    }
    cb_pop_front(cb_in, chunk);
    tile_regs_commit();
    cb_reserve_back(cb_to, chunk);
    tile_regs_wait();
    for (uint32_t tile = 0; tile < chunk; tile++) {
        pack_tile(tile, cb_to);
    }
    tile_regs_release();
    cb_push_back(cb_to, chunk);  //~ note TP0309 3 pages are left in c_24
    reduce_uninit();
}

void kernel_main() {
    compute_kernel_hw_startup(cb_in, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    call(true, cb_sums);
    call(false, cb_out);
    cb_pop_front(cb_scaler, 1);
}

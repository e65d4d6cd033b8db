// Rows of row-major blocks pooled down their columns, as pooling kernels take them: the unpacker tilizes a block on its way.
#include <cstdint>
#define REDUCE_OP PoolType::OP
#define REDUCE_DIM ReduceDim::REDUCE_COL
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

constexpr uint32_t cb_x = 0, cb_scaler = 1, cb_out = 16;
constexpr bool is_max = PoolType::OP == PoolType::MAX;

// Blocks of so many tiles, one after another into the same tiles of Dst.
void pooled(uint32_t width, uint32_t blocks, uint32_t scaler) {
    tile_regs_acquire();
    for (uint32_t block = 0; block < blocks; block++) {
        cb_wait_front(cb_x, width);
        unpack_tilizeA_B_block<is_max, true, false, !is_max>(cb_x, cb_scaler, width, scaler);
        for (uint32_t tile = 0; tile < width; tile++) {
            reduce_tile_math<REDUCE_OP, REDUCE_DIM>(tile);
        }
        cb_pop_front(cb_x, width);
    }
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < width; tile++) {
        cb_reserve_back(cb_out, 1);
        pack_tile(tile, cb_out);
        cb_push_back(cb_out, 1);
    }
    tile_regs_release();
}

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 2);
    tilizeA_B_reduce_init<is_max, !is_max>(cb_x, cb_scaler, 3);
    pooled(3, 2, 0);
    pooled(3, 1, 1);
    unpack_tilizeA_B_uninit(cb_x);
    tilizeA_B_reduce_init<is_max, !is_max>(cb_x, cb_scaler, 1);
    pooled(1, 1, 1);
    pooled(1, 2, 0);
    unpack_tilizeA_B_uninit(cb_x);
    cb_pop_front(cb_scaler, 2);
}

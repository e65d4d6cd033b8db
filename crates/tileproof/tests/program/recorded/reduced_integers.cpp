// Integers reduced by the vector unit: along rows of a tile, of two rows of two tiles and of one of three, and down columns of a tile.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

template <PoolType pool, DataFormat format, ReduceDim dim>
ALWI void reduced(uint32_t columns, uint32_t rows) {
    const uint32_t tiles = columns * rows;
    tile_regs_acquire();
    copy_tile_to_dst_init_short(0);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        copy_tile(0, tile, tile);
    }
    sfpu_reduce_init<pool, format>();
    sfpu_reduce<pool, format, dim>(0, columns, rows);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(16, 1);
        pack_tile(tile, 16);
        cb_push_back(16, 1);
    }
    tile_regs_release();
}
template <PoolType pool, DataFormat format>
ALWI void reduced_rows() {
    reduced<pool, format, ReduceDim::REDUCE_ROW>(1, 1);
    reduced<pool, format, ReduceDim::REDUCE_ROW>(2, 2);
    reduced<pool, format, ReduceDim::REDUCE_ROW>(3, 1);
}
template <DataFormat format>
ALWI void each_pool() {
    reduced_rows<PoolType::SUM, format>();
#ifndef SUMS_OF_ROWS
    reduced_rows<PoolType::MAX, format>();
    reduced_rows<PoolType::MIN, format>();
#endif
    reduced<PoolType::SUM, format, ReduceDim::REDUCE_COL>(1, 1);
    reduced<PoolType::AVG, format, ReduceDim::REDUCE_COL>(1, 1);
    reduced<PoolType::MAX, format, ReduceDim::REDUCE_COL>(1, 1);
    reduced<PoolType::MIN, format, ReduceDim::REDUCE_COL>(1, 1);
}
void kernel_main() {
    unary_op_init_common(0, 16);
    cb_wait_front(0, 4);
    each_pool<DataFormat::FORMAT>();
    cb_pop_front(0, 4);
}

// Rows of several tiles reduced by the vector unit: two rows of two tiles, and one of three.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"

template <PoolType pool, DataFormat format>
ALWI void reduced(uint32_t first, uint32_t columns, uint32_t rows) {
    const uint32_t tiles = columns * rows;
    tile_regs_acquire();
    copy_tile_to_dst_init_short(0);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        copy_tile(0, first + tile, tile);
    }
    sfpu_reduce_init<pool, format>();
    sfpu_reduce<pool, format, ReduceDim::REDUCE_ROW>(0, columns, rows);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_reserve_back(16, 1);
        pack_tile(tile, 16);
        cb_push_back(16, 1);
    }
    tile_regs_release();
}
void kernel_main() {
    constexpr DataFormat format = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;
    unary_op_init_common(0, 16);
    cb_wait_front(0, 6);
    reduced<PoolType::SUM, format>(0, 2, 2);
    reduced<PoolType::MAX, format>(1, 2, 2);
    reduced<PoolType::MIN, format>(2, 2, 2);
    reduced<PoolType::SUM, format>(3, 3, 1);
    reduced<PoolType::MAX, format>(0, 1, 3);
    cb_pop_front(0, 6);
}

// One kind of work a build, tile by tile: a function of the vector unit, a product of matrices, sums, tiles of rows and rows of tiles.
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/untilize.h"

constexpr uint32_t cb_a = 0;
constexpr uint32_t cb_b = 1;
constexpr uint32_t cb_out = 16;

inline void pack_out() {
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}

void kernel_main() {
    // Of a block: how many there are, tiles of each, and tiles of the output that each makes.
    constexpr uint32_t blocks = get_compile_time_arg_val(0);
    constexpr uint32_t tiles = get_compile_time_arg_val(1);
#if defined(FUNCTION)
    compute_kernel_hw_startup(cb_a, cb_a, cb_out);
    copy_tile_to_dst_init_short(cb_a);
    FUNCTION_INIT();
    for (uint32_t tile = 0; tile < blocks; tile++) {
        cb_wait_front(cb_a, 1);
        tile_regs_acquire();
        copy_tile(cb_a, 0, 0);
        FUNCTION(0);
        cb_pop_front(cb_a, 1);
        pack_out();
    }
#elif defined(PRODUCT)
    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    mm_init(cb_a, cb_b, cb_out);
    for (uint32_t block = 0; block < blocks; block++) {
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < tiles; tile++) {
            cb_wait_front(cb_a, 1);
            cb_wait_front(cb_b, 1);
            matmul_tiles(cb_a, cb_b, 0, 0, 0);
            cb_pop_front(cb_a, 1);
            cb_pop_front(cb_b, 1);
        }
        pack_out();
    }
#elif defined(ALONG)
    compute_kernel_hw_startup(cb_a, cb_b, cb_out);
    reduce_init<PoolType::SUM, ALONG>(cb_a, cb_b, cb_out);
    cb_wait_front(cb_b, 1);
    for (uint32_t block = 0; block < blocks; block++) {
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < tiles; tile++) {
            cb_wait_front(cb_a, 1);
            reduce_tile<PoolType::SUM, ALONG>(cb_a, cb_b, 0, 0, 0);
            cb_pop_front(cb_a, 1);
        }
        pack_out();
    }
    reduce_uninit();
    cb_pop_front(cb_b, 1);
#else
    compute_kernel_hw_startup(cb_a, cb_out);
#if defined(TO_TILES)
    tilize_init(cb_a, tiles, cb_out);
#else
    untilize_init(cb_a);
#endif
    for (uint32_t block = 0; block < blocks; block++) {
        cb_wait_front(cb_a, tiles);
        cb_reserve_back(cb_out, tiles);
#if defined(TO_TILES)
        tilize_block(cb_a, tiles, cb_out);
#else
        untilize_block(cb_a, tiles, cb_out);
#endif
        cb_push_back(cb_out, tiles);
        cb_pop_front(cb_a, tiles);
    }
#if defined(TO_TILES)
    tilize_uninit(cb_a, cb_out);
#else
    untilize_uninit(cb_a);
#endif
#endif
}

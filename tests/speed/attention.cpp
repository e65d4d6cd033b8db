// softmax(q k^T) v of each head, a row of tiles of q at a time. The keys and values of a head stay in L1.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

constexpr uint32_t heads = get_compile_time_arg_val(0);
constexpr uint32_t rows = get_compile_time_arg_val(1);
constexpr uint32_t depth = get_compile_time_arg_val(2);
constexpr uint32_t cb_q = 0;
constexpr uint32_t cb_one = 1;
constexpr uint32_t cb_k = 2;
constexpr uint32_t cb_v = 3;
constexpr uint32_t cb_out = 16;
constexpr uint32_t cb_scores = 24;
constexpr uint32_t cb_max = 25;
constexpr uint32_t cb_exps = 26;
constexpr uint32_t cb_factor = 27;
constexpr uint32_t cb_weights = 28;

// Dst tile 0 to the next page of a buffer.
inline void pack_one(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

// A row of tiles of weights from one of scores.
inline void softmax() {
    cb_wait_front(cb_scores, rows);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_scores, cb_one, cb_max);
    tile_regs_acquire();
    for (uint32_t key = 0; key < rows; key++) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_scores, cb_one, key, 0, 0);
    }
    pack_one(cb_max);
    reduce_uninit();

    cb_wait_front(cb_max, 1);
    sub_bcast_cols_init(cb_scores, cb_max);
    exp_tile_init();
    for (uint32_t key = 0; key < rows; key++) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(cb_scores, cb_max, key, 0, 0);
        exp_tile(0);
        pack_one(cb_exps);
    }
    cb_pop_front(cb_max, 1);
    cb_pop_front(cb_scores, rows);

    cb_wait_front(cb_exps, rows);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_one, cb_factor);
    recip_tile_init();
    tile_regs_acquire();
    for (uint32_t key = 0; key < rows; key++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_one, key, 0, 0);
    }
    recip_tile(0, VectorMode::C);
    pack_one(cb_factor);
    reduce_uninit();

    cb_wait_front(cb_factor, 1);
    mul_bcast_cols_init(cb_exps, cb_factor);
    for (uint32_t key = 0; key < rows; key++) {
        tile_regs_acquire();
        mul_tiles_bcast_cols(cb_exps, cb_factor, key, 0, 0);
        pack_one(cb_weights);
    }
    cb_pop_front(cb_factor, 1);
    cb_pop_front(cb_exps, rows);
}

void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_q, cb_k, cb_scores);
    cb_wait_front(cb_one, 1);
    for (uint32_t head = 0; head < heads; head++) {
        cb_wait_front(cb_k, rows * depth);
        cb_wait_front(cb_v, rows * depth);
        for (uint32_t row = 0; row < rows; row++) {
            cb_wait_front(cb_q, depth);
            matmul_init(cb_q, cb_k, 1);
            for (uint32_t key = 0; key < rows; key++) {
                tile_regs_acquire();
                for (uint32_t inner = 0; inner < depth; inner++) {
                    matmul_tiles(cb_q, cb_k, inner, key * depth + inner, 0);
                }
                pack_one(cb_scores);
            }
            cb_pop_front(cb_q, depth);
            softmax();
            cb_wait_front(cb_weights, rows);
            matmul_init(cb_weights, cb_v);
            for (uint32_t column = 0; column < depth; column++) {
                tile_regs_acquire();
                for (uint32_t key = 0; key < rows; key++) {
                    matmul_tiles(cb_weights, cb_v, key, key * depth + column, 0);
                }
                pack_one(cb_out);
            }
            cb_pop_front(cb_weights, rows);
        }
        cb_pop_front(cb_k, rows * depth);
        cb_pop_front(cb_v, rows * depth);
    }
    cb_pop_front(cb_one, 1);
}

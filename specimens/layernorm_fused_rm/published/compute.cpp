// The public fused LayerNorm in words of our own, with its operations in its order and the headers of ttnn 0.66: everything
// through bf16 buffers, statistics by the matrix unit, x - mean computed twice.
#include <cstdint>
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/compute_kernel_hw_startup.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/rsqrt.h"
#include "compute_kernel_api/pack_untilize.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/tilize.h"

namespace NAMESPACE {

constexpr uint32_t columns = get_compile_time_arg_val(0);
constexpr uint32_t cb_sticks = 0, cb_x = 1, cb_scaler = 2, cb_eps = 3, cb_gamma = 6, cb_beta = 7, cb_out = 16;
constexpr uint32_t cb_centred = 24, cb_mean = 25, cb_var = 26, cb_shifted = 27;

inline void pack_one(uint32_t cb) {
    tile_regs_commit();
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

inline void tilize_row() {
    cb_wait_front(cb_sticks, 32);
    cb_reserve_back(cb_x, columns);
    tilize_init(cb_sticks, columns, cb_x);
    tilize_block(cb_sticks, columns, cb_x);
    tilize_uninit(cb_sticks, cb_x);
    cb_push_back(cb_x, columns);
    cb_pop_front(cb_sticks, 32);
}

// The mean of a tile row, in column 0.
inline void mean(uint32_t cb, uint32_t cb_to) {
    cb_wait_front(cb, columns);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb, cb_scaler, cb_to);
    tile_regs_acquire();
    for (uint32_t column = 0; column < columns; column++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb, cb_scaler, column, 0, 0);
    }
    pack_one(cb_to);
    reduce_uninit();
}

inline void subtract_mean() {
    mean(cb_x, cb_mean);
    cb_wait_front(cb_mean, 1);
    sub_bcast_cols_init_short(cb_x, cb_mean);
    for (uint32_t column = 0; column < columns; column++) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(cb_x, cb_mean, column, 0, 0);
        pack_one(cb_centred);
    }
    cb_pop_front(cb_x, columns);
    cb_pop_front(cb_mean, 1);
}

void MAIN {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_sticks, cb_x);  // MARK start-up
    cb_wait_front(cb_scaler, 1);
    cb_wait_front(cb_eps, 1);
    cb_wait_front(cb_gamma, columns);
    cb_wait_front(cb_beta, columns);
    for (uint32_t row = 0; row < rows; row++) {
        tilize_row();  // MARK first use
        subtract_mean();

        // 1 / sqrt(variance + epsilon).
        cb_wait_front(cb_centred, columns);
        mul_tiles_init(cb_centred, cb_centred);
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            mul_tiles(cb_centred, cb_centred, column, column, 0);
            pack_one(cb_x);
        }
        cb_pop_front(cb_centred, columns);
        mean(cb_x, cb_var);
        cb_pop_front(cb_x, columns);
        cb_wait_front(cb_var, 1);
        add_bcast_scalar_init_short(cb_var, cb_eps);
        tile_regs_acquire();
        add_tiles_bcast_scalar(cb_var, cb_eps, 0, 0, 0);
        pack_one(cb_shifted);
        cb_pop_front(cb_var, 1);
        cb_wait_front(cb_shifted, 1);
        rsqrt_tile_init();
        copy_tile_to_dst_init_short(cb_shifted);
        tile_regs_acquire();
        copy_tile(cb_shifted, 0, 0);
        rsqrt_tile(0);
        pack_one(cb_var);
        cb_pop_front(cb_shifted, 1);

        tilize_row();
        subtract_mean();
        cb_wait_front(cb_centred, columns);
        cb_wait_front(cb_var, 1);
        mul_bcast_cols_init_short(cb_centred, cb_var);
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            mul_tiles_bcast_cols(cb_centred, cb_var, column, 0, 0);
            pack_one(cb_x);
        }
        cb_pop_front(cb_centred, columns);
        cb_pop_front(cb_var, 1);
        cb_wait_front(cb_x, columns);
        mul_bcast_rows_init_short(cb_x, cb_gamma);
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            mul_tiles_bcast_rows(cb_x, cb_gamma, column, column, 0);
            pack_one(cb_centred);
        }
        cb_pop_front(cb_x, columns);
        cb_wait_front(cb_centred, columns);
        add_bcast_rows_init_short(cb_centred, cb_beta);
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            add_tiles_bcast_rows(cb_centred, cb_beta, column, column, 0);
            pack_one(cb_x);
        }
        cb_pop_front(cb_centred, columns);

        cb_wait_front(cb_x, columns);
        cb_reserve_back(cb_out, 32);
        pack_untilize_init<columns, columns>(cb_x, cb_out);
        pack_untilize_block<columns, columns>(cb_x, 1, cb_out);
        pack_untilize_uninit(cb_out);
        cb_push_back(cb_out, 32);
        cb_pop_front(cb_x, columns);
    }
    cb_pop_front(cb_scaler, 1);
    cb_pop_front(cb_eps, 1);
    cb_pop_front(cb_gamma, columns);
    cb_pop_front(cb_beta, columns);
}

}  // namespace NAMESPACE

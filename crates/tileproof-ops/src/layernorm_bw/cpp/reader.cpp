// NCRISC of LayerNorm backward: masks, gamma, statistics spread over a tile, x and dy. Twin of reader.rs.
#include "api/dataflow/dataflow_api.h"

constexpr auto X_ARGS = TensorAccessorArgs<0>();
constexpr auto GAMMA_ARGS = TensorAccessorArgs<X_ARGS.next_compile_time_args_offset()>();
constexpr auto MEAN_ARGS = TensorAccessorArgs<GAMMA_ARGS.next_compile_time_args_offset()>();
constexpr auto RSTD_ARGS = TensorAccessorArgs<MEAN_ARGS.next_compile_time_args_offset()>();
constexpr auto DY_ARGS = TensorAccessorArgs<RSTD_ARGS.next_compile_time_args_offset()>();
constexpr uint32_t FIRST = DY_ARGS.next_compile_time_args_offset();

#include "call.h"
#include "tiles.h"

using namespace layernorm_bw;

// Valid columns of the last tile column, valid rows of the last tile row of a matrix; 32 when it is full.
constexpr uint32_t LAST_COLUMNS = get_compile_time_arg_val(AFTER);
constexpr uint32_t LAST_ROWS = get_compile_time_arg_val(AFTER + 1);
constexpr bool IS_FP32 = get_compile_time_arg_val(AFTER + 2) != 0;
// Tile rows of one matrix.
constexpr uint32_t HT = get_compile_time_arg_val(AFTER + 3);

inline void masks() {
    cb_reserve_back(MASKS, 2);
    const uint32_t at = get_write_ptr(MASKS);
    write_mask(at, 32, LAST_COLUMNS);
    write_mask(at + get_tile_size(MASKS), LAST_ROWS, 32);
    cb_push_back(MASKS, 2);
}

// `count` tiles of gamma from `column` on, as a whole block. The matrix unit spreads row 0 of a bf16 tile exactly; of an fp32
// tile it would keep 11 bits, so that one is spread here.
template <typename Tensor>
inline void read_gamma(const Tensor& gamma, uint32_t column, uint32_t count) {
    // The last block may be short; pages go round the buffer in whole blocks all the same, or they would straddle its end.
    cb_reserve_back(GAMMA, BLOCK);
    const uint32_t to = get_write_ptr(GAMMA);
    for (uint32_t tile = 0; tile < count; tile++) {
        noc_async_read_page(column + tile, gamma, to + tile * get_tile_size(GAMMA));
    }
    noc_async_read_barrier();
    if constexpr (IS_FP32) {
        for (uint32_t tile = 0; tile < count; tile++) {
            spread_row(to + tile * get_tile_size(GAMMA));
        }
    }
    cb_push_back(GAMMA, BLOCK);
}

// mean and rstd of a tile row, spread over the columns: a broadcast by the matrix unit would keep 11 bits of them.
template <typename Mean, typename Rstd>
inline void read_statistics(const Mean& mean, const Rstd& rstd, uint32_t row) {
    cb_reserve_back(STATS, 2);
    const uint32_t at = get_write_ptr(STATS);
    noc_async_read_page(row, mean, at);
    noc_async_read_page(row, rstd, at + FP32_TILE);
    noc_async_read_barrier();
    const uint32_t rows = row % HT == HT - 1 ? LAST_ROWS : 32;
    spread_column(at, at, rows);
    spread_column(at + FP32_TILE, at + FP32_TILE, rows);
    cb_push_back(STATS, 2);
}

// `count` tiles of x and dy from `column` of tile row `row` on, as a whole block.
template <typename Input, typename Gradient>
inline void read_rows(const Input& x, const Gradient& dy, uint32_t row, uint32_t column, uint32_t count) {
    cb_reserve_back(X, BLOCK);
    cb_reserve_back(DY, BLOCK);
    const uint32_t to_x = get_write_ptr(X);
    const uint32_t to_dy = get_write_ptr(DY);
    for (uint32_t tile = 0; tile < count; tile++) {
        const uint32_t page = row * WT + column + tile;
        noc_async_read_page(page, x, to_x + tile * get_tile_size(X));
        noc_async_read_page(page, dy, to_dy + tile * get_tile_size(DY));
    }
    noc_async_read_barrier();
    cb_push_back(X, BLOCK);
    cb_push_back(DY, BLOCK);
}

void kernel_main() {
    const TensorAccessor x(X_ARGS, get_arg_val<uint32_t>(0), get_tile_size(X));
    const TensorAccessor gamma(GAMMA_ARGS, get_arg_val<uint32_t>(1), get_tile_size(GAMMA));
    const TensorAccessor mean(MEAN_ARGS, get_arg_val<uint32_t>(2), FP32_TILE);
    const TensorAccessor rstd(RSTD_ARGS, get_arg_val<uint32_t>(3), FP32_TILE);
    const TensorAccessor dy(DY_ARGS, get_arg_val<uint32_t>(4), get_tile_size(DY));
    const uint32_t start = get_arg_val<uint32_t>(5);
    const uint32_t end = start + get_arg_val<uint32_t>(6);
    masks();
    if constexpr (L1_PATH) {
        read_gamma(gamma, 0, WT);
        for (uint32_t row = start; row < end; row++) {
            read_statistics(mean, rstd, row);
            read_rows(x, dy, row, 0, WT);
        }
    } else {
        for_each_group(start, end, [&](uint32_t first, uint32_t last) {
            for (uint32_t row = first; row < last; row++) {
                read_statistics(mean, rstd, row);
                for_each_block([&](uint32_t column, uint32_t count) {
                    read_gamma(gamma, column, count);
                    read_rows(x, dy, row, column, count);
                });
            }
            for_each_block([&](uint32_t column, uint32_t count) {
                read_gamma(gamma, column, count);
                for (uint32_t row = first; row < last; row++) {
                    read_rows(x, dy, row, column, count);
                }
            });
        });
    }
}

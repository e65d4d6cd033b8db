// BRISC of LayerNorm forward: spreads the statistics of a tile row for compute, writes y and the statistics. Twin of writer.rs.
#include "api/dataflow/dataflow_api.h"

#include "call.h"
#include "tiles.h"

using namespace layernorm;

constexpr auto Y_ARGS = TensorAccessorArgs<0>();
constexpr auto MEAN_ARGS = TensorAccessorArgs<1>();
constexpr auto RSTD_ARGS = TensorAccessorArgs<2>();
constexpr uint32_t WIDTH = get_compile_time_arg_val(AFTER);

// Column 0 of the page at the front of the statistics, to a tensor of one datum a row.
template <typename Tensor>
inline void per_row(uint32_t row, const Tensor& tensor) {
    const uint32_t from = get_read_ptr(STATS);
    if constexpr (IS_TILE) {
        noc_async_write_page(row, tensor, from);
    } else {
        for (uint32_t stick = 0; stick < rows_of(row); stick++) {
            noc_async_write_page(32 * row + stick, tensor, from + stick / 16 * 2048 + stick % 16 * 64);
        }
    }
    noc_async_write_barrier();
}

// Column 0 of the next page of statistics, to all columns of a page of `to`.
inline void spread(uint32_t to) {
    cb_wait_front(STATS, 1);
    cb_reserve_back(to, 1);
    spread_column(get_read_ptr(STATS), get_write_ptr(to));
    cb_push_back(to, 1);
}

// `count` tile columns of y from `first` on.
template <typename Tensor>
inline void write_y(const Tensor& y, uint32_t row, uint32_t first, uint32_t count) {
    cb_wait_front(OUT, CHUNK);
    const uint32_t from = get_read_ptr(OUT);
    if constexpr (IS_TILE) {
        for (uint32_t column = 0; column < count; column++) {
            noc_async_write_page(row * WT + first + column, y, from + column * get_tile_size(OUT));
        }
    } else {
        // Rows are a whole chunk long in L1, also where the chunk is short.
        const uint32_t bytes = smaller(32 * count, WIDTH - 32 * first) * DATUM;
        for (uint32_t stick = 0; stick < rows_of(row); stick++) {
            const uint64_t to = y.get_noc_addr(32 * row + stick, first * PIECE);
            noc_async_write(from + stick * CHUNK * PIECE, to, bytes);
        }
    }
    noc_async_write_barrier();
    cb_pop_front(OUT, CHUNK);
}

void kernel_main() {
    constexpr uint32_t PER_ROW = IS_TILE ? 4096 : 4;
    const TensorAccessor y(Y_ARGS, get_arg_val<uint32_t>(0), IS_TILE ? get_tile_size(OUT) : WIDTH * DATUM);
    const TensorAccessor mean(MEAN_ARGS, get_arg_val<uint32_t>(1), PER_ROW);
    const TensorAccessor rstd(RSTD_ARGS, get_arg_val<uint32_t>(2), PER_ROW);
    const uint32_t start = get_arg_val<uint32_t>(3);
    const uint32_t end = start + get_arg_val<uint32_t>(4);
    for (uint32_t row = start; row < end; row++) {
        // m0, then r, then rstd.
        spread(CENTRE);
        cb_pop_front(STATS, 1);
        spread(CENTRE);
        cb_pop_front(STATS, 1);
        spread(RSTD);
        if constexpr (STATISTICS) {
            per_row(row, rstd);
        }
        cb_pop_front(STATS, 1);
        if constexpr (STATISTICS) {
            cb_wait_front(STATS, 1);
            per_row(row, mean);
            cb_pop_front(STATS, 1);
        }
        for (uint32_t first = 0; first < WT; first += CHUNK) {
            write_y(y, row, first, smaller(CHUNK, WT - first));
        }
    }
}

// BRISC of LayerNorm backward: spreads the sums of a tile row for compute, writes dx and the partial dgamma and dbeta. Twin of
// writer.rs.
#include "api/dataflow/dataflow_api.h"

constexpr auto DX_ARGS = TensorAccessorArgs<0>();
constexpr auto DGAMMA_ARGS = TensorAccessorArgs<DX_ARGS.next_compile_time_args_offset()>();
constexpr auto DBETA_ARGS = TensorAccessorArgs<DGAMMA_ARGS.next_compile_time_args_offset()>();
constexpr uint32_t FIRST = DBETA_ARGS.next_compile_time_args_offset();

#include "call.h"
#include "tiles.h"

using namespace layernorm_bw;

// s1 and s2 of a tile row, spread over the columns.
inline void spread_sums() {
    cb_wait_front(SUMS, 2);
    cb_reserve_back(SUMS_BROADCAST, 2);
    const uint32_t from = get_read_ptr(SUMS);
    const uint32_t to = get_write_ptr(SUMS_BROADCAST);
    spread_column(from, to, 32);
    spread_column(from + FP32_TILE, to + FP32_TILE, 32);
    cb_push_back(SUMS_BROADCAST, 2);
    cb_pop_front(SUMS, 2);
}

// Starts to write the next tile of dx.
template <typename Tensor>
inline void start_dx(const Tensor& dx, uint32_t row, uint32_t column) {
    cb_wait_front(DX, 1);
    noc_async_write_page(row * WT + column, dx, get_read_ptr(DX));
}

// Starts to write row 0 of the next tile of `cb`, to row `row` of the partial sums.
template <typename Tensor>
inline void start_partial(const Tensor& tensor, uint32_t cb, uint32_t row, uint32_t column) {
    cb_wait_front(cb, 1);
    const uint32_t from = get_read_ptr(cb);
    for (uint32_t half = 0; half < 2; half++) {
        const uint64_t to = tensor.get_noc_addr(row, (2 * column + half) * ROW_BYTES);
        noc_async_write(from + half * FACE_BYTES, to, ROW_BYTES);
    }
}

// What was started from the pages in front of `cb` is there: they are given back.
inline void finish(uint32_t cb) {
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}

template <typename Tensor>
inline void write_dx(const Tensor& dx, uint32_t row, uint32_t column, uint32_t count) {
    for (uint32_t tile = 0; tile < count; tile++) {
        start_dx(dx, row, column + tile);
        finish(DX);
    }
}

void kernel_main() {
    // A page of the partial sums is a row.
    constexpr uint32_t PARTIAL = 2 * ROW_BYTES * WT;
    const TensorAccessor dx(DX_ARGS, get_arg_val<uint32_t>(0), get_tile_size(DX));
    const TensorAccessor dgamma(DGAMMA_ARGS, get_arg_val<uint32_t>(1), PARTIAL);
    const TensorAccessor dbeta(DBETA_ARGS, get_arg_val<uint32_t>(2), PARTIAL);
    const uint32_t start = get_arg_val<uint32_t>(3);
    const uint32_t end = start + get_arg_val<uint32_t>(4);
    uint32_t partial_row = get_arg_val<uint32_t>(5);
    const auto write_partials = [&](uint32_t first, uint32_t count) {
        for (uint32_t column = first; column < first + count; column++) {
            start_partial(dgamma, DGAMMA, partial_row, column);
            finish(DGAMMA);
            start_partial(dbeta, DBETA, partial_row, column);
            finish(DBETA);
        }
    };
    // Of a row that is alone the parts of dgamma and dbeta come with each tile.
    const auto write_only_row = [&](uint32_t row, uint32_t first, uint32_t count) {
        for (uint32_t column = first; column < first + count; column++) {
            start_dx(dx, row, column);
            start_partial(dgamma, DGAMMA, partial_row, column);
            start_partial(dbeta, DBETA, partial_row, column);
            noc_async_write_barrier();
            cb_pop_front(DX, 1);
            cb_pop_front(DGAMMA, 1);
            cb_pop_front(DBETA, 1);
        }
    };
    if constexpr (L1_PATH) {
        if (end - start == 1) {
            spread_sums();
            write_only_row(start, 0, WT);
            return;
        }
        for (uint32_t row = start; row < end; row++) {
            spread_sums();
            write_dx(dx, row, 0, WT);
        }
        write_partials(0, WT);
    } else {
        for_each_group(start, end, [&](uint32_t first, uint32_t last) {
            for (uint32_t row = first; row < last; row++) {
                spread_sums();
            }
            for_each_block([&](uint32_t column, uint32_t count) {
                if (last - first == 1) {
                    write_only_row(first, column, count);
                    return;
                }
                for (uint32_t row = first; row < last; row++) {
                    write_dx(dx, row, column, count);
                }
                write_partials(column, count);
            });
            partial_row++;
        });
    }
}

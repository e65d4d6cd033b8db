// NCRISC of the specimens: the mask, then for each tile row its statistics and, once for each pass, its tiles in blocks.
#include "tiles.h"

using namespace specimen;

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto mean_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    constexpr auto rstd_args = TensorAccessorArgs<mean_args.next_compile_time_args_offset()>();
    constexpr auto dy_args = TensorAccessorArgs<rstd_args.next_compile_time_args_offset()>();
    constexpr uint32_t after = dy_args.next_compile_time_args_offset();
    constexpr uint32_t WT = get_compile_time_arg_val(after);
    constexpr uint32_t BLOCK = get_compile_time_arg_val(after + 1);
    constexpr uint32_t LAST_COLUMNS = get_compile_time_arg_val(after + 2);
    const TensorAccessor x(x_args, get_arg_val<uint32_t>(0), get_tile_size(X));
    const TensorAccessor gamma(gamma_args, get_arg_val<uint32_t>(1), get_tile_size(GAMMA));
    const TensorAccessor mean(mean_args, get_arg_val<uint32_t>(2), get_tile_size(STATS));
    const TensorAccessor rstd(rstd_args, get_arg_val<uint32_t>(3), get_tile_size(STATS));
    const TensorAccessor dy(dy_args, get_arg_val<uint32_t>(4), get_tile_size(DY));
    const uint32_t start = get_arg_val<uint32_t>(5);
    const uint32_t end = start + get_arg_val<uint32_t>(6);

    cb_reserve_back(MASK, 1);
    write_mask(get_write_ptr(MASK), LAST_COLUMNS);
    cb_push_back(MASK, 1);
    for (uint32_t row = start; row < end; row++) {
        cb_reserve_back(STATS, 2);
        const uint32_t at = get_write_ptr(STATS);
        noc_async_read_page(row, mean, at);
        noc_async_read_page(row, rstd, at + get_tile_size(STATS));
        noc_async_read_barrier();
        spread_column(at, at);
        spread_column(at + get_tile_size(STATS), at + get_tile_size(STATS));
        cb_push_back(STATS, 2);
        for (uint32_t pass = 0; pass < 2; pass++) {
            for (uint32_t column = 0; column < WT; column += BLOCK) {
                const uint32_t count = std::min(BLOCK, WT - column);
                start_reads(X, x, row * WT + column, count, BLOCK);
                start_reads(DY, dy, row * WT + column, count, BLOCK);
                start_reads(GAMMA, gamma, column, count, BLOCK);
                noc_async_read_barrier();
                cb_push_back(X, BLOCK);
                cb_push_back(DY, BLOCK);
                cb_push_back(GAMMA, BLOCK);
            }
        }
    }
}

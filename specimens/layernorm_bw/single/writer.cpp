// BRISC of the specimens: the totals of a row back to compute, spread over their tiles, then the row's results.
#include "tiles.h"

using namespace specimen;

void kernel_main() {
    constexpr auto dx_args = TensorAccessorArgs<0>();
    constexpr auto dgamma_args = TensorAccessorArgs<dx_args.next_compile_time_args_offset()>();
    constexpr auto dbeta_args = TensorAccessorArgs<dgamma_args.next_compile_time_args_offset()>();
    constexpr uint32_t WT = get_compile_time_arg_val(dbeta_args.next_compile_time_args_offset());
    const TensorAccessor dx(dx_args, get_arg_val<uint32_t>(0), get_tile_size(DX));
    const TensorAccessor dgamma(dgamma_args, get_arg_val<uint32_t>(1), get_tile_size(DGAMMA));
    const TensorAccessor dbeta(dbeta_args, get_arg_val<uint32_t>(2), get_tile_size(DBETA));
    const uint32_t start = get_arg_val<uint32_t>(3);
    const uint32_t end = start + get_arg_val<uint32_t>(4);

    for (uint32_t row = start; row < end; row++) {
        cb_wait_front(TOTALS, 2);  // MARK waits for totals
        cb_reserve_back(TOTALS_SPREAD, 2);
        const uint32_t from = get_read_ptr(TOTALS);
        const uint32_t to = get_write_ptr(TOTALS_SPREAD);
        spread_column(from, to);
        spread_column(from + get_tile_size(TOTALS), to + get_tile_size(TOTALS));
        cb_push_back(TOTALS_SPREAD, 2);
        cb_pop_front(TOTALS, 2);
        for (uint32_t column = 0; column < WT; column++) {
            const uint32_t page = row * WT + column;
            cb_wait_front(DX, 1);
            noc_async_write_page(page, dx, get_read_ptr(DX));
            cb_wait_front(DGAMMA, 1);
            noc_async_write_page(page, dgamma, get_read_ptr(DGAMMA));
            cb_wait_front(DBETA, 1);
            noc_async_write_page(page, dbeta, get_read_ptr(DBETA));
            noc_async_write_barrier();
            cb_pop_front(DX, 1);
            cb_pop_front(DGAMMA, 1);
            cb_pop_front(DBETA, 1);
        }
    }
}

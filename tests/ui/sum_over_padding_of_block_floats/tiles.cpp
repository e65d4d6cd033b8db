// Tiles of x, and one of ones.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_one = 1;

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto one_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), 1088);
    const auto one = TensorAccessor(one_args, get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(cb_one, 1);
    noc_async_read_page(0, one, get_write_ptr(cb_one));
    noc_async_read_barrier();
    cb_push_back(cb_one, 1);
    for (uint32_t tile = 0; tile < 2; tile++) {
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(tile, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}

// The tiles of this core, from both tensors.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_common_arg_val<uint32_t>(0), get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, get_common_arg_val<uint32_t>(1), get_tile_size(cb_b));
    for (uint32_t tile = first; tile < first + tiles; tile++) {
        cb_reserve_back(cb_a, 1);
        cb_reserve_back(cb_b, 1);
        noc_async_read_page(tile, a, get_write_ptr(cb_a));
        noc_async_read_page(tile, b, get_write_ptr(cb_b));
        noc_async_read_barrier();
        cb_push_back(cb_a, 1);
        cb_push_back(cb_b, 1);
    }
}

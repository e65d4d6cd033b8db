// NCRISC: tiles of a and b from DRAM into c_0 and c_1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t a_address = get_common_arg_val<uint32_t>(0);
    const uint32_t b_address = get_common_arg_val<uint32_t>(1);
    const uint32_t tiles = get_common_arg_val<uint32_t>(2);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, a_address, get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, b_address, get_tile_size(cb_b));

    const uint32_t first = get_absolute_logical_x() * tiles;
    for (uint32_t tile = first; tile < first + tiles; tile++) {
        cb_reserve_back(cb_a, 1);  // Waits until there is room for a page.
        cb_reserve_back(cb_b, 1);
        noc_async_read_page(tile, a, get_write_ptr(cb_a));
        noc_async_read_page(tile, b, get_write_ptr(cb_b));
        noc_async_read_barrier();  // Until here the pages may hold anything.
        cb_push_back(cb_a, 1);     // Hands them over to compute.
        cb_push_back(cb_b, 1);
    }
}

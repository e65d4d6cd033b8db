// Pages of two tensors to their circular buffers, one page of each at a time.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t a_address = get_arg_val<uint32_t>(0);
    const uint32_t b_address = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_a = 0;
    constexpr uint32_t cb_b = 1;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(accessor_args, a_address, get_tile_size(cb_a));
    const auto b = TensorAccessor(accessor_args, b_address, get_tile_size(cb_b));
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_a, 1);
        cb_reserve_back(cb_b, 1);
        noc_async_read_page(page, a, get_write_ptr(cb_a));
        noc_async_read_page(page, b, get_write_ptr(cb_b));
        noc_async_read_barrier();
        cb_push_back(cb_a, 1);
        cb_push_back(cb_b, 1);
    }
}

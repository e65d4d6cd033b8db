// Pages of the circular buffer to y, the rows of tiles of this core.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t CB_Y = 16;

void kernel_main() {
    const uint32_t y_address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t wt = get_arg_val<uint32_t>(3);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_address, get_tile_size(CB_Y));
    for (uint32_t page = first * wt; page < (first + count) * wt; page++) {
        cb_wait_front(CB_Y, 1);
        noc_async_write_page(page, y, get_read_ptr(CB_Y));
        noc_async_write_barrier();
        cb_pop_front(CB_Y, 1);
    }
}

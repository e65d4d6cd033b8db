// The tiles of this core, to the output.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_y = 16;
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, get_common_arg_val<uint32_t>(0), get_tile_size(cb_y));
    for (uint32_t tile = first; tile < first + tiles; tile++) {
        cb_wait_front(cb_y, 1);
        noc_async_write_page(tile, y, get_read_ptr(cb_y));
        noc_async_write_barrier();
        cb_pop_front(cb_y, 1);
    }
}

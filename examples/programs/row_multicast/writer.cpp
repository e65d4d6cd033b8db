// The row of tiles of this core.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t width = get_compile_time_arg_val(0);
    constexpr auto y_args = TensorAccessorArgs<1>();
    constexpr uint32_t cb_y = 16;
    constexpr uint32_t columns = 2;
    const auto y = TensorAccessor(y_args, get_common_arg_val<uint32_t>(0), get_tile_size(cb_y));
    const uint32_t core = get_absolute_logical_y() * width + get_absolute_logical_x();
    for (uint32_t column = 0; column < columns; column++) {
        cb_wait_front(cb_y, 1);
        noc_async_write_page(core * columns + column, y, get_read_ptr(cb_y));
        noc_async_write_barrier();
        cb_pop_front(cb_y, 1);
    }
}

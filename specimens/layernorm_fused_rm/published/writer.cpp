// Tile rows of the output, 32 sticks each.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_out = get_compile_time_arg_val(0);
    constexpr uint32_t stick_bytes = get_compile_time_arg_val(1);
    constexpr uint32_t sticks = get_compile_time_arg_val(2);
    constexpr auto y_args = TensorAccessorArgs<4>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), stick_bytes);
    const uint32_t rows = get_arg_val<uint32_t>(1);
    uint32_t page = get_arg_val<uint32_t>(2);
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(cb_out, sticks);
        const uint32_t from = get_read_ptr(cb_out);
        for (uint32_t stick = 0; stick < sticks; stick++) {
            noc_async_write(from + stick * stick_bytes, y.get_noc_addr(page++), stick_bytes);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, sticks);
    }
}

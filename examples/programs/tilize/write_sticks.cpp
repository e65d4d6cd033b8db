// Rows of y, 32 at a time.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t rows = get_arg_val<uint32_t>(1);
    constexpr uint32_t columns = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = 16;
    constexpr uint32_t stick_bytes = columns * 64;
    constexpr auto accessor_args = TensorAccessorArgs<1>();
    const auto y = TensorAccessor(accessor_args, address, stick_bytes);
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(cb_out, columns);
        const uint32_t from = get_read_ptr(cb_out);
        for (uint32_t stick = 0; stick < 32; stick++) {
            noc_async_write_page(row * 32 + stick, y, from + stick * stick_bytes);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, columns);
    }
}

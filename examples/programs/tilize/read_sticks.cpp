// Rows of x, 32 at a time: as many bytes as the tiles that they become.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t rows = get_arg_val<uint32_t>(1);
    constexpr uint32_t columns = get_compile_time_arg_val(0);
    constexpr uint32_t cb_sticks = 0;
    constexpr uint32_t stick_bytes = columns * 64;  // 32 bf16 values of a tile column.
    constexpr auto accessor_args = TensorAccessorArgs<1>();
    const auto x = TensorAccessor(accessor_args, address, stick_bytes);
    for (uint32_t row = 0; row < rows; row++) {
        cb_reserve_back(cb_sticks, columns);
        const uint32_t to = get_write_ptr(cb_sticks);
        for (uint32_t stick = 0; stick < 32; stick++) {
            noc_async_read_page(row * 32 + stick, x, to + stick * stick_bytes);
        }
        noc_async_read_barrier();
        cb_push_back(cb_sticks, columns);
    }
}

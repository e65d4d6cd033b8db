// Rows of a block to a tensor.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out = 16;
constexpr uint32_t row_bytes = 1024;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(accessor_args, address, row_bytes);
    cb_wait_front(cb_out, 8);
    for (uint32_t row = 0; row < 32; row++) {
        noc_async_write_page(row, out, get_read_ptr(cb_out) + row * row_bytes);
    }
    noc_async_write_barrier();
    cb_pop_front(cb_out, 8);
}

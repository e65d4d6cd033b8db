// The pages of both buffers.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < 4; page++) {
        const uint32_t cb = page / 2;
        cb_wait_front(cb, 1);
        noc_async_write_page(page, out, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}

#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// In the order that they were read in.
void kernel_main() {
    constexpr auto how = TensorAccessorArgs<0>();
    const auto to = TensorAccessor(how, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t n = 0; n < 4; n++) {
        cb_wait_front(16, 1);
        noc_async_write_page(n % 2 * 2 + n / 2, to, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}

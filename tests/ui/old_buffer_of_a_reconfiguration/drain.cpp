#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Page 0 of y from c_16, page 1 from c_19.
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    for (uint32_t page = 0; page < 2; page++) {
        const uint32_t cb = page == 0 ? 16 : 19;
        const auto y = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb));
        cb_wait_front(cb, 1);
        noc_async_write_page(page, y, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}

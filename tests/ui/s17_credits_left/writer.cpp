// Stores the page, and does not always give it back.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    cb_wait_front(cb_in, 1);
    noc_async_write_page(0, out, get_read_ptr(cb_in));
    noc_async_write_barrier();
#ifdef MENDED
    cb_pop_front(cb_in, 1);
#endif
}

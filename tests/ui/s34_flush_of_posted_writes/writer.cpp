// Writes are not posted unless they say so: a flush of posted writes finds none and returns at once.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out = 0;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(accessor_args, address, get_tile_size(cb_out));
    for (uint32_t page = 0; page < pages; page++) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(page, out, get_read_ptr(cb_out));
#ifdef MENDED
        noc_async_writes_flushed();
#else
        noc_async_posted_writes_flushed();
#endif
        cb_pop_front(cb_out, 1);  //~ TP0502 c_0 is popped while a NoC write may still be reading it
    }
    noc_async_write_barrier();
}

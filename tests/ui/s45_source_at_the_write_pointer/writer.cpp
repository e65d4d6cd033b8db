// With one page the two pointers agree; with two, this thread's write pointer stays at the first.
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
#ifdef MENDED
        const uint32_t from = get_read_ptr(cb_out);
#else
        const uint32_t from = get_write_ptr(cb_out);
#endif
        noc_async_write_page(page, out, from);  //~ TP0320 page 0 of c_0, of which 1 page from page 1 on are waited for, is sent
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}

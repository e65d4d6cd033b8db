// The barrier comes after the push: a page is handed over while its read may still be on the way.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_in, 1);
        noc_async_read_page(page, in, get_write_ptr(cb_in));
#ifdef MENDED
        noc_async_read_barrier();
#endif
        cb_push_back(cb_in, 1);  //~ TP0501 c_0 is pushed while a NoC read into it is in flight
    }
    noc_async_read_barrier();
}

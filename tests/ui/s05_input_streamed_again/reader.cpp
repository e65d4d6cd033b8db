// Was written for a compute kernel that takes the input anew in each of three passes.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
#ifdef MENDED
    constexpr uint32_t passes = 1;
#else
    constexpr uint32_t passes = 3;
#endif
    for (uint32_t pass = 0; pass < passes; pass++) {
        for (uint32_t page = 0; page < pages; page++) {
            cb_reserve_back(cb_in, 1);  //~ TP0601 for 1 free page of c_0; 0 of 2 free, and UNPACK has ended after popping 2 pages
            noc_async_read_page(page, in, get_write_ptr(cb_in));
            noc_async_read_barrier();
            cb_push_back(cb_in, 1);
        }
    }
}

// A page of values to c_0, and the one behind it to c_1.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(0));
    for (uint32_t page = 0; page < 2; page++) {
        cb_reserve_back(page, 1);
        noc_async_read_page(page, x, get_write_ptr(page));
        noc_async_read_barrier();
        cb_push_back(page, 1);
    }
}

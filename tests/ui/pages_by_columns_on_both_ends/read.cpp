#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Tiles by columns of a tensor of 2 tile rows and 2 tile columns.
void kernel_main() {
    constexpr auto how = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(how, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t n = 0; n < 4; n++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(n % 2 * 2 + n / 2, from, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}

#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// 64 rows of 128 bytes.
void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    constexpr uint32_t cb = 16, rows = 64, bytes = 128;
    const auto to = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), bytes);
    cb_wait_front(cb, 4);
    for (uint32_t row = 0; row < rows; row++) {
#ifdef MENDED
        const uint32_t from = row;
#else
        const uint32_t from = (row + 1) % rows;
#endif
        noc_async_write_page(row, to, get_read_ptr(cb) + from * bytes);  //~ TP0809 rows are shifted; y[0, 0] is written from [1, 0]
    }
    noc_async_write_barrier();
    cb_pop_front(cb, 4);
}

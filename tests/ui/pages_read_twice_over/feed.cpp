#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Four tiles of x.
void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    constexpr uint32_t cb = 0;
    const auto from = TensorAccessor(accessor_args, get_arg_val<uint32_t>(1), get_local_cb_interface(cb).fifo_page_size);
    for (uint32_t page = 0; page < 4; page++) {
#ifdef MENDED
        const uint32_t number = page;
#else
        const uint32_t number = page / 2 * 2;
#endif
        cb_reserve_back(cb, 1);
        noc_async_read_page(number, from, get_write_ptr(cb));  //~ TP0809 nothing reads 2 of the 4 tiles of x
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}

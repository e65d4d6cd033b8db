// Pages of a tensor, each cleared before it is read. The size to clear is that of the whole of L1 that buffers have, and more.
#include <cstdint>
#include <cstring>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_in = 2;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
#ifdef MENDED
    const uint32_t bytes = get_tile_size(cb_in);
#else
    const uint32_t bytes = 5 * get_tile_size(cb_in);
#endif
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_in, 1);
        if (page == 0) {
            void* to = reinterpret_cast<void*>(uintptr_t(get_write_ptr(cb_in)));
            memset(to, 0, bytes);  //~ TP0404 stores run past the end of c_2, into the next circular buffer
        }
        noc_async_read_page(page, in, get_write_ptr(cb_in));
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}

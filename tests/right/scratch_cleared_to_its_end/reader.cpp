// Pages of a tensor. A buffer of its own is scratch memory, the last in L1: all of it is cleared at once, to its last byte.
#include <cstdint>
#include <cstring>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_in = 2;
    constexpr uint32_t cb_scratch = 5;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    cb_reserve_back(cb_scratch, 2);
    memset(reinterpret_cast<void*>(uintptr_t(get_write_ptr(cb_scratch))), 0, 2 * get_tile_size(cb_scratch));
    for (uint32_t page = 0; page < pages; page++) {
        cb_reserve_back(cb_in, 1);
        noc_async_read_page(page, in, get_write_ptr(cb_in));
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}

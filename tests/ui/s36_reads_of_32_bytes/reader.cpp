// The second half of a page: 32 bytes at an offset of 32, to an address that is a multiple of 64.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_half = 0;
constexpr uint32_t cb_page = 1;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, 64);
    cb_reserve_back(cb_half, 1);
    const uint32_t to = get_write_ptr(cb_half);
#ifdef MENDED
    const uint32_t page = get_write_ptr(cb_page);
    noc_async_read(in.get_noc_addr(0), page, 64);
    noc_async_read_barrier();
    noc_async_read(get_noc_addr(page + 32), to, 32);
#else
    noc_async_read(in.get_noc_addr(0, 32), to, 32);  //~ TP0405 ends differ by 32 bytes modulo 64
#endif
    noc_async_read_barrier();
    cb_push_back(cb_half, 1);
}

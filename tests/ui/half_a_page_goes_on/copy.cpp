// Copies a page by way of L1, of which half is read.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb = 0;

#ifdef MENDED
constexpr uint32_t bytes = 2048;
#else
constexpr uint32_t bytes = 1024;
#endif

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(1), 2048);
    cb_reserve_back(cb, 1);
    const uint32_t page = get_write_ptr(cb);
    noc_async_read(x.get_noc_addr(0), page, bytes);
    noc_async_read_barrier();
    noc_async_write(page, y.get_noc_addr(0), 2048);  //~ TP0801 that nothing has written
    noc_async_write_barrier();
}

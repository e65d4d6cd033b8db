// The first 64 bytes of each page.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_rows = 0, bytes = 64;
#ifdef MENDED
constexpr uint32_t apart = bytes;
#else
constexpr uint32_t apart = 2 * bytes;
#endif

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(cb_rows, 4);
    uint32_t to = get_write_ptr(cb_rows) + (apart - bytes) / 2;
    for (uint32_t page = 0; page < 4; page++, to += apart) {
        noc_async_read(in.get_noc_addr(page) + (apart - bytes) / 2, to, bytes);  //~ TP0404 run past the end of c_0, into c_1
    }
    noc_async_read_barrier();
    cb_push_back(cb_rows, 4);
}

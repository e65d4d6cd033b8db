// Two pages to each of two buffers that lie one behind the other, half a page at a time: the call that ends in the first buffer goes on
// in the second, past its begin.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_first = 0, cb_second = 1, half = 1024;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), 2 * half);
    cb_reserve_back(cb_first, 2);
    cb_reserve_back(cb_second, 2);
    const uint32_t first = get_write_ptr(cb_first), second = get_write_ptr(cb_second);
    const auto place = [&](uint32_t part) { return part < 4 ? first + part * half : second + (part - 4) * half; };
    noc_async_read(in.get_noc_addr(2), place(4), half);
    for (uint32_t part = 0; part < 8; part += part == 3 ? 2 : 1) {
        noc_async_read(in.get_noc_addr(part / 2) + part % 2 * half, place(part), half);
    }
    noc_async_read_barrier();
    cb_push_back(cb_first, 2);
    cb_push_back(cb_second, 2);
}

// Two pages, brought to this core and sent to the neighbour, and their number to a place that both know.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_rows = 0, cb_flag = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_rows);
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    const uint32_t from = get_write_ptr(cb_rows), flag = get_write_ptr(cb_flag);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(flag);
    for (uint32_t n = 0; n < 4; n++) {
        words[n] = 2;
    }
    noc_async_read_page(0, in, from);
    noc_async_read_page(1, in, from + bytes);
    noc_async_read_barrier();
    noc_async_write(from, get_noc_addr(x, y, from), 2 * bytes);
    noc_async_write(flag, get_noc_addr(x, y, flag), 16);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
}

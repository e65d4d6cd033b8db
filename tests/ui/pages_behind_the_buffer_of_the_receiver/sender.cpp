// Two pages, brought to this core and sent to the neighbour, to the place that they have here.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_rows = 0, cb_sent = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_rows);
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    const uint32_t from = get_write_ptr(cb_rows), to = get_write_ptr(cb_sent);
    noc_async_read_page(0, in, from);
    noc_async_read_page(1, in, from + bytes);
    noc_async_read_barrier();
    for (uint32_t page = 0; page < 2; page++) {
        noc_async_write(from + page * bytes, get_noc_addr(x, y, to + page * bytes), bytes);  //~ TP0410 right at the end of its c_1
    }
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
}

// What the neighbour has sent goes out.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_sent = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_sent);
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    noc_semaphore_wait(there, 1);
    const uint32_t from = get_read_ptr(cb_sent);
    noc_async_write_page(0, out, from);
    noc_async_write_page(1, out, from + bytes);
    noc_async_write_barrier();
}

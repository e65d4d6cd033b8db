// What the neighbour has sent goes out: as many pages as it says behind the buffer.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_sent = 0;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_sent);
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    noc_semaphore_wait(there, 1);
    const uint32_t from = get_read_ptr(cb_sent);
    const uint32_t pages = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from + 2 * bytes);
    for (uint32_t n = 0; n < pages; n++) {
        noc_async_write_page(n, out, from + n * bytes);
    }
    noc_async_write_barrier();
}

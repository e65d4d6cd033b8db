// Sends a page to each that asks for one.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    auto* asked = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint32_t page = get_write_ptr(0);
    for (uint32_t p = 0; p < 3; p++) {
        noc_async_read_page(p, in, page);
        noc_async_read_barrier();
        noc_semaphore_wait_min(asked, p + 1);
        noc_async_write(page, get_noc_addr(x, y, page), 2048);
        noc_async_write_barrier();
        noc_inline_dw_write(get_noc_addr(x, y, get_semaphore(1)), 1);
        noc_async_write_barrier();
    }
}

// Two pages to all cores of a row, this one among them, out of the same place: what one core has seen has left.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_copies = 0, cb_staged = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const uint32_t x0 = get_arg_val<uint32_t>(1), x1 = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
    const uint32_t staged = get_write_ptr(cb_staged);
    auto* flag = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(staged + 2048);
    for (uint32_t page = 0; page < 2; page++) {
        if (page > 0) {
            noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), page);
        }
        noc_async_read_page(page, in, staged);
        noc_async_read_barrier();
        const uint32_t copy = get_write_ptr(cb_copies) + 2048 * page;
        noc_async_write_multicast_loopback_src(staged, get_noc_multicast_addr(x0, y, x1, y, copy), 2048, 3);
        flag[4 * page] = page + 1;
        const uint64_t flags = get_noc_multicast_addr(x0, y, x1, y, get_semaphore(0));
        noc_semaphore_set_multicast(staged + 2048 + 16 * page, flags, 2);
    }
    noc_async_write_barrier();
}

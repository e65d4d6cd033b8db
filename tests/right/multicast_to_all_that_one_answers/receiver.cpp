#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_copies = 0;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < 2; page++) {
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), page + 1);
        noc_async_write_page(page, out, get_write_ptr(cb_copies) + 2048 * page);
        noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(1)), 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    for (uint32_t round = 0; round < 2; round++) {
        noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), round + 1);
    }
    noc_async_atomic_barrier();
}

// Two cores count each other's semaphore up by turns.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t times = get_compile_time_arg_val(0);
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    const bool begins = get_arg_val<uint32_t>(2) != 0;
    const uint32_t own = get_semaphore(0);
    volatile tt_l1_ptr uint32_t* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(own);
    for (uint32_t i = 1; i <= times; i++) {
        if (!begins) {
            noc_semaphore_wait_min(semaphore, i);
        }
        noc_semaphore_inc(get_noc_addr(x, y, own), 1);
        if (begins) {
            noc_semaphore_wait_min(semaphore, i);
        }
    }
    noc_async_atomic_barrier();
}

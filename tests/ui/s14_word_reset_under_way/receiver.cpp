// Waits to be told, takes the word back and answers.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    auto* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint64_t done = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(1));
    for (uint32_t round = 1; round <= 2; round++) {
        noc_semaphore_wait(valid, VALID);
        noc_semaphore_set(valid, INVALID);
        noc_semaphore_inc(done, 1);
    }
    noc_async_atomic_barrier();
}

// Hands on a page for each count.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    [[maybe_unused]] const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    for (uint32_t page = 0; page < 4; page++) {
        cb_reserve_back(cb_tile, 1);
#ifdef MENDED
        noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
#endif
        noc_semaphore_wait_min(there, page + 1);
        cb_push_back(cb_tile, 1);  //~ TP0511 nothing orders the two, so that it may be written over before it is used
    }
    noc_async_atomic_barrier();
}

// Says that it is ready, and looks for the count itself.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    cb_reserve_back(cb_tile, 1);
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
    while (*there == 0) {  //~ note TP0604 nothing makes the cache forget it
#ifdef MENDED
        invalidate_l1_cache();
#endif
    }
    cb_push_back(cb_tile, 1);
    noc_async_atomic_barrier();
}

// Hands both pages on.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    cb_reserve_back(cb_tile, 2);
#ifdef MENDED
    noc_semaphore_wait_min(there, 2);
#else
    noc_semaphore_wait_min(there, 1);
#endif
    cb_push_back(cb_tile, 2);  //~ TP0511 nothing orders the two
}

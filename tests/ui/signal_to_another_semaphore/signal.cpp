// Says that it is there, and waits for the answer.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

#ifdef MENDED
constexpr uint32_t ready = 1, answered = 0;
#else
constexpr uint32_t ready = 0, answered = 0;
#endif

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(ready)), 1);
    noc_async_atomic_barrier();
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(answered)), 1);  //~ TP0601
}

#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
#ifdef MENDED
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    noc_async_atomic_barrier();
#endif
}

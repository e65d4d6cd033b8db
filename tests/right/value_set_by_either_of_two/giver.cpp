#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    noc_inline_dw_write(get_noc_addr(x, y, get_semaphore(0)), get_arg_val<uint32_t>(2));
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
    noc_async_atomic_barrier();
}

// Asks for pages, and writes them out.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const uint64_t ask = get_noc_addr(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_semaphore(0));
    auto* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t p = 0; p < 3; p++) {
#ifdef MENDED
        noc_semaphore_set(sent, 0);
        noc_semaphore_inc(ask, 1);
#else
        noc_semaphore_inc(ask, 1);
        noc_semaphore_set(sent, 0);  //~ TP0511 this value may be lost
#endif
        noc_semaphore_wait(sent, 1);
        noc_async_write_page(p, out, get_write_ptr(0));
        noc_async_write_barrier();
    }
    noc_async_atomic_barrier();
}

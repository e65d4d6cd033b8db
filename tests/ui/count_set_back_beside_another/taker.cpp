// Takes batches that two cores announce by counting up.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), 64);
    auto* there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* late = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
#ifdef MENDED
    noc_semaphore_wait_min(there, 2);
#else
    noc_semaphore_wait_min(there, 1);
#endif
    noc_semaphore_set(there, 0);  //~ TP0511 semaphore 0 of core (0,0) is set
    noc_semaphore_wait_min(late, 2);
    const uint32_t words = get_write_ptr(0);
    auto* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(words);
    for (uint32_t w = 0; w < 16; w++) {
        word[w] = 7;
    }
    [[maybe_unused]] const uint32_t stored = word[15];
    noc_async_write_page(0, out, words);
    noc_async_write_barrier();
}

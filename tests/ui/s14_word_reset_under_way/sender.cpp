// Raises a semaphore on the next core from a word of its own, and takes the word back for the next round.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t word = get_semaphore(0);
    auto* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(word);
    auto* done = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint32_t x = get_arg_val<uint32_t>(0);
    const uint32_t y = get_arg_val<uint32_t>(1);
    const uint64_t receivers = get_noc_multicast_addr(x, y, x, y, word);
    for (uint32_t round = 1; round <= 2; round++) {
        noc_semaphore_set(valid, VALID);
        noc_semaphore_set_multicast(word, receivers, 1);
#ifdef MENDED
        noc_async_writes_flushed();
#endif
        noc_semaphore_set(valid, INVALID);  //~ TP0502 a NoC write may still be reading it
        noc_semaphore_wait(done, round);
    }
    noc_async_write_barrier();
}

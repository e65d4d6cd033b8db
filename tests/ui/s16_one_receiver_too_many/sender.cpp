// Waits until each receiver has said that it is ready. The count comes from a shard shape that other cores follow.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    auto* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    noc_semaphore_wait(ready, get_arg_val<uint32_t>(0));  //~ TP0601 waits until semaphore 0 is == 3; it is 2
    noc_semaphore_set(ready, 0);
}

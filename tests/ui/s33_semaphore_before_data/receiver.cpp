// Takes the tile that the neighbour writes, when the semaphore says that it is there.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    auto* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(get_arg_val<uint32_t>(0)));
    cb_reserve_back(cb_tile, 1);
    noc_semaphore_wait(semaphore, 1);
    cb_push_back(cb_tile, 1);
}

// Sends the scratch page when the other has filled it.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_scratch = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb_scratch));
    auto* filled = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t page = 0; page < 4; page++) {
        noc_semaphore_wait_min(filled, page + 1);
        noc_async_write_page(page, out, get_write_ptr(cb_scratch));
        noc_async_writes_flushed();
        noc_semaphore_set(sent, page + 1);
    }
    noc_async_write_barrier();
}

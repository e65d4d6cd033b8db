// Fills the scratch page when the other has sent what was there.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_scratch = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb_scratch));
    auto* filled = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    auto* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    for (uint32_t page = 0; page < 4; page++) {
        noc_semaphore_wait_min(sent, page);
        noc_async_read_page(page, in, get_write_ptr(cb_scratch));
        noc_async_read_barrier();
        noc_semaphore_set(filled, page + 1);
    }
}

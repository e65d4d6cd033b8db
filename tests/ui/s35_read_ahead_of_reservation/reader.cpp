// The read of the next page is started before the page at hand is pushed; only one page is reserved at a time.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    const uint32_t base = get_write_ptr(cb_in);
    const uint32_t slots = get_local_cb_interface(cb_in).fifo_num_pages;
    cb_reserve_back(cb_in, 1);
    noc_async_read_page(0, in, base);
    for (uint32_t page = 0; page < pages; page++) {
        noc_async_read_barrier();
        if (page + 1 < pages) {
#ifdef MENDED
            cb_reserve_back(cb_in, 2);
#endif
            noc_async_read_page(page + 1, in, base + (page + 1) % slots * get_tile_size(cb_in));  //~ TP0320 page 1 of c_0, of which
            noc_async_read_barrier();
        }
        cb_push_back(cb_in, 1);
        if (page + 1 < pages) {
            cb_reserve_back(cb_in, 1);
        }
    }
}

#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Tiles one by one, each followed by a page that only says so.
void kernel_main() {
    constexpr uint32_t cb_tiles = 0, cb_token = 5;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t page = 0; page < 2; ++page) {
        cb_reserve_back(cb_tiles, 1);
        noc_async_read_page(page, from, get_write_ptr(cb_tiles));
        noc_async_read_barrier();
        cb_push_back(cb_tiles, 1);
        cb_reserve_back(cb_token, 1);
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_token)) = page;
        cb_push_back(cb_token, 1);
    }
}

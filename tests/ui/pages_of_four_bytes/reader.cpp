#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Both tiles, then the numbers of the second and of the first.
void kernel_main() {
    constexpr uint32_t cb_tiles = 0, cb_next = 5;
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(cb_tiles, 2);
    noc_async_read_page(0, from, get_write_ptr(cb_tiles));
    noc_async_read_page(1, from, get_write_ptr(cb_tiles) + 2048);
    noc_async_read_barrier();
    cb_push_back(cb_tiles, 2);
    for (uint32_t next = 2; next != 0; --next) {
        cb_reserve_back(cb_next, 1);
        *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_next)) = next - 1;
        cb_push_back(cb_next, 1);
    }
}

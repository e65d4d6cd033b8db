// BRISC: tiles of c_16 to DRAM.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb_out = 16;
    constexpr auto out_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(out_args, address, get_tile_size(cb_out));
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(tile, out, get_read_ptr(cb_out));
        noc_async_write_barrier();  // The page may be used again only when it has left.
        cb_pop_front(cb_out, 1);
    }
}

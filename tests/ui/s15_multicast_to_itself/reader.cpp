// Reads a tile and spreads it over its row of cores, itself among them. The row may be one core long.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_in = 0;
constexpr uint32_t cb_row = 1;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t x_start = get_arg_val<uint32_t>(1);
    const uint32_t x_end = get_arg_val<uint32_t>(2);
    const uint32_t y = get_arg_val<uint32_t>(3);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_in));
    cb_reserve_back(cb_in, 1);
    cb_reserve_back(cb_row, 1);
    const uint32_t from = get_write_ptr(cb_in);
    const uint32_t to = get_write_ptr(cb_row);
    const uint32_t bytes = get_tile_size(cb_in);
    noc_async_read_page(0, in, from);
    noc_async_read_barrier();
    const uint32_t cores = x_end - x_start + 1;
    bool alone = false;
#ifdef MENDED
    alone = cores == 1;
#endif
    if (alone) {
        noc_async_write(from, get_noc_addr(to), bytes);
    } else {
        const uint64_t row = get_noc_multicast_addr(x_start, y, x_end, y, to);
        noc_async_write_multicast_loopback_src(from, row, bytes, cores);  //~ TP0508 reaches its sender alone
    }
    noc_async_write_barrier();
    cb_push_back(cb_row, 1);
}

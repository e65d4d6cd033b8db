// A tile to all cores of a row, this one among them.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0, cb_staged = 1;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_tile);
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t x0 = get_arg_val<uint32_t>(1), x1 = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
    const uint32_t staged = get_write_ptr(cb_staged);
    noc_async_read_page(0, in, staged);
    noc_async_read_barrier();
    cb_reserve_back(cb_tile, 1);
    const uint64_t row = get_noc_multicast_addr(x0, y, x1, y, get_write_ptr(cb_tile));
    noc_async_write_multicast_loopback_src(staged, row, bytes, 2);
#ifdef MENDED
    noc_async_write_barrier();
#else
    noc_async_writes_flushed();
#endif
    cb_push_back(cb_tile, 1);  //~ TP0510 nothing says that the own copy of a multicast has landed there
    noc_async_write_barrier();
}

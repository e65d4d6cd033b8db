// A tile to the neighbour's circular buffer, then its semaphore: nothing orders the two.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t x = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    const uint32_t semaphore = get_semaphore(get_arg_val<uint32_t>(3));
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, get_tile_size(cb_tile));
    cb_reserve_back(cb_tile, 1);
    const uint32_t tile = get_write_ptr(cb_tile);
    noc_async_read_page(0, in, tile);
    noc_async_read_barrier();
    // The buffer lies at the same address on both cores.
    noc_async_write(tile, get_noc_addr(x, y, tile), get_tile_size(cb_tile));
#ifdef MENDED
    noc_async_write_barrier();
#endif
    noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1);  //~ TP0506 it may be seen before the data
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}

// A tile to the neighbour, and its semaphore.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_tile), tile = get_write_ptr(cb_tile);
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    noc_async_read_page(0, in, tile);
    noc_async_read_barrier();
    noc_async_write(tile, get_noc_addr(x, y, tile), bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);  //~ TP0503 a semaphore increment of its own is outstanding
#ifdef MENDED
    noc_async_atomic_barrier();
#else
    noc_async_write_barrier();
#endif
}

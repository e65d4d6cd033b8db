// A tile and a flag to the neighbour, both by multicast.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_tile = 0;

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_tile_size(cb_tile), tile = get_write_ptr(cb_tile), semaphore = get_semaphore(0);
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    noc_async_read_page(0, in, tile);
    noc_async_read_barrier();
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);
    noc_async_write_multicast(tile, get_noc_multicast_addr(x, y, x, y, tile), bytes, 1);
#ifdef MENDED
    noc_async_writes_flushed();
#endif
    noc_semaphore_set_multicast(semaphore, get_noc_multicast_addr(x, y, x, y, semaphore), 1);  //~ note TP0513 with no flush between
    noc_async_write_barrier();
}

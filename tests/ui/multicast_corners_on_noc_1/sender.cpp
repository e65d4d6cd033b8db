#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Reads a tile and multicasts it to a row of cores, from one corner to the other.
void kernel_main() {
    constexpr uint32_t cb = 0;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb));
    const uint32_t x0 = get_arg_val<uint32_t>(1), y0 = get_arg_val<uint32_t>(2);
    const uint32_t x1 = get_arg_val<uint32_t>(3), y1 = get_arg_val<uint32_t>(4);
    const uint32_t n = get_arg_val<uint32_t>(5);
    const uint32_t ready = get_semaphore(0), valid = get_semaphore(1);
    auto* ready_p = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    auto* valid_p = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid);
    cb_reserve_back(cb, 1);
    const uint32_t tile = get_write_ptr(cb);
    noc_async_read_page(0, in, tile);
    noc_async_read_barrier();
    noc_semaphore_wait(ready_p, n);
    const uint64_t to = get_noc_multicast_addr(x0, y0, x1, y1, tile);
    const uint64_t flag = get_noc_multicast_addr(x0, y0, x1, y1, valid);
    noc_async_write_multicast(tile, to, get_tile_size(cb), n); //~ TP0401 multicast on NoC 1 from corner (19, 18) to (21, 18): its rectangle runs from the high corner to the low one
    noc_async_write_barrier();
    noc_semaphore_set(valid_p, VALID);
    noc_semaphore_set_multicast(valid, flag, n);
    noc_async_write_barrier();
}

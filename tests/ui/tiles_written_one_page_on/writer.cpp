// Tiles of y, one after the other.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_y = 16;
constexpr uint32_t tiles = 4;
#ifdef MENDED
constexpr uint32_t first = 0;
#else
constexpr uint32_t first = 1;
#endif

void kernel_main() {
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        cb_wait_front(cb_y, 1);
        noc_async_write_page((first + tile) % tiles, y, get_read_ptr(cb_y));  //~ TP0809 page 0 is written behind page 3, out of their order
        noc_async_write_barrier();
        cb_pop_front(cb_y, 1);
    }
}

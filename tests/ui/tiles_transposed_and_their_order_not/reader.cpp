// Tiles of x, row by row, or column by column.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t side = 2;

void kernel_main() {
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), 2048);
    for (uint32_t tile = 0; tile < side * side; tile++) {
#ifdef MENDED
        const uint32_t page = tile % side * side + tile / side;
#else
        const uint32_t page = tile;
#endif
        cb_reserve_back(cb_x, 1);
        noc_async_read_page(page, x, get_write_ptr(cb_x));
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}

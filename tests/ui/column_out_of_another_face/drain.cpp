#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Column 0 of a tile as a row of 32 numbers, made in the page itself.
void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    constexpr uint32_t cb = 16;
#ifdef MENDED
    constexpr uint32_t below = 2;
#else
    constexpr uint32_t below = 1;
#endif
    const auto to = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 64);
    cb_wait_front(cb, 1);
    auto tile = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(get_read_ptr(cb));
    uint16_t column[32];
    for (uint32_t row = 0; row < 32; row++) {
        column[row] = tile[row / 16 * below * 256 + row % 16 * 16];
    }
    for (uint32_t row = 0; row < 32; row++) {
        tile[row] = column[row];  //~ TP0809 a thread takes 0 of a tile
    }
    [[maybe_unused]] const uint16_t stored = tile[31];
    noc_async_write_page(0, to, get_read_ptr(cb));
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}

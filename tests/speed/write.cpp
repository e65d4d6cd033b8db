// Pages of the output in order, BATCH before each barrier.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t batches = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), PAGE);
    for (uint32_t batch = 0; batch < batches; batch++) {
        cb_wait_front(16, BATCH);
        const uint32_t pages = BATCH * get_tile_size(16) / PAGE;
        for (uint32_t page = 0; page < pages; page++) {
            noc_async_write_page(batch * pages + page, out, get_read_ptr(16) + page * PAGE);
        }
        noc_async_write_barrier();
        cb_pop_front(16, BATCH);
    }
}

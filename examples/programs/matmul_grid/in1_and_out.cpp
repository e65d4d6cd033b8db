// Columns of in1, step by step along K: the first core of each column of cores multicasts them down. Then the block of the
// output goes to DRAM.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"
#include "multicast.h"

void kernel_main() {
    constexpr uint32_t cb_in1 = 1;
    constexpr uint32_t cb_out = 16;
    constexpr uint32_t block_rows = get_compile_time_arg_val(0);
    constexpr uint32_t steps = get_compile_time_arg_val(1);
    constexpr uint32_t columns = get_compile_time_arg_val(2);
    constexpr auto in1_args = TensorAccessorArgs<3>();
    constexpr auto out_args = TensorAccessorArgs<in1_args.next_compile_time_args_offset()>();
    const auto in1 = TensorAccessor(in1_args, get_arg_val<uint32_t>(0), get_tile_size(cb_in1));
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), get_tile_size(cb_out));
    const uint32_t first_row = get_arg_val<uint32_t>(2);
    const uint32_t column = get_arg_val<uint32_t>(3);
    const Line line(4);
    for (uint32_t step = 0; step < steps; step++) {
        share(cb_in1, 1, line, get_semaphore(2), get_semaphore(3), [&](uint32_t to) {
            noc_async_read_page(step * columns + column, in1, to);
        });
    }
    for (uint32_t row = 0; row < block_rows; row++) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page((first_row + row) * columns + column, out, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
    noc_async_atomic_barrier();
}

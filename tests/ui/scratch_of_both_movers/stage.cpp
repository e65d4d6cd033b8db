// Copies two pages by way of a scratch buffer.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
#ifdef MENDED
    const uint32_t scratch = get_arg_val<uint32_t>(3);
#else
    const uint32_t scratch = 1;
#endif
    const uint32_t bytes = get_tile_size(scratch), staged = get_write_ptr(scratch);
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), bytes);
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), bytes);
    const uint32_t first = get_arg_val<uint32_t>(2);
    for (uint32_t page = first; page < first + 2; page++) {
        noc_async_read_page(page, in, staged);  //~ TP0511 nothing orders the two
        noc_async_read_barrier();
        noc_async_write_page(page, out, staged);
        noc_async_write_barrier();
    }
}

// Two pages of the source make a page of the destination.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_page = 0;

void kernel_main() {
    constexpr auto in_args = TensorAccessorArgs<0>();
    constexpr auto out_args = TensorAccessorArgs<in_args.next_compile_time_args_offset()>();
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0), 32);
#ifdef MENDED
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), 64);
#else
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(1), 32);
#endif
    const uint32_t l1 = get_write_ptr(cb_page);
    for (uint32_t page = 0; page < 2; page++) {
        noc_async_read_page(2 * page, in, l1);
        noc_async_read_page(2 * page + 1, in, l1 + 32);
        noc_async_read_barrier();
        noc_async_write_page(page, out, l1);
        noc_async_write_barrier();
    }
}

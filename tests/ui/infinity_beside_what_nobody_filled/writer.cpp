// A page of two circular buffers, each to a tensor of its own.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto quotients = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 2048);
    const auto copy = TensorAccessor(accessor_args, get_arg_val<uint32_t>(1), 2048);
    cb_wait_front(16, 1);
    noc_async_write_page(0, quotients, get_read_ptr(16));
    cb_wait_front(1, 1);
    noc_async_write_page(0, copy, get_read_ptr(1));  //~ TP0801 output copy holds 1024 NaN
    noc_async_write_barrier();
    cb_pop_front(16, 1);
    cb_pop_front(1, 1);
}

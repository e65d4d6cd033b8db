#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// One page of each of two tensors.
void kernel_main() {
    constexpr auto how = TensorAccessorArgs<0>();
    constexpr auto other = TensorAccessorArgs<how.next_compile_time_args_offset()>();
    const auto r = TensorAccessor(how, get_arg_val<uint32_t>(0), get_tile_size(16));
    const auto s = TensorAccessor(other, get_arg_val<uint32_t>(1), get_tile_size(17));
    cb_wait_front(16, 1);
    noc_async_write_page(0, r, get_read_ptr(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
    cb_wait_front(17, 1);
    noc_async_write_page(0, s, get_read_ptr(17));
    noc_async_write_barrier();
    cb_pop_front(17, 1);
}

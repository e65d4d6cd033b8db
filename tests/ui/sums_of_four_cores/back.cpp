// One page to a tensor. Runtime arguments: address, its number.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto to = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 4096);
    cb_wait_front(16, 1);
    noc_async_write_page(get_arg_val<uint32_t>(1), to, get_read_ptr(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
}

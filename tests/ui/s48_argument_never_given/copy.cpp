// Copies one page, whose number is the third argument.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_page = 0;

void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const uint32_t page = get_arg_val<uint32_t>(2);  //~ TP0602 runtime argument 2 was asked for, the program gives 1
    const auto in = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), get_tile_size(cb_page));
    const auto out = TensorAccessor(accessor_args, get_arg_val<uint32_t>(1), get_tile_size(cb_page));
    const uint32_t l1 = get_write_ptr(cb_page);
    noc_async_read_page(page, in, l1);
    noc_async_read_barrier();
    noc_async_write_page(page, out, l1);
    noc_async_write_barrier();
}

// From where the reader put it.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(accessor_args, address, 16);
    cb_wait_front(0, 1);
    const uint32_t from = (get_read_ptr(0) + 64) & ~63u;
    noc_async_write_page(0, out, from);  //~ TP0410 L1 that nothing owns, right at the end of c_0
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}

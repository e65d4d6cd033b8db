// The page goes to the first multiple of 64 behind the pointer, which needs 64 bytes of head-room.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, address, 16);
    cb_reserve_back(0, 1);
    const uint32_t to = (get_write_ptr(0) + 64) & ~63u;
    noc_async_read_page(0, in, to);  //~ TP0410 L1 that nothing owns, right at the end of c_0
    noc_async_read_barrier();
    cb_push_back(0, 1);
}

// Which page lies where depends on which read comes last.
#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto accessor_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(accessor_args, get_arg_val<uint32_t>(0), 2048);
    cb_reserve_back(0, 2);
    const uint32_t page = get_write_ptr(0);
    for (uint32_t turn = 0; turn < 2; turn++) {
        noc_async_read_page(turn, in, page);  //~ TP0501 is read into while a NoC read into it is in flight
        noc_async_read_page(1 - turn, in, page + 2048);  //~ TP0501 is read into while a NoC read into it is in flight
#ifdef MENDED
        noc_async_read_barrier();
#endif
    }
    noc_async_read_barrier();
    cb_push_back(0, 2);
}

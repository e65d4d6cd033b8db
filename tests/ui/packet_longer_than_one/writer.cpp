#include <cstdint>
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = 0;
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_local_cb_interface(cb).fifo_page_size;
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    for (uint32_t row = 0; row < get_arg_val<uint32_t>(1); row++) {
        cb_wait_front(cb, 1);
        noc_async_write_one_packet(get_read_ptr(cb), out.get_noc_addr(row), bytes); //~ TP0413 12288 bytes in one packet, which has at most 8192 on wormhole
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}

#include <cstdint>
#include "api/dataflow/dataflow_api.h"

// Rows of a tensor; the kernel promises that none is longer than a packet.
void kernel_main() {
    constexpr uint32_t cb = 0;
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_local_cb_interface(cb).fifo_page_size;
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    for (uint32_t row = 0; row < get_arg_val<uint32_t>(1); row++) {
        cb_reserve_back(cb, 1);
        noc_async_read<8192>(in.get_noc_addr(row), get_write_ptr(cb), bytes); //~ TP0413 12288 bytes in one packet, which has at most 8192 on wormhole
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}

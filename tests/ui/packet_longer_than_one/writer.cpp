#include <cstdint>
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"

// The rows again, by three more such calls.
void kernel_main() {
    constexpr uint32_t cb = 0, packet = 8192;
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_local_cb_interface(cb).fifo_page_size;
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const Noc noc;
    const CircularBuffer buffer(cb);

    buffer.wait_front(1);
    noc_async_write_one_packet(get_read_ptr(cb), out.get_noc_addr(0), bytes); //~ TP0413 12288 bytes in one packet, which has at most 8192 on wormhole
    noc_async_write_barrier();
    buffer.pop_front(1);

    buffer.wait_front(1);
    noc.async_write<NocOptions::DEFAULT, packet>(buffer, out, bytes, {}, {.page_id = 1}); //~ TP0413 12288 bytes in one packet
    noc_async_write_barrier();
    buffer.pop_front(1);

    buffer.wait_front(1);
    noc.set_async_write_state<NocOptions::DEFAULT, packet>(out, bytes, {.page_id = 2});
    noc.async_write_with_state<NocOptions::DEFAULT, packet>(buffer, out, bytes, {}, {.page_id = 2}); //~ TP0413 12288 bytes in one packet
    noc_async_write_barrier();
    buffer.pop_front(1);
}

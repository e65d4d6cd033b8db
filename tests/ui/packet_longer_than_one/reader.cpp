#include <cstdint>
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc.h"

// Rows of a tensor by three calls, each of which is promised that none is longer than a packet; the first row goes to the core
// beside, too. A multicast that includes its sender makes several packets whatever it is promised.
void kernel_main() {
    constexpr uint32_t cb = 0, packet = 8192;
    constexpr auto args = TensorAccessorArgs<0>();
    const uint32_t bytes = get_local_cb_interface(cb).fifo_page_size;
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t x0 = get_arg_val<uint32_t>(1), x1 = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
    const Noc noc;
    const CircularBuffer buffer(cb);
    const auto page = use<CircularBuffer::AddrSelector::WRITE_PTR>(buffer);

    buffer.reserve_back(1);
    noc_async_read<packet>(in.get_noc_addr(0), get_write_ptr(cb), bytes); //~ TP0413 12288 bytes in one packet, which has at most 8192 on wormhole
    noc_async_read_barrier();
    const MulticastEndpoint beside;
    const uint32_t at = get_write_ptr(cb);
    noc_async_write_multicast<packet>(at, get_noc_multicast_addr(x1, y, x1, y, at), bytes, 1); //~ TP0413 12288 bytes in one packet
    noc.async_write_multicast<NocOptions::DEFAULT, packet>(page, beside, bytes, 1, {}, {x1, y, x1, y, at}); //~ TP0413 12288 bytes in one packet
    noc.async_write_multicast<Noc::McastMode::EXCLUDE_SRC, packet>(page, beside, bytes, 1, {}, {x1, y, x1, y, at}); //~ TP0413 12288 bytes in one packet
    noc.async_write_multicast<NocOptions::MCAST_INCL_SRC, packet>(page, beside, bytes, 2, {}, {x0, y, x1, y, at});
    noc_async_write_barrier();
    buffer.push_back(1);

    buffer.reserve_back(1);
    noc_async_read_one_packet_set_state(in.get_noc_addr(1), bytes);
    noc_async_read_one_packet_with_state(uint32_t(in.get_noc_addr(1)), get_write_ptr(cb)); //~ TP0413 12288 bytes in one packet
    noc_async_read_barrier();
    buffer.push_back(1);

    buffer.reserve_back(1);
    noc.async_read<NocOptions::DEFAULT, packet>(in, buffer, bytes, {.page_id = 2}, {}); //~ TP0413 12288 bytes in one packet
    noc_async_read_barrier();
    buffer.push_back(1);
}

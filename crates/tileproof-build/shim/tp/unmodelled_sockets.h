// Calls of sockets between chips, which are not modelled: each compiles with whatever arguments it is given, and ends the
// kernel by its name when it is reached. Start at TP_UNMODELLED; names are those of tt-metal 0.79 `api/socket_api.h`.
#pragma once
#include "tp/kernel_api.h"

#ifndef COMPILE_FOR_TRISC

// Some give a number.
#define TP_UNMODELLED(NAME)                                  \
    template <auto... Values, typename... Arguments>         \
    ALWI uint32_t NAME(Arguments&&...) {                     \
        ::tp::stop(#NAME);                 \
    }

// What describes a socket cannot be made either.
struct SocketHostInterface {
    uint32_t data_addr_hi, data_addr_lo, bytes_sent_addr_hi, bytes_sent_addr_lo, bytes_acked_addr_hi, bytes_acked_addr_lo;
    uint32_t pcie_xy_enc;
};
struct SocketSenderInterface {
    uint32_t config_addr, write_ptr, bytes_sent, bytes_acked_base_addr, page_size, num_downstreams;
    uint32_t downstream_bytes_sent_addr, downstream_fifo_addr, downstream_fifo_total_size, downstream_fifo_curr_size;
    SocketHostInterface d2h;
};
struct SocketReceiverInterface {
    uint32_t config_addr, read_ptr, bytes_sent_addr, bytes_acked, page_size, fifo_addr, fifo_total_size, fifo_curr_size;
    SocketHostInterface h2d;
};
ALWI SocketSenderInterface create_sender_socket_interface(uint32_t) {
    tp::unsupported(TP_SITE(), "create_sender_socket_interface");
}
ALWI SocketReceiverInterface create_receiver_socket_interface(uint32_t) {
    tp::unsupported(TP_SITE(), "create_receiver_socket_interface");
}
TP_UNMODELLED(set_sender_socket_page_size)
TP_UNMODELLED(socket_reserve_pages)
TP_UNMODELLED(socket_push_pages)
TP_UNMODELLED(socket_notify_receiver)
TP_UNMODELLED(fabric_socket_notify_receiver)
TP_UNMODELLED(socket_barrier)
TP_UNMODELLED(update_socket_config)
TP_UNMODELLED(set_receiver_socket_page_size)
TP_UNMODELLED(socket_wait_for_pages)
TP_UNMODELLED(socket_pop_pages)
TP_UNMODELLED(assign_local_cb_to_socket)
TP_UNMODELLED(fabric_socket_notify_sender)
TP_UNMODELLED(fabric_socket_notify_sender_stateful)
TP_UNMODELLED(socket_notify_sender)
TP_UNMODELLED(fabric_set_unicast_route)
#undef TP_UNMODELLED
#endif

// Calls of data-movement kernels that the device has and the machine does not model: each compiles with whatever arguments it is
// given, and ends the kernel by its name when it is reached. A call that gets a model leaves this list.
// Start at TP_UNMODELLED; names are those of tt-metal 0.66 and 0.79 `api/dataflow/dataflow_api.h` and
// `api/remote_circular_buffer.h`.
#pragma once

// Some give a number.
#define TP_UNMODELLED(NAME)                                  \
    template <auto... Values, typename... Arguments>         \
    ALWI uint32_t NAME(Arguments&&...) {                     \
        ::tp::unsupported(TP_SITE(), #NAME);                 \
    }

TP_UNMODELLED(noc_async_read_inc_num_issued)
TP_UNMODELLED(noc_inline_mcast_dw_write)
TP_UNMODELLED(wait_for_sync_register_value)
TP_UNMODELLED(get_relative_logical_x)
TP_UNMODELLED(get_relative_logical_y)

// Buffers between cores.
namespace experimental {
TP_UNMODELLED(remote_cb_pop_front)
TP_UNMODELLED(remote_cb_push_back_and_write_pages)
TP_UNMODELLED(remote_cb_reserve_back)
TP_UNMODELLED(remote_cb_sender_barrier)
TP_UNMODELLED(remote_cb_wait_front)
TP_UNMODELLED(resize_remote_receiver_cb_interface)
TP_UNMODELLED(resize_remote_sender_cb_interface)
TP_UNMODELLED(update_pages_acked)
TP_UNMODELLED(update_pages_sent)
TP_UNMODELLED(update_remote_cb_config_in_l1)
TP_UNMODELLED(align_local_cbs_to_remote_cb)
TP_UNMODELLED(get_remote_sender_cb_interface)
TP_UNMODELLED(get_remote_receiver_cb_interface)
}  // namespace experimental

#undef TP_UNMODELLED

#define RISC_POST_HEARTBEAT(...) ((void)0)

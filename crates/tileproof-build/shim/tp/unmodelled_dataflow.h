// Calls of data-movement kernels that the device has and the machine does not model: each compiles with whatever arguments it is
// given, and ends the kernel by its name when it is reached. A call that gets a model leaves this list.
// Start at TP_UNMODELLED; names are those of tt-metal 0.66 and 0.79 `api/dataflow/dataflow_api.h` and
// `api/remote_circular_buffer.h`.
#pragma once

// Some give a number.
#define TP_UNMODELLED(NAME)                                  \
    template <auto... Values, typename... Arguments>         \
    ALWI uint32_t NAME(Arguments&&...) {                     \
        ::tp::stop(#NAME);                 \
    }

TP_UNMODELLED(noc_async_read_inc_num_issued)
TP_UNMODELLED(noc_inline_mcast_dw_write)
TP_UNMODELLED(wait_for_sync_register_value)
// Command buffers by hand, and memory of the host (tt-metal `noc_nonblocking_api.h`, `dataflow_api.h`).
TP_UNMODELLED(noc_write_init_state)
TP_UNMODELLED(noc_write_with_state)
TP_UNMODELLED(noc_wwrite_with_state)
TP_UNMODELLED(noc_read_init_state)
TP_UNMODELLED(noc_read_with_state)
TP_UNMODELLED(noc_inline_dw_write_init_state)
TP_UNMODELLED(noc_fast_read)
TP_UNMODELLED(noc_fast_write)
TP_UNMODELLED(get_noc_addr_64)
TP_UNMODELLED(get_system_memory_noc_addr)
TP_UNMODELLED(noc_clear_outstanding_req_cnt)
TP_UNMODELLED(get_stack_base)
TP_UNMODELLED(get_timestamp)
TP_UNMODELLED(get_timestamp_32b)
// Ethernet between chips (tt-metal `internal/ethernet/dataflow_api.h`).
TP_UNMODELLED(eth_send_bytes)
TP_UNMODELLED(eth_send_bytes_over_channel)
TP_UNMODELLED(eth_send_done)
TP_UNMODELLED(eth_wait_for_bytes)
TP_UNMODELLED(eth_wait_for_receiver_done)
TP_UNMODELLED(eth_wait_receiver_done)
TP_UNMODELLED(eth_receiver_done)
TP_UNMODELLED(eth_noc_semaphore_wait)
TP_UNMODELLED(eth_noc_async_write_barrier)
TP_UNMODELLED(eth_noc_async_read_barrier)
TP_UNMODELLED(eth_wait_for_receiver_channel_done)
TP_UNMODELLED(eth_receiver_channel_done)
TP_UNMODELLED(eth_wait_for_remote_receiver_done_and_get_local_receiver_data)
TP_UNMODELLED(eth_send_packet)
TP_UNMODELLED(eth_write_remote_reg)
TP_UNMODELLED(run_routing)

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
}  // namespace experimental

#undef TP_UNMODELLED

// Registers that a kernel writes by hand.
enum CQNocFlags { CQ_NOC_sndl = 0, CQ_NOC_SNDL = 0xff };
enum CQNocWait { CQ_NOC_wait = 0, CQ_NOC_WAIT = 1 };
enum CQNocSend { CQ_NOC_send = 0, CQ_NOC_SEND = 1 };
#define NOC_CLEAR_OUTSTANDING_REQ_MASK 0
#define NOC_XY_PCIE_ENCODING(...) (::tp::no_register(TP_SITE(), "NOC_XY_PCIE_ENCODING"))
constexpr uint8_t NOC_0 = 0, NOC_1 = 1;
#define NOC_CMD_BUF_READ_REG(...) (::tp::no_register(TP_SITE(), "NOC_CMD_BUF_READ_REG"))
#define NOC_WRITE_REG(...) (::tp::unsupported(TP_SITE(), "NOC_WRITE_REG"))
#define NOC_READ_REG(...) (::tp::no_register(TP_SITE(), "NOC_READ_REG"))
#define NOC_STATUS_READ_REG(...) (::tp::no_register(TP_SITE(), "NOC_STATUS_READ_REG"))
#define STREAM_REG_ADDR(...) (::tp::no_register(TP_SITE(), "STREAM_REG_ADDR"))
#define NOC_STREAM_READ_REG(...) (::tp::no_register(TP_SITE(), "NOC_STREAM_READ_REG"))
#define NOC_STREAM_WRITE_REG(...) (::tp::unsupported(TP_SITE(), "NOC_STREAM_WRITE_REG"))
// Of a stream's registers (tt-metal `noc_overlay_parameters.h`), which no call here reads or writes.
#define NOC_NUM_STREAMS 64
#define STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_REG_INDEX 64
#define STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE_REG_INDEX 65
#define REMOTE_DEST_BUF_WORDS_FREE_INC 6
#define REMOTE_DEST_WORDS_FREE_WIDTH 17

#define RISC_POST_HEARTBEAT(...) ((void)0)
